import type { Db, Tx } from '../db/database.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import type { AccountKind, AccountRef, TenantAccount } from './accounts.ts'
import { columnsOf } from './journals.ts'

interface AccountRow {
  business_id: number
  live: boolean
  id: number
  kind: AccountKind
  subject_id: number
  currency: string
}

export async function selectAccounts(
  tx: Tx,
  accounts: readonly TenantAccount[],
): Promise<(TenantAccount & { id: number })[]> {
  const column = columnsOf(accounts.map(rowOf))
  const rows = await tx.many<AccountRow>`
    select business_id, live, id, kind, subject_id, currency
    from ledger_accounts join unnest(
      ${column('business_id')}::bigint[], ${column('live')}::boolean[], ${column('kind')}::text[],
      ${column('subject_id')}::bigint[], ${column('currency')}::text[]
    ) as wanted (business_id, live, kind, subject_id, currency)
    using (business_id, live, kind, subject_id, currency)`
  return rows.map(({ business_id, live, id, kind, subject_id, currency }) => ({
    businessId: business_id,
    live,
    id,
    account: { kind, currency, subjectId: subject_id },
  }))
}

/** Creates accounts. Skips any that another transaction has created first. */
export function insertAccounts(
  tx: Tx,
  accounts: readonly (TenantAccount & { id: number })[],
  now: Date,
): Promise<number> {
  const column = columnsOf(accounts.map((account) => ({ ...rowOf(account), id: account.id })))
  // All statements use the same order, so two transactions that create the same accounts can't
  // deadlock.
  return tx.run`
    insert into ledger_accounts (business_id, live, id, kind, subject_id, currency, created_at)
    select business_id, live, id, kind, subject_id, currency, ${now}::timestamptz from unnest(
      ${column('business_id')}::bigint[], ${column('live')}::boolean[], ${column('id')}::bigint[],
      ${column('kind')}::text[], ${column('subject_id')}::bigint[], ${column('currency')}::text[]
    ) as made (business_id, live, id, kind, subject_id, currency)
    order by business_id, live, kind, subject_id, currency
    on conflict do nothing`
}

const rowOf = ({ businessId, live, account }: TenantAccount): Omit<AccountRow, 'id'> => ({
  business_id: businessId,
  live,
  kind: account.kind,
  subject_id: account.subjectId ?? 0,
  currency: account.currency,
})

/** Selects the verbs with which a cause has been posted. */
export async function selectVerbs(
  db: Db,
  { businessId, live }: Tenant,
  cause: { type: string; id: number },
): Promise<string[]> {
  const rows = await db.many<{ verb: string }>`
    select verb from ledger_journals
    where business_id = ${businessId} and live = ${live}
      and cause_type = ${cause.type} and cause_id = ${cause.id}`
  return rows.map(({ verb }) => verb)
}

/** Selects the amounts held for a cause, by source account. */
export async function selectHold(
  db: Db,
  { businessId, live }: Tenant,
  cause: { type: string; id: number },
): Promise<{ account: AccountRef; amount_minor: Minor }[]> {
  const rows = await db.many<Omit<AccountRow, 'id'> & { amount_minor: Minor }>`
    select a.kind, a.subject_id, a.currency, t.amount_minor
    from ledger_journals j
    join ledger_transfers t on t.business_id = j.business_id and t.live = j.live
      and t.journal_id = j.id
    join ledger_accounts a on a.business_id = t.business_id and a.live = t.live
      and a.id = t.debit_account_id
    where j.business_id = ${businessId} and j.live = ${live}
      and j.cause_type = ${cause.type} and j.cause_id = ${cause.id} and j.verb = 'hold'
    order by t.id`
  return rows.map(({ kind, currency, subject_id: subjectId, amount_minor }) => ({
    account: { kind, currency, subjectId },
    amount_minor,
  }))
}

/**
 * The balances in one currency, in minor units. `subaccounts_minor` is the sum of all subaccounts.
 */
export interface Balances {
  currency: string
  available_minor: Minor
  pending_minor: Minor
  held_minor: Minor
  refunds_minor: Minor
  fees_minor: Minor
  subaccounts_minor: Minor
}

/** Sums the accounts of each kind, per currency. */
export function selectBalances(db: Db, { businessId, live }: Tenant): Promise<Balances[]> {
  return db.many`
    with balances as (
      select currency, kind, sum(credits_minor - debits_minor)::bigint as minor
      from ledger_accounts
      where business_id = ${businessId} and live = ${live}
      group by currency, kind
    )
    select currency,
      coalesce(max(minor) filter (where kind = 'wallet_available'), 0) as available_minor,
      coalesce(max(minor) filter (where kind = 'wallet_pending'), 0) as pending_minor,
      coalesce(max(minor) filter (where kind = 'held'), 0) as held_minor,
      coalesce(max(minor) filter (where kind = 'refunds'), 0) as refunds_minor,
      coalesce(max(minor) filter (where kind = 'fees'), 0) as fees_minor,
      coalesce(max(minor) filter (where kind = 'subaccount'), 0) as subaccounts_minor
    from balances group by currency order by currency`
}

/** Selects the fees that are booked for each of these causes at one connection. */
export function selectBookedFees(
  db: Db,
  { businessId, live }: Tenant,
  connectionId: number,
  causes: readonly { type: string; id: number }[],
): Promise<{ type: string; id: number; fee_minor: Minor }[]> {
  return db.many`
    select j.cause_type as type, j.cause_id as id, sum(t.amount_minor)::bigint as fee_minor
    from unnest(${causes.map(({ type }) => type)}::text[], ${causes.map(({ id }) => id)}::bigint[])
      as c (type, id)
    join ledger_journals j on j.business_id = ${businessId} and j.live = ${live}
      and j.cause_type = c.type and j.cause_id = c.id
    join ledger_transfers t on t.business_id = j.business_id and t.live = j.live
      and t.journal_id = j.id and t.kind = 'provider_fee'
    join ledger_accounts a on a.business_id = t.business_id and a.live = t.live
      and a.id = t.debit_account_id and a.kind = 'provider_fees' and a.subject_id = ${connectionId}
    group by j.cause_type, j.cause_id`
}
