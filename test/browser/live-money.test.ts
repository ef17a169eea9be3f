import { expect, test } from 'vitest'
import { toMorning } from '../../src/reconciliation/reconciliation.fixture.ts'
import { findings } from '../corruption/findings.ts'
import { startServer } from '../harness.ts'
import { flutterwave } from '../providers/doubles/flutterwave/flutterwave.ts'
import { paystack } from '../providers/doubles/paystack/paystack.ts'
import { startDouble } from '../providers/doubles/start.ts'
import { expectState, field, isTitled, press, shows } from './actions.ts'
import { expectHeading, withBrowser } from './chromium.ts'
import { LONG, STILL, WAIT } from './dashboard.ts'
import { openLiveDashboard } from './live-dashboard.ts'

const server = await startServer({ isReachable: true })
// The day that is reconciled must not end meanwhile.
toMorning(server)
const now = server.clock.now()
const first = await startDouble((kit) => paystack(kit), { now })
const second = await startDouble((kit) => flutterwave(kit, { secretHash: 'a-secret-hash-of-16' }), {
  now,
})
const { newPage } = withBrowser()

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Makes a page for a payment at Paystack, without Tradepost. Returns its address. */
async function pageElsewhere(amount: number): Promise<string> {
  const reply = await fetch(`${first.baseUrl}/transaction/initialize`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${first.provider.secretKey()}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ email: 'obi@example.com', amount: amount * 100 }),
  })
  const { data } = (await reply.json()) as { data: { authorization_url: string } }
  return data.authorization_url
}

test(
  'a business takes, returns and pays out real money, also while a provider is down',
  LONG,
  async () => {
    const dashboard = await openLiveDashboard(server, newPage)
    const { page, orders, executed, heldBy } = dashboard
    const through = async (kind: string) => (await orders(kind)).map((one) => one.connection_id)
    await shows(page, 'Payers cannot pay online yet')
    const firstId = await dashboard.connect('Paystack', first, {
      'Secret key': first.provider.secretKey(),
    })
    const secondId = await dashboard.connect('Flutterwave', second, {
      'Secret key': second.provider.secretKey(),
      'Secret hash \\(optional\\)': second.provider.secretHash(),
    })
    await dashboard.addOwnAccount()
    const expectHeld = async () => {
      await expect.poll(() => heldBy(firstId), WAIT).toBe(first.books.balance_minor('NGN'))
      await expect.poll(() => heldBy(secondId), WAIT).toBe(second.books.balance_minor('NGN'))
    }

    // Paid by card and by bank transfer, half refunded, paid out.
    await dashboard.payByCard(20_000)
    const byTransfer = await dashboard.openTransfer(10_000)
    await dashboard.transferTo(first, byTransfer.accountNumber, byTransfer.amount)
    await expectHeading(byTransfer.payer, 'Paid')
    await expectState(page, 'Paid')
    await dashboard.refund('₦20,000.00', '10000')
    const refunded = await executed('refund', first)
    const { providerId } = first.books.entries.find((one) => one.reference === refunded)!
    first.provider.refunds.settle(providerId, 'processed')
    await expectState(page, 'Partially refunded')
    await dashboard.sendMoney(4_000)
    first.provider.bank.settle(await executed('transfer', first), 'success')
    await expectState(page, 'Successful')
    for (const kind of ['charge', 'refund', 'transfer']) {
      expect(new Set(await through(kind)), kind).toEqual(new Set([firstId]))
    }
    await expectHeld()

    // The day agrees, until somebody pays at Paystack directly and nobody tells us.
    await dashboard.compareDay(firstId, 'Paystack')
    await expectState(page, 'Closed')
    await shows(page, 'The provider and your books agree about this day.')
    const today = page.url()
    first.fault({ on: 'notice charge.success', kind: 'lose', times: 1 })
    const { page: stranger } = await newPage(await pageElsewhere(1_500), STILL)
    await press(stranger, 'Pay with card')
    await stranger.getByText('You have paid.').waitFor(WAIT)
    await dashboard.compareAgain()
    await expectState(page, 'Open')
    await page.getByRole('link', { name: 'Payment: missing here' }).click()
    await isTitled(page, 'Payment: missing here')
    await shows(page, '₦1,500.00')
    await press(page, 'Close difference')
    await page.getByRole('radio', { name: 'Book it' }).check()
    await field(page, 'Reason').fill('Sold at the fair')
    await page.getByRole('dialog').getByRole('button', { name: 'Close difference' }).click()
    await expectState(page, 'Closed')
    await page.goto(today)
    await expectState(page, 'Closed')
    await expectHeld()

    // One dispute is contested and won, another one is accepted.
    const [card, transferred] = await orders('charge')
    const { disputes } = first.provider
    const contested = disputes.open(card!.sent, 500_000n, 48 * HOUR_MS)
    await dashboard.openDispute('₦5,000.00')
    await dashboard.contest('It was delivered on Monday')
    disputes.decide(contested, 'won')
    await expectState(page, 'Won')
    disputes.open(transferred!.sent, 1_000_000n, 48 * HOUR_MS)
    await dashboard.openDispute('₦10,000.00')
    await dashboard.accept()
    await expectHeld()

    // Paystack has a transfer and an account that waits for a payment when it goes down.
    await dashboard.sendMoney(1_500)
    const transfer = page.url()
    const underWay = await executed('transfer', first)
    const open = await dashboard.openTransfer(7_000)
    first.notices.mode = 'hold'
    const recover = first.fault({ on: '*', kind: 'refuse' })

    // Flutterwave takes what is new.
    const instead = await dashboard.openTransfer(6_000)
    await dashboard.transferTo(second, instead.accountNumber, instead.amount)
    await expectHeading(instead.payer, 'Paid')
    await expectState(page, 'Paid')
    await dashboard.payByCard(3_000)
    expect((await through('charge')).slice(2)).toEqual([firstId, secondId, secondId])
    second.provider.owner.settleToWallet()
    await dashboard.sendMoney(2_500)
    second.provider.bank.settle(await executed('transfer', second), 'SUCCESSFUL')
    await expectState(page, 'Successful')

    // What is open stays where it is. The payer's bank is not down.
    await dashboard.transferTo(first, open.accountNumber, open.amount)
    await open.payer.reload()
    expect(await open.shown()).toBe(open.accountNumber)
    await page.goto(open.invoice)
    await expectState(page, 'Sent')
    await page.goto(transfer)
    await expectState(page, 'Pending')

    // And is settled there, once Paystack is back.
    await recover()
    first.provider.bank.settle(underWay, 'success')
    first.notices.mode = 'send'
    await first.notices.deliver()
    await expectState(page, 'Successful')
    await expectHeading(open.payer, 'Paid')
    await page.goto(open.invoice)
    await expectState(page, 'Paid')
    expect(await through('transfer')).toEqual([firstId, firstId, secondId])
    expect(second.books.executed.has(underWay)).toBe(false)

    await page.goto(today)
    await isTitled(page, /, Paystack$/)
    await dashboard.compareAgain()
    await expectState(page, 'Closed')
    await dashboard.compareDay(secondId, 'Flutterwave')
    await expectState(page, 'Closed')

    // A day after its own account was added, the business pays itself.
    server.clock.advance(DAY_MS)
    for (const double of [first, second]) await double.advance(DAY_MS)
    await dashboard.signInAgain()
    await dashboard.payOut(5_000)
    first.provider.bank.settle(await executed('transfer', first), 'success')
    await expectState(page, 'Successful')
    await expectHeld()
    expect(await dashboard.told()).toMatchObject({
      'invoice.paid': 5,
      'refund.processed': 1,
      'transfer.successful': 4,
      'dispute.opened': 2,
      'dispute.won': 1,
      'dispute.accepted': 1,
    })
    expect(dashboard.trouble()).toEqual([])
    expect(await findings(server)).toEqual([])
  },
)
