import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/property.ts'
import { clearingOf } from '../../ledger/ledger.ts'
import {
  chargeFee,
  computeShares,
  type FeeBearer,
  reduceShares,
  settlementMoves,
  sumOf,
} from './allocation.ts'

const promise = (...shares: number[]) => shares.map((share, i) => ({ subaccountId: i + 1, share }))

const amounts = (shares: { amount_minor: bigint }[]) => shares.map((share) => share.amount_minor)
const fees = (shares: { fee_minor: bigint }[]) => shares.map((share) => share.fee_minor)

const percent = (amount_minor: bigint, ...shares: number[]) =>
  amounts(
    computeShares({ amount_minor, currency: 'NGN', splitType: 'percentage' }, promise(...shares)),
  )

describe('percentages', () => {
  test.each([
    // Exact.
    [1_000_00n, [50, 30, 20], [500_00n, 300_00n, 200_00n]],
    // 33.0033 each: the business gets the rest.
    [10_001n, [33, 33], [3_300n, 3_300n]],
    // 33.0099 each, 66.0198 together: with equal remainders, the lower id gets the odd kobo.
    [10_003n, [33, 33], [3_301n, 3_300n]],
    // 16.66, 16.66 and 64.68: one kobo to the largest remainder, the next to the lower id.
    [98n, [17, 17, 66], [17n, 16n, 65n]],
    [1n, [50, 50], [1n, 0n]],
    [1n, [99], [0n]],
    [1n, [100], [1n]],
    [5_000n, [], []],
  ])('of %s kobo by %j', (amount, shares, parts) => {
    expect(percent(amount, ...shares)).toEqual(parts)
  })

  test('are in the order of the subaccounts’ ids, whatever the order of the request', () => {
    const shared = { amount_minor: 10_003n, currency: 'NGN', splitType: 'percentage' as const }
    const [first, second] = promise(33, 33)
    expect(computeShares(shared, [second!, first!])).toEqual(
      computeShares(shared, [first!, second!]),
    )
  })

  test('add up to the exact total share, and each is within a kobo of its exact share', () => {
    const shares = fc
      .array(fc.integer({ min: 1, max: 100 }), { maxLength: 12 })
      .filter((parts) => parts.reduce((sum, part) => sum + part, 0) <= 100)
    fc.assert(
      fc.property(fc.bigInt(1n, 10_000_000_000_000n), shares, (amount_minor, parts) => {
        const got = percent(amount_minor, ...parts)
        const whole = BigInt(parts.reduce((sum, part) => sum + part, 0))
        expect(sumOf(got)).toBe((amount_minor * whole) / 100n)
        for (const [i, part] of parts.entries()) {
          const off = got[i]! * 100n - amount_minor * BigInt(part)
          expect(off > -100n && off < 100n).toBe(true)
        }
      }),
    )
  })
})

describe('fixed shares', () => {
  const fixed = (amount_minor: bigint, currency: string, ...shares: number[]) =>
    amounts(computeShares({ amount_minor, currency, splitType: 'fixed' }, promise(...shares)))

  test('are in major units of the currency', () => {
    expect(fixed(1_000_00n, 'NGN', 300, 200)).toEqual([300_00n, 200_00n])
    expect(fixed(1_000n, 'JPY', 300, 200)).toEqual([300n, 200n])
    expect(fixed(500_00n, 'NGN', 300, 200)).toEqual([300_00n, 200_00n])
  })

  test('fail for a payment below their sum', () => {
    expect(() => fixed(499_99n, 'NGN', 300, 200)).toThrow(
      'amount must be at least ₦500.00, which is the total of the shares',
    )
  })
})

describe('the fee', () => {
  const shares = () =>
    computeShares(
      { amount_minor: 1_000_00n, currency: 'NGN', splitType: 'percentage' },
      promise(60, 30),
    )

  test.each([
    ['customer', 25_00n, 100_00n, [0n, 0n]],
    ['business', 25_00n, 100_00n, [0n, 0n]],
    // ₦25 more than the business's part, of which the first subaccount pays two thirds.
    ['business', 125_00n, 100_00n, [16_67n, 8_33n]],
    ['business', 25_00n, 0n, [16_67n, 8_33n]],
    ['subaccounts', 25_00n, 100_00n, [16_67n, 8_33n]],
    // Everything they have; the business pays the rest.
    ['subaccounts', 950_00n, 100_00n, [600_00n, 300_00n]],
    ['subaccounts', 0n, 100_00n, [0n, 0n]],
  ] as const)('paid by the %s, of %s kobo if the business has %s', (bearer, fee, own, parts) => {
    expect(fees(chargeFee(bearer, fee, shares(), own))).toEqual(parts)
  })

  test('is paid by the business if nothing is shared', () => {
    expect(chargeFee('subaccounts', 25_00n, [], 1_000_00n)).toEqual([])
  })
})

describe('a partial payment', () => {
  test('is shared in proportion', () => {
    const shares = [{ amount_minor: 600_00n }, { amount_minor: 300_00n }]
    expect(amounts(reduceShares(shares, 333_33n, 1_000_00n))).toEqual([199_99n, 100_00n])
    expect(amounts(reduceShares(shares, 0n, 1_000_00n))).toEqual([0n, 0n])
    expect(reduceShares(shares, 1_000_00n, 1_000_00n)).toEqual(shares)
  })
})

describe('the journal', () => {
  const amount = fc.bigInt(1n, 10_000_000_000n)
  const parts = fc
    .array(fc.integer({ min: 1, max: 100 }), { maxLength: 6 })
    .filter((shares) => shares.reduce((sum, share) => sum + share, 0) <= 100)

  test('moves the payment, the fee and what is owed back, and leaves no balance below zero', () => {
    fc.assert(
      fc.property(
        amount,
        parts,
        fc.constantFrom<FeeBearer>('business', 'customer', 'subaccounts'),
        fc.bigInt(0n, 100n),
        fc.bigInt(0n, 100n),
        fc.bigInt(0n, 1_000n),
        (asked_minor, promised, fee_bearer, feePercent, keptPercent, excess_minor) => {
          const applied_minor = (asked_minor * keptPercent) / 100n
          const fee_minor = (applied_minor * feePercent) / 100n
          const shared = computeShares(
            { amount_minor: asked_minor, currency: 'NGN', splitType: 'percentage' },
            promise(...promised),
          )
          const cut = reduceShares(shared, applied_minor, asked_minor)
          const own_minor = applied_minor - sumOf(amounts(cut))
          expect(own_minor >= 0n).toBe(true)
          const taken = chargeFee(fee_bearer, fee_minor, cut, own_minor)
          const wallet_minor = applied_minor + (fee_bearer === 'customer' ? fee_minor : 0n)
          const moves = settlementMoves(
            clearingOf(1, 'NGN'),
            { wallet_minor, fee_minor, excess_minor },
            taken.map((share) => ({ ...share, subaccount_id: share.subaccountId })),
          )

          const balances = new Map<string, bigint>()
          const add = (account: { kind: string; subjectId?: number }, minor: bigint) => {
            const isShare = account.kind === 'subaccount'
            const name = isShare ? `${account.kind} ${account.subjectId}` : account.kind
            balances.set(name, (balances.get(name) ?? 0n) + minor)
          }
          for (const { debit, credit, amount_minor } of moves) {
            expect(amount_minor >= 0n).toBe(true)
            add(debit, -amount_minor)
            add(credit, amount_minor)
          }
          for (const [name, minor] of balances) {
            expect(minor >= 0n || name === 'provider_clearing').toBe(true)
          }
          expect(balances.get('provider_clearing')).toBe(-(wallet_minor + excess_minor))
          expect(balances.get('fees')).toBe(fee_minor)
          expect(balances.get('refunds')).toBe(excess_minor)
        },
      ),
    )
  })
})
