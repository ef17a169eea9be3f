import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { smtpAt, startMailServer } from '../../test/mail-server.ts'
import { dayIn } from '../lib/dates.ts'
import { queueMails } from './queue.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const DAY_MS = 86_400_000

const mails = await startMailServer()
const server = await startServer({ jobs: false, smtp: smtpAt(mails.port) })
const { db, ids, clock, url, post } = server

async function invoice(more: object = {}) {
  const { status, body } = await post(INVOICES, {
    customerEmail: 'bola@example.com',
    amount: 10_000,
    ...more,
  })
  expect(status).toBe(201)
  return body.data as { id: number; reference: string; invoiceNumber: string; hostedUrl: string }
}

/** The emails that the next job run delivers. */
async function arrivals() {
  const before = mails.received.length
  await server.runJob('mail')
  return mails.received.slice(before)
}

async function arrival() {
  const [one, ...more] = await arrivals()
  expect(more).toEqual([])
  return one!
}

const headersOf = (raw: string) => raw.slice(0, raw.indexOf('\r\n\r\n'))

/** Opens a bank transfer at the payer's page, `hostedUrl`. */
async function accountFor({ hostedUrl }: { hostedUrl: string }) {
  const page = url + new URL(hostedUrl).pathname
  const body = new URLSearchParams({ channel: 'BANK_TRANSFER' })
  await fetch(`${page}/pay`, { method: 'POST', body, redirect: 'manual' })
  return /\b99\d{8}\b/.exec(await (await fetch(page)).text())![0]
}

/** Switches to USSD and approves it, after `meanwhile`. */
async function dial({ hostedUrl }: { hostedUrl: string }, meanwhile = async () => {}) {
  const page = url + new URL(hostedUrl).pathname
  for (const [path, form] of [
    ['/cancel-payment', {}],
    ['/pay', { channel: 'USSD' }],
  ] as const) {
    const body = new URLSearchParams(form)
    await fetch(page + path, { method: 'POST', body, redirect: 'manual' })
  }
  await meanwhile()
  clock.advance(1_000)
  await server.runJob('simulator')
}

const deposit = (accountNumber: string, amount: number) =>
  post('/api/simulator/deposit', { accountNumber, amount })

const inDays = (days: number) =>
  dayIn('Africa/Lagos', new Date(clock.now().getTime() + days * DAY_MS))

describe('the email of an invoice', () => {
  test('has the right headers, parts and amount', async () => {
    await db.run`update businesses set email = 'owner@ada.example', phone = '+234 803'
      where id = ${server.business.businessId}`
    const { hostedUrl, invoiceNumber } = await invoice({
      customerName: 'Bola Okafor',
      note: 'For November',
      amount: 10_000.5,
      dueDate: '2031-01-31',
      lineItems: [{ name: 'Fabric, blue', quantity: 3, unitAmount: 3_333.5 }],
    })
    const { mail, recipients, raw } = await arrival()

    expect(recipients).toEqual(['bola@example.com'])
    expect(mail.from).toMatchObject({ name: 'Ada Ventures', address: 'mails@pay.example' })
    expect(mail.to).toMatchObject([{ address: 'bola@example.com' }])
    expect(mail.replyTo).toMatchObject([{ name: 'Ada Ventures', address: 'owner@ada.example' }])
    expect(mail.subject).toBe(
      `[Test] Invoice ${invoiceNumber} from Ada Ventures: ₦10,000.50 due 31 January 2031`,
    )
    expect(mail.messageId).toMatch(/^<[0-9a-z]+t\.[0-9a-z]+\.[0-9a-z]+@pay\.example>$/)
    expect(headersOf(raw)).toMatch(/^Auto-Submitted: auto-generated\r$/m)
    expect(headersOf(raw)).toMatch(/^Content-Type: multipart\/alternative;/m)
    for (const part of [mail.text!, mail.html!]) {
      for (const words of [
        'Hello Bola Okafor',
        '₦10,000.50',
        '31 January 2031',
        'For November',
        'Fabric, blue',
        '3 × ₦3,333.50',
        hostedUrl,
        'Test mode: no real money moves',
        'to contact Ada Ventures',
      ]) {
        expect(part).toContain(words)
      }
    }
  })

  test('in live mode does not mention tests', async () => {
    const { keys } = server.business
    const { body } = await server
      .as(keys.liveSecret)
      .post(INVOICES, { customerEmail: 'bola@example.com', amount: 100 })
    expect(body.data.emailStatus).toBe('Queued')
    const { mail } = await arrival()
    expect(mail.subject).toMatch(/^Invoice INV-/)
    expect(mail.text).not.toMatch(/test/i)
    expect(mail.html).not.toMatch(/test mode/i)
  })

  test('escapes text that tries to inject recipients, headers or markup', async () => {
    const evil =
      'Eve" <eve@evil.example>,\r\nBcc: spy@evil.example\r\n\r\n<script>alert(1)</script>'
    const { businessId } = server.business
    await db.run`update businesses set name = ${evil}, email = ${evil}, phone = ${evil}
      where id = ${businessId}`
    const { id } = await invoice({ note: `${evil}\u202e` })
    // Written directly to the database: the API accepts neither with line breaks.
    await db.run`update invoices set customer_name = ${evil},
      line_items = ${JSON.stringify([[evil, 1, '1000000', '1000000']])}
      where business_id = ${businessId} and id = ${id}`
    const { mail, recipients, raw } = await arrival()
    await db.run`update businesses set name = 'Ada Ventures', email = 'owner@ada.example',
      phone = null where id = ${businessId}`

    expect(recipients).toEqual(['bola@example.com'])
    expect(mail.from!.address).toBe('mails@pay.example')
    expect(mail.from!.name).not.toMatch(/[<>"@,\r\n]/)
    expect(mail.to).toMatchObject([{ address: 'bola@example.com' }])
    expect([mail.bcc ?? [], mail.cc ?? [], mail.replyTo ?? []]).toEqual([[], [], []])
    expect(headersOf(raw)).not.toMatch(/^(bcc|cc):/im)
    expect(mail.html).not.toMatch(/<script/i)
    expect(mail.html).toContain('&lt;script')
    expect(mail.text).toContain('alert(1)')
  })

  test('to an invalid address is not attempted', async () => {
    const { id } = await invoice()
    const evil = 'bola@example.com>\r\nRCPT TO:<spy@evil.example'
    await db.run`update mails set to_address = ${evil} where subject_id = ${id}`
    expect(await arrivals()).toEqual([])
    const row = await db.one<{ status: string }>`
      select status from mails where subject_id = ${id} and subject_type = 'invoice'`
    expect(row.status).toBe('Failed')
  })

  test('shows forty lines and says how many more there are', async () => {
    const lineItems = Array.from({ length: 100 }, (_, i) => ({
      name: `${'A very long name of an item '.repeat(7)}${i}`,
      quantity: 1,
      unitAmount: 100,
    }))
    await invoice({ lineItems })
    const { mail } = await arrival()
    expect(mail.html).toContain('and 60 more')
    // Gmail clips emails longer than 102 kB.
    expect(Buffer.byteLength(mail.html!)).toBeLessThan(100_000)
  })
})

describe('a reminder', () => {
  const remind = ({ id }: { id: number }, live = false) =>
    db.transaction((tx) =>
      queueMails(tx, ids, [
        {
          businessId: server.business.businessId,
          live,
          kind: 'invoice_reminder',
          subjectType: 'invoice',
          subjectId: id,
          to: 'bola@example.com',
          at: clock.now(),
        },
      ]),
    )

  test.each([
    [3, /^\[Test\] Reminder: ₦10,000.00 to Ada Ventures is due /, 'is due in 3 days'],
    [1, /^\[Test\] Reminder: /, 'is due tomorrow'],
    [0, /^\[Test\] Due today: ₦10,000.00 to Ada Ventures$/, 'is due today'],
    [-1, /^\[Test\] Overdue: ₦10,000.00 to Ada Ventures was due /, 'was due yesterday'],
    [-7, /^\[Test\] Overdue: /, 'was due 7 days ago'],
  ])('with the due date in %i days says so', async (days, subject, words) => {
    const made = await invoice({ dueDate: inDays(days) })
    await arrivals()
    await remind(made)
    const { mail } = await arrival()
    expect(mail.subject).toMatch(subject)
    expect(mail.text).toContain(words)
    expect(mail.html).toContain(words)
  })

  test('without a due date is friendly', async () => {
    const made = await invoice()
    await arrivals()
    await remind(made)
    const { mail } = await arrival()
    expect(mail.subject).toBe('[Test] Reminder: ₦10,000.00 to Ada Ventures')
    expect(mail.text).toContain('friendly reminder')
  })

  test('for an invoice paid in the meantime is not sent and leaves emailStatus unchanged', async () => {
    const made = await invoice()
    await arrivals()
    await deposit(await accountFor(made), 10_000)
    await arrivals()
    await remind(made)
    expect(await arrivals()).toEqual([])
    const { body } = await server.get(`${INVOICES}/${made.reference}`)
    expect(body.data).toMatchObject({ status: 'Paid', emailStatus: 'Sent' })
  })
})

describe('a receipt', () => {
  test('follows the payment of an invoice', async () => {
    const made = await invoice({ customerName: 'Bola Okafor' })
    await arrivals()
    await deposit(await accountFor(made), 10_000)
    const { mail, recipients } = await arrival()

    expect(recipients).toEqual(['bola@example.com'])
    expect(mail.subject).toBe('[Test] Receipt: ₦10,000.00 paid to Ada Ventures')
    const { reference } = await db.one<{ reference: string }>`
      select reference from transactions where invoice_reference = ${made.reference}`
    for (const part of [mail.text!, mail.html!]) {
      for (const words of [
        `Invoice ${made.invoiceNumber} is paid in full`,
        'Bank transfer',
        reference,
        'not proof of payment',
      ]) {
        expect(part).toContain(words)
      }
    }
    expect(mail.text).not.toContain('Left to pay')
  })

  test('for a partial payment says what is left', async () => {
    const { keys, businessId } = await server.newBusiness('Part Ventures')
    const settings = '/api/user-service/external/v1/profile/settings'
    const { put, post } = server.as(keys.testSecret)
    await put(settings, { virtualAccountPolicy: 'accept_partial' })
    const { body } = await post(INVOICES, {
      customerEmail: 'bola@example.com',
      amount: 10_000,
      allowPartialPayment: true,
    })
    await arrivals()
    const accountNumber = await accountFor(body.data)
    await post('/api/simulator/deposit', { accountNumber, amount: 4_000 })
    const { mail } = await arrival()

    expect(mail.subject).toBe('[Test] Receipt: ₦4,000.00 paid to Part Ventures')
    expect(mail.text).toContain('Left to pay: ₦6,000.00')
    expect(mail.text).toContain(body.data.hostedUrl)
    expect(businessId).toBeGreaterThan(0)
  })

  test('for a payment of a paid invoice says that all of it will be refunded', async () => {
    const made = await invoice({ customerName: 'Bola Okafor' })
    const accountNumber = await accountFor(made)
    await dial(made)
    await deposit(accountNumber, 10_000)
    const subjects = (await arrivals()).map(({ mail }) => mail.subject).sort()

    expect(subjects).toEqual([
      expect.stringContaining(`Invoice ${made.invoiceNumber}`),
      '[Test] Receipt: ₦10,000.00 paid to Ada Ventures',
      '[Test] Refund due: ₦10,000.00 from Ada Ventures',
    ])
    const { text, html } = mails.received.find(({ mail }) => /Refund due/.test(mail.subject!))!.mail
    for (const part of [text!, html!]) {
      expect(part).toContain(`invoice ${made.invoiceNumber} had already been paid`)
      expect(part).toContain('Ada Ventures will refund the full amount.')
      expect(part).toContain('Bank transfer')
      expect(part).not.toMatch(/is paid in full|more than was due|Left to pay/)
    }
  })

  test('for a payment of a cancelled invoice asks for nothing', async () => {
    const made = await invoice()
    await arrivals()
    await dial(made, async () => void (await post(`${INVOICES}/${made.reference}/void`)))
    const { mail, recipients } = await arrival()

    expect(recipients).toEqual(['bola@example.com'])
    expect(mail.subject).toBe('[Test] Refund due: ₦10,000.00 from Ada Ventures')
    expect(mail.text).toContain(`invoice ${made.invoiceNumber} had already been cancelled`)
    expect(mail.text).not.toMatch(/Left to pay|Pay the rest/)
  })
})

describe('the owner of a secret key sent from a browser', () => {
  const seen = (key: string) => server.as(key).get(INVOICES, { origin: 'https://shop.example.com' })

  test('is notified once a day', async () => {
    const { keys, businessId } = await server.newBusiness('Open Ventures')
    await db.run`update businesses set email = 'owner@open.example' where id = ${businessId}`
    const queued = async () =>
      (
        await db.one<{ n: number }>`
        select count(*) as n from mails where business_id = ${businessId}`
      ).n

    expect((await seen(keys.liveSecret)).status).toBe(401)
    await expect.poll(queued).toBe(1)
    const { mail, recipients } = await arrival()
    expect(recipients).toEqual(['owner@open.example'])
    expect(mail.from).toMatchObject({ name: 'Tradepost', address: 'mails@pay.example' })
    expect(mail.subject).toBe('A secret key for Open Ventures was used from a browser')
    expect(mail.text).toContain('https://shop.example.com')
    expect(mail.text).toContain(`…${keys.liveSecret.slice(-4)}`)
    expect(`${mail.text}${mail.html}`).not.toContain(keys.liveSecret)

    const notedAt = async () =>
      (
        await db.one<{ at: Date }>`
        select browser_seen_at as at from api_keys
        where business_id = ${businessId} and browser_seen_at is not null`
      ).at
    const before = await notedAt()
    clock.advance(2 * 3_600_000)
    await seen(keys.liveSecret)
    await expect.poll(notedAt).not.toEqual(before)
    expect(await queued()).toBe(1)
    clock.advance(25 * 3_600_000)
    await seen(keys.liveSecret)
    await expect.poll(queued).toBe(2)
    await arrivals()
  })
})
