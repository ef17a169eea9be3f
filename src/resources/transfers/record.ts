import { toAmount } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { bankId, bankOf } from '../../providers/banks.ts'
import type { TransferRow } from './queries.ts'

/** A transfer as the API and its events show it (CONTRACT.md, section 8). */
export function transferRecord(row: TransferRow, { businessId }: Tenant) {
  const bank = bankOf(row.bank_code)
  return {
    id: row.id,
    reference: row.reference,
    transferReference: row.transfer_reference,
    businessId,
    status: row.status,
    amount: toAmount(row.amount_minor, row.currency),
    amountMinor: Number(row.amount_minor),
    fee: toAmount(row.fee_minor, row.currency),
    currency: row.currency,
    bankId: bank ? bankId(bank) : null,
    bankCode: row.bank_code,
    bankName: row.bank_name,
    accountNumber: row.account_number,
    accountName: row.account_name,
    narration: row.narration,
    failureReason: row.failure_reason,
    createdBy: actorIn(row.created_with, row.created_by_name, row.created_by_person),
    approvedBy: actorIn(row.approved_with, row.approved_by_name, row.approved_by_person),
    needsSecondPerson: row.status === 'Unverified' && row.doubt === 'limit',
    attempt: row.attempt,
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
    timeline: JSON.parse(row.timeline),
    createdAt: row.created_at,
    completedAt: row.completed_at,
    reversedAt: row.reversed_at,
  }
}

const actorIn = (type: string | null, name: string | null, personId: number | null) =>
  type === null ? null : { type, name, personId }
