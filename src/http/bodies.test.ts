import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'

const PATH = '/api/payment-service/external/v1/invoices'
const INVOICE = { customerEmail: 'ada@example.com', amount: 1500.5 }

const server = await startServer()
const { db, post } = server
const count = async () => (await db.one<{ n: number }>`select count(*) as n from invoices`).n

const utf8 = (text: string) => Buffer.from(text)
const withNote = (bytes: number[]) =>
  Buffer.concat([
    utf8('{"customerEmail":"ada@example.com","amount":5,"note":"'),
    Buffer.from(bytes),
    utf8('"}'),
  ])
const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`

/** Sends raw bytes, and expects a refusal that stores nothing. */
async function refused(bytes: string | Uint8Array, headers: Record<string, string> = {}) {
  const before = await count()
  const reply = await post(PATH, bytes, headers)
  expect(await count()).toBe(before)
  expect(reply.headers.get('x-request-id')).toBe(reply.body.requestId)
  expect(reply.body).toMatchObject({ status: 'error', message: expect.any(String) })
  return reply
}

describe('unreadable bodies', () => {
  test.each([
    ['half an object', '{"amount":'],
    ['a word', 'amount'],
    ['a trailing comma', '{"amount":5,}'],
    ['single quotes', "{'amount':5}"],
    ['NaN in place of a number', '{"amount":NaN}'],
    ['a hexadecimal number', '{"amount":0x10}'],
    ['a leading plus', '{"amount":+5}'],
    ['two values', '{} {}'],
    ['a raw control character', '{"note":"a\u0001b"}'],
    ['a raw line break in a string', '{"note":"a\nb"}'],
    ['only white space', '   '],
    ['__proto__', '{"__proto__":{"amount":5}}'],
    ['__proto__ in escapes', '{"\\u005f_proto__":{"amount":5}}'],
    ['__proto__ deep inside', '{"metadata":{"a":[{"__proto__":null}]}}'],
    ['constructor.prototype', '{"constructor":{"prototype":{"amount":5}}}'],
  ])('400 for %s', async (_what, text) => {
    const { status, body } = await refused(text)
    expect([status, body.errorCode]).toEqual([400, 'invalid_json'])
    expect(({} as Record<string, unknown>).amount).toBeUndefined()
  })

  test.each([
    ['a byte that UTF-8 never uses', [0xff]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a character cut short', [0xe2, 0x82]],
    ['Latin-1', [0xe9]],
  ])('400 for %s where UTF-8 should be', async (_what, bytes) => {
    const { status, body } = await refused(withNote(bytes))
    expect([status, body.errorCode]).toEqual([400, 'invalid_utf8'])
  })

  test('400 for UTF-16, with or without a byte order mark', async () => {
    const utf16 = Buffer.from(JSON.stringify(INVOICE), 'utf16le')
    expect((await refused(Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]))).status).toBe(400)
    expect((await refused(utf16)).status).toBe(400)
  })

  test.each([
    ['a NUL', 'a\\u0000b', 'note'],
    ['half a surrogate pair', '\\ud800', 'note'],
    ['the other half', 'x\\udc00y', 'note'],
    ['the halves in the wrong order', '\\udc00\\ud800', 'note'],
  ])('400 naming the field for %s in an escape', async (_what, text, field) => {
    const { status, body } = await refused(
      `{"customerEmail":"ada@example.com","amount":5,"note":"${text}"}`,
    )
    expect([status, body.errorCode]).toEqual([400, 'invalid_text'])
    expect(Object.keys(body.errors)).toEqual([field])
  })

  test('400 for a NUL in a name or a value deep inside metadata', async () => {
    const body = (metadata: string) =>
      `{"customerEmail":"ada@example.com","amount":5,"metadata":${metadata}}`
    expect((await refused(body('{"a\\u0000":1}'))).body.errors).toHaveProperty('metadata')
    const deep = await refused(body('{"a":[{"b":"\\u0000"}]}'))
    expect(Object.keys(deep.body.errors)).toEqual(['metadata.a.0.b'])
  })

  test('201 for unusual but valid strings', async () => {
    for (const note of [
      '😀👩‍👩‍👧',
      '\u202egnp.exe',
      'a\u200bb',
      '\uFFFE\uFFFF',
      'e\u0301'.repeat(900),
      '₦',
      '\t\n',
    ]) {
      const { status, body } = await post(PATH, { ...INVOICE, note })
      expect([status, body.data.note]).toEqual([201, note])
    }
    const escaped = await post(
      PATH,
      '{"customerEmail":"ada@example.com","amount":5,"note":"\\ud83d\\ude00"}',
    )
    expect(escaped.body.data.note).toBe('😀')
  })

  test('400 at 33 levels, 201 at 32', async () => {
    const body = (depth: number) =>
      `{"customerEmail":"ada@example.com","amount":5,"metadata":{"a":${nested(depth)}}}`
    expect((await post(PATH, body(30))).status).toBe(201)
    const { status, body: refusal } = await refused(body(31))
    expect([status, refusal.errorCode]).toEqual([400, 'body_too_deep'])
  })

  test.each([
    ['lists', '['.repeat(200_000)],
    ['objects', '{"a":'.repeat(40_000)],
    ['arrays after a string with brackets and escapes', `["]]]\\"]]",${'['.repeat(40)}`],
  ])('400 for endless nesting of %s', async (_what, text) => {
    const { status, body } = await refused(text)
    expect([status, body.errorCode]).toEqual([400, 'body_too_deep'])
  })

  test('201 for brackets in a string, which do not count as levels', async () => {
    const note = `${'[{'.repeat(100)}\\"`
    const { status, body } = await post(PATH, { ...INVOICE, note })
    expect([status, body.data.note]).toEqual([201, note])
  })

  test('413 at one byte over 256 KiB, not at the limit', async () => {
    const pad = (size: number) => {
      const start = `{"customerEmail":"ada@example.com","amount":5,"unknown":"`
      return `${start}${'x'.repeat(size - start.length - 2)}"}`
    }
    expect((await post(PATH, pad(256 * 1024))).status).toBe(201)
    const { status, body } = await refused(pad(256 * 1024 + 1))
    expect([status, body.errorCode]).toEqual([413, 'body_too_large'])
  })

  test('201 or 400, never 500, for the widest possible body', async () => {
    const wide = Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`k${i}`, i]))
    expect((await post(PATH, { ...INVOICE, ...wide })).status).toBe(201)
    expect((await refused(JSON.stringify(Array(100_000).fill(1)))).status).toBe(400)
    const { status, body } = await refused(JSON.stringify({ ...INVOICE, metadata: wide }))
    expect(status).toBe(400)
    expect(body.errors.metadata).toContain('must have at most 50 properties')
  })
})

describe('content types', () => {
  const json = JSON.stringify(INVOICE)

  test.each([
    'application/xml',
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/json;charset="UTF-7"',
    'application/jsonx',
    'application/vnd.api+json',
    'garbage',
    'application/json, text/plain',
  ])('415 for %s', async (type) => {
    const { status, body } = await refused(json, { 'content-type': type })
    expect([status, body.errorCode]).toEqual([415, 'unsupported_content_type'])
  })

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'APPLICATION/JSON ; charset=utf8',
  ])('201 for %s', async (type) => {
    expect((await post(PATH, json, { 'content-type': type })).status).toBe(201)
  })

  test.each(['gzip', 'br', 'deflate', 'gzip, identity', 'x-unknown'])(
    '415 for the content encoding %s',
    async (encoding) => {
      const { status, body } = await refused(json, { 'content-encoding': encoding })
      expect([status, body.errorCode]).toEqual([415, 'unsupported_content_type'])
    },
  )
})
