import { describe, expect, test } from 'vitest'
import { times, untilDone } from '../../../test/concurrency.ts'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'

const PATH = '/api/payment-service/external/v1/invoices'
const WALLET = '/api/user-service/external/v1/wallet/balance'

const server = await startServer({ jobs: false })
const { db, post, get } = server

const make = async (more: object = {}) => {
  const { body } = await post(PATH, { customerEmail: 'ada@example.com', amount: 5000, ...more })
  return body.data.reference as string
}
const mark = (reference: string, body: object = {}) => post(`${PATH}/${reference}/mark-paid`, body)
const wallet = async () => (await get(WALLET)).body.data
const told = async (reference: string) => {
  const rows = await db.many<{ type: string }>`
    select e.type from events e join invoices i using (business_id, live)
    where i.reference = ${reference} and (e.object_id = i.id or e.object_id in (
      select id from transactions where invoice_reference = i.reference))
    order by e.id`
  return rows.map(({ type }) => type).slice(2)
}

describe('POST invoices/{reference}/mark-paid', () => {
  test('200 records the full amount due and moves no money', async () => {
    const before = await wallet()
    const reference = await make()
    const { status, body } = await mark(reference, { note: 'Cash, at the counter' })

    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      status: 'Paid',
      amountPaid: 5000,
      amountDue: 0,
      payments: [{ channel: 'OFFLINE', amount: 5000, overpaidAmount: 0, kind: 'payment' }],
    })
    expect(await told(reference)).toEqual(['transaction.successful', 'invoice.paid'])
    expect(await wallet()).toEqual(before)
    expect(
      await db.one`select status, fee_minor, paid_minor, message from transactions
        where invoice_reference = ${reference}`,
    ).toEqual({
      status: 'Successful',
      fee_minor: 0n,
      paid_minor: 500_000n,
      message: 'Cash, at the counter',
    })
    expect(await runAudit(db, allChecks)).toEqual([])
  })

  test('200 records a part, then the rest, even if the payer cannot pay in parts', async () => {
    const reference = await make()
    const part = await mark(reference, { amount: '2000.50' })
    expect(part.body.data).toMatchObject({
      status: 'PartiallyPaid',
      amountPaid: 2000.5,
      amountDue: 2999.5,
      paidAt: null,
    })
    const rest = await mark(reference)
    expect(rest.body.data).toMatchObject({ status: 'Paid', amountPaid: 5000 })
    expect(rest.body.data.payments).toHaveLength(2)
    expect(await told(reference)).toEqual([
      'transaction.successful',
      'invoice.partially_paid',
      'transaction.successful',
      'invoice.paid',
    ])
  })

  test('200 sends the customer a receipt', async () => {
    const reference = await make()
    await mark(reference, { amount: 1234 })
    await server.runJob('mail')
    expect(
      await db.many`select m.to_address, m.status from mails m
        join transactions t on t.business_id = m.business_id and t.id = m.subject_id
        where m.kind = 'receipt' and t.invoice_reference = ${reference}`,
    ).toEqual([{ to_address: 'ada@example.com', status: 'Captured' }])
  })

  test('200 keeps the day of the payment', async () => {
    const reference = await make()
    const { body } = await mark(reference, { paidAt: '2026-01-02' })
    // The day starts at midnight in Lagos.
    expect(body.data.paidAt).toBe('2026-01-01T23:00:00.000Z')
    expect(body.data.payments[0].paidAt).toBe('2026-01-01T23:00:00.000Z')
  })

  test('200 sends no more reminders afterwards', async () => {
    const reference = await make({ dueDate: '2099-05-01' })
    await mark(reference, { amount: 1 })
    const due = () => db.one`select next_step_at is not null as due from invoices
      where reference = ${reference}`
    expect(await due()).toEqual({ due: true })
    await mark(reference)
    expect(await due()).toEqual({ due: false })
  })

  test.each([
    [
      'more than the amount due',
      { amount: 5000.01 },
      'amount',
      /must be at most 5000.00, the amount due/,
    ],
    ['nothing', { amount: 0 }, 'amount', /more than 0/],
    ['a fraction of a kobo', { amount: 1.005 }, 'amount', /at most 2 decimals/],
    ['a day in the future', { paidAt: '2099-01-01' }, 'paidAt', /not be in the future/],
    ['an invalid date', { paidAt: '2026-02-30' }, 'paidAt', /must be a date/],
    ['a long note', { note: 'x'.repeat(501) }, 'note', /at most 500/],
  ])('400 rejects %s and stores nothing', async (_what, body, field, says) => {
    const reference = await make()
    const answer = await mark(reference, body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[field][0]).toMatch(says)
    expect((await get(`${PATH}/${reference}`)).body.data).toMatchObject({
      status: 'Sent',
      payments: [],
    })
  })

  test('409 for a Draft, a paid and a void invoice', async () => {
    const draft = await make({ sendImmediately: false })
    const paid = await make()
    await mark(paid)
    const voided = await make()
    await post(`${PATH}/${voided}/void`)
    for (const [reference, state] of [
      [draft, 'Draft'],
      [paid, 'Paid'],
      [voided, 'Void'],
    ]) {
      const { status, body } = await mark(reference!)
      expect([status, body.errorCode]).toEqual([409, 'invoice_state'])
      expect(body.errors.status).toEqual([`is ${state}`])
    }
    expect((await mark('INV_nothing')).status).toBe(404)
  })

  test('200 once and 409 for the rest when twenty requests arrive at once', async () => {
    const reference = await make()
    const answers = await times(20, () => untilDone(() => mark(reference)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
    expect((await get(`${PATH}/${reference}`)).body.data.payments).toHaveLength(1)
  })

  test('200 or 400 for parts that arrive at once: never more than the amount due', async () => {
    const reference = await make()
    const answers = await times(8, () => untilDone(() => mark(reference, { amount: 2000 })))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, 200, ...Array(6).fill(400)])
    const { amountPaid, payments } = (await get(`${PATH}/${reference}`)).body.data
    expect([amountPaid, payments.length]).toEqual([4000, 2])
  })

  test('200 repeats its response for the same Idempotency-Key', async () => {
    const reference = await make()
    const key = { 'idempotency-key': 'mark-once' }
    const first = await post(`${PATH}/${reference}/mark-paid`, { amount: 100 }, key)
    const second = await post(`${PATH}/${reference}/mark-paid`, { amount: 100 }, key)
    expect(second.text).toBe(first.text)
    expect(second.body.data.amountPaid).toBe(100)
  })

  test('200 with a transfer at the same moment: only one of them counts', async () => {
    const { keys } = await server.newBusiness()
    const shop = server.as(keys.testSecret)
    for (let round = 0; round < 10; round++) {
      const { body } = await shop.post(PATH, { customerEmail: 'a@b.co', amount: 1000 })
      const { reference, hostedUrl } = body.data
      const page = server.url + new URL(hostedUrl).pathname
      const form = new URLSearchParams({ channel: 'BANK_TRANSFER' })
      await fetch(`${page}/pay`, { method: 'POST', body: form, redirect: 'manual' })
      const accountNumber = /\b99\d{8}\b/.exec(await (await fetch(page)).text())![0]
      const [marked, deposited] = await Promise.all([
        untilDone(() => shop.post(`${PATH}/${reference}/mark-paid`)),
        untilDone(() => shop.post('/api/simulator/deposit', { accountNumber, amount: 1000 })),
      ])
      const paid = (await shop.get(`${PATH}/${reference}`)).body.data
      expect([paid.status, paid.amountPaid]).toEqual(['Paid', 1000])
      expect(paid.payments).toHaveLength(1)
      expect(deposited.body.data.accepted).toBe(marked.status === 409)
    }
    expect(await runAudit(db, allChecks)).toEqual([])
  })
})
