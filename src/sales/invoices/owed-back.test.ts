import { expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { openBank, REFUNDS } from '../../payments/refunds/refunds.fixture.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const SETTINGS = '/api/user-service/external/v1/profile/settings'
const server = await startServer({ jobs: false })

async function shop() {
  const { keys } = await server.newBusiness()
  const { get, post, put } = server.as(keys.testSecret)
  const { body } = await post(INVOICES, { customerEmail: 'bola@example.com', amount: 10_000 })
  const at = server.url + new URL(body.data.hostedUrl).pathname
  const read = async () => (await fetch(at)).text()
  const pay = (channel: string) =>
    fetch(`${at}/pay`, {
      method: 'POST',
      body: new URLSearchParams({ channel }),
      redirect: 'manual',
    })
  const reference = body.data.reference as string
  const paidBy = async () => (await get(`${INVOICES}/${reference}`)).body.data.payments[0].reference
  return { post, put, reference, read, pay, paidBy }
}

test('200 tells the payer of a cancelled invoice which later payment is owed back', async () => {
  const { post, reference, read, pay } = await shop()
  await pay('USSD')
  await post(`${INVOICES}/${reference}/void`)
  expect(await read()).not.toContain('more than was due')
  server.clock.advance(1_000)
  await server.runJob('simulator')

  const page = await read()
  expect(page).toContain('This invoice was cancelled')
  expect(page).toContain('You sent ₦10,000.00 more than was due.')
})

test('200 tells a payer who sent too much how much is owed back', async () => {
  const { post, put, read, pay } = await shop()
  await put(SETTINGS, { virtualAccountPolicy: 'accept_over' })
  await pay('BANK_TRANSFER')
  const accountNumber = /\b99\d{8}\b/.exec(await read())![0]
  await post('/api/simulator/deposit', { accountNumber, amount: 12_500 })

  const page = await read()
  expect(page).toContain('Payment received. Thank you!')
  expect(page).toContain('You sent ₦2,500.00 more than was due.')
})

test('200 promises nothing more once the money was returned', async () => {
  const { post, reference, read, pay, paidBy } = await shop()
  await pay('USSD')
  await post(`${INVOICES}/${reference}/void`)
  server.clock.advance(1_000)
  await server.runJob('simulator')
  expect(await read()).toContain('more than was due')

  await post(REFUNDS, { transactionReference: await paidBy(), amount: 4_000 })
  await openBank(server).pass()
  expect(await read()).toContain('You sent ₦6,000.00 more than was due.')
  await post(REFUNDS, { transactionReference: await paidBy() })
  await openBank(server).pass()
  expect(await read()).not.toContain('more than was due')
})
