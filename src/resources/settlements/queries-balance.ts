import type { Db } from '../../db/database.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'

export interface SubaccountBalanceRow {
  /** In its account of the ledger. */
  owed_minor: Minor
  pending_minor: Minor
  paid_minor: Minor
  settle_at: Date | null
}

/**
 * In one statement, so that what a settlement takes from one sum is in the next: a settlement a day
 * of each, by the index of its list.
 */
export function selectSubaccountBalance(
  db: Db,
  { businessId, live }: Tenant,
  { id, currency }: { id: number; currency: string },
) {
  return db.one<SubaccountBalanceRow>`
    select greatest(s.settle_at, s.payouts_paused_until) as settle_at, settled.*, coalesce((
        select credits_minor - debits_minor from ledger_accounts
        where business_id = ${businessId} and live = ${live} and kind = 'subaccount'
          and subject_id = ${id} and currency = ${currency}), 0)::bigint as owed_minor
    from subaccounts s, (
      select
        coalesce(sum(amount_minor) filter (where status = 'Pending'), 0)::bigint as pending_minor,
        coalesce(sum(amount_minor) filter (where status = 'Paid'), 0)::bigint as paid_minor
      from settlements
      where business_id = ${businessId} and live = ${live} and subaccount_id = ${id}
        and currency = ${currency}
    ) settled
    where s.business_id = ${businessId} and s.live = ${live} and s.id = ${id}`
}
