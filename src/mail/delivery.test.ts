import { describe, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { smtpAt, startMailServer, TIMEOUTS_MS } from '../../test/mail-server.ts'
import { RETRY_AFTER_MS } from './jobs.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const MINUTE_MS = 60_000
const YEARS_MS = 20 * 365 * 24 * 3_600_000

interface Row {
  id: number
  status: string
  attempts: number
  due_at: Date
  last_error: string | null
  message_id: string | null
}

/** Only for mail servers in trouble: one that works can stand still for seconds as well. */
const QUICK = { timeoutsMs: TIMEOUTS_MS }

/** A server that sends emails, with a business on it, and access to its mail rows. */
async function setUp(smtp = {}, mailServer = {}) {
  const mails = await startMailServer(mailServer)
  const options = { timeoutsMs: {}, ...smtp }
  const server = await startServer({ jobs: false, smtp: smtpAt(mails.port, options) })
  onTestFinished(server.close)
  const { db, post, get } = server
  const invoice = async (more: object = {}) => {
    const body = { customerEmail: 'bola@example.com', amount: 10_000, ...more }
    const answer = await post(INVOICES, body)
    expect(answer.status).toBe(201)
    return answer.body.data as { id: number; reference: string; hostedUrl: string }
  }
  const rowsOf = (id: number) =>
    db.many<Row>`select id, status, attempts, due_at, last_error, message_id from mails
      where subject_type = 'invoice' and subject_id = ${id} order by created_at, id`
  const emailStatus = async (reference: string) =>
    (await get(`${INVOICES}/${reference}`)).body.data.emailStatus as string | null
  const runJob = () => server.runJob('mail')
  return { ...server, mails, invoice, rowsOf, emailStatus, runJob }
}

describe('an email', () => {
  test('is sent once, and the invoice shows it', async () => {
    const { mails, invoice, rowsOf, emailStatus, runJob } = await setUp()
    const { id, reference } = await invoice()
    expect(await emailStatus(reference)).toBe('Queued')

    expect(await runJob()).toBe(1)
    expect(await runJob()).toBe(0)

    expect(mails.received).toHaveLength(1)
    expect(mails.received[0]!.recipients).toEqual(['bola@example.com'])
    expect(await rowsOf(id)).toMatchObject([{ status: 'Sent', attempts: 1, last_error: null }])
    expect(await emailStatus(reference)).toBe('Sent')
  })

  test('of a Draft is sent when the invoice is sent, and again when it is sent again', async () => {
    const { mails, invoice, post, rowsOf, runJob } = await setUp()
    const { id, reference } = await invoice({ sendImmediately: false })
    expect(await runJob()).toBe(0)
    for (let i = 0; i < 2; i++) {
      expect((await post(`${INVOICES}/${reference}/send`)).status).toBe(200)
      await runJob()
    }
    expect(mails.received).toHaveLength(2)
    expect(await rowsOf(id)).toMatchObject([{ status: 'Sent' }, { status: 'Sent' }])
  })

  test('that is no longer needed is dropped, and the invoice shows that none was sent', async () => {
    const { mails, invoice, post, rowsOf, emailStatus, runJob } = await setUp()
    const { id, reference } = await invoice()
    await post(`${INVOICES}/${reference}/void`)
    await runJob()
    expect(mails.received).toEqual([])
    expect(await rowsOf(id)).toMatchObject([{ status: 'Dropped' }])
    expect(await emailStatus(reference)).toBeNull()
  })

  test('follows the test clock of its business', async () => {
    const { mails, app, db, clock, business, post, invoice } = await setUp()
    await post('/api/simulator/clock', { advanceSeconds: 86_400 })
    await invoice()
    const { run } = app.jobs.find(({ name }) => name === 'mail')!
    const other = business.businessId + 1
    const tomorrow = new Date(clock.now().getTime() + 86_400_000)

    expect(await run(db, clock.now())).toBe(0)
    expect(await run(db, tomorrow, other)).toBe(0)
    expect(await run(db, tomorrow, business.businessId)).toBe(1)
    expect(mails.received).toHaveLength(1)
  })
})

describe('a server that refuses', () => {
  test('temporarily is tried again after 30 seconds', async () => {
    const { mails, clock, invoice, rowsOf, emailStatus, runJob } = await setUp()
    const { id, reference } = await invoice()
    mails.replies.recipient = { code: 451, text: 'greylisted, come back' }
    await runJob()
    const [row] = await rowsOf(id)
    expect(row).toMatchObject({ status: 'Queued', attempts: 1 })
    expect(row!.last_error).toContain('greylisted')
    expect(await emailStatus(reference)).toBe('Queued')

    mails.replies.recipient = 'yes'
    expect(await runJob()).toBe(0)
    clock.advance(31_000)
    expect(await runJob()).toBe(1)
    expect(mails.received).toHaveLength(1)
    expect(await emailStatus(reference)).toBe('Sent')
  })

  test('temporarily at DATA is tried again', async () => {
    const { mails, clock, invoice, rowsOf, runJob } = await setUp()
    const { id } = await invoice()
    mails.replies.data = { code: 452, text: 'too much' }
    await runJob()
    expect(await rowsOf(id)).toMatchObject([{ status: 'Queued', attempts: 1 }])
    mails.replies.data = 'yes'
    clock.advance(31_000)
    await runJob()
    expect(mails.received).toHaveLength(1)
  })

  test.each(['recipient', 'data'] as const)('the %s permanently ends it at once', async (step) => {
    const { mails, clock, invoice, rowsOf, emailStatus, runJob } = await setUp()
    const { id, reference } = await invoice()
    mails.replies[step] = { code: 550, text: 'no such mailbox' }
    await runJob()
    const [row] = await rowsOf(id)
    expect(row).toMatchObject({ status: 'Failed', attempts: 1 })
    expect(row!.last_error).toContain('no such mailbox')
    expect(await emailStatus(reference)).toBe('Failed')

    mails.replies[step] = 'yes'
    clock.advance(YEARS_MS)
    expect(await runJob()).toBe(0)
  })

  test('every time is given up after the last of the growing pauses', async () => {
    const { mails, clock, invoice, rowsOf, emailStatus, runJob } = await setUp()
    const { id, reference } = await invoice()
    mails.replies.recipient = { code: 450, text: 'later' }
    for (const pauseMs of RETRY_AFTER_MS) {
      const before = clock.now()
      expect(await runJob()).toBe(1)
      const [row] = await rowsOf(id)
      expect(row!.status).toBe('Queued')
      expect(row!.due_at.getTime() - before.getTime()).toBeGreaterThanOrEqual(pauseMs)
      expect(row!.due_at.getTime() - before.getTime()).toBeLessThan(pauseMs + MINUTE_MS)
      clock.advance(pauseMs + 1_000)
    }
    await runJob()
    expect(await rowsOf(id)).toMatchObject([
      { status: 'Failed', attempts: RETRY_AFTER_MS.length + 1 },
    ])
    expect(await emailStatus(reference)).toBe('Failed')
  })

  test('one recipient does not delay the others', async () => {
    const { mails, invoice, runJob } = await setUp()
    mails.replies.recipient = { code: 550, text: 'no' }
    await invoice()
    await runJob()
    mails.replies.recipient = 'yes'
    for (let i = 0; i < 12; i++) await invoice({ customerEmail: `c${i}@example.com` })
    await runJob()
    expect(new Set(mails.received.flatMap(({ recipients }) => recipients)).size).toBe(12)
  })

  test('an older email does not overwrite the status of the newest one', async () => {
    const { mails, clock, invoice, post, rowsOf, emailStatus, runJob } = await setUp()
    const { id, reference } = await invoice()
    mails.replies.recipient = { code: 451, text: 'later' }
    await runJob()
    mails.replies.recipient = 'yes'
    await post(`${INVOICES}/${reference}/send`)
    await runJob()
    expect(await emailStatus(reference)).toBe('Sent')

    mails.replies.recipient = { code: 550, text: 'no' }
    clock.advance(31_000)
    await runJob()
    expect(await rowsOf(id)).toMatchObject([{ status: 'Failed' }, { status: 'Sent' }])
    expect(await emailStatus(reference)).toBe('Sent')
  })
})

describe('a server in trouble', () => {
  test.each([
    ['hangs before its greeting', 'connect', 'nothing'],
    ['closes before its greeting', 'connect', 'cut'],
    ['hangs at the recipient', 'recipient', 'nothing'],
    ['closes at the recipient', 'recipient', 'cut'],
    ['hangs after DATA', 'data', 'nothing'],
    ['closes after DATA', 'data', 'cut'],
  ] as const)('that %s gets the email later, once', async (_what, step, reply) => {
    const { mails, clock, invoice, rowsOf, runJob } = await setUp(QUICK)
    const { id } = await invoice()
    mails.replies[step] = reply
    await runJob()
    expect(await rowsOf(id)).toMatchObject([{ status: 'Queued', attempts: 1 }])
    expect((await rowsOf(id))[0]!.last_error).toBeTruthy()

    mails.replies[step] = 'yes'
    clock.advance(31_000)
    await runJob()
    expect(mails.received).toHaveLength(1)
    expect(await rowsOf(id)).toMatchObject([{ status: 'Sent', attempts: 2 }])
    // Anything that arrived from the first attempt has the same id.
    expect(new Set(mails.seen.map(({ mail }) => mail.messageId)).size).toBe(1)
  })

  test('is tried with only a few emails while the trouble lasts', async () => {
    const { mails, clock, db, invoice, runJob } = await setUp(QUICK)
    for (let i = 0; i < 12; i++) await invoice()
    mails.replies.connect = 'cut'
    await runJob()
    const tried = async () =>
      (await db.one<{ n: number }>`select count(*) as n from mails where attempts > 0`).n
    expect(await tried()).toBe(5)
    mails.replies.connect = 'yes'
    expect(await runJob()).toBe(0)
    clock.advance(31_000)
    await runJob()
    expect(mails.received).toHaveLength(12)
  })

  test('with an untrusted certificate gets nothing', async () => {
    const { mails, invoice, rowsOf, runJob } = await setUp({ scheme: 'smtps' }, { secure: true })
    const { id } = await invoice()
    await runJob()
    expect(mails.seen).toEqual([])
    const [row] = await rowsOf(id)
    expect(row).toMatchObject({ status: 'Queued', attempts: 1 })
    expect(row!.last_error).toMatch(/certificate/i)
  })

  test('without TLS gets nothing if TLS is required', async () => {
    const { mails, invoice, rowsOf, runJob } = await setUp({ ...QUICK, query: '?tls=required' })
    const { id } = await invoice()
    await runJob()
    expect(mails.seen).toEqual([])
    expect((await rowsOf(id))[0]).toMatchObject({ status: 'Queued', attempts: 1 })
  })

  test('that does not speak SMTP gets nothing, and nothing is lost', async () => {
    const { invoice, rowsOf, runJob } = await setUp({ ...QUICK, scheme: 'smtps' })
    const { id } = await invoice()
    await runJob()
    expect((await rowsOf(id))[0]).toMatchObject({ status: 'Queued', attempts: 1 })
  })
})

describe('several processes', () => {
  test('share the emails between them', async () => {
    const { mails, invoice, runJob } = await setUp()
    for (let i = 0; i < 40; i++) await invoice({ customerEmail: `c${i}@example.com` })
    await Promise.all([runJob(), runJob(), runJob()])
    expect(mails.received).toHaveLength(40)
    expect(new Set(mails.received.map(({ mail }) => mail.messageId)).size).toBe(40)
  })

  test('do not touch an email that is being sent until the lease of a dead process ends', async () => {
    const timeoutsMs = { silence: 30_000, whole: 30_000 }
    const { mails, clock, invoice, rowsOf, runJob } = await setUp({ timeoutsMs })
    const { id } = await invoice()
    mails.replies.data = 'nothing'
    const first = runJob()
    await expect.poll(() => mails.waiting.length).toBe(1)
    mails.replies.data = 'yes'
    clock.advance(4 * MINUTE_MS)
    expect(await runJob()).toBe(0)

    // The first process counts as dead now. Its email is sent again, with the same Message-ID.
    clock.advance(2 * MINUTE_MS)
    expect(await runJob()).toBe(1)
    const before = await rowsOf(id)
    expect(before).toMatchObject([{ status: 'Sent', attempts: 2 }])

    mails.waiting[0]!({ code: 550, text: 'no' })
    await first
    expect(await rowsOf(id)).toEqual(before)
    expect(new Set(mails.seen.map(({ mail }) => mail.messageId)).size).toBe(1)
    expect(before[0]!.message_id).toBe(mails.received[0]!.mail.messageId)
  })
})

test('requests are served while the mail server hangs, and shutdown does not wait for it', async () => {
  const mails = await startMailServer()
  mails.replies.data = 'nothing'
  const timeoutsMs = { silence: 600_000, whole: 600_000, grace: 200 }
  const { db, post, close } = await startServer({ smtp: smtpAt(mails.port, { timeoutsMs }) })
  const invoice = () => post(INVOICES, { customerEmail: 'bola@example.com', amount: 100 })
  await invoice()
  await expect.poll(() => mails.waiting.length).toBe(1)

  expect((await invoice()).status).toBe(201)
  const { status } = await db.one<{ status: string }>`
    select status from mails order by created_at limit 1`
  expect(status).toBe('Queued')
  expect(mails.received).toEqual([])
  await close()
})
