import { afterEach, expect, test } from 'vitest'
import { memberOf } from '../../src/business/people/people.fixture.ts'
import { openDisputedShop } from '../../src/payments/disputes/disputes.fixture.ts'
import { findings } from '../corruption/findings.ts'
import { startServer } from '../harness.ts'
import {
  dialog,
  expectState,
  field,
  heading,
  isAt,
  isClosed,
  isTitled,
  press,
  shows,
} from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, pageOf, settled, WAIT } from './dashboard.ts'

const server = await startServer()
const { newPage } = withBrowser()

afterEach(async () => expect(await findings(server)).toEqual([]))

const PDF = Buffer.from('%PDF-1.7 proof')
const proof = (name: string) => ({ name, mimeType: 'application/pdf', buffer: PDF })

test('a payer disputes a payment, which is contested with a file and won', LONG, async () => {
  const shop = await openDisputedShop(server)
  const payment = await shop.paid(7_000)
  const path = `/test/payments/${payment.reference}`
  const { page, trouble } = await pageOf(newPage, server.url, shop.owner, path)
  await press(page, 'Dispute this payment')
  await field(page, 'What the payer says').fill('The shoes never came')
  await expectFine(page)
  await press(page, 'Dispute payment')
  await isClosed(page)
  const disputes = page.getByRole('region', { name: 'Disputes' })
  await disputes.getByText('The shoes never came').waitFor(WAIT)
  await settled(page)
  await expectFine(page)

  await disputes.getByRole('link', { name: '₦7,000.00' }).click()
  await isTitled(page, '₦7,000.00')
  await shows(page, /^Respond by /)
  const files = page.getByRole('region', { name: 'Evidence' })
  await files
    .locator('input[type=file]')
    .setInputFiles([proof('delivery note.pdf'), proof('letter.pdf')])
  await files.getByRole('button', { name: 'Remove letter.pdf' }).click()
  await press(page, 'Remove file')
  await files.getByText('letter.pdf').waitFor({ ...WAIT, state: 'detached' })
  await settled(page)
  await expectFine(page)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    files.getByRole('button', { name: 'delivery note.pdf', exact: true }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^evidence-\d+\.pdf$/)

  await press(page, 'Contest')
  await press(page, 'Send response')
  await shows(page, 'Explain why the payment is right.')
  await field(page, 'Why is the payment right\\?').fill('Ada signed for the shoes')
  await dialog(page)
    .getByRole('switch', { name: /^Add what the customer bought/ })
    .check({ force: true })
  await expectFine(page)
  await field(page, 'What was bought').fill('Leather shoes')
  await field(page, 'Customer’s name').fill('Ada Obi')
  await field(page, 'Phone number').fill('08031234567')
  await field(page, 'Delivered on \\(optional\\)').fill('3 Nov 2026')
  await press(page, 'Send response')
  await isClosed(page)
  await expectState(page, 'Under review')
  const response = page.getByRole('region', { name: 'Your response' })
  await response.getByText('Ada signed for the shoes').waitFor(WAIT)
  await response.getByText('delivery note.pdf').waitFor(WAIT)
  await settled(page)
  expect(await page.getByRole('button', { name: 'Contest' }).count()).toBe(0)
  await expectFine(page)

  await press(page, 'The bank decides for you')
  await expectState(page, 'Won')
  const [dispute] = (await shop.events(/^dispute.won$/)).map(({ data }) => data)
  expect(dispute).toMatchObject({
    lostAmount: 0,
    response: { customer: { email: 'ada@example.com', deliveredOn: '2026-11-03' } },
  })
  await page.getByRole('link', { name: payment.reference }).click()
  await isAt(page, path)
  expect(trouble()).toEqual([])
})

test('a dispute is found in its list, and accepted in part', LONG, async () => {
  const shop = await openDisputedShop(server)
  const payment = await shop.paid(3_000)
  const reference = await shop.dispute(payment, { reason: 'One of two was broken' })
  const { page, trouble } = await pageOf(newPage, server.url, shop.owner, '/test/disputes')
  await isTitled(page, 'Disputes')
  await shows(page, 'One of two was broken')
  await settled(page)
  await expectFine(page)
  await page.getByRole('link', { name: '₦3,000.00' }).click()
  await isAt(page, `/test/disputes/${reference}`)

  await press(page, 'Accept')
  await field(page, 'Amount').fill('1200')
  await expectFine(page)
  await press(page, 'Give back ₦1,200.00')
  await isClosed(page)
  await expectState(page, 'Accepted')
  await shows(page, 'Simulator took back ₦1,200.00 for the payer.')
  await settled(page)
  await expectFine(page)
  expect(await shop.read(reference)).toMatchObject({ status: 'Accepted', lostAmount: 1_200 })

  await page.goto(`${server.url}/test/disputes?status=Open`)
  await shows(page, 'Nothing matches these filters')
  expect(trouble()).toEqual([])
})

test('a payment shows what a dispute took back, and offers only the rest', LONG, async () => {
  const shop = await openDisputedShop(server)
  const payment = await shop.paid(5_000)
  const dispute = await shop.dispute(payment)
  const path = `/test/payments/${payment.reference}`
  const { page, trouble } = await pageOf(newPage, server.url, shop.owner, path)
  await isTitled(page, '₦5,000.00')
  await page.getByRole('region', { name: 'Disputes' }).waitFor(WAIT)
  await settled(page)
  // While the dispute is open, it may take everything.
  expect(await page.getByRole('button', { name: 'Refund', exact: true }).count()).toBe(0)

  await shop.accept(dispute, { amount: 1_200 })
  await press(page, 'Refund')
  await shows(page, '₦3,800.00 can be refunded')
  await field(page, 'Amount').fill('800')
  await press(page, 'Refund ₦800.00')
  await isClosed(page)
  const facts = page.getByRole('region', { name: 'Payment', exact: true })
  // The net of ₦4,825.00 less what was taken back and refunded.
  await expect.poll(() => facts.innerText(), WAIT).toMatch(/Net\s+₦2,825\.00/)
  expect(await facts.innerText()).toMatch(/Refunded\s+₦800\.00\s+Taken back\s+₦1,200\.00/)
  await expectFine(page)
  expect(trouble()).toEqual([])
})

test('viewers see a dispute, and cannot respond', LONG, async () => {
  const shop = await openDisputedShop(server)
  const reference = await shop.dispute(await shop.paid(500))
  const viewer = await memberOf(server, 'viewer', shop.businessId)
  const path = `/test/disputes/${reference}`
  const { page, trouble } = await pageOf(newPage, server.url, viewer, path)
  await isTitled(page, '₦500.00')
  await settled(page)
  for (const name of ['Contest', 'Accept', 'Add files', 'The bank decides for you']) {
    expect(await page.getByRole('button', { name }).count(), name).toBe(0)
  }
  expect(await heading(page, 'Evidence').count()).toBe(0)
  expect(trouble()).toEqual([])
})
