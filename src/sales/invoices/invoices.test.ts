import { describe, expect, test } from 'vitest'
import { times, untilDone } from '../../../test/concurrency.ts'
import { startServer } from '../../../test/harness.ts'
import { letPayDirectly } from './invoices.fixture.ts'

const PATH = '/api/payment-service/external/v1/invoices'
const PLAIN = '/api/payment-service/v1/invoices'
const INVOICE = { customerEmail: 'ada@example.com', amount: 1500.5 }
const key = (key: string) => ({ 'idempotency-key': key })

const server = await startServer({ jobs: false })
const { db, post, business } = server

const eventsOf = async (reference: string) => {
  const rows = await db.many<{ type: string; sequence: number; data: string }>`
    select e.type, e.sequence, e.data from events e join invoices i
      on i.business_id = e.business_id and i.id = e.object_id and e.object_type = 'invoice'
    where i.reference = ${reference} order by e.id`
  return rows
}
const count = async () => (await db.one<{ n: number }>`select count(*) as n from invoices`).n

describe('POST invoices', () => {
  test('201 stores the amount in minor units and records the invoice as sent', async () => {
    const { status, body } = await post(PATH, INVOICE)

    expect(status).toBe(201)
    expect(body).toMatchObject({ status: 'success', message: 'Invoice created.' })
    expect(Object.keys(body.data)[0]).toBe('reference')
    const { reference } = body.data
    expect(
      await db.one`select amount_minor, status, email_status from invoices
        where reference = ${reference}`,
    ).toEqual({ amount_minor: 150050n, status: 'Sent', email_status: 'Queued' })
    expect(await eventsOf(reference)).toMatchObject([
      { type: 'invoice.created', sequence: 1 },
      { type: 'invoice.sent', sequence: 2 },
    ])
  })

  test('201 returns the whole record', async () => {
    const chair = { name: 'Chair', quantity: 2 }
    const delivery = { name: 'Delivery', quantity: 1 }
    const { body } = await post(PATH, {
      ...INVOICE,
      amount: '2000.00',
      customerName: 'Ada Obi',
      customerPhone: '+234 803 000 0000',
      note: 'Two chairs ₦',
      dueDate: '2099-01-31',
      lineItems: [
        { ...chair, unitAmount: 750.25 },
        { ...delivery, unitAmount: '499.50' },
      ],
      metadata: { order: 'A-1', nested: { b: 1, a: 2 } },
    })

    expect(body.data).toEqual({
      reference: expect.stringMatching(/^INV_[0-9A-Za-z]{20}$/),
      id: expect.any(Number),
      invoiceNumber: expect.stringMatching(/^INV-\d{6}$/),
      status: 'Sent',
      customerEmail: 'ada@example.com',
      customerName: 'Ada Obi',
      customerPhone: '+234 803 000 0000',
      amount: 2000,
      amountMinor: 200000,
      amountPaid: 0,
      amountPaidMinor: 0,
      amountDue: 2000,
      amountDueMinor: 200000,
      currency: 'NGN',
      note: 'Two chairs ₦',
      lineItems: [
        {
          ...chair,
          unitAmount: 750.25,
          unitAmountMinor: 75025,
          amount: 1500.5,
          amountMinor: 150050,
        },
        {
          ...delivery,
          unitAmount: 499.5,
          unitAmountMinor: 49950,
          amount: 499.5,
          amountMinor: 49950,
        },
      ],
      dueDate: '2099-01-31',
      isOverdue: false,
      allowPartialPayment: false,
      payableOnline: true,
      hostedUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1\/i\/[0-9a-z]+t-[0-9a-z]+-\w{22}$/),
      pdfUrl: expect.stringContaining('/pdf'),
      emailStatus: 'Queued',
      sentAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      viewedAt: null,
      paidAt: null,
      voidedAt: null,
      payments: [],
      metadata: { order: 'A-1', nested: { b: 1, a: 2 } },
      createdAt: body.data.sentAt,
      updatedAt: body.data.sentAt,
    })
  })

  test('201 does not send a Draft', async () => {
    const { body } = await post(PATH, { ...INVOICE, sendImmediately: false })

    expect(body.data).toMatchObject({ status: 'Draft', sentAt: null, emailStatus: null })
    expect((await eventsOf(body.data.reference)).map(({ type }) => type)).toEqual([
      'invoice.created',
    ])
    const { status } = await fetch(server.url + new URL(body.data.hostedUrl).pathname)
    expect(status).toBe(404)
  })

  test('201 answers in both families and with a trailing slash', async () => {
    for (const path of [PATH, PLAIN, `${PATH}/`, `${PLAIN}/`]) {
      expect((await post(path, INVOICE)).status).toBe(201)
    }
  })

  test('201 allows the decimals of the currency', async () => {
    const { keys, businessId } = await server.newBusiness()
    await letPayDirectly(db, businessId)
    const shop = server.as(keys.testSecret)
    const yen = await shop.post(PATH, { ...INVOICE, amount: 500, currency: 'JPY' })
    expect(yen.body.data).toMatchObject({ amount: 500, amountMinor: 500, currency: 'JPY' })
    const dinar = await shop.post(PATH, { ...INVOICE, amount: '1.234', currency: 'KWD' })
    expect(dinar.body.data).toMatchObject({ amount: 1.234, amountMinor: 1234 })
  })

  test('400 names every invalid field and stores nothing', async () => {
    const before = await count()
    const { status, body } = await post(PATH, { amount: -1, note: 7, lineItems: [{ quantity: 0 }] })

    expect(status).toBe(400)
    expect(body).toMatchObject({ status: 'error', errorCode: 'validation_failed' })
    expect(body.errors).toEqual({
      customerEmail: ['is required'],
      amount: ['must be more than 0'],
      note: ['must be a string'],
      'lineItems.0.name': ['is required'],
      'lineItems.0.unitAmount': ['is required'],
      'lineItems.0.quantity': ['must be at least 1'],
    })
    expect(await count()).toBe(before)
  })

  test.each([
    ['a fraction of a kobo', { amount: 0.001 }, 'amount', /at most 2 decimals.*naira, not kobo/],
    ['nothing', { amount: 0 }, 'amount', /more than 0/],
    ['more than the maximum', { amount: 1e12 }, 'amount', /at most 100000000000.00/],
    ['an invalid email address', { customerEmail: 'ada@' }, 'customerEmail', /email address/],
    ['two email addresses', { customerEmail: 'a@b.co,c@d.co' }, 'customerEmail', /email/],
    [
      'a line break in the email address',
      { customerEmail: 'a@b.co\nBcc: c@d.co' },
      'customerEmail',
      /./,
    ],
    ['an invalid date', { dueDate: '2026-02-29' }, 'dueDate', /must be a date/],
    ['a day in the year 10000', { dueDate: '9999-12-31T23:30:00Z' }, 'dueDate', /must be a date/],
    ['an unknown currency', { currency: 'XYZ' }, 'currency', /ISO 4217/],
    [
      'lines that do not add up',
      { lineItems: [{ name: 'Chair', quantity: 3, unitAmount: 500 }] },
      'lineItems',
      /add up to 1500.00/,
    ],
    [
      'a fraction of a kobo in a line',
      { lineItems: [{ name: 'Chair', quantity: 1, unitAmount: 1500.505 }] },
      'lineItems.0.unitAmount',
      /decimals/,
    ],
    ['metadata of 17 kB', { metadata: { a: 'x'.repeat(17_000) } }, 'metadata', /16384 bytes/],
    ['a long name in metadata', { metadata: { ['x'.repeat(101)]: 1 } }, 'metadata', /100|long/],
    ['a name of blanks', { customerName: ' \t\u00a0' }, 'customerName', /single line.*not blank/],
    ...[
      '\n',
      '\r',
      '\t',
      '\u0007',
      '\u007f',
      '\u0085',
      '\u2028',
      '\u2029',
      '\u202e',
      '\u2066',
    ].flatMap((control): [string, object, string, RegExp][] => {
      const [shown, name] = [JSON.stringify(control), `Ada${control}Obi`]
      const line = { name, quantity: 1, unitAmount: 1500.5 }
      const says =
        /^must be a single line that is not blank, without control or bidirectional formatting/
      return [
        [`${shown} in a name`, { customerName: name }, 'customerName', says],
        [`${shown} in a line`, { lineItems: [line] }, 'lineItems.0.name', says],
      ]
    }),
    ['text for a boolean', { sendImmediately: 'false' }, 'sendImmediately', /true or false/],
  ])('400 rejects %s', async (_what, change, field, says) => {
    const before = await count()
    const { status, body } = await post(PATH, { ...INVOICE, ...change })

    expect(status).toBe(400)
    expect(body.errors[field]?.[0]).toMatch(says)
    expect(await count()).toBe(before)
  })

  test('401 before any other check', async () => {
    const { status, body } = await post(PATH, '{', { authorization: 'Bearer nope' })

    expect(status).toBe(401)
    expect(body).toMatchObject({ status: 'error', errors: {} })
  })

  test('422 when the Idempotency-Key is reused with another body', async () => {
    await post(PATH, INVOICE, key('reused'))
    const { status, body } = await post(PATH, { ...INVOICE, amount: 9 }, key('reused'))

    expect(status).toBe(422)
    expect(Object.keys(body.errors)).toEqual(['Idempotency-Key'])
  })

  test('201 treats reordered fields and an explicit default as the same request', async () => {
    const first = await post(PATH, INVOICE, key('reordered'))
    const respelt = { sendImmediately: true, amount: '1500.50', customerEmail: 'ada@example.com' }
    const second = await post(PLAIN, respelt, key('reordered'))

    expect(second.text).toBe(first.text)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
  })

  test('201 creates one invoice for a hundred equal requests at once', async () => {
    const before = await count()
    const race = Array.from({ length: 100 }, () => post(PATH, INVOICE, key('race')))
    const answers = await Promise.all(race)

    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.every(({ status }) => status === 201)).toBe(true)
    const replayed = answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')
    expect(replayed).toHaveLength(99)
    expect(await count()).toBe(before + 1)
  })
})

describe('GET invoices', async () => {
  const shop = await server.newBusiness('List shop')
  const mine = server.as(shop.keys.testSecret)
  const made: string[] = []
  for (const [i, name] of ['Chidi Okeke', 'Amaka 50%_off', 'Bola Ade'].entries()) {
    const { body } = await mine.post(PATH, {
      ...INVOICE,
      customerName: name,
      customerEmail: `c${i}@example.com`,
      sendImmediately: i !== 2,
    })
    made.push(body.data.reference)
  }
  const listed = async (query: string) => {
    const { status, body } = await mine.get(`${PATH}?${query}`)
    expect([status, body.errors]).toEqual([200, undefined])
    return body.data.map((one: { reference: string }) => made.indexOf(one.reference))
  }

  test('200 lists newest first, with meta', async () => {
    const { body } = await mine.get(PATH)

    expect(body.data.map(({ reference }: { reference: string }) => reference)).toEqual(
      made.toReversed(),
    )
    expect(body.meta).toEqual({
      total: 3,
      totalIsExact: true,
      page: 1,
      limit: 20,
      pageCount: 1,
      hasNext: false,
      hasPrevious: false,
    })
  })

  test('200 pages', async () => {
    expect(await listed('limit=2&sort=asc')).toEqual([0, 1])
    expect(await listed('limit=2&sort=ASC&page=2')).toEqual([2])
    expect(await listed('limit=2&page=3')).toEqual([])
    const { body } = await mine.get(`${PLAIN}?limit=2&page=1`)
    expect(body.meta).toMatchObject({ pageCount: 2, hasNext: true, hasPrevious: false })
  })

  test('200 filters by status in any case', async () => {
    expect(await listed('status=draft')).toEqual([2])
    expect(await listed('status=SENT')).toEqual([1, 0])
    expect(await listed('status=Overdue')).toEqual([])
  })

  test('200 searches by id, number, name and email address', async () => {
    const { body } = await mine.get(`${PATH}/${made[1]}`)
    expect(await listed(`search=${body.data.id}`)).toEqual([1])
    expect(await listed(`search=${body.data.invoiceNumber}`)).toEqual([1])
    expect(await listed('search=OKEKE')).toEqual([0])
    expect(await listed('search=c2@EXAMPLE')).toEqual([2])
    expect(await listed('search=%25_')).toEqual([1])
    expect(await listed('search=%5C')).toEqual([])
  })

  test('200 filters by the business’s day and by instant', async () => {
    const createdAt = async (i: number): Promise<string> =>
      (await mine.get(`${PATH}/${made[i]}`)).body.data.createdAt
    // They were created earlier, perhaps on the day before, and perhaps not on the same day.
    const [first, last] = [await createdAt(0), await createdAt(2)]
    // Lagos is an hour ahead of UTC.
    const day = (of: string, offset = 0) =>
      new Date(Date.parse(of) + offset * 86_400_000 + 3_600_000).toISOString().slice(0, 10)
    expect(await listed(`startDate=${day(first)}&endDate=${day(last)}`)).toHaveLength(3)
    expect(await listed(`startDate=${day(last, 1)}`)).toEqual([])
    expect(await listed(`endDate=${day(first, -1)}`)).toEqual([])
    const at = encodeURIComponent(await createdAt(1))
    expect(await listed(`startDate=${at}&endDate=${at}`)).toContain(1)
  })

  test.each([
    ['page=0', 'page'],
    ['limit=101', 'limit'],
    ['limit=1e1', 'limit'],
    ['page=', 'page'],
    ['sort=up', 'sort'],
    ['status=Overpaid', 'status'],
    ['startDate=2026-02-29', 'startDate'],
    ['startDate=2026-03-02&endDate=2026-03-01', 'startDate'],
    ['page=1&page=2', 'page'],
    ['search=%00', 'search'],
  ])('400 for %s', async (query, field) => {
    const { status, body } = await mine.get(`${PATH}?${query}`)
    expect(status).toBe(400)
    expect([...Object.keys(body.errors), body.errorCode]).toContain(field)
  })

  test('404 for an invoice that is unknown, of another business or of the other mode', async () => {
    const others = [business.keys.testSecret, shop.keys.liveSecret, business.keys.liveSecret]
    for (const secret of others) {
      const { status, body } = await server.as(secret).get(`${PATH}/${made[0]}`)
      expect([status, body.errorCode]).toEqual([404, 'invoice_not_found'])
      expect((await server.as(secret).post(`${PATH}/${made[0]}/void`)).status).toBe(404)
      expect((await server.as(secret).post(`${PATH}/${made[0]}/send`)).status).toBe(404)
    }
    expect((await mine.get(`${PATH}/INV_nothing`)).status).toBe(404)
  })
})

describe('send and void', () => {
  const draft = async () =>
    (await post(PATH, { ...INVOICE, sendImmediately: false })).body.data.reference as string

  test('200 sends a Draft, and resends a sent invoice', async () => {
    const reference = await draft()
    const first = await post(`${PATH}/${reference}/send`)
    expect(first.body.data).toMatchObject({ status: 'Sent', emailStatus: 'Queued' })
    expect((await post(`${PATH}/${reference}/send`)).status).toBe(200)

    expect((await eventsOf(reference)).map(({ type, sequence }) => [type, sequence])).toEqual([
      ['invoice.created', 1],
      ['invoice.sent', 2],
      ['invoice.sent', 3],
    ])
  })

  test('200 voids once; after that 409 names the state', async () => {
    const reference = await draft()
    const { body } = await post(`${PATH}/${reference}/void`)
    expect(body.data).toMatchObject({ status: 'Void', amountDue: 0 })
    expect(body.data.voidedAt).not.toBeNull()

    for (const move of ['void', 'send']) {
      const again = await post(`${PATH}/${reference}/${move}`)
      expect(again.status).toBe(409)
      expect(again.body).toMatchObject({ errorCode: 'invoice_state' })
      expect(again.body.message).toContain('Void')
    }
  })

  test('200 once and 409 for the rest when twenty void at once', async () => {
    const reference = await draft()
    const answers = await times(20, () => untilDone(() => post(`${PATH}/${reference}/void`)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
    const events = await eventsOf(reference)
    expect(events.filter(({ type }) => type === 'invoice.voided')).toHaveLength(1)
  })
})
