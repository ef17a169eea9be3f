import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/property.ts'
import { BASE62, newReference } from '../../lib/tokens.ts'
import { recordReferenceOf, sentReferenceOf } from './references.ts'

const references = fc
  .tuple(
    fc.constantFrom('TRF', 'STL', 'UTL', 'RFD', 'TRX', 'CHK'),
    fc.string({ unit: fc.constantFrom(...BASE62), minLength: 20, maxLength: 20 }),
  )
  .map(([prefix, text]) => `${prefix}_${text}`)
const attempts = fc.integer({ min: 1, max: 999 })

describe('the reference that a provider gets', () => {
  test('has the same form for every record, and names its attempt', () => {
    expect(sentReferenceOf('TRF_00000000000000000000', 1)).toBe('trf-aaaaaaaaaaaaaaaaaaaaaaaa')
    expect(sentReferenceOf('TRF_00000000000000000010', 2)).toBe('trf-aaaaaaaaaaaaaaaaaaaaaab6-2')
    expect(sentReferenceOf('RFD_zzzzzzzzzzzzzzzzzzzz', 999)).toMatch(/^rfd-[a-z2-7]{24}-999$/)
  })

  test('fits every provider, and can be turned back', () => {
    fc.assert(
      fc.property(references, attempts, (reference, attempt) => {
        const sent = sentReferenceOf(reference, attempt)
        expect(sent).toMatch(/^[a-z0-9-]{28,32}$/)
        expect(recordReferenceOf(sent)).toEqual({ reference, attempt })
      }),
    )
  })

  test('is never that of another record or attempt', () => {
    const all = fc.tuple(references, attempts)
    fc.assert(
      fc.property(all, all, ([one, first], [other, second]) => {
        fc.pre(one !== other || first !== second)
        expect(sentReferenceOf(one, first)).not.toBe(sentReferenceOf(other, second))
      }),
    )
    const [reference, next] = ['TRF_aaaaaaaaaaaaaaaaaaaa', 'TRF_aaaaaaaaaaaaaaaaaaaA']
    expect(sentReferenceOf(reference, 1)).not.toBe(sentReferenceOf(next, 1))
  })

  test('is made for every reference that we generate', () => {
    for (let i = 0; i < 100; i++) {
      const reference = newReference('TRX')
      expect(recordReferenceOf(sentReferenceOf(reference, 1))?.reference).toBe(reference)
    }
  })

  test.each([
    'order-1234567890123456789',
    'TRF_aaaaaaaaaaaaaaaaaaa',
    'TRF_aaaaaaaaaaaaaaaaaaa!',
    'trf_aaaaaaaaaaaaaaaaaaaa',
    'ACCT_aaaaaaaaaaaaaaaaaaaa',
    '',
  ])('is not made for %j', (reference) => {
    expect(() => sentReferenceOf(reference, 1)).toThrow('not a reference that can be sent')
  })

  test.each([0, 1000, 1.5, Number.NaN])('is not made for attempt %d', (attempt) => {
    expect(() => sentReferenceOf(newReference('TRF'), attempt)).toThrow('attempt')
  })

  test.each([
    'trf-aaaaaaaaaaaaaaaaaaaaaaaa-1',
    'trf-aaaaaaaaaaaaaaaaaaaaaaaa-02',
    'trf-aaaaaaaaaaaaaaaaaaaaaaaa-1000',
    'trf-aaaaaaaaaaaaaaaaaaaaaaaa-',
    'trf-777777777777777777777777',
    'TRF-aaaaaaaaaaaaaaaaaaaaaaaa',
    'trf-aaaaaaaaaaaaaaaaaaaaaaa',
    'trf-aaaaaaaaaaaaaaaaaaaaaaaa_PMCK',
    'FLW-MOCK-1234',
    '',
  ])('is not %j', (sent) => {
    expect(recordReferenceOf(sent)).toBeUndefined()
  })
})
