import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { EVENT_CATALOGUE } from '../../app/event-catalogue.ts'
import { allChecks } from '../../audit.ts'
import { newEventReference } from '../../events/append.ts'
import { runAudit } from '../../ledger/audit.ts'

const EVENTS = '/api/user-service/external/v1/events'
const EVENT_TYPES_PATH = '/api/user-service/v1/event-types'
const PRODUCTS = '/api/payment-service/external/v1/products'
const INVOICES = '/api/payment-service/external/v1/invoices'

const server = await startServer({ jobs: false })
const { db, ids, clock } = server

/** Creates a business for each test, so that it has only its own events. */
async function shop() {
  const { keys, businessId } = await server.newBusiness()
  const { get, post, put } = server.as(keys.testSecret)
  const fund = async (amount: number) => {
    expect((await post('/api/simulator/wallet', { amount })).status).toBe(200)
  }
  const list = async (query: string) => (await get(`${EVENTS}?${query}`)).body
  const amounts = async (query: string) => {
    const { data } = await list(query)
    return (data as { data: { amount: number } }[]).map((event) => event.data.amount)
  }
  return { keys, businessId, get, post, put, fund, list, amounts }
}

describe('GET events/{id}', () => {
  test('200 equals the event in the list; 404 for another business or mode', async () => {
    const { get, fund, list, keys } = await shop()
    await fund(100)
    const { data } = await list('')
    const [event] = data
    const { status, body } = await get(`${EVENTS}/${event.id}`)
    expect([status, body.data]).toEqual([200, event])
    expect(event.id).toMatch(/^evt_[0-9A-Za-z]{24}$/)

    const other = await server.newBusiness()
    for (const key of [keys.liveSecret, other.keys.testSecret]) {
      const { status, body } = await server.as(key).get(`${EVENTS}/${event.id}`)
      expect([status, body.errorCode]).toEqual([404, 'event_not_found'])
    }
  })

  test.each(['evt_x', 'evt_zzzzzzzzzzzzzzzzzzzzzzzz', 'INV_1', '1', 'evt_00000000%20'])(
    '404 for %s, which no event has',
    async (id) => {
      const { status, body } = await server.get(`${EVENTS}/${id}`)
      expect([status, body.errorCode]).toEqual([404, 'event_not_found'])
    },
  )
})

describe('GET events', () => {
  test('200 lists the events of one object', async () => {
    const { post, list } = await shop()
    const made = await post(INVOICES, { customerEmail: 'ada@example.com', amount: 5 })
    await post(INVOICES, { customerEmail: 'ada@example.com', amount: 6 })
    const { data } = await list(`objectId=${made.body.data.id}&sort=ASC`)
    expect(data).toMatchObject([
      { type: 'invoice.created', sequence: 1 },
      { type: 'invoice.sent', sequence: 2 },
    ])
    expect((await list('objectId=99999999')).data).toEqual([])
  })

  test('400 for an unknown type, with a reference to the list of types', async () => {
    const { get } = await shop()
    for (const type of ['nope', 'invoice.payed', 'invoice']) {
      const { status, body } = await get(`${EVENTS}?type=${type}`)
      expect([status, body.errors]).toEqual([
        400,
        { type: ['must be an event type; GET event-types and docs/EVENTS.md list them all'] },
      ])
    }
  })

  test('200 continues after an event, even one of the same millisecond', async () => {
    const { post, list } = await shop()
    await post(INVOICES, { customerEmail: 'ada@example.com', amount: 5 })
    const [created, sent] = (await list('sort=ASC')).data
    expect((await list(`sort=ASC&after=${created.id}`)).data).toEqual([sent])
    const behind = await list(`sort=ASC&after=${sent.id}`)
    expect([behind.data, behind.meta.total]).toEqual([[], 0])
  })

  test('200 says where to continue so that a late event is not missed', async () => {
    const { businessId, fund, list, amounts } = await shop()
    await fund(1)
    expect((await list('sort=ASC')).meta.resume).toBeNull()
    clock.advance(61_000)
    const first = await list('sort=ASC')
    expect(first.meta.resume).toBe(first.data[0].id)

    await fund(3)
    const second = await list(`sort=ASC&after=${first.meta.resume}`)
    expect(second.meta.resume).toBe(first.meta.resume)
    await tellLate(businessId, 2, new Date(second.data[0].timestamp))
    expect(await amounts(`sort=ASC&after=${second.meta.resume}`)).toEqual([2, 3])

    clock.advance(61_000)
    const third = await list(`sort=ASC&after=${second.meta.resume}`)
    expect(third.meta.resume).toBe(third.data.at(-1).id)
    expect(await amounts(`sort=ASC&after=${third.meta.resume}`)).toEqual([])
    expect((await list('sort=DESC')).meta.resume).toBeNull()
    const page2 = await list(`sort=ASC&page=2&after=${first.meta.resume}`)
    expect(page2.meta.resume).toBe(first.meta.resume)
  })

  /** Writes an event as a slower request would, with a time before that of a listed event. */
  async function tellLate(businessId: number, amount: number, before: Date) {
    const at = new Date(before.getTime() - 10)
    const sum = { amount, amountMinor: amount * 100, currency: 'NGN' }
    const data = { status: 'Successful', ...sum, availableAfter: 6, availableAfterMinor: 600 }
    const source = { type: 'simulator', reference: 'SIM_late' }
    await db.run`
      insert into events
        (business_id, live, id, reference, type, object_type, object_id, sequence, data, created_at)
      select business_id, live, ${await ids.next()}, ${newEventReference(at)}, type, object_type,
        object_id, 9, ${JSON.stringify({ reference: 'SIM_late', ...data, source })}, ${at}
      from events where business_id = ${businessId} limit 1`
  }

  test('400 for an `after` that is not an event of the business', async () => {
    const [mine, other] = [await shop(), await shop()]
    await other.fund(1)
    const [theirs] = (await other.list('')).data
    for (const after of [theirs.id, 'evt_nothing', 'x']) {
      const { status, body } = await mine.get(`${EVENTS}?after=${after}`)
      expect([status, Object.keys(body.errors)]).toEqual([400, ['after']])
    }
  })
})

describe('GET event-types', () => {
  test('200 describes every type with an example', async () => {
    const { status, body } = await server.get(EVENT_TYPES_PATH)
    expect(status).toBe(200)
    expect(body.data.map(({ type }: { type: string }) => type)).toEqual(EVENT_CATALOGUE.types)
    const paid = body.data.find(({ type }: { type: string }) => type === 'invoice.paid')
    expect(paid).toEqual({
      type: 'invoice.paid',
      description: expect.stringContaining('invoice'),
      object: 'invoice',
      example: expect.objectContaining({ status: 'Paid', amount: 15000.5 }),
      schema: expect.objectContaining({ type: 'object' }),
    })
    expect(paid.schema.required).toEqual(Object.keys(paid.example))
  })

  test('401 without a key', async () => {
    expect((await server.get(EVENT_TYPES_PATH, { authorization: '' })).status).toBe(401)
  })
})

describe('sequences', () => {
  test('200 for simultaneous writers numbers the events of each object without gaps', async () => {
    const { businessId, post, put } = await shop()
    const { body } = await post(`${PRODUCTS}/create-product`, { name: 'Shirt', price: 5 })
    const { productId } = body.data
    /** Retries while too many requests wait, as a 503 reports: nothing was done then. */
    const done = async (ask: () => Promise<{ status: number }>) => {
      let status = 503
      while (status === 503) status = (await ask()).status
      expect(status).toBe(200)
    }
    const change = (i: number) =>
      put(`${PRODUCTS}/update-product-details`, { productId, name: `Shirt ${i}` })
    const fund = (i: number) => post('/api/simulator/wallet', { amount: i + 1 })
    const each = Array.from({ length: 20 }, (_, i) => [done(() => change(i)), done(() => fund(i))])
    // More at once than there are connections.
    await Promise.all(each.flat())
    const objects = await db.many<{ object_type: string; numbers: number[] }>`
      select object_type, array_agg(sequence::integer order by sequence) as numbers
      from events where business_id = ${businessId}
      group by object_type, object_id order by object_type`
    const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)
    expect(objects).toEqual([
      { object_type: 'product', numbers: upTo(21) },
      { object_type: 'wallet', numbers: upTo(20) },
    ])
    const checks = allChecks.filter(({ name }) => /^(product|wallet)-events$/.test(name))
    // The event that an earlier test planted belongs to another business.
    const found = await runAudit(db, checks)
    expect(found.filter((finding) => finding.businessId === businessId)).toEqual([])
  })
})
