import { get as request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { addMs } from '../../lib/clock.ts'

const PATH = '/api/payment-service/external/v1/invoices'
const EXPORT = `${PATH}/export`
const HEAD = [
  ['invoiceNumber', 'reference', 'status', 'isOverdue', 'customerName', 'customerEmail'],
  ['customerPhone', 'currency', 'amount', 'amountPaid', 'amountDue', 'dueDate', 'note', 'sentAt'],
  ['viewedAt', 'paidAt', 'voidedAt', 'createdAt', 'hostedUrl'],
].flat()

const server = await startServer({ jobs: false })
const { db } = server

async function shop() {
  const { keys, businessId } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const make = async (more: object = {}) =>
    (await caller.post(PATH, { customerEmail: 'ada@example.com', amount: 5000, ...more })).body.data
  /** Inserts rows directly, because this many would take long over HTTP. */
  const fill = (count: number, note = '') => db.run`
    insert into invoices
      (business_id, live, id, reference, token, status, customer_email, note, amount_minor,
       currency, allow_partial_payment, event_sequence, created_at, updated_at)
    select ${businessId}, false, 1000000000 + n, 'INV_' || n, 'x', 'Draft',
      'c' || n || '@example.com', ${note}, n, 'NGN', false, 1,
      -- Many share a timestamp: the order must not skip any.
      ${addMs(server.clock.now(), -86_400_000)}::timestamptz + (n / 700) * interval '1 ms', now()
    from generate_series(1, ${count}::integer) n`
  return { ...caller, make, fill, keys, businessId }
}

/** A strict reader of RFC 4180. */
function readCsv(text: string): string[][] {
  const rows: string[][] = []
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  const row: string[] = []
  while (field.lastIndex < text.length) {
    const at = field.lastIndex
    const match = field.exec(text)
    if (!match) throw new Error(`No field at ${at}: ${text.slice(at, at + 40)}`)
    row.push(match[1] === undefined ? match[2]! : match[1].replaceAll('""', '"'))
    if (match[3] === '\r\n') rows.push(row.splice(0))
  }
  if (row.length > 0) throw new Error('The last line does not end')
  return rows
}

const bodyOf = (text: string) => {
  const [head, ...rows] = readCsv(text)
  expect(head).toEqual(HEAD)
  return rows.map((row) => Object.fromEntries(row.map((cell, i) => [HEAD[i]!, cell])))
}

describe('GET invoices/export', () => {
  test('200 returns a file that spreadsheets read correctly', async () => {
    const { get, post, make } = await shop()
    const made = await make({
      customerName: 'Ngọzi "Ada" Obi, ₦',
      customerPhone: '+234 803 000 0000',
      note: 'Two\r\nlines, and a "quote"',
      amount: '1500.50',
      dueDate: '2099-01-31',
    })
    await post(`${PATH}/${made.reference}/mark-paid`, { amount: 500 })
    const { status, headers, text } = await get(EXPORT)

    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="invoices-\d{4}-\d\d-\d\d\.csv"$/,
    )
    expect(text).not.toMatch(/[^\r]\n(?![^\r]*lines)/)
    expect(bodyOf(text)).toEqual([
      {
        invoiceNumber: made.invoiceNumber,
        reference: made.reference,
        status: 'PartiallyPaid',
        isOverdue: 'false',
        customerName: 'Ngọzi "Ada" Obi, ₦',
        customerEmail: 'ada@example.com',
        customerPhone: "'+234 803 000 0000",
        currency: 'NGN',
        amount: '1500.50',
        amountPaid: '500.00',
        amountDue: '1000.50',
        dueDate: '2099-01-31',
        note: 'Two\r\nlines, and a "quote"',
        sentAt: made.sentAt,
        viewedAt: '',
        paidAt: '',
        voidedAt: '',
        createdAt: made.createdAt,
        hostedUrl: made.hostedUrl,
      },
    ])
  })

  test('200 starts with the UTF-8 byte order mark', async () => {
    const { keys } = await shop()
    const answer = await fetch(server.url + EXPORT, {
      headers: { authorization: `Bearer ${keys.testSecret}` },
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    expect(bytes.subarray(3).toString()).toBe(`${HEAD.join(',')}\r\n`)
  })

  test.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    ' =1',
    '＝1',
    '=cmd|"/c calc"!A1',
  ])('200 disarms the formula in %j', async (note) => {
    const { get, make } = await shop()
    await make({ note })
    const [row] = bodyOf((await get(EXPORT)).text)
    expect(row!.note).toBe(`'${note}`)
  })

  test.each([
    ["a;=cmd|'/c calc'!A1;", "a;'=cmd|'/c calc'!A1;"],
    ['two chairs\t@SUM(A1)', "two chairs\t'@SUM(A1)"],
    ['a\n =1', "a\n' =1"],
    ['red; blue', 'red; blue'],
  ])('200 disarms the formula in the middle of %j', async (note, shown) => {
    const { get, make } = await shop()
    await make({ note })
    const [row] = bodyOf((await get(EXPORT)).text)
    expect(row!.note).toBe(shown)
  })

  test('200 filters and sorts like the list', async () => {
    const { get, post, make } = await shop()
    const [first, second, third] = [
      await make({ customerName: 'Ada Obi' }),
      await make({ customerName: 'Bola Ade' }),
      await make({ sendImmediately: false }),
    ]
    await post(`${PATH}/${second.reference}/void`)
    const found = async (query: string) =>
      bodyOf((await get(`${EXPORT}?${query}`)).text).map(({ reference }) => reference)
    expect(await found('')).toEqual([third, second, first].map(({ reference }) => reference))
    expect(await found('sort=asc&search=OLA')).toEqual([second.reference])
    expect(await found('status=draft')).toEqual([third.reference])
    expect(await found('status=Overdue')).toEqual([])
    expect(await found(`search=${first.invoiceNumber}`)).toEqual([first.reference])
  })

  test('200 has every row of many pages once, in both directions', async () => {
    const { get, fill } = await shop()
    await fill(5_500)
    const refs = async (sort: string) =>
      bodyOf((await get(`${EXPORT}?sort=${sort}`)).text).map(({ reference }) => reference)
    const up = await refs('asc')
    expect(new Set(up).size).toBe(5_500)
    expect((await refs('desc')).toReversed()).toEqual(up)
  })

  test.each([
    ['status=Overpaid', 'status'],
    ['startDate=2026-02-29', 'startDate'],
    ['sort=up', 'sort'],
  ])('400 for %s, in JSON', async (query, field) => {
    const { get } = await shop()
    const { status, body } = await get(`${EXPORT}?${query}`)
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })

  test('401 without a key, 405 for a POST', async () => {
    const { post } = await shop()
    expect((await server.as('nope').get(EXPORT)).status).toBe(401)
    expect((await post(EXPORT)).status).toBe(405)
  })

  test('200 breaks off when a later row cannot be written, so a part does not look complete', async () => {
    const { get, fill, businessId } = await shop()
    await fill(2_500)
    expect(bodyOf((await get(EXPORT)).text)).toHaveLength(2_500)
    await db.run`
      update invoices set currency = 'ZZZ'
      where business_id = ${businessId} and reference = 'INV_3'`
    await expect(get(EXPORT)).rejects.toThrow()
    expect((await get(`${PATH}?limit=1`)).status).toBe(200)
  })

  test('200 holds no connection for a client that stops reading, and ends when one disconnects', async () => {
    const { keys, fill } = await shop()
    await fill(12_000, 'x'.repeat(1500))
    const headers = { authorization: `Bearer ${keys.testSecret}` }
    const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      request(server.url + EXPORT, { headers, agent: false }, resolve).on('error', reject)
    })
    // The client reads one chunk and stops; the server fills the buffers in between and waits.
    await new Promise((resolve) => answer.once('data', resolve))
    answer.pause()
    const busy = () => db.one`
      select count(*) as n from pg_stat_activity
      where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()`
    await expect.poll(busy).toEqual({ n: 0 })
    const left = new Promise((resolve) => answer.once('close', resolve))
    answer.destroy()
    await left
    const again = await server.as(keys.testSecret).get(`${PATH}?limit=1`)
    expect(again.status).toBe(200)
  })
})
