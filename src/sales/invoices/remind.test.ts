import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { addDays, dayIn } from '../../lib/dates.ts'
import { toMorning } from '../../reconciliation/reconciliation.fixture.ts'

const PATH = '/api/payment-service/external/v1/invoices'
const SETTINGS = '/api/user-service/external/v1/profile/settings'
const HOUR = 3600
const DAY = 24 * HOUR

const server = await startServer({ jobs: false })
const { db, clock } = server
// Every day here is counted from the present one, which must not end while a test runs.
toMorning(server)

/** A separate business for each test, so that no other test uses its test clock and mails. */
async function shop() {
  const { keys, businessId } = await server.newBusiness()
  const { get, post, put } = server.as(keys.testSecret)
  const make = async (more: object = {}) => {
    const { body } = await post(PATH, { customerEmail: 'ada@example.com', amount: 5000, ...more })
    return body.data.reference as string
  }
  const advance = async (advanceSeconds: number) => {
    expect((await post('/api/simulator/clock', { advanceSeconds })).status).toBe(200)
    await server.runJob('invoice-schedule')
  }
  const day = async (days: number) => {
    const { n } = await db.one<{ n: number }>`
      select test_clock_offset_ms as n from businesses where id = ${businessId}`
    const now = new Date(server.clock.now().getTime() + n)
    return addDays(dayIn('Africa/Lagos', now), days)
  }
  /** Moves the test clock to one minute past this hour in Lagos, the given number of days ahead. */
  const advanceTo = async (days: number, hour: number) => {
    const { n } = await db.one<{ n: number }>`
      select test_clock_offset_ms as n from businesses where id = ${businessId}`
    const now = server.clock.now().getTime() + n
    const goal = Date.parse(`${await day(days)}T00:01:00+01:00`) + hour * HOUR * 1000
    await advance(Math.ceil((goal - now) / 1000))
  }
  const reminders = async () => {
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from mails
      where business_id = ${businessId} and kind = 'invoice_reminder'`
    return n
  }
  const overdue = async () => {
    const rows = await db.many<{ data: string }>`
      select data from events where business_id = ${businessId} and type = 'invoice.overdue'`
    return rows.map(({ data }) => JSON.parse(data))
  }
  return { get, post, put, make, advance, advanceTo, day, reminders, overdue }
}

describe('scheduled reminders', () => {
  test('200 are sent 3 days before, on, and 3 and 7 days after the due date, at nine', async () => {
    const { make, day, advanceTo, reminders } = await shop()
    await make({ dueDate: await day(5) })
    const seen: number[] = []
    // Just before and just after nine, on each day around the due date.
    await advanceTo(1, 8)
    for (let i = 0; i < 13; i++) {
      const before = await reminders()
      await advanceTo(0, 9)
      seen.push((await reminders()) - before)
      await advanceTo(1, 8)
      expect(await reminders()).toBe(before + seen.at(-1)!)
    }
    // The list starts on day 1; the invoice is due on day 5.
    expect(seen).toEqual([0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0])
  })

  test('200 send one mail after a long pause, and one overdue event', async () => {
    const { make, day, advance, reminders, overdue } = await shop()
    await make({ dueDate: await day(1) })
    await advance(30 * DAY)
    expect([await reminders(), (await overdue()).length]).toEqual([1, 1])
    await advance(30 * DAY)
    expect([await reminders(), (await overdue()).length]).toEqual([1, 1])
  })

  test('200 skip paid and void invoices and Drafts, but not partially paid ones', async () => {
    const { make, post, day, advance, reminders, overdue } = await shop()
    const dueDate = await day(1)
    const [paid, voided, part] = [
      await make({ dueDate }),
      await make({ dueDate }),
      await make({ dueDate }),
    ]
    await make({ dueDate, sendImmediately: false })
    await post(`${PATH}/${paid}/mark-paid`)
    await post(`${PATH}/${voided}/void`)
    await post(`${PATH}/${part}/mark-paid`, { amount: 10 })
    await advance(60 * DAY)
    expect(await reminders()).toBe(1)
    expect(await overdue()).toMatchObject([
      { reference: part, status: 'PartiallyPaid', isOverdue: true, payments: [{ amount: 10 }] },
    ])
  })

  test('200 start when a Draft is sent, and skip earlier dates', async () => {
    const { make, post, day, advance, advanceTo, reminders } = await shop()
    const reference = await make({ dueDate: await day(5), sendImmediately: false })
    await advanceTo(3, 12)
    await post(`${PATH}/${reference}/send`)
    await advance(1)
    expect(await reminders()).toBe(0)
    await advanceTo(2, 9)
    expect(await reminders()).toBe(1)
  })

  test('200 follow a changed due date', async () => {
    const { make, put, day, advance, reminders, overdue } = await shop()
    const reference = await make({ dueDate: await day(1) })
    await put(`${PATH}/${reference}`, { dueDate: await day(100) })
    await advance(50 * DAY)
    expect(await reminders()).toBe(0)
    await put(`${PATH}/${reference}`, { dueDate: null })
    await advance(200 * DAY)
    expect([await reminders(), await overdue()]).toEqual([0, []])
  })

  test('200 are sent at nine in the business’s time zone', async () => {
    const { make, put, day, reminders } = await shop()
    await put(SETTINGS, { timeZone: 'Asia/Tokyo' })
    const dueDate = await day(40)
    const reference = await make({ dueDate })
    const { next_step_at } = await db.one<{ next_step_at: Date }>`
      select next_step_at from invoices where reference = ${reference}`
    expect(next_step_at).toEqual(new Date(`${addDays(dueDate, -3)}T00:00:00Z`))
    expect(await reminders()).toBe(0)
  })

  test('200 are sent once when two servers run the job at once', async () => {
    const { make, day, post, reminders, overdue } = await shop()
    const dueDate = await day(1)
    await Promise.all(Array.from({ length: 30 }, () => make({ dueDate })))
    await post('/api/simulator/clock', { advanceSeconds: 40 * DAY })
    await Promise.all(Array.from({ length: 4 }, () => server.runJob('invoice-schedule')))
    expect([await reminders(), (await overdue()).length]).toEqual([30, 30])
  })
})

describe('overdue', () => {
  test('200 applies to the filter and the flag at once, before the event is recorded', async () => {
    const { make, get, post, day, overdue } = await shop()
    const late = await make({ dueDate: await day(1) })
    await make({ dueDate: await day(2) })
    await make()
    const listed = async () => {
      const { body } = await get(`${PATH}?status=overdue`)
      expect(body.meta.total).toBe(body.data.length)
      return body.data.map((one: { reference: string; isOverdue: boolean }) => {
        expect(one.isOverdue).toBe(true)
        return one.reference
      })
    }
    expect(await listed()).toEqual([])
    // To a time on the day after tomorrow, when only the first invoice is overdue.
    const noon = Date.parse(`${await day(2)}T12:00:00+01:00`)
    const hours = Math.ceil((noon - clock.now().getTime()) / 3_600_000)
    await post('/api/simulator/clock', { advanceSeconds: hours * HOUR })
    expect(await listed()).toEqual([late])
    expect(await overdue()).toEqual([])
    await server.runJob('invoice-schedule')
    expect(await listed()).toEqual([late])
    expect(await overdue()).toHaveLength(1)
    // The schedule has processed one of them but not the other.
    const born = await make({ dueDate: await day(-1) })
    expect(await listed()).toEqual([born, late])
    await post(`${PATH}/${late}/mark-paid`)
    expect(await listed()).toEqual([born])
  })

  test('200 applies to the filter as soon as the business moves its time zone east', async () => {
    const { make, get, put, advanceTo, day } = await shop()
    await put(SETTINGS, { timeZone: 'Pacific/Honolulu' })
    // One o'clock in Honolulu, and on the next day in Kiritimati.
    await advanceTo(1, 12)
    const reference = await make({ dueDate: await day(0) })
    const listed = async () => (await get(`${PATH}?status=overdue`)).body.data
    expect(await listed()).toEqual([])
    await put(SETTINGS, { timeZone: 'Pacific/Kiritimati' })
    expect(await listed()).toMatchObject([{ reference, isOverdue: true }])
  })

  test('201 is recorded for an invoice created after its due date, without a reminder', async () => {
    const { make, day, advance, reminders, overdue } = await shop()
    await make({ dueDate: await day(-1) })
    await advance(1)
    expect([await reminders(), (await overdue()).length]).toEqual([0, 1])
  })
})

describe('POST invoices/{reference}/remind', () => {
  test('200 queues a mail, without an event or a change to the schedule', async () => {
    const { make, post, get, day, reminders } = await shop()
    const reference = await make({ dueDate: await day(30) })
    const before = (await get(`${PATH}/${reference}`)).body.data
    const { status, body } = await post(`${PATH}/${reference}/remind`)
    expect(status).toBe(200)
    expect(body.data).toEqual(before)
    expect(await reminders()).toBe(1)
  })

  test('429 within the hour with the time to wait, then 200', async () => {
    const { make, post, advance, reminders } = await shop()
    const reference = await make()
    await post(`${PATH}/${reference}/remind`)
    await advance(40 * 60)
    const { status, body, headers } = await post(`${PATH}/${reference}/remind`)
    expect([status, body.errorCode]).toEqual([429, 'reminded_lately'])
    const wait = Number(headers.get('retry-after'))
    expect(wait).toBeGreaterThan(19 * 60)
    expect(wait).toBeLessThanOrEqual(20 * 60)
    await advance(wait)
    expect((await post(`${PATH}/${reference}/remind`)).status).toBe(200)
    expect(await reminders()).toBe(2)
  })

  test('200 once and 429 for the rest when ten requests arrive at once', async () => {
    const { make, post, reminders } = await shop()
    const reference = await make()
    const ten = Array.from({ length: 10 }, () => post(`${PATH}/${reference}/remind`))
    const statuses = (await Promise.all(ten)).map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(9).fill(429)])
    expect(await reminders()).toBe(1)
  })

  test('409 for Draft, paid and void invoices; 404 for an unknown one', async () => {
    const { make, post, reminders } = await shop()
    const draft = await make({ sendImmediately: false })
    const paid = await make()
    await post(`${PATH}/${paid}/mark-paid`)
    const voided = await make()
    await post(`${PATH}/${voided}/void`)
    for (const reference of [draft, paid, voided]) {
      const { status, body } = await post(`${PATH}/${reference}/remind`)
      expect([status, body.errorCode]).toEqual([409, 'invoice_state'])
    }
    expect((await post(`${PATH}/INV_nothing/remind`)).status).toBe(404)
    expect(await reminders()).toBe(0)
  })
})
