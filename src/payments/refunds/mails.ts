import { publicProfileOf, senderOf } from '../../business/account/branding.ts'
import type { Db } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import {
  type EmailComposer,
  type EmailContent,
  headerText,
  type MailRow,
} from '../../mail/email.ts'
import type { NewMail } from '../../mail/queue.ts'
import { renderRefundEmail } from '../../mail/templates.ts'
import { payerLanguage } from '../attempts/hosted.ts'
import { type PaymentRow, type RefundRow, selectPayment, selectRefund } from './queries.ts'

/**
 * Composes the email that tells the payer about a refund. It belongs to the payment, like the
 * receipt.
 */
export const refundEmailComposer = (deps: Pick<Deps, 'publicUrl'>): EmailComposer => ({
  compose: (db, mail) => compose(db, deps, mail),
})

/** Returns nothing for a payer without an email address. */
export function refundMails(
  { id, customer_email: to }: PaymentRow,
  { business_id: businessId, live, reference }: RefundRow,
  at: Date,
): NewMail[] {
  if (to === null) return []
  const about = { subjectType: 'transaction', subjectId: id, data: { refund: reference } }
  return [{ businessId, live, kind: 'refund', ...about, to, at }]
}

async function compose(
  db: Db,
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  { business_id: businessId, live, data }: MailRow,
): Promise<EmailContent | undefined> {
  const tenant = { businessId, live }
  const { refund: reference } = JSON.parse(data ?? '{}') as { refund: string }
  const refund = await selectRefund(db, tenant, reference)
  const payment = refund && (await selectPayment(db, tenant, { id: refund.transaction_id }))
  if (!payment) return undefined
  const terms = await publicProfileOf(db, tenant)
  const paidFor = { purpose: payment.purpose, purposeId: payment.purpose_id }
  return renderRefundEmail({
    test: !live,
    merchant: senderOf(terms, publicUrl),
    timeZone: terms.time_zone,
    language: await payerLanguage(db, tenant, paidFor),
    ...(payment.customer_name && { customerName: headerText(payment.customer_name) }),
    currency: refund.currency,
    amountMinor: refund.amount_minor,
    paidMinor: payment.paid_minor ?? refund.amount_minor,
    refundedAt: refund.processed_at ?? refund.created_at,
    reference: refund.reference,
    paymentReference: payment.reference,
  })
}
