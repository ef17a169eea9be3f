import type { Db } from '../db/database.ts'
import { ANEW, type Sql, sql } from '../db/sql.ts'
import type { Place } from '../lib/cursor.ts'
import type { Minor } from '../lib/money.ts'
import type { Tenant } from '../lib/tenant.ts'

/** The accounts of which a business has one in each currency, in the order of showing. */
export const OWN_KINDS = [
  'wallet_available',
  'wallet_pending',
  'held',
  'refunds',
  'fees',
  'provider_clearing',
] as const

export interface AccountRow {
  id: number
  kind: string
  subject_id: number
  currency: string
  /** Credits less debits. */
  balance_minor: Minor
}

const COLUMNS = sql`id, kind, subject_id, currency,
  credits_minor - debits_minor as balance_minor`

const of = ({ businessId, live }: Tenant): Sql =>
  sql`business_id = ${businessId} and live = ${live}`

/** Those of the business itself, of one currency or of all; only what was ever used is there. */
export function selectOwnAccounts(db: Db, tenant: Tenant, currency: string | undefined) {
  const wanted = currency === undefined ? sql`true` : sql`currency = ${currency}`
  return db.many<AccountRow>`
    select ${COLUMNS} from ledger_accounts
    where ${of(tenant)} and kind = any(${OWN_KINDS}::text[]) and subject_id = 0 and ${wanted}
    order by currency, array_position(${OWN_KINDS}::text[], kind)`
}

/** One account, if it was ever used; `subjectId` is the subaccount's id, else 0. */
export function selectAccount(
  db: Db,
  tenant: Tenant,
  { kind, subjectId, currency }: { kind: string; subjectId: number; currency: string },
) {
  return db.maybe<AccountRow>`
    select ${COLUMNS} from ledger_accounts
    where ${of(tenant)} and kind = ${kind} and subject_id = ${subjectId}
      and currency = ${currency}`
}

/** What all subaccounts have together, by currency. */
export function sumSubaccounts(db: Db, tenant: Tenant) {
  return db.many<{ currency: string; count: number; balance_minor: Minor }>`
    select currency, count(*) as count, sum(credits_minor - debits_minor)::bigint as balance_minor
    from ledger_accounts
    where ${of(tenant)} and kind = 'subaccount'
    group by currency order by currency`
}

/** Some that have accounts, by their names. */
export function selectSubaccountAccounts(db: Db, tenant: Tenant, limit: number) {
  return db.many<AccountRow & { reference: string; business_name: string }>`
    select a.id, a.kind, a.subject_id, a.currency,
      a.credits_minor - a.debits_minor as balance_minor, s.reference, s.business_name
    from subaccounts s
    join ledger_accounts a on a.business_id = s.business_id and a.live = s.live
      and a.kind = 'subaccount' and a.subject_id = s.id and a.currency = s.currency
    where s.business_id = ${tenant.businessId} and s.live = ${tenant.live}
    order by lower(s.business_name), s.id limit ${limit}`
}

/** So many take some 100 ms to add up. */
const NEWER_MAX = 100_000

/**
 * Credits less debits of an account as they were right after one of its movements: what it has now,
 * less all that is newer. Null where that is too much to add up.
 */
export async function selectBalanceAfter(
  db: Db,
  tenant: Tenant,
  accountId: number,
  { created_at, id }: Place,
): Promise<Minor | null> {
  const newer = (account: Sql, sign: Sql) => sql`(
    select ${sign} * amount_minor as change from ledger_transfers
    where ${of(tenant)} and ${account} = ${accountId}
      and (created_at, id) > (${created_at}::timestamptz, ${id}::bigint)
    order by created_at desc, id desc limit ${NEWER_MAX + 1})`
  const row = await db.one<{ count: number; balance_minor: Minor }>`${ANEW}
    select (
        select credits_minor - debits_minor from ledger_accounts
        where ${of(tenant)} and id = ${accountId}
      ) - coalesce(sum(change), 0)::bigint as balance_minor, count(*) as count
    from (
      ${newer(sql`debit_account_id`, sql`-1`)} union all
      ${newer(sql`credit_account_id`, sql`1`)}
    ) newer`
  return row.count > NEWER_MAX ? null : row.balance_minor
}
