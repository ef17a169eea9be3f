import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/property.ts'
import { newKey } from '../../business/keys/format.ts'
import type { CallRecord } from '../../lib/call-record.ts'
import { redactedJson, redactText, redactUrl } from '../../lib/redact.ts'
import { entryOf } from './record.ts'

const parameters = { numRuns: Number(process.env.REDACT_RUNS ?? 300) }

const exchange: CallRecord = {
  tenant: { businessId: 1, live: false },
  keyId: 2,
  partner: undefined,
  requestId: 'req_abc',
  method: 'POST',
  operation: 'create_invoice',
  url: '/x',
  status: 200,
  durationMs: 1,
  ip: '127.0.0.1',
  userAgent: undefined,
  idempotencyKey: undefined,
  replayed: false,
  errorCode: undefined,
  requestBytes: undefined,
  responseBytes: undefined,
  sent: undefined,
  answered: undefined,
}

const storedOf = (of: Partial<CallRecord>) =>
  JSON.stringify(entryOf({ ...exchange, ...of }, new Date(0), true))

const withCheckDigit = (digits: string): string => {
  const sum = [...digits].reverse().reduce((total, sign, i) => {
    const digit = Number(sign) * (i % 2 === 0 ? 2 : 1)
    return total + (digit > 9 ? digit - 9 : digit)
  }, 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

const body = fc.stringMatching(/^[0-9A-Za-z]{24,40}$/)
// A number starting with 234 is a Nigerian phone number if the field name says so.
const card = fc.stringMatching(/^[3-9][0-9]{11,17}$/).map(withCheckDigit)

/** A secret that must not appear, and its notation. */
const canary = fc.oneof(
  fc.constantFrom('secret', 'public').chain((type) =>
    fc.boolean().map((live) => {
      const key = newKey(type as 'secret' | 'public', live)
      return { written: key, never: key.slice(8) }
    }),
  ),
  fc
    .tuple(fc.constantFrom('whsec_', 'pt_test_', 'pt_live_', 'ps_test_', 'ps_live_'), body)
    .map(([prefix, never]) => ({ written: prefix + never, never })),
  body.map((never) => ({ written: `Bearer ${never}`, never })),
  card.map((never) => ({ written: never, never })),
  card
    .filter((digits) => digits.length === 16)
    .chain((digits) =>
      fc.constantFrom(' ', '-').map((sign) => {
        const never = digits.replace(/(\d{4})(?=\d)/g, `$1${sign}`)
        return { written: never, never }
      }),
    ),
)

/** Text of all kinds around it, which neither extends nor hides it. */
const around = fc.oneof(
  fc.constantFrom('', ' ', 'pay ', '(', '"', '\\', '\n', 'é', '…', '?a=', 'paid 2026 ', 'no. 12 '),
  fc.string({ maxLength: 20 }).map((text) => `${text.replace(/[\w+/=.-]/g, '_')} `),
  fc.integer({ min: 300, max: 900 }).map((length) => `${'x'.repeat(length)} `),
)
const planted = fc
  .tuple(around, canary, around)
  .map(([before, { written, never }, after]) => ({ text: `${before}${written} ${after}`, never }))

const name = fc.oneof(
  fc.constantFrom('note', 'customerName', 'email', 'phone', 'accountNumber', 'url', 'metadata'),
  fc.string({ maxLength: 12 }).filter((text) => text !== '__proto__'),
)

describe('the stored form of a request', () => {
  test('contains no key, token or card from any text of its bodies, URL or headers', () => {
    fc.assert(
      fc.property(planted, fc.array(name, { maxLength: 5 }), fc.nat(3), (plant, path, kind) => {
        const wrap = (inner: unknown, step: string, i: number) =>
          i % 2 === kind % 2 ? [1, inner, null] : { before: 'x', [step]: inner, after: 2 }
        const value = path.reduce<unknown>(wrap, plant.text)
        const inUrl = `/v1/x/${encodeURIComponent(plant.text)}?a=1&${encodeURIComponent(plant.text)}=2&b=`
        for (const of of [
          { sent: value },
          { sent: { [plant.text]: value } },
          { answered: JSON.stringify({ data: value }) },
          { url: `${inUrl}${encodeURIComponent(plant.text)}` },
          { userAgent: plant.text },
          { idempotencyKey: plant.text },
        ]) {
          expect(storedOf(of)).not.toContain(plant.never)
        }
      }),
      parameters,
    )
  })

  test('contains no value with the name of a secret, whatever its type', () => {
    const secretName = fc.oneof(
      fc.constantFrom('secret', 'clientSecret', 'client_secret', 'redirectSecret', 'Password'),
      fc.constantFrom('newPassword', 'pin', 'PIN', 'pins', 'cardPin', 'transaction_pin', 'token'),
      fc.constantFrom('accessToken', 'refresh-token', 'Authorization', 'otp', 'bvn', 'BVN', 'cvv'),
      fc.constantFrom('apiKey', 'api_key', 'privateKey', 'userPin', 'customerBvn', 'nin', 'cookie'),
    )
    const value = fc.oneof(
      fc.constant('canary-canary'),
      fc.constant(['canary-canary', 'x']),
      fc.constant({ deep: { deeper: 'canary-canary' } }),
    )
    fc.assert(
      fc.property(secretName, value, fc.boolean(), (field, secret, isNested) => {
        const sent = isNested ? { list: [{ [field]: secret }] } : { [field]: secret }
        expect(storedOf({ sent })).not.toContain('canary')
        expect(storedOf({ answered: JSON.stringify(sent) })).not.toContain('canary')
        expect(storedOf({ url: `/x?a=1&${field}=canary-canary` })).not.toContain('canary')
      }),
      parameters,
    )
    expect(redactedJson({ pin: 1234, otp: null }, 4096).text).toBe(
      '{"pin":"[redacted]","otp":null}',
    )
  })

  test('is valid JSON of at most 4 KiB, unchanged if nothing was redacted', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const { text, truncated } = redactedJson({ value }, 4096)
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096)
        if (!truncated && !text.includes('[redacted]') && !text.includes('…')) {
          expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify({ value })))
        }
      }),
      parameters,
    )
  })
})

describe('what is not redacted', () => {
  test.each([
    'Ada Obi',
    'ada.obi@example.com',
    '+234 803 123 4567',
    '+2348031234567',
    '08031234567',
    'INV_0a1b2c3d4e5f6g7h8i9j',
    'https://pay.example.com/i/abcdefghijklmnopqrstuv',
    '2026-11-22T07:00:00.000Z',
    'sk_test_…x1Yz',
    'prompt_engineering and receipts',
    'basic',
    '550e8400-e29b-41d4-a716-446655440000',
  ])('%s', (text) => {
    expect(redactText(text)).toBe(text)
  })

  test('phone numbers with 13 digits in fields named so', () => {
    const sent = { customerPhone: '2348031234500', phone: '2348031234567' }
    expect(redactedJson(sent, 4096).text).toBe(JSON.stringify(sent))
  })

  test('the last 4 digits of account numbers, and sentences about them', () => {
    const sent = { accountNumber: '0123456789', settlement: { account_number: 123456789 } }
    expect(redactedJson(sent, 4096).text).toBe(
      '{"accountNumber":"…6789","settlement":{"account_number":"…6789"}}',
    )
    const says = { errors: { accountNumber: ['must be a 10-digit account number'] } }
    expect(redactedJson(says, 4096).text).toBe(JSON.stringify(says))
    expect(redactUrl('/bank?accountNumber=0123456789&bankCode=058')).toBe(
      '/bank?accountNumber=…6789&bankCode=058',
    )
  })

  test('URLs in bodies, except a name, a password and parameters named as secrets', () => {
    const shown = redactedJson({ url: 'https://ada:pass@a.example/hook?token=T0p&x=1' }, 4096, true)
    expect(shown.text).not.toMatch(/pass|T0p|ada/)
    expect(shown.text).toMatch(/a\.example\/hook\?token=.*&x=1/)
    const plain = { hostedUrl: 'http://127.0.0.1/i/2tt-32-PcI3J4mYZta5VIlPJjGRjv' }
    expect(redactedJson(plain, 4096, true).text).toBe(JSON.stringify(plain))
  })

  test('URLs as sent, unless a part was redacted', () => {
    const url = '/api/x/v1/invoices?search=Ada%20Obi&limit=20&empty=&flag&bad=%zz'
    expect(redactUrl(url)).toBe(url)
    expect(redactUrl('/x?note=%73k_test_abcdef&b=a%20b')).toBe('/x?note=sk_test_[redacted]&b=a%20b')
  })
})

describe('the cost', () => {
  test('does not grow with the size of the request', () => {
    const large = Array.from({ length: 50_000 }, (_, i) => ({ note: `${i} ${'x'.repeat(600)}` }))
    let read = 0
    const watched = large.map((inner) => ({
      get note() {
        read++
        return inner.note
      },
    }))
    const { text, truncated } = redactedJson(watched, 4096)
    expect([Buffer.byteLength(text), truncated]).toEqual([4096, true])
    expect(read).toBeLessThan(20)
    const long = redactedJson({ file: 'a'.repeat(1_000_000), after: 'seen' }, 4096)
    expect(long.text).toContain('(1000000 characters)","after":"seen"')
  })
})
