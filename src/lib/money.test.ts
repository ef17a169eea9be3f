import { describe, expect, test } from 'vitest'
import { fc } from '../../test/property.ts'
import {
  AMOUNT_MINOR_MAX,
  decimalsOf,
  formatAmount,
  isCurrency,
  parseAmount,
  percentageOf,
  printMinor,
  toAmount,
} from './money.ts'
import { Problem } from './problem.ts'

const minor = fc.bigInt({ min: 0n, max: AMOUNT_MINOR_MAX })
const currency = fc.constantFrom('NGN', 'USD', 'JPY', 'KWD')

describe('decimals', () => {
  test.each([
    ['NGN', 2],
    ['USD', 2],
    ['GHS', 2],
    ['JPY', 0],
    ['XOF', 0],
    ['UGX', 0],
    ['KWD', 3],
    ['TND', 3],
    // ISO 4217 gives these two decimals, though their coins are fifths.
    ['MGA', 2],
    ['MRU', 2],
    ['IDR', 2],
    ['UYW', 4],
  ])('of %s are %i', (code, decimals) => {
    expect(decimalsOf(code)).toBe(decimals)
  })

  test('are known only for the currencies of ISO 4217', () => {
    for (const code of ['ZZZ', 'ngn', '', 'NGNN', '__proto__', 'constructor']) {
      expect(isCurrency(code)).toBe(false)
      expect(() => decimalsOf(code)).toThrow()
    }
  })
})

describe('an amount', () => {
  test('survives printing and parsing, as a number and as a string', () => {
    fc.assert(
      fc.property(minor, currency, (value, code) => {
        expect(parseAmount(printMinor(value, code), code, { zero: true })).toBe(value)
        expect(parseAmount(toAmount(value, code), code, { zero: true })).toBe(value)
      }),
    )
  })

  test('is the number nearest to its digits, however large and of either sign', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }), currency, (value, code) => {
        for (const one of [value, value % 2n ** 53n, value % AMOUNT_MINOR_MAX, value % 10_000n]) {
          expect(toAmount(one, code)).toBe(Number(printMinor(one, code)))
        }
      }),
    )
  })

  test('means the same as a JSON number and as a decimal string', () => {
    fc.assert(
      fc.property(minor, currency, (value, code) => {
        const text = printMinor(value, code)
        expect(parseAmount(JSON.parse(text), code, { zero: true })).toBe(value)
      }),
    )
  })

  test('with one decimal too many is refused, however small', () => {
    fc.assert(
      fc.property(minor, currency, fc.integer({ min: 1, max: 9 }), (value, code, digit) => {
        const text = printMinor(value, code)
        const longer = text.includes('.') ? `${text}${digit}` : `${text}.${digit}`
        expect(() => parseAmount(longer, code)).toThrow(Problem)
      }),
    )
  })

  test('from any other value throws a Problem that names the field', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double()), (value) => {
        try {
          const parsed = parseAmount(value, 'NGN', { field: 'fees' })
          expect(parsed > 0n && parsed <= AMOUNT_MINOR_MAX).toBe(true)
          expect(Number(printMinor(parsed, 'NGN'))).toBe(Number(value))
        } catch (error) {
          expect(error).toBeInstanceOf(Problem)
          expect(Object.keys((error as Problem).fields)).toEqual(['fees'])
        }
      }),
    )
  })

  test('of zero is accepted only where zero is allowed', () => {
    expect(parseAmount(0, 'NGN', { zero: true })).toBe(0n)
    expect(() => parseAmount(0, 'NGN')).toThrow('more than 0')
  })
})

describe('printing', () => {
  test.each([
    [0n, 'NGN', '0.00'],
    [5n, 'NGN', '0.05'],
    [150_050n, 'NGN', '1500.50'],
    [-5n, 'NGN', '-0.05'],
    [-150_050n, 'NGN', '-1500.50'],
    [500n, 'JPY', '500'],
    [1n, 'KWD', '0.001'],
    [9_007_199_254_740_993n, 'NGN', '90071992547409.93'],
  ])('%s of %s is %s', (value, code, text) => {
    expect(printMinor(value, code)).toBe(text)
  })

  test.each([
    [150_050n, 'NGN', '₦1,500.50'],
    [9_007_199_254_740_993n, 'NGN', '₦90,071,992,547,409.93'],
    [500n, 'JPY', '¥500'],
    [-5n, 'NGN', '-₦0.05'],
  ])('%s of %s reads %s', (value, code, text) => {
    expect(formatAmount(value, code)).toBe(text)
  })
})

describe('a percentage', () => {
  test.each([
    [333n, 150, 5n],
    [100n, 150, 2n],
    [99n, 150, 1n],
    [1n, 1, 0n],
    [AMOUNT_MINOR_MAX, 10_000, AMOUNT_MINOR_MAX],
    [12_345n, 0, 0n],
  ])('%s at %i basis points is %s', (value, basisPoints, share) => {
    expect(percentageOf(value, basisPoints)).toBe(share)
  })

  test('is never off by more than half a unit', () => {
    fc.assert(
      fc.property(minor, fc.integer({ min: 0, max: 10_000 }), (value, basisPoints) => {
        const off = percentageOf(value, basisPoints) * 10_000n - value * BigInt(basisPoints)
        expect(off <= 5_000n && off > -5_000n).toBe(true)
      }),
    )
  })
})
