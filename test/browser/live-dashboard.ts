import { expect } from 'vitest'
import { codeAt, memberOf, turnTwoFactorOn } from '../../src/business/people/people.fixture.ts'
import { dayOf } from '../../src/reconciliation/days.ts'
import type { startServer } from '../harness.ts'
import type { Double, Provider } from '../providers/doubles/double.ts'
import {
  enter,
  expectState,
  field,
  heading,
  isTitled,
  pick,
  press,
  shows,
  toast,
} from './actions.ts'
import type { NewPage } from './chromium.ts'
import { pageOf, STILL, WAIT } from './dashboard.ts'

/* What an owner does in live mode, and what payers do. The server must be reachable. */

type Server = Awaited<ReturnType<typeof startServer>>
type AnyDouble = Double<Provider>

const RECEIPT = 'Payment received. Thank you!'

/** Opens the dashboard of a new business in live mode. */
export async function openLiveDashboard(server: Server, newPage: NewPage) {
  const { db, clock } = server
  const { businessId } = await server.newBusiness()
  const owner = await memberOf(server, 'owner', businessId)
  const { secret } = await turnTwoFactorOn(server, owner)
  const { page, trouble } = await pageOf(newPage, server.url, owner, '/live/overview')

  async function go(path: string, title: string | RegExp): Promise<void> {
    await page.goto(`${server.url}/live/${path}`)
    await isTitled(page, title)
  }

  /** Sessions end after half an hour without a request. */
  async function signInAgain(): Promise<void> {
    await page.goto(`${server.url}/live/overview`)
    await enter(page, owner.email)
    await page.getByLabel('Code from your authenticator app').fill(codeAt(secret, clock.now()))
    await press(page, 'Sign in')
    await isTitled(page, 'Overview')
  }

  /** Connects a provider, and pastes the address for notifications there. Returns its id. */
  async function connect(title: string, double: AnyDouble, keys: Record<string, string>) {
    await go('settings/providers', 'Providers')
    await page.getByRole('link', { name: 'Connect provider' }).click()
    await isTitled(page, 'Connect a provider')
    await page.getByRole('radio', { name: title }).check()
    for (const [label, value] of Object.entries(keys)) await field(page, label).fill(value)
    await page.getByText('Advanced').click()
    await field(page, 'Base URL').fill(double.baseUrl)
    await press(page, `Connect ${title}`)
    await shows(page, `${title} accepted the key.`)
    const address = page.getByText(/\/providers\/notices\//)
    double.notices.url = (await address.textContent())!
    await page.getByRole('link', { name: 'Done' }).click()
    await isTitled(page, title)
    await expectState(page, 'Active')
    return Number(new URL(page.url()).pathname.split('/').at(-1))
  }

  /** Sends an invoice, and leaves the dashboard there. Returns the address of its page. */
  async function sendInvoice(amount: number): Promise<string> {
    await go('invoices/new', 'New invoice')
    await field(page, 'Email address').fill('ada@example.com')
    await field(page, 'Amount').fill(`${amount}`)
    await press(page, 'Send invoice')
    await isTitled(page, /^Invoice /)
    await expectState(page, 'Sent')
    const link = page.getByRole('region', { name: 'Payment link' }).getByRole('link').first()
    return (await link.getAttribute('href'))!
  }

  /** Sends an invoice that is paid by card, on the page of the provider. */
  async function payByCard(amount: number): Promise<void> {
    const { page: payer } = await newPage(await sendInvoice(amount), STILL)
    await press(payer, 'Pay by card')
    await heading(payer, `Pay NGN ${amount}.00`).waitFor(WAIT)
    await press(payer, 'Pay with card')
    await heading(payer, RECEIPT).waitFor(WAIT)
    await expectState(page, 'Paid')
  }

  /** Sends an invoice, and chooses on its page to pay by bank transfer. */
  async function openTransfer(amount: number) {
    const { page: payer } = await newPage(await sendInvoice(amount), STILL)
    await press(payer, 'Pay by bank transfer')
    const shown = async () => (await payer.locator('#copy-number').getAttribute('data-copy'))!
    return { payer, amount, accountNumber: await shown(), shown, invoice: page.url() }
  }

  /** Transfers money to an account, at the payer's bank. */
  async function transferTo({ dashboardUrl }: AnyDouble, account: string, amount: number) {
    const { page: bank } = await newPage(`${dashboardUrl}/bank`, STILL)
    await bank.getByLabel('Account number').fill(account)
    await bank.getByLabel('Amount in naira').fill(`${amount}`)
    await press(bank, 'Transfer')
    await bank.getByText('Sent', { exact: true }).waitFor(WAIT)
  }

  /** Refunds a part of a payment, and leaves the dashboard at the payment. */
  async function refund(payment: string, amount: string): Promise<void> {
    await go('payments', 'Payments')
    await page.getByRole('link', { name: payment }).click()
    await isTitled(page, payment)
    await press(page, 'Refund')
    await field(page, 'Amount').fill(amount)
    await field(page, 'Reason').fill('Half was returned')
    await press(page, /^Refund ₦/)
  }

  /** Sends money to a bank account, and leaves the dashboard at the transfer. */
  async function sendMoney(amount: number): Promise<void> {
    await go('transfers/new', 'Send money')
    await field(page, 'Amount').fill(`${amount}`)
    await pick(page, 'Bank', 'Zenith Bank')
    await field(page, 'Account number').fill('0123456789')
    await field(page, 'Narration').fill('Cloth from Iseyin')
    await shows(page, 'ACCOUNT HOLDER 6789')
    await press(page, 'Continue')
    await press(page, /^Send ₦/)
    await isTitled(page, /^₦/)
  }

  /** Adds the business's own bank account, to which nothing can be paid out for a day. */
  async function addOwnAccount(): Promise<void> {
    await go('settings/payouts', 'Payouts')
    await press(page, 'Add account')
    await pick(page, 'Bank', 'Zenith Bank')
    await field(page, 'Account number').fill('0123456780')
    await shows(page, 'Is this your account?')
    await press(page, 'Use this account')
    await shows(page, 'Account saved.')
  }
  /** Pays out to that account, and leaves the dashboard at the transfer. */
  async function payOut(amount: number): Promise<void> {
    await go('wallet', 'Wallet')
    await press(page, 'Pay out now')
    await field(page, 'Amount').fill(`${amount}`)
    await press(page, /^Pay out ₦/)
    await isTitled(page, /^₦/)
  }

  const day = dayOf(clock.now())

  /** Compares today at a connection, for the first time. Leaves the dashboard at that day. */
  async function compareDay(connectionId: number, title: string): Promise<void> {
    await go('reconciliation', 'Reconciliation')
    await press(page, 'Compare days')
    await pick(page, 'Connection', title)
    await field(page, 'From').fill(typed(day))
    await field(page, 'Until').fill('')
    await press(page, 'Compare')
    await toast(page, 'The days are being compared.').waitFor(WAIT)
    await go(`reconciliation/${connectionId}/days/${day}`, new RegExp(`, ${title}$`))
  }
  /** Compares the day again that is shown, and shows the result. */
  async function compareAgain(): Promise<void> {
    const connectionId = Number(new URL(page.url()).pathname.split('/').at(-3))
    const readAt = async () =>
      (
        await db.one<{ run_at: Date }>`
          select run_at from reconciliation_days
          where business_id = ${businessId} and live and connection_id = ${connectionId}
            and day = ${day}`
      ).run_at.getTime()
    const before = await readAt()
    await press(page, 'Compare again')
    await expect.poll(readAt, WAIT).toBeGreaterThan(before)
    await page.reload()
  }

  /** Opens the newest dispute. */
  async function openDispute(amount: string): Promise<void> {
    await go('disputes', 'Disputes')
    await page.getByRole('link', { name: amount }).first().click()
    await isTitled(page, amount)
    await expectState(page, 'Open')
  }
  /** Contests the dispute that is shown, with a file. */
  async function contest(message: string): Promise<void> {
    const files = page.getByRole('region', { name: 'Evidence' })
    const proof = { name: 'delivery.pdf', mimeType: 'application/pdf' }
    const input = files.locator('input[type=file]')
    await input.setInputFiles([{ ...proof, buffer: Buffer.from('%PDF-1.7 proof') }])
    await files.getByRole('button', { name: 'delivery.pdf', exact: true }).waitFor(WAIT)
    await press(page, 'Contest')
    await field(page, 'Why is the payment right\\?').fill(message)
    await press(page, 'Send response')
    await expectState(page, 'Under review')
  }
  async function accept(): Promise<void> {
    await press(page, 'Accept')
    await press(page, /^Give back ₦/)
    await expectState(page, 'Accepted')
  }

  /** The orders that a provider can have, oldest first. */
  const orders = (kind: string) =>
    db.many<{ sent: string; connection_id: number; state: string | null }>`
      select sent_reference as sent, connection_id, state from provider_orders
      where business_id = ${businessId} and live and kind = ${kind} and sent_at is not null
      order by created_at, subject_id`
  /** Waits until a double has executed the last order of a kind. Returns its reference there. */
  async function executed(kind: string, { books }: AnyDouble): Promise<string> {
    const last = async () => (await orders(kind)).at(-1)?.sent ?? ''
    await expect.poll(async () => books.executed.get(await last()), WAIT).toBe(1)
    return last()
  }
  /** What the ledger says that a provider holds. */
  const heldBy = async (connectionId: number) =>
    (
      await db.one<{ held_minor: bigint }>`
        select coalesce(sum(debits_minor - credits_minor), 0)::bigint as held_minor
        from ledger_accounts
        where business_id = ${businessId} and live and kind = 'provider_clearing'
          and subject_id = ${connectionId}`
    ).held_minor

  /** How many events there are of each type. */
  const told = async () =>
    Object.fromEntries(
      (
        await db.many<{ type: string; count: bigint }>`
          select type, count(*) from events
          where business_id = ${businessId} and live group by type`
      ).map(({ type, count }) => [type, Number(count)]),
    )

  return {
    page,
    trouble,
    businessId,
    signInAgain,
    connect,
    payByCard,
    openTransfer,
    transferTo,
    refund,
    sendMoney,
    addOwnAccount,
    payOut,
    compareDay,
    compareAgain,
    openDispute,
    contest,
    accept,
    orders,
    executed,
    heldBy,
    told,
  }
}

/** As people type a day: 29 Nov 2026. */
const typed = (day: string): string =>
  new Date(`${day}T12:00:00Z`).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  } as Intl.DateTimeFormatOptions)
