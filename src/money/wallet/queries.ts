import type { Db, Tx } from '../../db/database.ts'
import { all, type Sql, sql } from '../../db/sql.ts'
import type { AccountRef } from '../../ledger/ledger.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import type { Cursor, Range } from '../../lib/paging.ts'

/**
 * Selects the wallet for a currency, by default the business's own. The wallet has no id before its
 * first use.
 */
export function selectWallet(db: Db, { businessId, live }: Tenant, currency: string | undefined) {
  return db.one<{ currency: string; id: number | null }>`
    select wanted.currency, a.id
    from (
      select coalesce(${currency ?? null}::text, currency::text) as currency
      from businesses where id = ${businessId}
    ) wanted
    left join ledger_accounts a
      on a.business_id = ${businessId} and a.live = ${live} and a.kind = 'wallet_available'
        and a.subject_id = 0 and a.currency = wanted.currency`
}

export interface EntryRow {
  id: number
  type: 'credit' | 'debit'
  kind: string
  amount_minor: Minor
  currency: string
  cause_type: string
  cause_id: number
  created_at: Date
}

export interface EntryFilter {
  accountId: number
  /** Default: both. */
  type: EntryRow['type'] | undefined
  range: Range
}

/**
 * Selects one account's entries, newest first. Going back from a cursor, selects newer ones. Each
 * side has its own index, and the page merges the two.
 */
export function selectEntries(
  db: Db,
  { businessId, live }: Tenant,
  { accountId, type, range: { from, until } }: EntryFilter,
  cursor: Cursor | undefined,
  limit: number,
) {
  const place = cursor && sql`(${cursor.created_at}::timestamptz, ${cursor.id}::bigint)`
  const order = cursor?.back ? sql`created_at, id` : sql`created_at desc, id desc`
  const wanted = all([
    sql`business_id = ${businessId} and live = ${live}`,
    from && sql`created_at >= ${from}`,
    until && sql`created_at < ${until}`,
    place && (cursor.back ? sql`(created_at, id) > ${place}` : sql`(created_at, id) < ${place}`),
  ])
  const side = (name: EntryRow['type'], account: Sql) => sql`(
    select id, ${name}::text as type, kind, amount_minor, currency, journal_id, created_at
    from ledger_transfers
    where ${account} = ${accountId} and ${wanted}
    order by ${order} limit ${limit})`
  const sides = {
    debit: side('debit', sql`debit_account_id`),
    credit: side('credit', sql`credit_account_id`),
  }
  const sought = type ? sides[type] : sql`${sides.debit} union all ${sides.credit}`
  return db.many<EntryRow>`
    select e.id, e.type, e.kind, e.amount_minor, e.currency, j.cause_type, j.cause_id, e.created_at
    from (select * from (${sought}) sides order by ${order} limit ${limit}) e
    join ledger_journals j
      on j.business_id = ${businessId} and j.live = ${live} and j.id = e.journal_id
    order by ${cursor?.back ? sql`e.created_at, e.id` : sql`e.created_at desc, e.id desc`}`
}

/** The tables of causes whose records have their own reference. */
const TABLES: Record<string, Sql> = {
  transaction: sql`transactions`,
  transfer: sql`transfers`,
  refund: sql`refunds`,
  deposit: sql`deposits`,
  settlement: sql`settlements`,
  utility_payment: sql`utility_payments`,
  difference: sql`provider_differences`,
  funding: sql`funding_payments`,
  dispute: sql`disputes`,
}

/** Selects the references of causes of one type, by id. Leaves out causes without a reference. */
export async function selectReferences(
  db: Db,
  { businessId, live }: Tenant,
  type: string,
  ids: number[],
): Promise<{ id: number; reference: string }[]> {
  const table = TABLES[type]
  if (!table) return []
  return db.many<{ id: number; reference: string }>`
    select id, reference from ${table}
    where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`
}

/**
 * Selects the cause with this reference. Selects nothing if the reference belongs to a record that
 * doesn't move money.
 */
export async function selectCause(
  db: Db,
  { businessId, live }: Tenant,
  reference: string,
): Promise<{ type: string; id: number } | undefined> {
  const causes = Object.entries(TABLES).map(
    ([type, table]) => sql`
      select ${type}::text as type, id from ${table}
      where business_id = ${businessId} and live = ${live} and reference = ${reference}`,
  )
  return db.maybe`${causes.reduce((left, right) => sql`${left} union all ${right}`)}`
}

interface OwingRow {
  business_id: number
  live: boolean
  currency: string
}

/** Whether the business owes the balance of account `a`: fees are owed if it pays them itself. */
const IS_OWED = sql`(a.kind = 'receivable' or a.kind = 'provider_fees' and exists (
    select from provider_connections c
    where c.id = a.subject_id and coalesce(c.settings ->> 'feesPaidBy', 'business') = 'business'
  )) and a.debits_minor > a.credits_minor`

/**
 * Selects wallets that have money and owe some. `only` selects the test wallets of one business
 * whose test clock is ahead; other runs leave these out.
 */
export function selectOwing(db: Db, only: number | null, limit: number) {
  return db.many<OwingRow>`
    select a.business_id, a.live, a.currency
    from ledger_accounts a
    join ledger_accounts w on w.business_id = a.business_id and w.live = a.live
      and w.kind = 'wallet_available' and w.subject_id = 0 and w.currency = a.currency
      and w.credits_minor > w.debits_minor
    join businesses b on b.id = a.business_id
    where a.kind in ('provider_fees', 'receivable') and ${IS_OWED}
      and (b.id = ${only} and not a.live
        or ${only}::bigint is null and (a.live or b.test_clock_offset_ms = 0))
    group by a.business_id, a.live, a.currency
    limit ${limit}`
}

/**
 * Locks a wallet and the accounts of what it owes, in the order in which journals lock them.
 * Returns their balances as credits minus debits.
 */
export function lockOwed(tx: Tx, { businessId, live }: Tenant, currency: string) {
  return tx.many<{ kind: AccountRef['kind']; subject_id: number; balance_minor: Minor }>`
    select a.kind, a.subject_id, a.credits_minor - a.debits_minor as balance_minor
    from ledger_accounts a
    where a.business_id = ${businessId} and a.live = ${live} and a.currency = ${currency}
      and (a.kind = 'wallet_available' or ${IS_OWED})
    order by a.id for no key update`
}

/**
 * Locks the accounts that a hold for a dispute takes from or adds to, in the order in which
 * journals lock them. Returns what the wallet has.
 */
export async function lockToHold(
  tx: Tx,
  { businessId, live }: Tenant,
  currency: string,
): Promise<Minor> {
  const accounts = await tx.many<{ kind: AccountRef['kind']; balance_minor: Minor }>`
    select kind, credits_minor - debits_minor as balance_minor
    from ledger_accounts
    where business_id = ${businessId} and live = ${live} and currency = ${currency}
      and kind in ('wallet_available', 'held', 'refunds') and subject_id = 0
    order by id for no key update`
  return accounts.find(({ kind }) => kind === 'wallet_available')?.balance_minor ?? 0n
}

/** Selects the number of a journal's first entry. */
export function selectFirstEntry(db: Db, { businessId, live }: Tenant, journalId: number) {
  return db.one<{ id: number }>`
    select min(id) as id from ledger_transfers
    where business_id = ${businessId} and live = ${live} and journal_id = ${journalId}`
}
