import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const REQUESTS = '/api/user-service/external/v1/requests'
const INVOICE = { customerEmail: 'ada@example.com', customerName: 'Ada Obi', amount: 1500.5 }

const server = await startServer()
const { get, post, business, as, clock, db } = server

/** The id of the call that was answered so. */
const idOf = ({ headers }: { headers: Headers }) => headers.get('x-request-id')!

describe('a call', () => {
  test('201 is kept with what was sent and answered, the key and the times', async () => {
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
    expect(JSON.parse(data.requestBody)).toMatchObject(INVOICE)
    expect(JSON.parse(data.responseBody)).toEqual(created.body)
    expect(data.durationMs).toBeGreaterThan(0)
    expect(Math.abs(Date.parse(data.at) - clock.now().getTime())).toBeLessThan(60_000)
    const key = await db.one<{ reference: string }>`
      select reference from api_keys where business_id = ${business.businessId}
        and not live and type = 'secret'`
    expect(data.keyReference).toBe(key.reference)
  })
})
