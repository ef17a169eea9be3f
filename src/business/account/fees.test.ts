import { describe, expect, test } from 'vitest'
import {
  collectionFee,
  DEFAULT_FEES,
  printFees,
  readFees,
  transferFee,
} from './payment-settings.ts'

describe('collectionFee', () => {
  // Amounts and fees in kobo, calculated by hand from docs/CONTRACT.md, Authentication.
  test.each([
    [1n, 0n],
    [100_00n, 1_50n],
    [2_499_99n, 37_50n],
    [2_500_00n, 137_50n],
    [1_500_50n, 22_51n],
    [10_000_00n, 250_00n],
    [126_666_66n, 2_000_00n],
    [126_600_00n, 1_999_00n],
    [1_000_000_00n, 2_000_00n],
  ])('of %s kobo is %s', (amount_minor, fee_minor) => {
    expect(collectionFee(null, 'BANK_TRANSFER', amount_minor)).toBe(fee_minor)
    expect(collectionFee(DEFAULT_FEES, 'USSD', amount_minor)).toBe(fee_minor)
  })

  test('is zero for a payment outside Tradepost', () => {
    expect(collectionFee(null, 'OFFLINE', 10_000_00n)).toBe(0n)
  })

  test('is only the percentage in other currencies', () => {
    expect(collectionFee(null, 'CARD', 1_000_000_00n, 'USD')).toBe(15_000_00n)
  })

  test('is never more than the payment', () => {
    const rules = readFees(
      printFees({
        collections: {
          percentBasisPoints: 20_000,
          flat_minor: 500_00n,
          flatWaivedBelow_minor: 0n,
          cap_minor: null,
        },
      }),
    )
    expect(collectionFee(rules, 'USSD', 3n)).toBe(3n)
    expect(collectionFee(rules, 'USSD', 3n, 'USD')).toBe(3n)
  })
})

describe('transferFee', () => {
  test.each([
    [1n, 10_00n],
    [5_000_00n, 10_00n],
    [5_000_01n, 25_00n],
    [50_000_00n, 25_00n],
    [50_000_01n, 50_00n],
    [10_000_000_00n, 50_00n],
  ])('of %s kobo is %s', (amount_minor, fee_minor) => {
    expect(transferFee(null, amount_minor)).toBe(fee_minor)
  })

  test('is zero in other currencies', () => {
    expect(transferFee(null, 5_000_00n, 'USD')).toBe(0n)
  })
})

describe('readFees', () => {
  const collections = { ...DEFAULT_FEES.collections, percentBasisPoints: 99, cap_minor: null }

  test('returns the defaults where the business has no rule', () => {
    expect(readFees(null)).toEqual(DEFAULT_FEES)
    expect(readFees(printFees({ collections }))).toEqual({ ...DEFAULT_FEES, collections })
  })

  test('keeps amounts that a double cannot represent', () => {
    const flat_minor = 9_007_199_254_740_993n
    const stored = printFees({ collections: { ...collections, flat_minor } })
    expect(readFees(stored).collections.flat_minor).toBe(flat_minor)
  })

  test('returns a channel’s own rule', () => {
    const rules = readFees(printFees({ channels: { USSD: { ...collections, flat_minor: 0n } } }))
    expect(collectionFee(rules, 'USSD', 10_000_00n)).toBe(99_00n)
    expect(collectionFee(rules, 'BANK_TRANSFER', 10_000_00n)).toBe(250_00n)
    expect(collectionFee(rules, 'OFFLINE', 10_000_00n)).toBe(0n)
  })
})
