import { type Minor, toAmount } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { TransactionRow } from './queries.ts'

/** What the merchant gets of it: what was paid, less what is owed back and the fee. */
export function netOf(row: TransactionRow): Minor {
  const paid_minor = row.paid_minor ?? row.payable_minor
  return paid_minor - row.excess_minor - row.fee_minor
}

/** A transaction as the API and its events show it (decisions.md, section 4). */
export function transactionRecord(row: TransactionRow, { businessId }: Tenant) {
  const money = (minor: Minor) => toAmount(minor, row.currency)
  return {
    id: row.id,
    reference: row.reference,
    amount: money(row.amount_minor),
    amountMinor: Number(row.amount_minor),
    fees: money(row.fee_minor),
    netAmount: money(netOf(row)),
    feeBearer: row.fee_bearer,
    currency: row.currency,
    channel: row.channel,
    status: row.status,
    gatewayResponse: row.gateway_response,
    message: row.message,
    customer: {
      id: null,
      email: row.customer_email,
      name: row.customer_name,
      phone: row.customer_phone,
    },
    customerId: null,
    pageId: null,
    splitPageId: null,
    orderId: null,
    invoiceReference: row.invoice_reference,
    businessId,
    ipAddress: null,
    location: null,
    split: [],
    overpaidAmount: money(row.excess_minor),
    refundedAmount: money(row.refunded_minor),
    late: row.late,
    paidAt: row.paid_at,
    expiresAt: row.expires_at,
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
    timeline: JSON.parse(row.timeline),
    createdAt: row.created_at,
  }
}
