import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/property.ts'
import { allocateRefund, type RefundParts, refundableParts } from './allocation.ts'

const share = (
  subaccountId: number,
  amount_minor: bigint,
  fee_minor = 0n,
  refunded_minor = 0n,
) => ({
  subaccountId,
  amount_minor,
  fee_minor,
  refunded_minor,
})

/** What each party gives, with the overpayment and the business first. */
const listOf = ({ excess_minor, business_minor, shares }: RefundParts) => [
  excess_minor,
  business_minor,
  ...shares.map(({ amount_minor }) => amount_minor),
]

const nothingGiven = { total_minor: 0n, excess_minor: 0n }

describe('what is left of a payment', () => {
  test.each([
    ['all of an unshared payment is the business’s', 1_000n, 0n, [], [0n, 1_000n]],
    ['an overpayment is separate', 1_200n, 200n, [], [200n, 1_000n]],
    [
      'shares have their amounts',
      1_000n,
      0n,
      [share(1, 300n), share(2, 200n)],
      [0n, 500n, 300n, 200n],
    ],
    ['the business pays the fee of a share', 1_000n, 0n, [share(1, 1_000n, 15n)], [0n, 15n, 985n]],
  ])('%s', (_title, paid_minor, excess_minor, shares, expected) => {
    const payment = { paid_minor, excess_minor }
    const left = refundableParts(payment, shares, nothingGiven, nothingGiven)
    expect(listOf(left)).toEqual(expected)
  })

  test('is reduced by refunds, each part by its own', () => {
    const shares = [share(1, 300n, 0n, 30n), share(2, 200n, 10n, 20n)]
    const given = { total_minor: 200n, excess_minor: 100n }
    const payment = { paid_minor: 1_100n, excess_minor: 100n }
    const left = refundableParts(payment, shares, given, nothingGiven)
    // The business had 510 at first and gave 200 - 100 - 50 of it.
    expect(listOf(left)).toEqual([0n, 460n, 270n, 170n])
  })

  test('is reduced by disputes, which take nothing from shares', () => {
    const shares = [share(1, 600n), share(2, 300n)]
    const payment = { paid_minor: 1_100n, excess_minor: 100n }
    const part = { total_minor: 140n, excess_minor: 100n }
    expect(listOf(refundableParts(payment, shares, nothingGiven, part))).toEqual([
      ...[0n, 60n, 600n, 300n],
    ])
    const more = { total_minor: 400n, excess_minor: 100n }
    const left = refundableParts(payment, shares, nothingGiven, more)
    expect(listOf(left)).toEqual([0n, 0n, 600n, 300n])
    expect(listOf(allocateRefund(700n, left))).toEqual([0n, 0n, 467n, 233n])
  })
})

describe('a refund', () => {
  const left = (excess: bigint, business: bigint, ...amounts: bigint[]): RefundParts => ({
    excess_minor: excess,
    business_minor: business,
    shares: amounts.map((amount_minor, i) => ({ subaccountId: i + 1, amount_minor })),
  })

  test.each([
    ['takes an overpayment first', 150n, left(200n, 1_000n, 500n), [150n, 0n, 0n]],
    ['then the rest in proportion', 350n, left(200n, 1_000n, 500n), [200n, 100n, 50n]],
    ['gives the odd kobo from the business', 1n, left(0n, 1n, 1n, 1n), [0n, 1n, 0n, 0n]],
    ['then from the lower subaccount', 2n, left(0n, 1n, 1n, 1n), [0n, 1n, 1n, 0n]],
    ['takes from the largest remainder', 10n, left(0n, 1n, 33n, 66n), [0n, 0n, 3n, 7n]],
    ['takes nothing from an empty part', 7n, left(0n, 0n, 0n, 10n), [0n, 0n, 0n, 7n]],
    ['takes everything from all', 99n, left(9n, 30n, 30n, 30n), [9n, 30n, 30n, 30n]],
  ])('%s', (_title, amount, of, expected) => {
    expect(listOf(allocateRefund(amount, of))).toEqual(expected)
  })

  test('throws for more than is left', () => {
    expect(() => allocateRefund(3n, left(1n, 1n))).toThrow('Only 1 of 2')
    expect(() => allocateRefund(1n, left(0n, 0n))).toThrow('Only 0 of 1')
  })
})

const minor = (max: bigint) => fc.bigInt(0n, max)

/** A payment that is shared in a random way, and the amounts refunded step by step. */
const history = fc
  .record({
    excess: minor(1_000_00n),
    own: minor(10_000_00n),
    shares: fc.array(fc.record({ net: minor(10_000_00n), fee: minor(100n) }), { maxLength: 6 }),
    steps: fc.array(fc.bigInt(1n, 5_000_00n), { maxLength: 12 }),
  })
  .map(({ excess, own, shares, steps }) => ({
    excess_minor: excess,
    // The operator got the fees of the shares, so the business pays them.
    paid_minor: excess + own + shares.reduce((sum, { net, fee }) => sum + net + fee, 0n),
    shares: shares.map(({ net, fee }, i) => share(i + 1, net + fee, fee)),
    steps,
  }))

describe('any sequence of refunds', () => {
  test('adds up exactly, never takes more than is left, and empties all parts in the end', () => {
    fc.assert(
      fc.property(history, ({ paid_minor, excess_minor, shares, steps }) => {
        const given = { total_minor: 0n, excess_minor: 0n }
        const had = shares.map((one) => ({ ...one }))
        for (const step of [...steps, paid_minor]) {
          const payment = { paid_minor, excess_minor }
          const before = refundableParts(payment, had, given, nothingGiven)
          const rest = paid_minor - given.total_minor
          expect(sumOf(listOf(before))).toBe(rest)
          const amount = step < rest ? step : rest
          const parts = allocateRefund(amount, before)
          const [taken, available] = [listOf(parts), listOf(before)]
          expect(sumOf(taken)).toBe(amount)
          expect(taken.every((part, i) => part >= 0n && part <= available[i]!)).toBe(true)
          expect(parts.excess_minor < before.excess_minor && sumOf(taken.slice(1)) > 0n).toBe(false)
          given.total_minor += amount
          given.excess_minor += parts.excess_minor
          for (const [i, one] of had.entries()) {
            one.refunded_minor += parts.shares[i]!.amount_minor
          }
        }
        const payment = { paid_minor, excess_minor }
        const after = listOf(refundableParts(payment, had, given, nothingGiven))
        expect(after.every((part) => part === 0n)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

const sumOf = (parts: readonly bigint[]) => parts.reduce((sum, part) => sum + part, 0n)
