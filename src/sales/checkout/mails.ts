import { publicProfileOf, senderOf } from '../../business/account/branding.ts'
import type { Db } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import {
  type EmailComposer,
  type EmailContent,
  headerText,
  type MailRow,
} from '../../mail/email.ts'
import { renderOrderEmail } from '../../mail/templates.ts'
import { orderDetails } from '../orders/service.ts'
import { appliedBy, feesOnTop, paymentsReceived } from './payable.ts'
import { selectCheckoutById } from './queries.ts'
import { receiptUrlOf, summaryOf } from './record.ts'

export const orderEmailComposer = (deps: Pick<Deps, 'publicUrl'>): EmailComposer => ({
  compose: (db, mail, now) => compose(db, deps, mail, now),
})

/** Returns undefined if the payment was refunded before the receipt could be sent. */
async function compose(
  db: Db,
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  { business_id: businessId, live, subject_id }: MailRow,
  now: Date,
): Promise<EmailContent | undefined> {
  const tenant = { businessId, live }
  const row = await selectCheckoutById(db, tenant, subject_id)
  if (row?.status !== 'Paid') return undefined
  const shown = row.order_id === null ? undefined : await orderDetails(db, tenant, row.order_id)
  if (shown?.order.status === 'Refunded') return undefined
  const payments = (await paymentsReceived(db, row)).filter((one) => appliedBy(one) > 0n)
  const terms = await publicProfileOf(db, tenant)
  const { lines, discount, delivery, subtotalMinor, downloads } = summaryOf(row, shown, now)
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, one) => total + one, 0n)
  const channel = payments.at(-1)?.channel
  return renderOrderEmail({
    test: !live,
    merchant: senderOf(terms, publicUrl),
    timeZone: terms.time_zone,
    reference: shown?.order.reference ?? row.reference,
    ...(row.customer_name && { customerName: headerText(row.customer_name) }),
    currency: row.currency,
    lines: lines.map((line) => ({
      name: headerText(line.name),
      quantity: line.quantity,
      unitMinor: line.unitAmountMinor,
      amountMinor: line.amountMinor,
    })),
    subtotalMinor,
    ...(discount && { discount }),
    ...(delivery && { delivery }),
    amountMinor: row.amount_minor,
    paidMinor: sum(payments.map((one) => (one.paid_minor ?? 0n) - one.excess_minor)),
    feeMinor: feesOnTop(payments),
    paidAt: row.paid_at ?? now,
    ...(channel && { channel }),
    downloads: downloads.map((one) => ({
      name: headerText(one.name),
      href: `${publicUrl}${one.path}`,
      ...(one.expiresAt && { expiresAt: one.expiresAt }),
    })),
    receiptUrl: receiptUrlOf(publicUrl, row),
    pdfUrl: `${receiptUrlOf(publicUrl, row)}/pdf`,
  })
}
