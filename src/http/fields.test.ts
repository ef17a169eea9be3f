import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'

const PATH = '/api/payment-service/external/v1/invoices'
const INVOICE = { customerEmail: 'ada@example.com', amount: 1500.5 }

const server = await startServer()
const { db, post, call } = server
const count = async () => (await db.one<{ n: number }>`select count(*) as n from invoices`).n

/** Sends raw bytes, and expects a refusal that stores nothing. */
async function refused(bytes: string | Uint8Array, headers: Record<string, string> = {}) {
  const before = await count()
  const reply = await post(PATH, bytes, headers)
  expect(await count()).toBe(before)
  expect(reply.headers.get('x-request-id')).toBe(reply.body.requestId)
  expect(reply.body).toMatchObject({ status: 'error', message: expect.any(String) })
  return reply
}

describe('bodies that are not an object with the right fields', () => {
  test.each([
    ['null', 'null'],
    ['a list', '[]'],
    ['an array of valid objects', JSON.stringify([INVOICE])],
    ['a text', '"amount"'],
    ['a number', '5'],
    ['false', 'false'],
  ])('400 naming the body for %s', async (_what, text) => {
    const { status, body } = await refused(text)
    expect([status, body.errors]).toEqual([400, { body: ['must be an object'] }])
  })

  test('400 naming the required fields when there is no body', async () => {
    const { status, body } = await call('POST', PATH)
    expect([status, Object.keys(body.errors).sort()]).toEqual([400, ['amount', 'customerEmail']])
  })

  test('201 ignores unknown fields, whatever they contain', async () => {
    const extra = {
      role: 'admin',
      id: 1,
      status: 'Paid',
      amountPaid: 9,
      live: true,
      businessIdx: 1,
    }
    const { status, body } = await post(PATH, {
      ...INVOICE,
      ...extra,
      toString: 'x',
      hasOwnProperty: 1,
    })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({ status: 'Sent', amountPaid: 0 })
    expect(body.data).not.toHaveProperty('role')
  })

  test.each([
    ['customerEmail', 5],
    ['customerEmail', ['ada@example.com']],
    ['customerEmail', ''],
    ['customerEmail', 'ada'],
    ['customerEmail', 'ada@example.com\r\nBcc: eve@example.com'],
    ['customerEmail', `${'a'.repeat(250)}@example.com`],
    ['note', 5],
    ['customerEmail', null],
    ['note', 'x'.repeat(2001)],
    ['sendImmediately', 'true'],
    ['sendImmediately', 1],
    ['currency', 'naira'],
    ['currency', 'XXXX'],
    ['currency', 'ZZZ'],
    ['dueDate', '2026-02-29'],
    ['dueDate', '2026-13-01'],
    ['dueDate', '2026-1-1'],
    ['dueDate', '2026-01-01T00:00:00'],
    ['dueDate', 20_260_101],
    ['metadata', []],
    ['metadata', 'x'],
    ['metadata', Object.fromEntries(Array.from({ length: 51 }, (_, i) => [i, i]))],
    ['lineItems', {}],
    ['lineItems', []],
    ['customerPhone', 'call me'],
  ])('400 naming %s for %j', async (field, value) => {
    const { status, body } = await refused(JSON.stringify({ ...INVOICE, [field]: value }))
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })

  test('201 treats null in optional fields as absent', async () => {
    const empty = { note: null, sendImmediately: null, metadata: null, lineItems: null }
    const { status, body } = await post(PATH, { ...INVOICE, ...empty })
    expect([status, body.data.status, body.data.note]).toEqual([201, 'Sent', null])
    const key = { 'idempotency-key': 'null-or-absent' }
    const first = await post(PATH, INVOICE, key)
    const again = await post(PATH, { ...INVOICE, ...empty }, key)
    expect([again.status, again.body.data.id]).toEqual([201, first.body.data.id])
  })

  test('201 treats an empty string in optional fields as absent', async () => {
    const optional = { note: '', customerName: '', customerPhone: '', dueDate: '', currency: '' }
    const key = { 'idempotency-key': 'empty-or-absent' }
    const { status, body, text } = await post(PATH, { ...INVOICE, ...optional }, key)
    expect([status, body.data]).toMatchObject([
      201,
      { note: null, customerName: null, customerPhone: null, currency: 'NGN' },
    ])
    expect((await post(PATH, INVOICE, key)).text).toBe(text)
    const { reference } = body.data
    const changed = await call('PUT', `${PATH}/${reference}`, { customerName: '' })
    expect([changed.status, Object.keys(changed.body.errors)]).toEqual([400, ['customerName']])
  })

  test('201 for a currency in lower case', async () => {
    const { status, body } = await post(PATH, { ...INVOICE, currency: 'ngn' })
    expect([status, body.data.currency]).toEqual([201, 'NGN'])
  })

  test('400 for null in an update where it does not clear the field', async () => {
    const { body: made } = await post(PATH, { ...INVOICE, sendImmediately: false })
    const { status, body } = await call('PUT', `${PATH}/${made.data.reference}`, { amount: null })
    expect([status, Object.keys(body.errors)]).toEqual([400, ['amount']])
  })

  test('201 names the fields that it ignored, also in arrays', async () => {
    const lineItems = [{ name: 'Chair', quantity: 1, unitAmount: 1500.5, qty: 2, 'a,b': 1 }]
    const { status, headers } = await post(PATH, { ...INVOICE, custmerName: 'Ada', lineItems })
    expect([status, headers.get('tradepost-ignored-fields')]).toEqual([
      201,
      'custmerName, lineItems.0.qty, lineItems.0.a%2Cb',
    ])
    const known = await post(PATH, { ...INVOICE, isLive: false })
    expect(known.headers.has('tradepost-ignored-fields')).toBe(false)
  })

  test('201 names at most 20 of them, each by at most 64 characters', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`${'₦'.repeat(90)}${i}`, i]),
    )
    const { headers } = await post(PATH, { ...INVOICE, ...many })
    const names = headers.get('tradepost-ignored-fields')!.split(', ').map(decodeURIComponent)
    expect([names.length, new Set(names)]).toEqual([20, new Set(['₦'.repeat(64)])])
  })

  test('201 exactly at the limits', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, i]))
    const limits = { note: 'x'.repeat(2000), metadata, dueDate: '2028-02-29' }
    expect((await post(PATH, { ...INVOICE, ...limits })).status).toBe(201)
  })

  test('400 names no more than 20 fields', async () => {
    const lineItems = Array.from({ length: 100 }, () => ({}))
    const { body } = await refused(JSON.stringify({ ...INVOICE, lineItems }))
    expect(Object.keys(body.errors).length).toBe(20)
  })
})

describe('amounts', () => {
  const unit = '(amounts are in naira, not kobo)'
  const most = `must be at most 100000000000.00 ${unit}`
  const form = `must be an amount in digits, such as 1500.50 ${unit}`
  const naira = `must have at most 2 decimals in NGN ${unit}`
  const type = 'must be a number or a string such as "1500.50"'

  test.each([
    ['1e308', form],
    ['1e-7', form],
    ['0.001', naira],
    ['1500.505', naira],
    ['0.30000000000000004', naira],
    ['-0', 'must be more than 0'],
    ['0', 'must be more than 0'],
    ['0.00', 'must be more than 0'],
    ['-1', 'must be more than 0'],
    ['100000000000.01', most],
    ['9007199254740993', form],
    ['1e21', form],
    ['true', type],
    ['null', type],
    ['[7]', type],
    ['{"value":7}', type],
    ['"0"', 'must be more than 0'],
    ['" 5 "', form],
    ['"5 "', form],
    ['""', form],
    ['"0x10"', form],
    ['"1e3"', form],
    ['"+5"', form],
    ['"-5"', 'must be more than 0'],
    ['"1,500"', form],
    ['"5."', form],
    ['".5"', form],
    ['"٥"', form],
    ['"NaN"', form],
    ['"Infinity"', form],
    ['"5\\n"', form],
    ['"₦5"', form],
    ['"0.005"', naira],
    ['"100000000000.01"', most],
  ])('400 for %s', async (amount, says) => {
    const { status, body } = await refused(`{"customerEmail":"ada@example.com","amount":${amount}}`)
    expect([status, body.errors]).toEqual([400, { amount: [says] }])
    expect(body.message).toBe(`amount ${says}`)
  })

  test('400 for a number that JavaScript cannot represent', async () => {
    for (const amount of ['1e400', '-1e400']) {
      const { status, body } = await refused(
        `{"customerEmail":"ada@example.com","amount":${amount}}`,
      )
      expect([status, body.errors.amount]).toEqual([400, expect.arrayContaining([form])])
    }
  })

  test.each([
    ['5', 500],
    ['"5"', 500],
    ['5.10', 510],
    ['0.01', 1],
    ['0.29', 29],
    ['1.15', 115],
    ['4.35', 435],
    ['1e3', 100_000],
    ['1.5e1', 1500],
    ['"1500.5"', 150_050],
    ['"0005"', 500],
    ['1073741824.01', 107_374_182_401],
    ['100000000000', 10_000_000_000_000],
  ])('201 for %s, exact to the kobo', async (amount, minor) => {
    const { status, body } = await post(
      PATH,
      `{"customerEmail":"ada@example.com","amount":${amount}}`,
    )
    expect([status, body.data.amountMinor]).toEqual([201, minor])
    const { amount_minor } = await db.one<{ amount_minor: bigint }>`
      select amount_minor from invoices where id = ${body.data.id}`
    expect(amount_minor).toBe(BigInt(minor))
  })
})
