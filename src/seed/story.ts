import type { Terms } from '../business/account/payment-settings.ts'
import type { NewEvent } from '../events/append.ts'
import { newEventReference } from '../events/append.ts'
import type { TenantJournal } from '../ledger/ledger.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import type { MailKind } from '../mail/queue.ts'
import type { TransactionRow, VirtualAccountRow } from '../payments/attempts/read.ts'
import { invoiceRecord } from '../sales/invoices/record.ts'
import { INVOICE_PURPOSE, type InvoiceRow, invoiceEvent } from '../sales/invoices/service.ts'
import type { Random } from './random.ts'

/** Where the story plays. */
export interface Shop {
  tenant: Tenant
  seed: number
  terms: Terms
  publicUrl: string
  /** The end of the history. */
  untilMs: number
  /** The moment by the clock of the business, at which its schedule goes on. */
  nowMs: number
}

export interface EventRow {
  id: number
  reference: string
  type: string
  object_type: string
  object_id: number
  sequence: number
  data: string
  created_at: Date
}

export interface MailRow {
  id: number
  kind: MailKind
  subject_type: string
  subject_id: number
  to_address: string
  data: string | null
  status: 'Captured' | 'Failed'
  last_error: string | null
  created_at: Date
}

export interface DepositRow {
  id: number
  provider_reference: string
  virtual_account_id: number
  account_number: string
  amount_minor: Minor
  currency: string
  status: 'Accepted' | 'Rejected'
  reason: string | null
  created_at: Date
}

/** A movement of the books, and what to tell when it put money into the wallet. */
export interface Settled {
  journal: TenantJournal
  funded_minor: Minor
  currency: string
  reference: string
}

/** One invoice with all that ever happened to it, as the rows that are left of it. */
export interface Story {
  shop: Shop
  invoice: InvoiceRow
  transactions: TransactionRow[]
  accounts: VirtualAccountRow[]
  deposits: DepositRow[]
  events: EventRow[]
  mails: MailRow[]
  settled: Settled[]
  /** The customer's address takes no mail. */
  bounces: boolean
  random: Random
  nextId(): number
  nextReference(prefix: string): string
}

/** Takes down an event of an invoice and what belongs to it. */
export function tell({ events, nextId }: Story, event: NewEvent): void {
  events.push(eventRow(nextId(), event))
}

/** An event as src/events/append.ts stores it. */
export const eventRow = (id: number, { at, ...event }: NewEvent): EventRow => ({
  id,
  reference: newEventReference(at),
  type: event.type,
  object_type: event.objectType,
  object_id: event.objectId,
  sequence: event.sequence,
  data: JSON.stringify(event.data),
  created_at: at,
})

/** The demo shop is in test mode, which the simulator serves. */
const SIMULATED = { channels: () => ['BANK_TRANSFER' as const, 'USSD' as const] }

/** Tells of the invoice as it is now, which its sequence must have been raised for. */
export function tellInvoice(story: Story, type: string, at: Date): void {
  const { shop, invoice } = story
  const record = invoiceRecord(invoice, {
    publicUrl: shop.publicUrl,
    providers: SIMULATED,
    timeZone: shop.terms.time_zone,
    now: at,
    payments: paymentsOf(story),
  })
  tell(story, invoiceEvent(type, invoice, record, at))
}

/** What came in, in the order of arrival. */
const paymentsOf = ({ transactions }: Story): TransactionRow[] =>
  transactions
    .filter(({ paid_at }) => paid_at !== null)
    .sort((a, b) => a.paid_at!.getTime() - b.paid_at!.getTime() || a.id - b.id)

const UNKNOWN = '550 5.1.1 There is no such mailbox here'

/**
 * Keeps a mail as one of the past: it is never queued, so nobody is sent anything. The invoice
 * shows how the last one about it fared.
 */
export function keepMail(
  { invoice, mails, bounces, nextId }: Story,
  kind: MailKind,
  at: Date,
  about?: { transactionId: number },
): void {
  const status = bounces ? 'Failed' : 'Captured'
  if (!about) invoice.email_status = status
  mails.push({
    id: nextId(),
    kind,
    subject_type: about ? 'transaction' : INVOICE_PURPOSE,
    subject_id: about?.transactionId ?? invoice.id,
    to_address: invoice.customer_email,
    data: about ? JSON.stringify({ invoiceId: invoice.id }) : null,
    status,
    last_error: bounces ? UNKNOWN : null,
    created_at: at,
  })
}
