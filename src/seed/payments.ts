import { collectionFee } from '../business/account/fees.ts'
import { addMs } from '../lib/clock.ts'
import { type Minor, toAmount } from '../lib/money.ts'
import { settlementMoves } from '../payments/attempts/allocation.ts'
import { OPEN_MS } from '../payments/attempts/attempt.ts'
import type { TransactionRow, VirtualAccountRow } from '../payments/attempts/read.ts'
import { transactionEvent, virtualAccountEvent } from '../payments/attempts/record.ts'
import { BANKS } from '../provider-orders/banks.ts'
import { INVOICE_PURPOSE } from '../sales/invoices/service.ts'
import type { Attempt } from './plots.ts'
import { keepMail, type Story, tell, tellInvoice } from './story.ts'

/** An attempt at paying that is under way. */
export interface Opened {
  row: TransactionRow
  account: VirtualAccountRow | undefined
}

const DIALLED = BANKS.filter(({ ussdTemplate }) => ussdTemplate !== null)
/** Where src/provider-orders/simulator/simulator.ts holds its accounts. */
const HOUSE_BANK = { bank_code: '035', bank_name: 'Wema Bank' }

/** As src/payments/attempts/attempt.ts. */
export function startAttempt(story: Story, attempt: Attempt, at: Date): Opened {
  const { shop, invoice, random } = story
  const { fee_rules, fee_bearer } = shop.terms
  const due_minor = invoice.amount_minor - invoice.paid_minor
  const { channel, part_minor } = attempt
  const amount_minor = part_minor !== null && part_minor < due_minor ? part_minor : due_minor
  const fee_minor = collectionFee(fee_rules, channel, amount_minor, invoice.currency)
  const row: TransactionRow = {
    ...blankRow(story, amount_minor, at),
    status: 'Pending',
    channel,
    fee_minor,
    fee_bearer,
    payable_minor: fee_bearer === 'customer' ? amount_minor + fee_minor : amount_minor,
    provider: 'simulator',
    bank_code: channel === 'USSD' ? random.pick(DIALLED).code : null,
    expires_at: addMs(at, OPEN_MS[channel]),
    timeline: JSON.stringify([{ status: 'Pending', at, message: null }]),
  }
  dismissOthers(story, at)
  story.transactions.push(row)
  tell(story, transactionEvent('transaction.pending', row, shop.tenant, at, []))
  const account = channel === 'BANK_TRANSFER' ? openAccount(story, row, at) : undefined
  return { row, account }
}

/** The payer chose another way, though the one before is still good. */
function dismissOthers({ transactions }: Story, at: Date): void {
  for (const row of transactions) {
    if (row.status === 'Pending') row.dismissed_at = at
  }
}

function blankRow(story: Story, amount_minor: Minor, at: Date) {
  const { invoice } = story
  return {
    id: story.nextId(),
    reference: story.nextReference('TRX'),
    purpose: INVOICE_PURPOSE,
    purpose_id: invoice.id,
    amount_minor,
    paid_minor: null,
    excess_minor: 0n,
    refunded_minor: 0n,
    refunding_minor: 0n,
    currency: invoice.currency,
    customer_email: invoice.customer_email,
    customer_name: invoice.customer_name,
    customer_phone: invoice.customer_phone,
    invoice_reference: invoice.reference,
    split_page_id: null,
    page_id: null,
    order_id: null,
    customer_id: null,
    subaccount_id: null,
    ip_address: null,
    location: null,
    bank_code: null,
    ussd_codes: null,
    gateway_response: null,
    message: null,
    late: false,
    dismissed_at: null,
    paid_at: null,
    metadata: null,
    event_sequence: 1,
    created_at: at,
    updated_at: at,
  }
}

function openAccount(story: Story, row: TransactionRow, at: Date): VirtualAccountRow {
  const { shop } = story
  const account: VirtualAccountRow = {
    id: story.nextId(),
    transaction_id: row.id,
    status: 'Open',
    // From its id, as a deposit names nothing but the number.
    account_number: `99${String(row.id % 100_000_000).padStart(8, '0')}`,
    account_name: shop.terms.name,
    ...HOUSE_BANK,
    amount_minor: row.payable_minor,
    currency: row.currency,
    event_sequence: 1,
    expires_at: row.expires_at,
    created_at: at,
  }
  story.accounts.push(account)
  const { tenant } = shop
  tell(story, virtualAccountEvent('virtual_account.created', account, row.reference, tenant, at))
  return account
}

export function endAttempt(story: Story, attempt: Attempt, opened: Opened, at: Date): void {
  const { row, account } = opened
  const { tenant } = story.shop
  if (attempt.ending === 'failed') {
    move(row, 'Failed', story.random.pick(['Declined by the bank', 'Insufficient funds']), at)
    tell(story, transactionEvent('transaction.failed', row, tenant, at, []))
  } else if (attempt.ending === 'abandoned') {
    move(row, 'Abandoned', 'Not paid in time', at)
    tell(story, transactionEvent('transaction.abandoned', row, tenant, at, []))
    if (!account) return
    account.status = 'Expired'
    account.event_sequence += 1
    const { reference } = row
    tell(story, virtualAccountEvent('virtual_account.expired', account, reference, tenant, at))
  } else {
    settle(story, opened, at)
  }
}

function move(row: TransactionRow, status: TransactionRow['status'], message: string, at: Date) {
  row.status = status
  row.gateway_response = message
  row.event_sequence += 1
  row.updated_at = at
  row.timeline = JSON.stringify([...JSON.parse(row.timeline), { status, at, message }])
}

/**
 * As src/payments/attempts/settle.ts, where an attempt pays all that it was made for, or
 * nothing when the invoice was paid meanwhile: the whole is owed back then.
 */
function settle(story: Story, { row, account }: Opened, at: Date): void {
  const { shop, invoice } = story
  const { tenant } = shop
  const isKept = invoice.status === 'Sent' || invoice.status === 'PartiallyPaid'
  move(row, 'Successful', account ? 'Transfer received' : 'Approved', at)
  row.paid_at = at
  row.paid_minor = row.payable_minor
  if (!isKept) {
    row.fee_minor = 0n
    row.excess_minor = row.payable_minor
  }
  if (account) {
    account.status = 'Paid'
    keepDeposit(story, account, row.payable_minor, null, at)
  }
  tell(story, transactionEvent('transaction.successful', row, tenant, at, []))
  if (isKept) receive(story, row.amount_minor, at, at)
  keepMail(story, 'receipt', at, { transactionId: row.id })
  bringIn(story, row, at)
}

/** Adds a payment to the invoice, as `updatePaid` does, and tells of it. */
function receive(story: Story, amount_minor: Minor, paidAt: Date, at: Date): void {
  const { invoice } = story
  invoice.paid_minor += amount_minor
  const isPaid = invoice.paid_minor === invoice.amount_minor
  invoice.status = isPaid ? 'Paid' : 'PartiallyPaid'
  if (isPaid) {
    invoice.paid_at = paidAt
    invoice.next_step_at = null
  }
  invoice.event_sequence += 1
  invoice.updated_at = at
  tellInvoice(story, isPaid ? 'invoice.paid' : 'invoice.partially_paid', at)
}

/** The journal is posted when its time comes among those of all invoices. */
function bringIn({ shop, settled }: Story, row: TransactionRow, at: Date): void {
  const { id, reference, currency, fee_minor, excess_minor } = row
  const wallet_minor = row.paid_minor! - excess_minor
  const funded_minor = wallet_minor - fee_minor
  settled.push({
    funded_minor,
    currency,
    reference,
    journal: {
      tenant: shop.tenant,
      cause: { type: 'transaction', id },
      verb: 'settle',
      now: at,
      moves: settlementMoves(currency, { wallet_minor, fee_minor, excess_minor }, []),
      ...(funded_minor > 0n && { eventOn: { kind: 'wallet_available', currency } }),
    },
  })
}

function keepDeposit(
  story: Story,
  account: VirtualAccountRow,
  amount_minor: Minor,
  reason: string | null,
  at: Date,
): string {
  const provider_reference = story.nextReference('DEP')
  story.deposits.push({
    id: story.nextId(),
    provider_reference,
    virtual_account_id: account.id,
    account_number: account.account_number,
    amount_minor,
    currency: account.currency,
    status: reason ? 'Rejected' : 'Accepted',
    reason,
    created_at: at,
  })
  return provider_reference
}

/** What a slip of the finger leaves out. */
const SLIP_MINOR: Minor = 500_00n

/** Too little came, which goes back; src/payments/attempts/settle.ts. */
export function refuseDeposit(story: Story, { row, account }: Opened, at: Date): void {
  const { terms, tenant } = story.shop
  if (!account || terms.virtual_account_policy === 'accept_partial') return
  if (account.amount_minor <= SLIP_MINOR) return
  const amount_minor = account.amount_minor - SLIP_MINOR
  const reason = 'amount_too_low'
  const depositReference = keepDeposit(story, account, amount_minor, reason, at)
  account.event_sequence += 1
  const { currency } = account
  const more = {
    receivedAmount: toAmount(amount_minor, currency),
    receivedAmountMinor: Number(amount_minor),
    receivedCurrency: currency,
    reason,
    depositReference,
    sender: null,
  }
  tell(
    story,
    virtualAccountEvent('bank.transfer.rejected', account, row.reference, tenant, at, more),
  )
}

const HOW = [null, 'Cash at the shop', 'POS at the shop', 'Transfer to our own account', 'Cheque']

/** As src/sales/invoices/settle.ts: no fee, and nothing in the books. */
export function markPaid(story: Story, at: Date): void {
  const { shop, invoice, random } = story
  const amount_minor = invoice.amount_minor - invoice.paid_minor
  const message = random.pick(HOW)
  const row: TransactionRow = {
    ...blankRow(story, amount_minor, at),
    status: 'Successful',
    channel: 'OFFLINE',
    fee_minor: 0n,
    fee_bearer: 'business',
    payable_minor: amount_minor,
    paid_minor: amount_minor,
    provider: 'offline',
    message,
    paid_at: at,
    expires_at: at,
    timeline: JSON.stringify([{ status: 'Successful', at, message }]),
  }
  story.transactions.push(row)
  tell(story, transactionEvent('transaction.successful', row, shop.tenant, at, []))
  receive(story, amount_minor, at, at)
  keepMail(story, 'receipt', at, { transactionId: row.id })
}
