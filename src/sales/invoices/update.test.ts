import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { letPayDirectly } from './invoices.fixture.ts'

const PATH = '/api/payment-service/external/v1/invoices'
const PLAIN = '/api/payment-service/v1/invoices'

const server = await startServer({ jobs: false })
const { db, post, put, get } = server
await letPayDirectly(db, server.business.businessId)

const make = async (more: object = {}) => {
  const { body } = await post(PATH, { customerEmail: 'ada@example.com', amount: 1500.5, ...more })
  return body.data.reference as string
}
const draft = (more: object = {}) => make({ sendImmediately: false, ...more })
const change = (reference: string, body: object) => put(`${PATH}/${reference}`, body)
const stored = (reference: string) =>
  db.one`select customer_email, customer_name, amount_minor, currency, note, due_date::text,
      updated_at from invoices where reference = ${reference}`
const events = async (reference: string) =>
  (
    await db.many`select 1 from events e join invoices i
      on i.business_id = e.business_id and i.id = e.object_id and e.object_type = 'invoice'
      where i.reference = ${reference}`
  ).length

describe('PUT invoices/{reference} of a Draft', () => {
  test('200 changes every field that is given and nothing else', async () => {
    const reference = await draft({ customerName: 'Ada', note: 'Old', metadata: { a: 1 } })
    const { status, body } = await change(reference, {
      customerEmail: 'bola@example.com',
      customerPhone: '+234 803 000 0000',
      amount: '3000',
      note: 'New',
      dueDate: '2099-05-01',
      lineItems: [{ name: 'Chair', quantity: 2, unitAmount: 1500 }],
      allowPartialPayment: true,
    })

    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      reference,
      status: 'Draft',
      customerEmail: 'bola@example.com',
      customerName: 'Ada',
      customerPhone: '+234 803 000 0000',
      amount: 3000,
      amountMinor: 300_000,
      note: 'New',
      dueDate: '2099-05-01',
      lineItems: [{ name: 'Chair', quantity: 2, unitAmount: 1500, amount: 3000 }],
      allowPartialPayment: true,
      metadata: { a: 1 },
    })
    expect((await get(`${PLAIN}/${reference}`)).body.data).toEqual(body.data)
    expect(await events(reference)).toBe(1)
  })

  test('200 clears optional fields with null', async () => {
    const full = { customerName: 'Ada', note: 'x', dueDate: '2099-05-01', metadata: { a: 1 } }
    const lineItems = [{ name: 'Chair', quantity: 1, unitAmount: 1500.5 }]
    const reference = await draft({ ...full, customerPhone: '08030000000', lineItems })
    const nothing = { customerName: null, note: null, dueDate: null, metadata: null }
    const { body } = await change(reference, { ...nothing, customerPhone: null, lineItems: null })

    expect(body.data).toMatchObject({ ...nothing, customerPhone: null, lineItems: [] })
    expect(body.data.amount).toBe(1500.5)
  })

  test('200 allows the decimals of the invoice’s current or new currency', async () => {
    const reference = await draft({ amount: 5, currency: 'KWD' })
    expect((await change(reference, { amount: 1.234 })).body.data.amountMinor).toBe(1234)
    const yen = await change(reference, { amount: 700, currency: 'JPY' })
    expect(yen.body.data).toMatchObject({ amountMinor: 700, currency: 'JPY' })
    expect((await change(reference, { currency: 'NGN' })).body.data.amountMinor).toBe(70_000)
  })

  test('200 is found by its new name and no longer by the old one', async () => {
    const reference = await draft({ customerName: 'Ngozi Before' })
    await server.runJob('search-texts')
    const found = async (search: string) =>
      (await get(`${PATH}?search=${search}`)).body.data.map(
        (one: { reference: string }) => one.reference,
      )
    expect(await found('before')).toEqual([reference])
    await change(reference, { customerName: 'Ngozi After' })
    expect([await found('before'), await found('after')]).toEqual([[], [reference]])
    await server.runJob('search-texts')
    expect([await found('before'), await found('after')]).toEqual([[], [reference]])
  })

  test.each([
    ['null for a required value', { customerEmail: null }, 'customerEmail', /must be a string/],
    ['an amount that the lines do not add up to', { amount: 9 }, 'lineItems', /add up to 1500.50/],
    ['a name on two lines', { customerName: 'Ada\nObi' }, 'customerName', /single line/],
    ['a blank name', { customerName: ' ' }, 'customerName', /not blank/],
    ['a fraction of a kobo', { amount: 1.001, lineItems: null }, 'amount', /at most 2 decimals/],
    ['an amount in words', { amount: 'much', lineItems: null }, 'amount', /must be an amount/],
    ['nothing to pay', { amount: 0, lineItems: null }, 'amount', /more than 0/],
    ['an invalid date', { dueDate: '2026-02-29' }, 'dueDate', /must be a date/],
    ['an unknown currency', { currency: 'XYZ' }, 'currency', /ISO 4217/],
    ['a bad line', { lineItems: [{ name: '', quantity: 0 }] }, 'lineItems.0.name', /empty/],
    [
      'a currency without decimals for an amount with some',
      { currency: 'JPY' },
      'amount',
      /0 decimals/,
    ],
  ])('400 rejects %s and changes nothing', async (_what, body, field, says) => {
    const reference = await draft({
      lineItems: [{ name: 'Chair', quantity: 1, unitAmount: 1500.5 }],
    })
    const before = await stored(reference)
    const answer = await change(reference, { note: 'changed', ...body })

    expect(answer.status).toBe(400)
    expect(answer.body.errors[field]?.[0]).toMatch(says)
    expect(await stored(reference)).toEqual(before)
  })
})

describe('PUT invoices/{reference} of a sent invoice', () => {
  test('200 changes note and due date, and moves the schedule with the due date', async () => {
    const reference = await make({ dueDate: '2099-05-01' })
    const { body } = await change(reference, { note: 'Thank you', dueDate: '2098-12-31' })

    expect(body.data).toMatchObject({ status: 'Sent', note: 'Thank you', dueDate: '2098-12-31' })
    expect(
      await db.one`select next_step, next_step_at from invoices where reference = ${reference}`,
    ).toEqual({ next_step: 0, next_step_at: new Date('2098-12-28T08:00:00Z') })
  })

  test('200 accepts current values as no change', async () => {
    const metadata = { b: 1, a: { d: 2, c: 3 } }
    const reference = await make({ customerName: 'Ada', metadata })
    const before = await stored(reference)
    const { status } = await change(reference, {
      customerEmail: 'ada@example.com',
      amount: '1500.50',
      customerName: 'Ada',
      currency: 'NGN',
      metadata: { a: { c: 3, d: 2 }, b: 1 },
    })
    expect(status).toBe(200)
    expect(await stored(reference)).toEqual(before)
  })

  test('409 names each field that can no longer change and changes none', async () => {
    const reference = await make()
    const before = await stored(reference)
    const { status, body } = await change(reference, { amount: 2, customerName: 'B', note: 'c' })

    expect([status, body.errorCode]).toEqual([409, 'invoice_state'])
    expect(Object.keys(body.errors).sort()).toEqual(['amount', 'customerName'])
    expect(await stored(reference)).toEqual(before)
  })

  test('409 for a void invoice, even for its note', async () => {
    const reference = await make({ note: 'a' })
    await post(`${PATH}/${reference}/void`)
    expect((await change(reference, { note: 'b' })).status).toBe(409)
    expect((await change(reference, { note: 'a' })).status).toBe(200)
  })

  test('404 for an unknown invoice and for another business’s', async () => {
    const { keys } = await server.newBusiness()
    const reference = await make()
    expect((await change('INV_nothing', { note: 'x' })).status).toBe(404)
    for (const key of [keys.testSecret, server.business.keys.liveSecret]) {
      expect((await server.as(key).put(`${PATH}/${reference}`, { note: 'x' })).status).toBe(404)
    }
  })

  test('200 or 409 when sent and updated at once: the sent amount is always the stored one', async () => {
    for (let round = 0; round < 10; round++) {
      const reference = await draft()
      const [changed, sent] = await Promise.all([
        change(reference, { amount: 2000 }),
        post(`${PATH}/${reference}/send`),
      ])
      const { status, amount } = (await get(`${PATH}/${reference}`)).body.data
      expect([sent.status, status]).toEqual([200, 'Sent'])
      expect(amount).toBe(changed.status === 200 ? 2000 : 1500.5)
      // The amount in the sent event is the amount due.
      expect(sent.body.data.amount).toBe(amount)
    }
  })
})
