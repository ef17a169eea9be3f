import { expect, test } from 'vitest'
import { formatCollectionFee, formatTransferFees } from './payment-settings.ts'

const NOTHING = {
  percentBasisPoints: 0,
  flat_minor: 0n,
  flatWaivedBelow_minor: 0n,
  cap_minor: null,
}

test.each([
  [NOTHING, 'Free'],
  [{ ...NOTHING, percentBasisPoints: 150, cap_minor: 0n }, 'Free'],
  [{ ...NOTHING, percentBasisPoints: 150 }, '1.5%'],
  [{ ...NOTHING, percentBasisPoints: 150, cap_minor: 2_000_00n }, '1.5%, capped at ₦2,000'],
  [{ ...NOTHING, flat_minor: 100_50n }, '₦100.50'],
  [{ ...NOTHING, flat_minor: 100_00n, cap_minor: 50_00n }, '₦50'],
  [
    { ...NOTHING, flat_minor: 100_00n, flatWaivedBelow_minor: 2_500_00n },
    '₦100; free below ₦2,500',
  ],
  [
    { ...NOTHING, percentBasisPoints: 5, flat_minor: 100_00n, flatWaivedBelow_minor: 2_500_00n },
    '0.05% + ₦100; the ₦100 is waived below ₦2,500',
  ],
])('%o', (rule, words) => {
  expect(formatCollectionFee(rule)).toBe(words)
})

test('transfer tiers', () => {
  expect(formatTransferFees([{ upTo_minor: null, fee_minor: 50_00n }])).toEqual(['₦50'])
  expect(
    formatTransferFees([
      { upTo_minor: 1_000_00n, fee_minor: 0n },
      { upTo_minor: null, fee_minor: 50_00n },
    ]),
  ).toEqual(['Free up to ₦1,000', '₦50 above ₦1,000'])
})
