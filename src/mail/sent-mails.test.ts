import { describe, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { smtpAt, startMailServer } from '../../test/mail-server.ts'
import { memberOf } from '../business/people/people.fixture.ts'
import { findSentMail } from './sent-mails.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const DAY_MS = 86_400_000

/** A server, a business with its owner at the dashboard, and helpers for its invoices. */
async function setUp(options: Parameters<typeof startServer>[0] = {}) {
  const server = await startServer({ jobs: false, ...options })
  onTestFinished(server.close)
  const { businessId, keys } = server.business
  const owner = await memberOf(server, 'owner', businessId)
  const { post } = server.as(keys.testSecret)
  const invoice = async (more: object = {}) => {
    const { body } = await post(INVOICES, { customerEmail: 'a@b.example', amount: 5_000, ...more })
    return body.data as { reference: string; invoiceNumber: string }
  }
  const markPaid = ({ reference }: { reference: string }) =>
    post(`${INVOICES}/${reference}/mark-paid`, {})
  const mails = async () => (await owner.get('/console/mails')).body.data as Line[]
  const mail = async (id: number) => (await owner.get(`/console/mails/${id}`)).body.data as Whole
  const runJob = () => server.runJob('mail')
  return { ...server, owner, post, invoice, markPaid, mails, mail, runJob }
}

interface Line {
  id: number
  kind: string
  subject: string
  status: string
}
interface Whole extends Line {
  text: string
  htmlUrl: string
}

const viaSmtp = async () => {
  const mailServer = await startMailServer()
  return { mailServer, ...(await setUp({ smtp: smtpAt(mailServer.port) })) }
}

describe('an email to a customer', () => {
  test('stays as it was when the invoice is paid later', async () => {
    const { invoice, markPaid, mails, mail, owner, runJob, url } = await setUp()
    const made = await invoice()
    await runJob()
    const [line] = await mails()
    const before = await mail(line!.id)
    expect(before).toMatchObject({ status: 'Captured', text: expect.stringContaining('/i/') })
    expect(line!.subject).toContain(`Invoice ${made.invoiceNumber} from Ada Ventures: ₦5,000.00`)
    await markPaid(made)
    await runJob()
    expect(await mail(line!.id)).toEqual(before)
    const list = await mails()
    expect(list.map(({ kind }) => kind)).toEqual(['receipt', 'invoice'])
    expect(list[1]!.subject).toBe(line!.subject)

    const html = await owner.get(before.htmlUrl)
    expect(html.status).toBe(200)
    expect(html.headers.get('content-security-policy')).toMatch(
      /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'/,
    )
    expect(html.text).toContain('₦5,000.00')
    expect((await fetch(url + before.htmlUrl)).status).toBe(401)
  })

  test('is kept as the SMTP server accepted it', async () => {
    const { invoice, markPaid, mails, mail, mailServer, runJob } = await viaSmtp()
    const made = await invoice()
    await runJob()
    await markPaid(made)
    const sent = mailServer.received[0]!.mail
    const last = (await mails()).find(({ kind }) => kind === 'invoice')!
    expect(last.subject).toBe(sent.subject)
    expect((await mail(last.id)).text.trim()).toBe(sent.text!.trim())
  })

  test('loses its content after MAIL_DAYS and is not composed again', async () => {
    const { invoice, mails, mail, runJob, clock, db, ...server } = await setUp({ mailDays: 30 })
    await invoice()
    await runJob()
    const letters = server.app.jobs.find(({ name }) => name === 'letters')!
    const daysOn = (days: number) => new Date(clock.now().getTime() + days * DAY_MS)
    await letters.run(db, daysOn(29))
    const [{ id, subject }] = (await mails()) as [Line]
    expect(subject).toContain('Invoice')
    await letters.run(db, daysOn(31))
    expect((await mails())[0]).toMatchObject({ id, subject: null, status: 'Captured' })
    expect(await mail(id)).toMatchObject({ text: null, htmlUrl: null })
  })

  test('cannot be read by another business, in another mode, or without its scope', async () => {
    const server = await setUp()
    const { invoice, mails, mail, runJob, newBusiness } = server
    await invoice()
    await runJob()
    const { htmlUrl } = await mail((await mails())[0]!.id)
    const other = await newBusiness()
    const stranger = await memberOf(server, 'owner', other.businessId)
    expect((await stranger.get(htmlUrl)).status).toBe(404)
    const own = htmlUrl.replace(/letters\/\d+/, `letters/${other.businessId}`)
    expect((await stranger.get(own)).status).toBe(404)
    expect((await server.owner.get(htmlUrl.replace('/test/', '/live/'))).status).toBe(404)
  })
})

describe('an email to an account', () => {
  const invite = (owner: Awaited<ReturnType<typeof setUp>>['owner']) =>
    owner.post('/console/team/invite', { email: 'new@ada.example', role: 'viewer' })
  const nameOf = async (url: string) =>
    /href="(\/mailbox\/[0-9a-z]+l-[0-9a-z]+)"/.exec(
      await (await fetch(`${url}/mailbox`)).text(),
    )![1]!

  test('is kept without its link once it is sent', async () => {
    const { owner, mailServer, runJob, db } = await viaSmtp()
    await invite(owner)
    await runJob()
    const [token] = /token=\w+/.exec(mailServer.received[0]!.mail.text!)!
    const row = await db.one<{ business_id: number; id: number }>`
      select business_id, id from letters where live`
    const kept = await findSentMail(db, { businessId: row.business_id, live: true }, row.id)
    expect(kept!.subject).toContain('Join Ada Ventures')
    expect(JSON.stringify(kept)).not.toContain(token)
  })

  test('has its link in the mailbox while the link works', async () => {
    const { owner, runJob, url } = await setUp()
    await invite(owner)
    await runJob()
    const path = await nameOf(url)
    expect(await (await fetch(url + path)).text()).toMatch(/invitation\?token=\w+/)
    const { data } = (await owner.get('/console/team')).body
    await owner.post(`/console/team/invitations/${data.invitations[0].id}/revoke`)
    const html = await (await fetch(url + path)).text()
    expect(html).toContain('Join Ada Ventures')
    expect(html).not.toContain('invitation?token=')
  })
})

describe('the mailbox', () => {
  test('lists the last sent first, regardless of a business’s test clock', async () => {
    const { invoice, runJob, db, url, clock, newBusiness, as } = await setUp()
    const past = new Date(clock.now().getTime() - 30 * DAY_MS)
    const ahead = await newBusiness('Ahead of time')
    await db.run`
      update businesses set test_clock_offset_ms = ${400 * DAY_MS} where id = ${ahead.businessId}`
    await as(ahead.keys.testSecret).post(INVOICES, { customerEmail: 'f@b.example', amount: 9_000 })
    await runJob()
    // As the seed leaves them: in the past, with higher ids than future emails.
    await db.run`
      insert into mails (business_id, live, id, kind, subject_type, subject_id, to_address, status,
        due_at, created_at)
      select business_id, live, id + 1000000 + n, kind, subject_type, subject_id, 'old@b.example',
        'Captured', ${past}::timestamptz, ${past}::timestamptz
      from mails, generate_series(1, 60) n where business_id = ${ahead.businessId}`
    await invoice({ customerEmail: 'last@b.example' })
    await runJob()
    const html = await (await fetch(`${url}/mailbox`)).text()
    const order = [...html.matchAll(/(last|f|old)@b\.example/g)].map(([, name]) => name)
    expect(order.slice(0, 2)).toEqual(['last', 'f'])
  })
})
