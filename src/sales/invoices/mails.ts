import { type PublicProfile, publicProfileOf, senderOf } from '../../business/account/branding.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Tenant } from '../../lib/caller.ts'
import { dayIn } from '../../lib/dates.ts'
import { invoiceNumber } from '../../lib/invoice-number.ts'
import {
  type EmailComposer,
  type EmailContent,
  headerText,
  type MailRow,
  selectNewestOfInvoices,
} from '../../mail/email.ts'
import type { MailKind } from '../../mail/queue.ts'
import {
  type InvoiceEmailView,
  renderInvoiceEmail,
  renderReceiptEmail,
} from '../../mail/templates.ts'
import { paymentsReceivedFor, type TransactionRow } from '../../payments/attempts/read.ts'
import { type InvoiceRow, lockInvoices, selectInvoiceById, updateEmailStatus } from './queries.ts'
import { isPayableOnline, lineItemsOf, pageUrlOf } from './record.ts'
import { INVOICE_PURPOSE } from './service.ts'

type ComposeDeps = Pick<Deps, 'publicUrl' | 'providers'>

/** Composes the emails about invoices and keeps `emailStatus` up to date. */
export function invoiceEmailComposers(deps: ComposeDeps): Partial<Record<MailKind, EmailComposer>> {
  const invoice: EmailComposer = {
    compose: (db, mail, now) => composeInvoice(db, deps, mail, now),
    noted: followMails,
  }
  return {
    invoice,
    invoice_again: invoice,
    invoice_reminder: invoice,
    receipt: { compose: (db, mail) => composeReceipt(db, deps, mail) },
  }
}

/**
 * The newest email determines the status. The invoices are locked first: if the results of two
 * emails arrive at once, the second transaction then sees the first result.
 */
async function followMails(tx: Tx, mails: readonly MailRow[]): Promise<void> {
  await lockInvoices(tx, mails)
  await updateEmailStatus(tx, await selectNewestOfInvoices(tx, mails))
}

const tenantOf = ({ business_id, live }: MailRow): Tenant => ({ businessId: business_id, live })

/** Returns undefined for a void or draft invoice, and for a reminder of a paid one. */
async function composeInvoice(
  db: Db,
  { publicUrl, providers }: ComposeDeps,
  mail: MailRow,
  now: Date,
): Promise<EmailContent | undefined> {
  const tenant = tenantOf(mail)
  const row = await selectInvoiceById(db, tenant, mail.subject_id)
  if (!row || row.status === 'Void' || row.status === 'Draft') return undefined
  const isReminder = mail.kind === 'invoice_reminder'
  if (isReminder && row.status === 'Paid') return undefined
  const terms = await publicProfileOf(db, tenant)
  return renderInvoiceEmail({
    ...lettersHead(tenant, terms, publicUrl),
    purpose: isReminder ? 'reminder' : 'invoice',
    ...summaryOf(row, terms, now),
    hostedUrl: pageUrlOf({ publicUrl }, row),
    payableOnline: isPayableOnline(await providers.channels(tenant), row),
    ...(terms.manualPayment && { manual: terms.manualPayment }),
  })
}

const lettersHead = ({ live }: Tenant, terms: PublicProfile, publicUrl: string) => ({
  test: !live,
  merchant: senderOf(terms, publicUrl),
  timeZone: terms.time_zone,
})

function summaryOf(row: InvoiceRow, { time_zone }: PublicProfile, now: Date) {
  return {
    number: invoiceNumber(row),
    ...(row.customer_name && { customerName: headerText(row.customer_name) }),
    ...(row.note && { note: row.note }),
    lineItems: lineItemsOf(row).map(({ name, quantity, unit_minor, amount_minor }) => ({
      name: headerText(name),
      quantity,
      unitMinor: unit_minor,
      amountMinor: amount_minor,
    })),
    amountMinor: row.amount_minor,
    paidMinor: row.paid_minor,
    dueMinor: row.amount_minor - row.paid_minor,
    currency: row.currency,
    ...(row.due_date && {
      dueDate: row.due_date,
      daysLeft: daysBetween(dayIn(time_zone, now), row.due_date),
    }),
  } satisfies Partial<InvoiceEmailView>
}

/** Returns the number of days between two dates of the form `YYYY-MM-DD`. */
const daysBetween = (from: string, to: string): number =>
  (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000

async function composeReceipt(
  db: Db,
  { publicUrl }: ComposeDeps,
  mail: MailRow,
): Promise<EmailContent | undefined> {
  const tenant = tenantOf(mail)
  const { invoiceId } = JSON.parse(mail.data ?? '{}') as { invoiceId: number }
  const [row, received, terms] = await Promise.all([
    selectInvoiceById(db, tenant, invoiceId),
    paymentsReceivedFor(db, tenant, INVOICE_PURPOSE, [invoiceId]),
    publicProfileOf(db, tenant),
  ])
  const paid = received.get(invoiceId)?.find(({ id }) => id === mail.subject_id)
  if (!row || !paid) return undefined
  return renderReceiptEmail({
    ...lettersHead(tenant, terms, publicUrl),
    ...paymentOf(paid),
    ...(isOwedBack(paid) && { owedBack: row.status === 'Void' ? 'cancelled' : 'paid' }),
    number: invoiceNumber(row),
    ...(row.customer_name && { customerName: headerText(row.customer_name) }),
    currency: row.currency,
    leftMinor: row.amount_minor - row.paid_minor,
    hostedUrl: pageUrlOf({ publicUrl }, row),
  })
}

const isOwedBack = ({ excess_minor, paid_minor }: TransactionRow): boolean =>
  excess_minor === paid_minor

function paymentOf(paid: TransactionRow) {
  return {
    paidMinor: paid.paid_minor ?? paid.payable_minor,
    feeMinor: paid.fee_bearer === 'customer' ? paid.fee_minor : 0n,
    excessMinor: paid.excess_minor,
    paidAt: paid.paid_at ?? paid.created_at,
    channel: paid.channel,
    reference: paid.reference,
  }
}
