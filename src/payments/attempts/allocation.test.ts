import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/property.ts'
import { collectionFee, DEFAULT_FEES } from '../../business/account/payment-settings.ts'
import { allocate, allocatedAmount } from './allocation.ts'

const feeOf = (amount_minor: bigint) => collectionFee(null, 'BANK_TRANSFER', amount_minor)

const asked = (amount_minor: bigint, fee_bearer: 'business' | 'customer') => {
  const fee_minor = feeOf(amount_minor)
  const payable_minor = fee_bearer === 'customer' ? amount_minor + fee_minor : amount_minor
  return { amount_minor, fee_minor, fee_bearer, payable_minor }
}

/** The whole amount is due. */
function divided(amount: bigint, bearer: 'business' | 'customer', received: bigint) {
  const one = asked(amount, bearer)
  const offered = allocatedAmount(one, received, feeOf)
  return allocate(one, received, offered, offered, feeOf)
}

/** The fee after the operator has changed the percentage. */
const feeAt = (percentBasisPoints: number) => (amount_minor: bigint) => {
  const collections = { ...DEFAULT_FEES.collections, percentBasisPoints }
  return collectionFee({ ...DEFAULT_FEES, collections }, 'BANK_TRANSFER', amount_minor)
}

const money = fc.bigInt(1n, 10_000_000_00n)
const bearer = fc.constantFrom('business' as const, 'customer' as const)

describe('a received payment', () => {
  test.each([
    // bearer, asked, received: kept, fee, wallet, excess
    ['business', 1_000_00n, 1_000_00n, 1_000_00n, 15_00n, 1_000_00n, 0n],
    ['business', 1_000_00n, 1_200_00n, 1_000_00n, 15_00n, 1_000_00n, 200_00n],
    ['business', 1_000_00n, 400_00n, 400_00n, 6_00n, 400_00n, 0n],
    ['customer', 1_000_00n, 1_015_00n, 1_000_00n, 15_00n, 1_015_00n, 0n],
    ['customer', 1_000_00n, 406_00n, 400_00n, 6_00n, 406_00n, 0n],
    ['customer', 5_000_00n, 1_00n, 99n, 1n, 1_00n, 0n],
    // Where the ₦100 starts to apply: 2,499.99 has a fee of 37.50, and 2,500.00 one of 137.50.
    ['customer', 5_000_00n, 2_600_00n, 2_499_99n, 100_01n, 2_600_00n, 0n],
  ] as const)(
    '%s pays the fee, %s asked, %s received',
    (who, amount, came, kept, fee, wallet, excess) => {
      expect(divided(amount, who, came)).toEqual({
        applied_minor: kept,
        fee_minor: fee,
        wallet_minor: wallet,
        excess_minor: excess,
      })
    },
  )

  test('is fully owed back when nothing is due', () => {
    const one = asked(1_000_00n, 'customer')
    const offered = allocatedAmount(one, 1_015_00n, feeOf)
    expect(allocate(one, 1_015_00n, offered, 0n, feeOf)).toEqual({
      applied_minor: 0n,
      fee_minor: 0n,
      wallet_minor: 0n,
      excess_minor: 1_015_00n,
    })
  })

  test('is divided without remainder, with money owed back only when nothing more is due', () => {
    fc.assert(
      fc.property(money, bearer, money, (amount, who, received) => {
        const one = asked(amount, who)
        const { applied_minor, fee_minor, wallet_minor, excess_minor } = divided(
          amount,
          who,
          received,
        )
        expect(wallet_minor + excess_minor).toBe(received)
        expect(applied_minor).toBeLessThanOrEqual(received)
        expect(applied_minor).toBeLessThanOrEqual(amount)
        expect(fee_minor).toBeGreaterThanOrEqual(0n)
        expect(wallet_minor - fee_minor).toBe(
          who === 'customer' ? applied_minor : applied_minor - fee_minor,
        )
        if (applied_minor > 0n && applied_minor < amount) expect(excess_minor).toBe(0n)
        if (received === one.payable_minor) expect(applied_minor).toBe(amount)
      }),
    )
  })

  test('is divided without remainder if the fees have changed and only a part is still due', () => {
    const percent = fc.integer({ min: 0, max: 1_000 })
    fc.assert(
      fc.property(money, bearer, money, percent, money, (amount, who, received, percent, due) => {
        const one = asked(amount, who)
        const rule = feeAt(percent)
        const offered = allocatedAmount(one, received, rule)
        const applied_minor = due < offered ? due : offered
        const division = allocate(one, received, offered, applied_minor, rule)
        const { fee_minor, wallet_minor, excess_minor } = division
        expect(wallet_minor + excess_minor).toBe(received)
        expect(excess_minor).toBeGreaterThanOrEqual(0n)
        if (applied_minor === 0n) return
        expect(wallet_minor - fee_minor).toBe(
          who === 'customer' ? applied_minor : applied_minor - fee_minor,
        )
        expect(fee_minor).toBeLessThanOrEqual(one.fee_minor)
      }),
    )
  })
})
