import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { smtpAt, startMailServer } from '../../test/mail-server.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const INVOICE = { customerEmail: 'bola@example.com', amount: 10_000 }

/** The email metrics in `/metrics`. */
async function countsOf({ get }: Awaited<ReturnType<typeof startServer>>) {
  const { text } = await get('/metrics', { authorization: '' })
  const lines = text.matchAll(/^tradepost_mails_total\{outcome="(\w+)"\} (\d+)$/gm)
  return Object.fromEntries([...lines].map(([, outcome, count]) => [outcome, Number(count)]))
}

const none = { sent: 0, captured: 0, postponed: 0, failed: 0, dropped: 0 }

test('200 counts emails by result', async () => {
  const mails = await startMailServer()
  const server = await startServer({ jobs: false, smtp: smtpAt(mails.port) })
  onTestFinished(server.close)
  const { post, runJob, clock } = server
  expect(await countsOf(server)).toEqual(none)

  mails.replies.recipient = { code: 451, text: 'later' }
  await post(INVOICES, INVOICE)
  await runJob('mail')
  expect(await countsOf(server)).toEqual({ ...none, postponed: 1 })

  mails.replies.recipient = 'yes'
  clock.advance(31_000)
  await runJob('mail')
  const { body } = await post(INVOICES, INVOICE)
  await post(`${INVOICES}/${body.data.reference}/void`)
  await runJob('mail')
  mails.replies.recipient = { code: 550, text: 'no' }
  await post(INVOICES, INVOICE)
  await runJob('mail')
  expect(await countsOf(server)).toEqual({ ...none, postponed: 1, sent: 1, dropped: 1, failed: 1 })
})

test('200 counts emails kept without a mail server', async () => {
  const server = await startServer({ jobs: false })
  onTestFinished(server.close)
  const before = await countsOf(server)
  for (let i = 0; i < 3; i++) await server.post(INVOICES, INVOICE)
  await server.runJob('mail')
  expect(await countsOf(server)).toEqual({ ...before, captured: before.captured! + 3 })
})
