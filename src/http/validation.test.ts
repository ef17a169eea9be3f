import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { Amount, RecordId, toId } from '../lib/schemas.ts'
import { fingerprinter } from './idempotency-key.ts'
import { coerceStrings, validator } from './validation.ts'

const Body = Type.Object({
  id: RecordId(),
  fees: Type.Optional(Amount({ zero: true })),
  lines: Type.Optional(
    Type.Array(Type.Object({ price: Amount(), currency: Type.Optional(Type.String()) }), {
      maxItems: 10,
    }),
  ),
  flag: Type.Boolean({ default: true }),
})
const check = validator(Body, 'body')
const refusal = (value: unknown) => {
  try {
    check(value)
  } catch (error) {
    return (error as { fields: object }).fields
  }
  return undefined
}

describe('an id', () => {
  test.each([[0], [58], [9_007_199_254_740_991], ['0'], ['58'], ['007'], ['9007199254740991']])(
    'is %j',
    (id) => {
      expect(refusal({ id })).toBeUndefined()
      expect(toId(id)).toBe(Number(id))
    },
  )

  test.each([
    [-1],
    [1.5],
    [1e300],
    ['-1'],
    ['+1'],
    ['1.0'],
    ['1e3'],
    ['0x10'],
    [' 1'],
    [''],
    ['NaN'],
    ['9007199254740992'],
    ['9223372036854775808'],
    [true],
    [null],
    [[7]],
    [{}],
    [{ toString: 1 }],
  ])('is not %j', (id) => {
    expect(Object.keys(refusal({ id }) ?? {})).toEqual(['id'])
  })
})

describe('validation', () => {
  test('fills in defaults and leaves everything else unchanged', () => {
    const value = { id: '58', extra: ' x ' }
    check(value)
    expect(value).toEqual({ id: '58', extra: ' x ', flag: true })
  })

  test('names a nested field, and reads an amount in the currency beside it', () => {
    const lines = [
      { price: '1.5' },
      { price: '1.5', currency: 'JPY' },
      { price: '1.234', currency: 'KWD' },
    ]
    expect(refusal({ id: 1, lines })).toEqual({
      'lines.1.price': ['must have at most 0 decimals in JPY'],
    })
    expect(refusal({ id: 1, fees: 0 })).toBeUndefined()
  })

  test('lists null among the allowed values of a nullable enum', () => {
    const Unit = Type.Object({ unit: Type.Unsafe({ enum: ['hours', 'days', null] }) })
    const named = (error: unknown) => (error as { fields: object }).fields
    expect.assertions(1)
    try {
      validator(Unit, 'body')({ unit: 'years' })
    } catch (error) {
      expect(named(error)).toEqual({ unit: ['must be one of hours, days or null'] })
    }
  })

  test('is not fooled by properties that every object inherits', () => {
    expect(refusal({})).toEqual({ id: ['is required'] })
    const Odd = Type.Object({ constructor: Type.String(), toString: Type.String() })
    expect(() => validator(Odd, 'body')({})).toThrow('constructor')
  })
})

describe('text from a URL', () => {
  const Query = Type.Object({
    page: Type.Integer(),
    open: Type.Boolean(),
    word: Type.String(),
  })

  test.each([
    [{ page: '7' }, { page: 7 }],
    [{ page: '-7' }, { page: -7 }],
    [{ page: '007' }, { page: 7 }],
    [{ page: '7.0' }, { page: '7.0' }],
    [{ page: ' 7' }, { page: ' 7' }],
    [{ page: '0x7' }, { page: '0x7' }],
    [{ page: '9999999999999999' }, { page: '9999999999999999' }],
    [{ open: 'true' }, { open: true }],
    [{ open: 'FALSE' }, { open: false }],
    [{ open: '1' }, { open: true }],
    [{ open: '0' }, { open: false }],
    [{ open: 'yes' }, { open: 'yes' }],
    [{ word: '7' }, { word: '7' }],
    [{ word: 'true' }, { word: 'true' }],
  ])('%j becomes %j', (text, values) => {
    expect(coerceStrings(text, Query)).toEqual(values)
  })
})

describe('the fingerprint of a request', () => {
  const Request = Type.Object({
    a: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
    b: Type.Optional(Type.String()),
    amount: Type.Optional(Amount()),
    price: Type.Optional(Type.Any({ 'x-decimal': true })),
    currency: Type.Optional(Type.String()),
    id: Type.Optional(RecordId()),
    lines: Type.Optional(Type.Array(Type.Object({ price: Amount() }))),
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    shere: Type.Optional(Type.Integer({ 'x-spelling-of': 'share' })),
    share: Type.Optional(Type.Integer()),
  })
  const fingerprint = fingerprinter([Request, undefined])
  const of = (body: object) => fingerprint([body, {}]).toString('hex')

  test.each([
    [
      { a: '1', b: '2' },
      { b: '2', a: '1' },
    ],
    [{ a: '1' }, { a: '1', unknown: 2 }],
    [{ amount: 1500.5 }, { amount: '1500.50' }],
    [
      { amount: '5', currency: 'JPY' },
      { amount: 5, currency: 'JPY' },
    ],
    [{ price: 12.5 }, { price: '12.50' }],
    [{ price: 100 }, { price: '0100.00' }],
    [{ price: 0 }, { price: '0.0' }],
    [{ id: 58 }, { id: '58' }],
    [{ id: 58 }, { id: '058' }],
    [{ shere: 5 }, { share: 5 }],
    [{ shere: 5 }, { share: 5, shere: 5 }],
    [{ lines: [{ price: 1 }] }, { lines: [{ price: '1.00', x: 1 }] }],
    [{ metadata: { a: 1, b: [{ c: 1, d: 2 }] } }, { metadata: { b: [{ d: 2, c: 1 }], a: 1 } }],
  ])('is the same for %j and %j', (one, other) => {
    expect(of(other)).toBe(of(one))
  })

  test('differs for every other request', () => {
    const requests = [
      {},
      { a: '' },
      { a: null },
      { a: 'null' },
      { a: '1' },
      { b: '1' },
      { a: '1,b:"2"' },
      { a: '1', b: '2' },
      { a: '1"', b: '2' },
      { a: '1', b: '"2' },
      { amount: 5 },
      { amount: 5.01 },
      { price: 5 },
      { price: 50 },
      { price: 5.01 },
      { price: '5x' },
      { amount: 500 },
      { amount: 5, currency: 'JPY' },
      { amount: 5, currency: 'NGN' },
      { id: 5 },
      { lines: [] },
      { lines: [{ price: 1 }] },
      { lines: [{ price: 1 }, { price: 1 }] },
      { lines: [{ price: 2 }] },
      { metadata: {} },
      { metadata: { a: 1 } },
      { metadata: { a: '1' } },
      { metadata: { a: [1] } },
      { metadata: { a: null } },
      { metadata: { lines: [{ price: 1 }] } },
    ]
    expect(new Set(requests.map(of)).size).toBe(requests.length)
  })
})
