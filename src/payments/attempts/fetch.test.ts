import { describe, expect, test } from 'vitest'
import { times, untilDone } from '../../../test/concurrency.ts'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { sentReferenceOf } from '../../providers/connector/references.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const BASE = '/api/transaction-service/external/v1'
const TRANSACTIONS = `${BASE}/transactions`

const server = await startServer({ jobs: false })
const { db, url } = server

async function shop() {
  const { keys, businessId } = await server.newBusiness()
  const { get, post } = server.as(keys.testSecret)
  /** An invoice whose payer received the USSD code: a Pending transaction. */
  const dialled = async (amount: number) => {
    const { body } = await post(INVOICES, {
      customerEmail: 'ada@example.com',
      customerName: 'Ada Obi',
      amount,
    })
    const page = `${url}${new URL(body.data.hostedUrl).pathname}`
    const form = new URLSearchParams({ channel: 'USSD', bankCode: '058' })
    await fetch(`${page}/pay`, { method: 'POST', body: form, redirect: 'manual' })
    const { data } = (await get(TRANSACTIONS)).body
    expect(data[0]).toMatchObject({ status: 'Pending', invoiceReference: body.data.reference })
    return { ...data[0], page } as { id: number; reference: string; page: string }
  }
  /** Changes a charge at the simulator without a notification. */
  const becomes = (reference: string, status: string) => db.run`
    update simulator_orders set status = ${status}, message = 'Said the bank', due_at = null
    where business_id = ${businessId} and reference = ${sentReferenceOf(reference, 1)}`
  const verify = (reference: string) => get(`${TRANSACTIONS}/verify/${reference}`)
  const eventTypes = async () => {
    const { body } = await get('/api/user-service/external/v1/events?sort=ASC')
    return (body.data as { type: string }[]).map(({ type }) => type)
  }
  return { get, post, dialled, becomes, verify, eventTypes, keys, businessId }
}

describe('GET fetch/{id}', () => {
  test('200 returns the record of the list, in both families', async () => {
    const { get, dialled } = await shop()
    const { id } = await dialled(5_000)
    const [listed] = (await get(TRANSACTIONS)).body.data
    for (const family of [BASE, BASE.replace('/external', '')]) {
      for (const path of [`/fetch/${id}`, `/fetch/${id}/`, `/fetch/00${id}`]) {
        const { status, body } = await get(family + path)
        expect([status, body.status, body.data]).toEqual([200, 'success', listed])
      }
    }
  })

  test.each(['', '/', '/%20', '/abc', '/1.5', '/1e3', '/0x10', '/TRX_1', `/${'x'.repeat(400)}`])(
    '400 naming the id for fetch%s',
    async (id) => {
      const { get } = await shop()
      for (const family of [BASE, BASE.replace('/external', '')]) {
        const { status, body } = await get(`${family}/fetch${id}`)
        expect([status, body.status, Object.keys(body.errors)]).toEqual([400, 'error', ['id']])
      }
    },
  )

  test('200 returns the received amount, including the fee on top; null before', async () => {
    const { get, post } = await shop()
    const { body } = await post(`${BASE}/transaction-with-ussd`, {
      channel: 'USSD',
      amount: 1_000,
      fees: 12.34,
    })
    const { transactionId, reference } = body.data
    const fetched = async () => (await get(`${BASE}/fetch/${transactionId}`)).body.data
    expect((await fetched()).paidAmount).toBe(null)
    await post('/api/simulator/ussd', { reference, outcome: 'success' })
    // The payer pays the amount asked; the operator's fee is never below its rule.
    expect(await fetched()).toMatchObject({ amount: 1_000, fees: 15, paidAmount: 1_012.34 })
  })

  test('404 for an unknown id, another business, the other mode, or another kind of record', async () => {
    const [one, other] = [await shop(), await shop()]
    const { id } = await one.dialled(5_000)
    const unknown = await one.get(`${BASE}/fetch/1`)
    expect([unknown.status, unknown.body.errorCode]).toEqual([404, 'transaction_not_found'])
    const { requestId: _, ...same } = unknown.body
    const invoice = (await one.get(INVOICES)).body.data[0].id
    const replies = [
      await other.get(`${BASE}/fetch/${id}`),
      await server.as(one.keys.liveSecret).get(`${BASE}/fetch/${id}`),
      await one.get(`${BASE}/fetch/${invoice}`),
      await one.get(`${BASE}/fetch/0`),
      await one.get(`${BASE}/fetch/-1`),
      await one.get(`${BASE}/fetch/999999999999999`),
      await one.get(`${BASE}/fetch/9007199254740993`),
      await one.get(`${BASE}/fetch/99999999999999999999`),
      await one.get(`${BASE}/fetch/${'9'.repeat(400)}`),
    ]
    for (const { status, body } of replies) {
      const { requestId: _, ...rest } = body
      expect([status, rest]).toEqual([404, same])
    }
  })

  test('401 without a key, 405 for a POST', async () => {
    const { post } = await shop()
    for (const path of ['/fetch', '/fetch/1']) {
      expect((await server.as('nope').get(BASE + path)).status).toBe(401)
      const { status, headers } = await post(BASE + path)
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })
})

describe('GET transactions/verify/{reference}', () => {
  test('200 looks up a Pending transaction, and settles it once', async () => {
    const { dialled, becomes, verify, eventTypes } = await shop()
    const { reference } = await dialled(5_000)
    expect((await verify(reference)).body.data).toMatchObject({ reference, status: 'Pending' })
    await becomes(reference, 'Successful')
    const replies = await times(8, () => untilDone(() => verify(reference)))
    for (const { status, body } of replies) {
      expect([status, body.data]).toMatchObject([
        200,
        { status: 'Successful', gatewayResponse: 'Said the bank', amount: 5_000, fees: 175 },
      ])
    }
    const paid = (await eventTypes()).filter((type) => type === 'transaction.successful')
    expect(paid).toHaveLength(1)
    expect(await runAudit(db, allChecks)).toEqual([])
  })

  test('200 returns a failed transaction', async () => {
    const { dialled, becomes, verify } = await shop()
    const { reference } = await dialled(5_000)
    await becomes(reference, 'Failed')
    const { status, body } = await verify(reference)
    expect([status, body.data.status]).toEqual([200, 'Failed'])
  })

  test('200 accepts a late success of an Abandoned transaction, and marks it', async () => {
    const { dialled, becomes, verify } = await shop()
    const { reference } = await dialled(5_000.04)
    server.clock.advance(11 * 60_000)
    await server.runJob('transaction-expiry')
    expect((await verify(reference)).body.data).toMatchObject({ status: 'Abandoned', late: false })
    await becomes(reference, 'Successful')
    expect((await verify(reference)).body.data).toMatchObject({ status: 'Successful', late: true })
    expect(await runAudit(db, allChecks)).toEqual([])
  })

  test('200 leaves it unchanged when the provider does not respond', async () => {
    const { dialled, verify, get } = await shop()
    const { id, reference } = await dialled(5_000.03)
    const { status, body } = await verify(reference)
    expect([status, body.data.status]).toEqual([200, 'Pending'])
    expect((await get(`${BASE}/fetch/${id}`)).body.data).toEqual(body.data)
  })

  test('200 does not look up an ended transaction', async () => {
    const { dialled, becomes, verify } = await shop()
    const { reference } = await dialled(5_000)
    await becomes(reference, 'Failed')
    const { data } = (await verify(reference)).body
    await becomes(reference, 'Successful')
    expect((await verify(reference)).body.data).toEqual(data)
  })

  test('404 for an unknown reference, another business or the other mode', async () => {
    const [one, other] = [await shop(), await shop()]
    const { id, reference } = await one.dialled(5_000)
    await one.becomes(reference, 'Successful')
    const live = server.as(one.keys.liveSecret)
    const replies = [
      await one.verify('TRX_unknown'),
      await one.verify(`${id}`),
      await other.verify(reference),
      await live.get(`${TRANSACTIONS}/verify/${reference}`),
    ]
    for (const { status, body } of replies) {
      expect([status, body.errorCode]).toEqual([404, 'transaction_not_found'])
    }
    expect((await one.get(`${BASE}/fetch/${id}`)).body.data.status).toBe('Pending')
  })

  test('400 for a reference that is too long, 404 without one, 401 without a key', async () => {
    const { verify, get } = await shop()
    const long = await verify('x'.repeat(65))
    expect([long.status, Object.keys(long.body.errors)]).toEqual([400, ['reference']])
    expect((await get(`${TRANSACTIONS}/verify`)).status).toBe(404)
    expect((await server.as('nope').get(`${TRANSACTIONS}/verify/TRX_1`)).status).toBe(401)
  })
})
