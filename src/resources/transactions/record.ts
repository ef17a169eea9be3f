import { type Minor, toAmount } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { TransactionRow } from './queries.ts'
import type { ShareRow } from './queries-shares.ts'

/**
 * What the business and its subaccounts get of it together: what was paid, less what is owed back
 * and the fee.
 */
export function netOf(row: TransactionRow): Minor {
  const paid_minor = row.paid_minor ?? row.payable_minor
  return paid_minor - row.excess_minor - row.fee_minor
}

/** A transaction as the API and its events show it: docs/CONTRACT.md, section 5. */
export function transactionRecord(
  row: TransactionRow,
  { businessId }: Tenant,
  shares: readonly ShareRow[],
) {
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
      id: row.customer_id,
      email: row.customer_email,
      name: row.customer_name,
      phone: row.customer_phone,
    },
    customerId: row.customer_id,
    // The page it was begun on, of either kind: they share one sequence of ids.
    pageId: row.page_id ?? row.split_page_id,
    splitPageId: row.split_page_id,
    orderId: row.order_id,
    invoiceReference: row.invoice_reference,
    businessId,
    ipAddress: row.ip_address,
    location: row.location,
    split: shares.map((share) => ({
      subaccount: share.subaccount_id,
      subaccountCode: share.subaccount_code,
      share: share.share,
      amount: money(share.amount_minor),
      amountMinor: Number(share.amount_minor),
      fee: money(share.fee_minor),
      netAmount: money(share.amount_minor - share.fee_minor),
      refundedAmount: money(share.refunded_minor),
    })),
    paidAmount: row.paid_minor === null ? null : money(row.paid_minor),
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
