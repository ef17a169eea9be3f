import { describe, expect, test } from 'vitest'
import { statusesOf, times } from '../../../test/concurrency.ts'
import { callerWith, sessionsWaiting, startServer } from '../../../test/harness.ts'
import { otherProcess } from '../../../test/processes.ts'
import { INVOICES } from './invoices.fixture.ts'

const SETTINGS = '/api/user-service/external/v1/profile/settings'
const INVOICE = { customerEmail: 'ada@example.com', amount: 1_500 }

const server = await startServer({ jobs: false })
const { db } = server

async function newShop() {
  const { keys, businessId } = await server.newBusiness()
  return { keys, businessId, ...server.as(keys.testSecret), live: server.as(keys.liveSecret) }
}

const numbersOf = (replies: readonly { body: { data: { invoiceNumber: string } } }[]) =>
  replies.map(({ body }) => body.data.invoiceNumber).sort()

const series = (from: number, count: number, prefix = 'INV-') =>
  Array.from({ length: count }, (_, i) => `${prefix}${String(from + i).padStart(6, '0')}`)

const made = async (post: typeof server.post, more: object = {}) =>
  (await post(INVOICES, { ...INVOICE, ...more })).body.data as Record<'reference', string> & {
    invoiceNumber: string
    id: number
  }

describe('POST invoices', () => {
  test('201 numbers from 1 in each business and mode, including Drafts', async () => {
    const { post, live } = await newShop()
    expect((await made(post)).invoiceNumber).toBe('INV-000001')
    expect((await made(post, { sendImmediately: false })).invoiceNumber).toBe('INV-000002')
    expect((await made(post)).invoiceNumber).toBe('INV-000003')
    expect((await made(live.post)).invoiceNumber).toBe('INV-000001')
  })

  test('201 gives 24 simultaneous invoices 24 consecutive numbers', async () => {
    const { post } = await newShop()
    const replies = await times(24, () => post(INVOICES, INVOICE))
    expect(statusesOf(replies)).toEqual({ 201: 24 })
    expect(numbersOf(replies)).toEqual(series(1, 24))
  })

  test('201 numbers each of many businesses separately, all at once', async () => {
    const shops = await times(12, newShop)
    const replies = await times(12 * 10, (i) => shops[i % 12]!.post(INVOICES, INVOICE))
    for (const [i] of shops.entries()) {
      expect(numbersOf(replies.filter((_, n) => n % 12 === i))).toEqual(series(1, 10))
    }
  })

  test('400 and a reused key take no number, and a repeat gets the bytes of the first response', async () => {
    const { post } = await newShop()
    const keyed = (key: string) => post(INVOICES, INVOICE, { 'idempotency-key': key })
    const first = await keyed('first')
    const replies = await times(60, (i) =>
      i % 3 === 0
        ? keyed('first')
        : i % 3 === 1
          ? post(INVOICES, { ...INVOICE, amount: -1 })
          : keyed(`new-${i}`),
    )
    expect(statusesOf(replies)).toEqual({ 201: 40, '400 validation_failed': 20 })
    const repeats = replies.filter((_, i) => i % 3 === 0).map(({ text }) => text)
    expect(new Set(repeats)).toEqual(new Set([first.text]))
    expect(numbersOf([first, ...replies.filter((_, i) => i % 3 === 2)])).toEqual(series(1, 21))
    expect((await made(post)).invoiceNumber).toBe('INV-000022')
  })

  test('201 shares one series between two processes; a key that both receive creates one invoice', {
    timeout: 120_000,
  }, async () => {
    const { post, keys } = await newShop()
    const { url } = await otherProcess(server.connection)
    const other = callerWith(url, keys.testSecret).post
    const replies = await times(120, (i) =>
      (i % 2 ? post : other)(INVOICES, INVOICE, { 'idempotency-key': `key-${i >> 2}` }),
    )
    expect(statusesOf(replies)).toEqual({ 201: 120 })
    expect([...new Set(numbersOf(replies))]).toEqual(series(1, 30))
    const alone = await times(60, (i) => (i % 2 ? post : other)(INVOICES, INVOICE))
    expect(numbersOf(alone)).toEqual(series(31, 60))
  })

  test('201 waits for a transaction that holds the numbers, and leaves no gap', async () => {
    const { post, businessId } = await newShop()
    await made(post)
    let release = () => {}
    const released = new Promise<void>((done) => {
      release = done
    })
    let hold = () => {}
    const held = new Promise<void>((done) => {
      hold = done
    })
    const holding = db.transaction(async (tx) => {
      await tx.run`
        update invoice_series set next_number = next_number + 1
        where business_id = ${businessId} and not live`
      hold()
      await released
      throw new Error('rolled back')
    })
    await held
    const asked = times(6, () => post(INVOICES, INVOICE))
    // Each of them has met the lock once the batch is split down to single invoices.
    await expect.poll(() => sessionsWaiting(server.name)).toBeGreaterThan(0)
    release()
    await expect(holding).rejects.toThrow('rolled back')
    const replies = await asked
    expect(statusesOf(replies)).toEqual({ 201: 6 })
    expect(numbersOf(replies)).toEqual(series(2, 6))
  })

  test('201 shows the number in its events, response, list, CSV and PDF', async () => {
    const { post, get, keys } = await newShop()
    const { reference, invoiceNumber } = await made(post)
    const { body } = await get(`/api/user-service/external/v1/events?limit=10`)
    const told = body.data.filter(({ type }: { type: string }) => type.startsWith('invoice.'))
    expect(told).toHaveLength(2)
    for (const { data } of told) expect(data).toMatchObject({ reference, invoiceNumber })
    expect((await get(`${INVOICES}/${reference}`)).body.data).toMatchObject({ invoiceNumber })
    expect((await get(`${INVOICES}/export`)).text).toContain(`\r\n${invoiceNumber},${reference}`)
    const pdf = await fetch(`${server.url}${INVOICES}/${reference}/pdf`, {
      headers: { authorization: `Bearer ${keys.testSecret}` },
    })
    expect(pdf.headers.get('content-disposition')).toBe('inline; filename="INV-000001.pdf"')
  })

  test('200 an invoice older than the series keeps its id as number, and can be found by it', async () => {
    const { post, get } = await newShop()
    const { id, reference } = await made(post)
    await made(post)
    await db.run`update invoices set number = null, number_prefix = null where id = ${id}`
    const invoiceNumber = `INV-${String(id).padStart(6, '0')}`
    for (const search of [invoiceNumber, invoiceNumber.toLowerCase(), String(id)]) {
      const { body } = await get(`${INVOICES}?search=${search}`)
      expect(body.data).toEqual([expect.objectContaining({ reference, invoiceNumber })])
    }
  })
})

describe('the settings of the series', () => {
  test('200 starts the numbers with another prefix and continues from another number', async () => {
    const { get, put, post, live } = await newShop()
    expect((await get(SETTINGS)).body.data).toMatchObject({
      invoicePrefix: 'INV-',
      nextInvoiceNumber: 1,
    })
    const first = await made(post)
    const change = { invoicePrefix: 'AO/2026/', nextInvoiceNumber: 500 }
    const { status, body } = await put(SETTINGS, change)
    expect([status, body.data]).toEqual([200, expect.objectContaining(change)])
    const { invoiceNumber, reference } = await made(post)
    expect(invoiceNumber).toBe('AO/2026/000500')
    expect((await get(SETTINGS)).body.data.nextInvoiceNumber).toBe(501)
    expect((await live.get(SETTINGS)).body.data).toMatchObject({
      invoicePrefix: 'INV-',
      nextInvoiceNumber: 1,
    })
    const found = async (search: string) =>
      (await get(`${INVOICES}?search=${encodeURIComponent(search)}`)).body.data.map(
        (one: { reference: string }) => one.reference,
      )
    expect(await found('AO/2026/000500')).toEqual([reference])
    expect(await found('ao/2026/500')).toEqual([reference])
    expect(await found('INV-1')).toEqual([first.reference])
    expect(await found('INV-000500')).toEqual([])
    expect(await found('500')).toEqual([])
  })

  test('200 text that ends in digits is still searched for in names and email addresses', async () => {
    const { get, post } = await newShop()
    const { reference } = await made(post, { customerEmail: 'ada1@example.com' })
    const { body } = await get(`${INVOICES}?search=ada1`)
    expect(body.data).toEqual([expect.objectContaining({ reference })])
  })

  test('400 for a next number that is lower', async () => {
    const { put, post } = await newShop()
    await times(3, () => made(post))
    const { status, body } = await put(SETTINGS, { nextInvoiceNumber: 3, invoicePrefix: 'A-' })
    expect(status).toBe(400)
    expect(body.errors).toEqual({
      nextInvoiceNumber: ['must be at least 4: the next number can only increase'],
    })
    expect((await put(SETTINGS, { nextInvoiceNumber: 4 })).status).toBe(200)
    expect((await made(post)).invoiceNumber).toBe('INV-000004')
  })

  test.each(['', '1', 'INV-1', 'A B', '-A', 'Ä-', 'A'.repeat(17)])(
    '400 for the prefix %j',
    async (invoicePrefix) => {
      const { put } = await newShop()
      const { status, body } = await put(SETTINGS, { invoicePrefix })
      expect([status, Object.keys(body.errors)]).toEqual([400, ['invoicePrefix']])
    },
  )

  test('200 assigns no number twice while the next one is being set', async () => {
    const { put, post } = await newShop()
    const replies = await times(60, (i) =>
      i % 6 === 5 ? put(SETTINGS, { nextInvoiceNumber: 10 * i }) : post(INVOICES, INVOICE),
    )
    const created = replies.filter(({ status }) => status === 201)
    expect(created).toHaveLength(50)
    expect(new Set(numbersOf(created)).size).toBe(50)
  })
})
