import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { createKey } from '../../business/keys/service.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const REQUESTS = '/api/user-service/external/v1/requests'
const INVOICE = { customerEmail: 'ada@example.com', customerName: 'Ada Obi', amount: 1500.5 }

const server = await startServer()
const { get, post, business, as, clock, db } = server

/** The id of the request with this response. */
const idOf = ({ headers }: { headers: Headers }) => headers.get('x-request-id')!

describe('a request', () => {
  test('201 is stored with both bodies, the key and the times', async () => {
    const headers = { 'idempotency-key': 'order-7', 'user-agent': 'shop/2.1' }
    const created = await post(INVOICES, INVOICE, headers)
    const { status, body } = await get(`${REQUESTS}/${idOf(created)}`)

    expect(status).toBe(200)
    const { data } = body
    expect(data).toMatchObject({
      reference: idOf(created),
      requestId: idOf(created),
      mode: 'test',
      partner: null,
      method: 'POST',
      operation: 'create_invoice',
      url: INVOICES,
      status: 201,
      errorCode: null,
      ip: '127.0.0.1',
      userAgent: 'shop/2.1',
      idempotencyKey: 'order-7',
      replayed: false,
      requestBytes: Buffer.byteLength(JSON.stringify(INVOICE)),
      responseBytes: Buffer.byteLength(created.text),
      truncated: false,
      bodiesDropped: false,
    })
    expect(JSON.parse(data.requestBody)).toEqual(INVOICE)
    expect(JSON.parse(data.responseBody)).toEqual(created.body)
    expect(data.durationMs).toBeGreaterThan(0)
    expect(Math.abs(Date.parse(data.at) - clock.now().getTime())).toBeLessThan(60_000)
    const key = await db.one<{ reference: string }>`
      select reference from api_keys where business_id = ${business.businessId}
        and not live and type = 'secret'`
    expect(data.keyReference).toBe(key.reference)
  })
})

describe('what else is stored of a request', () => {
  test('201 of a body after a byte order mark is stored without the mark', async () => {
    const made = await post(INVOICES, `\ufeff${JSON.stringify(INVOICE)}`)
    expect(made.status).toBe(201)
    const { data } = (await get(`${REQUESTS}/${idOf(made)}`)).body
    expect(data).toMatchObject({ status: 201, bodiesDropped: false })
    expect(JSON.parse(data.requestBody)).toEqual(INVOICE)
    expect(server.logLines.filter((line) => JSON.parse(line).level >= 50)).toEqual([])
  })

  test('400, 404, 422 and 403 are stored with their code and response', async () => {
    const wrong = await post(INVOICES, { ...INVOICE, amount: 'much' })
    const missing = await get(`${INVOICES}/INV_none?search=x`)
    const key = { 'idempotency-key': 'order-8' }
    await post(INVOICES, INVOICE, key)
    const other = await post(INVOICES, { ...INVOICE, amount: 2 }, key)
    const narrow = await newKey(['events:read'])
    const refused = await as(narrow.key).post(INVOICES, INVOICE)
    const calls = [
      [wrong, 400, 'validation_failed'],
      [missing, 404, 'invoice_not_found'],
      [other, 422, 'idempotency_key_reused'],
      [refused, 403, 'insufficient_scope'],
    ] as const
    for (const [reply, status, errorCode] of calls) {
      expect(reply.status).toBe(status)
      const { data } = (await get(`${REQUESTS}/${idOf(reply)}`)).body
      expect(data).toMatchObject({ status, errorCode, bodiesDropped: false })
      expect(JSON.parse(data.responseBody)).toEqual(reply.body)
    }
    const shown = async (reply: { headers: Headers }) =>
      (await get(`${REQUESTS}/${idOf(reply)}`)).body.data
    expect((await shown(missing)).url).toBe(`${INVOICES}/INV_none?search=x`)
    expect(await shown(refused)).toMatchObject({ keyReference: narrow.record.reference })
    // It was refused before its body was read.
    expect((await shown(refused)).requestBody).toBeNull()
  })

  test('400 for a body that is not JSON is stored without the body', async () => {
    const reply = await post(INVOICES, '{"amount": sk_test_abcdef')
    const { data } = (await get(`${REQUESTS}/${idOf(reply)}`)).body
    expect(data).toMatchObject({ status: 400, errorCode: 'invalid_json', requestBody: null })
    expect(data.requestBytes).toBe(25)
  })

  test('200 of a read has the size of its response and no bodies', async () => {
    const listed = await get(INVOICES)
    const { data } = (await get(`${REQUESTS}/${idOf(listed)}`)).body
    expect(data).toMatchObject({
      status: 200,
      operation: 'list_invoices',
      requestBody: null,
      responseBody: null,
      truncated: false,
      bodiesDropped: false,
      responseBytes: Buffer.byteLength(listed.text),
    })
  })

  test('201 again says that it was replayed', async () => {
    const key = { 'idempotency-key': 'order-9' }
    const first = await post(INVOICES, INVOICE, key)
    const again = await post(INVOICES, INVOICE, key)
    const { data } = (await get(`${REQUESTS}/${idOf(again)}`)).body
    expect(data).toMatchObject({ replayed: true, status: 201, idempotencyKey: 'order-9' })
    expect(JSON.parse(data.responseBody)).toEqual(first.body)
    const { data: both } = (await get(`${REQUESTS}?idempotencyKey=order-9`)).body
    expect(both.map(({ requestId }: { requestId: string }) => requestId)).toEqual(
      [again, first].map(idOf),
    )
  })

  test('400 of an upload has names and sizes, but no file content', async () => {
    const form = new FormData()
    form.set('productId', '12345678901')
    form.set('file', new Blob(['canary-in-a-file']), 'notes.txt')
    const response = await fetch(
      `${server.url}/api/payment-service/external/v1/products/product-upload-media`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${business.keys.testSecret}` },
        body: form,
      },
    )
    const { data } = (await get(`${REQUESTS}/${idOf(response)}`)).body
    expect(data.status).toBeGreaterThanOrEqual(400)
    expect(JSON.parse(data.requestBody)).toEqual({
      fields: { productId: '11 characters' },
      files: [{ name: 'notes.txt', bytes: 16 }],
    })
    expect(JSON.stringify(data)).not.toContain('canary')
  })

  test('400 and 201 with large bodies store the start and say so', async () => {
    const note = `${'é'.repeat(400)}end`
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`field${i}`, note]))
    const long = await post(INVOICES, { ...INVOICE, note, metadata: many })
    const { data } = (await get(`${REQUESTS}/${idOf(long)}`)).body
    expect(data).toMatchObject({ truncated: true, bodiesDropped: false })
    const bytes = Buffer.byteLength(data.requestBody)
    expect(bytes).toBeLessThanOrEqual(4096)
    expect(bytes).toBeGreaterThan(4000)
    expect(data.requestBody).not.toContain('\uFFFD')
    expect(data.requestBody.startsWith('{"customerEmail":"ada@example.com"')).toBe(true)
  })

  test('401, 404 without an operation, and reads of the log are not stored', async () => {
    const strangers = [
      await as('sk_test_nonsense').get(INVOICES),
      await get('/api/payment-service/external/v1/nothing'),
      await get(REQUESTS),
      await get(`${REQUESTS}/req_none`),
    ]
    for (const reply of strangers) {
      const found = await get(`${REQUESTS}/${idOf(reply)}`)
      expect([found.status, found.body.errorCode]).toEqual([404, 'request_not_found'])
    }
  })
})

describe('access', () => {
  test('404 for another business, and for the other mode', async () => {
    const mine = await post(INVOICES, INVOICE)
    const live = as(business.keys.liveSecret)
    const inLive = await live.get(INVOICES)
    const stranger = as((await server.newBusiness()).keys.testSecret)

    expect((await get(`${REQUESTS}/${idOf(mine)}`)).status).toBe(200)
    for (const who of [live, stranger]) {
      expect((await who.get(`${REQUESTS}/${idOf(mine)}`)).status).toBe(404)
      expect((await who.get(`${REQUESTS}?requestId=${idOf(mine)}`)).body.data).toEqual([])
    }
    expect((await stranger.get(REQUESTS)).body.data).toEqual([])
    const { data } = (await live.get(REQUESTS)).body
    expect(data).toMatchObject([{ requestId: idOf(inLive), mode: 'live' }])
    expect((await get(`${REQUESTS}/${idOf(inLive)}`)).status).toBe(404)
  })

  test('403 without requests:read; 200 with only that scope', async () => {
    const [without, reader] = [await newKey(['invoices:read']), await newKey(['requests:read'])]
    expect((await as(without.key).get(REQUESTS)).status).toBe(403)
    const { status, body } = await as(reader.key).get(`${REQUESTS}?limit=1`)
    // The request that was refused just before.
    expect([status, body.data.length]).toEqual([200, 1])
    expect((await as(reader.key).get(INVOICES)).status).toBe(403)
  })
})

const newKey = (scopes: string[]) =>
  db.transaction((tx) =>
    createKey(
      tx,
      server.ids,
      { businessId: business.businessId, live: false },
      { scopes },
      clock.now(),
    ),
  )
