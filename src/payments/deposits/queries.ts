import type { Db, Tx } from '../../db/database.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'

export type DepositRefusal =
  | 'amount_too_low'
  | 'amount_too_high'
  | 'wrong_currency'
  | 'account_expired'
  | 'already_paid'

/**
 * What becomes of a deposit that was not accepted. `ReturnedByProvider`: the provider sends it back
 * by itself. `Held`: the provider keeps it, and a person decides.
 */
export type ReturnStatus = 'ReturnedByProvider' | 'Held'

export interface Sender {
  accountName: string | null
  accountNumber: string | null
  bankName: string | null
}

interface DepositRow {
  id: number
  connection_id: number
  provider_reference: string
  transaction_id: number
  /** The account is absent for a payment through another channel. */
  virtual_account_id: number | null
  account_number: string | null
  amount_minor: Minor
  currency: string
  provider_fee_minor: Minor | null
  status: 'Accepted' | 'Rejected'
  reason: DepositRefusal | null
  return_status: ReturnStatus | null
  sender: Sender | null
  created_at: Date
}

export function insertDeposit(tx: Tx, { businessId, live }: Tenant, row: DepositRow) {
  return tx.run`
    insert into deposits
      (business_id, live, id, connection_id, provider_reference, transaction_id,
       virtual_account_id, account_number, amount_minor, currency, provider_fee_minor, status,
       reason, return_status, sender, created_at)
    values
      (${businessId}, ${live}, ${row.id}, ${row.connection_id}, ${row.provider_reference},
       ${row.transaction_id}, ${row.virtual_account_id}, ${row.account_number},
       ${row.amount_minor}, ${row.currency}, ${row.provider_fee_minor}, ${row.status},
       ${row.reason}, ${row.return_status}, ${row.sender && JSON.stringify(row.sender)}::jsonb,
       ${row.created_at})`
}

export function selectDeposit(
  db: Db,
  { businessId, live }: Tenant,
  connectionId: number,
  providerReference: string,
) {
  return db.maybe<Pick<DepositRow, 'status' | 'reason'>>`
    select status, reason from deposits
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and provider_reference = ${providerReference}`
}
