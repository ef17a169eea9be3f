import { toAmount } from '../../lib/money.ts'
import type { SubaccountCode } from '../subaccounts/service.ts'
import type { SettlementRow } from './queries.ts'
import type { LineRow } from './queries-lines.ts'

/** A settlement as the API and its event show it, but for its lines (CONTRACT.md, section 12). */
export function settlementRecord(row: SettlementRow, subaccount: SubaccountCode | undefined) {
  return {
    id: row.id,
    reference: row.reference,
    status: row.status,
    subaccount: row.subaccount_id,
    subaccountCode: subaccount?.reference ?? null,
    business_name: subaccount?.business_name ?? null,
    amount: toAmount(row.amount_minor, row.currency),
    amountMinor: Number(row.amount_minor),
    currency: row.currency,
    count: row.entry_count,
    bankCode: row.bank_code,
    bankName: row.bank_name,
    accountNumber: row.account_number,
    accountName: row.account_name,
    failureReason: row.failure_reason,
    timeline: JSON.parse(row.timeline),
    paidAt: row.paid_at,
    createdAt: row.created_at,
  }
}

export const lineRecord = (line: LineRow) => ({
  kind: line.kind,
  transactionId: line.transaction_id,
  transactionReference: line.transaction_reference,
  refundReference: line.refund_reference,
  amount: toAmount(line.amount_minor, line.currency),
  amountMinor: Number(line.amount_minor),
  createdAt: line.created_at,
})
