import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/property.ts'
import { AMOUNT_MINOR_MAX } from '../../lib/money.ts'
import { majorNumber, printJson, readJson } from './json.ts'

describe('an amount in major units', () => {
  test.each([
    [1n, '0.01'],
    [29n, '0.29'],
    [57n, '0.57'],
    [123_456_789n, '1234567.89'],
    [250_010n, '2500.10'],
    [AMOUNT_MINOR_MAX, '100000000000.00'],
  ])('%d is printed digit by digit, and read again', (minor, digits) => {
    const text = printJson({ amount: majorNumber(minor, 'NGN') })
    expect(text).toBe(`{"amount":${digits}}`)
    expect(readJson(text).major('NGN', 'amount')).toBe(minor)
  })

  test.each([
    ['26.875', 2_688n],
    ['26.874999999999999999999', 2_687n],
    ['-26.875', -2_688n],
    ['2500.1', 250_010n],
    ['1e3', 100_000n],
    ['1.5E-1', 15n],
    ['"100.00"', 10_000n],
    ['"0.29"', 29n],
    ['0', 0n],
    ['1e99', undefined],
    ['1e9999999', undefined],
    ['92233720368547758.07', 2n ** 63n - 1n],
    ['92233720368547758.08', undefined],
    ['"2,500.10"', undefined],
    ['"NGN 100"', undefined],
    ['""', undefined],
    ['"1e"', undefined],
    ['true', undefined],
    ['null', undefined],
    ['[100]', undefined],
    ['{}', undefined],
  ])('%s is read as %s', (json, minor) => {
    expect(readJson(`{"fee":${json}}`).major('NGN', 'fee')).toBe(minor)
  })

  test('has the decimals of its currency', () => {
    const body = readJson('{"amount":1.5}')
    expect([body.major('JPY', 'amount'), body.major('KWD', 'amount')]).toEqual([2n, 1_500n])
  })

  test('is the same after both ways, whatever it is', () => {
    const currency = fc.constantFrom('NGN', 'JPY', 'KWD')
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), currency, (minor, unit) => {
        const body = readJson(printJson({ amount: majorNumber(minor, unit), kobo: minor }))
        expect([body.major(unit, 'amount'), body.minor('kobo')]).toEqual([minor, minor])
      }),
    )
  })
})

describe('an amount in minor units', () => {
  test.each([
    ['29', 29n],
    ['"29"', 29n],
    ['29.00', 29n],
    ['1e3', 1_000n],
    ['-100', -100n],
    ['29.5', undefined],
    ['12345678901234567890', undefined],
    ['9007199254740993', 9_007_199_254_740_993n],
  ])('%s is read as %s', (json, minor) => {
    expect(readJson(`{"amount":${json}}`).minor('amount')).toBe(minor)
  })

  test('is printed from a bigint, and never from a fraction', () => {
    expect(printJson({ amount: 9_007_199_254_740_993n })).toBe('{"amount":9007199254740993}')
    expect(() => printJson({ amount: 0.29 })).toThrow('amount is not an exact number')
  })
})

describe('a response', () => {
  const body = readJson(
    '{"data":{"id":12345678901234567890,"ok":true,"none":null,"list":[{"id":1},{"id":2}]}}',
  )

  test('keeps ids that do not fit in a double', () => {
    expect(body.text('data', 'id')).toBe('12345678901234567890')
    expect(JSON.stringify(body)).toContain('"id":12345678901234567890')
  })

  test('has the fields that it has', () => {
    expect(body.flag('data', 'ok')).toBe(true)
    expect(body.list('data', 'list')?.map((one) => one.text('id'))).toEqual(['1', '2'])
    expect(body.at('data').text('id')).toBe('12345678901234567890')
    expect(body.at('none').at('x').text()).toBeUndefined()
    for (const path of [
      ['none'],
      ['data', 'none'],
      ['data', 'none', 'x'],
      ['data', 'id', 'rawJSON'],
      ['data', 'constructor', 'name'],
      ['data', 'list', '0'],
    ]) {
      expect([path, body.text(...path), body.minor(...path)]).toEqual([path, undefined, undefined])
    }
    expect([body.flag('data', 'id'), body.list('data')]).toEqual([undefined, undefined])
  })

  test.each(['<html>Duplicate</html>', '', '{"data":', '"text"', '[1]', '[['.repeat(300_000)])(
    'that is not an object has no fields',
    (text) => {
      const other = readJson(text)
      expect([other.isObject, other.text('data')]).toEqual([false, undefined])
    },
  )

  test('has only text that can be stored', () => {
    const text = readJson('{"why":"Late\\u0000 \\ud800now \\ud83d\\ude00"}').text('why')
    expect(text).toBe('Late \ufffdnow \u{1f600}')
  })

  test('can be searched for words, also if it is not JSON', () => {
    const errors = readJson('{"errors":[{"field":"x","why":"already used"}],"duplicate":1}')
    expect([errors.says(/used/), errors.says(/duplicate/)]).toEqual([true, false])
    expect(readJson('<p>Duplicate</p>').says(/duplicate/i)).toBe(true)
  })
})
