import type { Db, Tx } from '../../db/database.ts'
import { findFairly, isOneOf, type RowKey, takeDue } from '../../db/leases.ts'
import { paginate } from '../../db/paginate.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Searchable, SearchQuery } from '../../db/text-search.ts'
import {
  type EncryptedNumber,
  NUMBER_COLUMNS,
  type StoredNumber,
} from '../../encryption/account-numbers.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { BasisPoints } from '../../lib/money.ts'
import type { Page } from '../../lib/paging.ts'

/** A subaccount with its account number, which its row has only encrypted. */
export interface SubaccountRow extends StoredSubaccount {
  account_number: string
}

export interface StoredSubaccount extends StoredNumber {
  business_id: number
  live: boolean
  id: number
  reference: string
  status: 'Active' | 'Inactive'
  business_name: string
  bank_code: string | null
  bank_name: string | null
  account_name: string | null
  verified: boolean
  /** Whether the subaccount has, or once had, a bank account. */
  had_account: boolean
  payouts_paused_until: Date | null
  holder_state: 'unasked' | 'announced' | 'settled' | 'waiting' | 'blocked'
  /** The name of the holder, as reported by the bank. */
  holder_name: string | null
  /** When the bank is to be asked next. */
  holder_due_at: Date | null
  holder_waiting_since: Date | null
  payouts_blocked_from: Date | null
  payouts_blocked: 'name_mismatch' | 'account_unverified' | null
  charge_basis_points: BasisPoints
  currency: string
  event_sequence: number
  created_at: Date
  updated_at: Date
}

/** In the same order as `StoredSubaccount`. */
const COLUMNS = sql`business_id, live, id, reference, status, business_name, bank_code,
  bank_name, account_name, verified, had_account, payouts_paused_until,
  holder_state, holder_name, holder_due_at, holder_waiting_since, payouts_blocked_from,
  payouts_blocked, charge_basis_points, currency, event_sequence, created_at, updated_at,
  ${NUMBER_COLUMNS}`

/**
 * Selects a subaccount by its code or id. The two can't be confused because codes start with a
 * letter.
 */
const named = ({ businessId, live }: Tenant, reference: string) =>
  /^\d{1,15}$/.test(reference)
    ? sql`business_id = ${businessId} and live = ${live} and id = ${Number(reference)}`
    : sql`business_id = ${businessId} and live = ${live} and reference = ${reference}`

export function selectSubaccount(db: Db, tenant: Tenant, reference: string) {
  return db.maybe<StoredSubaccount>`
    select ${COLUMNS} from subaccounts where ${named(tenant, reference)}`
}

export function lockSubaccount(tx: Tx, tenant: Tenant, reference: string) {
  return tx.maybe<StoredSubaccount>`
    select ${COLUMNS} from subaccounts where ${named(tenant, reference)} for update`
}

export async function isAccountTaken(
  db: Db,
  { businessId, live }: Tenant,
  { bank_code, account_number }: Pick<SubaccountRow, 'bank_code' | 'account_number'>,
  hash: Buffer,
): Promise<boolean> {
  const found = await db.maybe`
    select from subaccounts
    where business_id = ${businessId} and live = ${live} and bank_code = ${bank_code}
      and (account_hash = ${hash} or account_number_plain = ${account_number})`
  return found !== undefined
}

/** Returns nothing if another subaccount already has this bank account. */
export function insertSubaccount(
  tx: Tx,
  row: Omit<StoredSubaccount, keyof StoredNumber> & EncryptedNumber,
) {
  return tx.maybe<StoredSubaccount>`
    insert into subaccounts (${COLUMNS})
    values (${row.business_id}, ${row.live}, ${row.id}, ${row.reference}, ${row.status},
      ${row.business_name}, ${row.bank_code}, ${row.bank_name},
      ${row.account_name}, ${row.verified}, ${row.had_account}, ${row.payouts_paused_until},
      ${row.holder_state}, ${row.holder_name}, ${row.holder_due_at}, ${row.holder_waiting_since},
      ${row.payouts_blocked_from}, ${row.payouts_blocked}, ${row.charge_basis_points},
      ${row.currency}, ${row.event_sequence}, ${row.created_at}, ${row.updated_at},
      ${row.account_encrypted}, ${row.account_hash}, ${row.account_last4}, null)
    on conflict (business_id, live, bank_code, account_hash) where bank_code is not null
      do nothing
    returning ${COLUMNS}`
}

export const SUBACCOUNTS: Searchable<StoredSubaccount> = {
  kind: 'subaccount',
  table: 'subaccounts',
  fields: ['business_name', 'account_last4', 'reference'],
  commonStart: 'acct_',
}

/** The columns that a caller can change. */
export type Content = Pick<
  SubaccountRow,
  | 'status'
  | 'business_name'
  | 'bank_code'
  | 'bank_name'
  | 'account_number'
  | 'account_name'
  | 'verified'
  | 'charge_basis_points'
  | 'had_account'
  | 'payouts_paused_until'
> &
  HolderCheck

/** What is known about the account holder, and the effect on payouts. */
export type HolderCheck = Pick<
  SubaccountRow,
  | 'verified'
  | 'holder_state'
  | 'holder_name'
  | 'holder_due_at'
  | 'holder_waiting_since'
  | 'payouts_blocked_from'
  | 'payouts_blocked'
>

export const holderCheckIn = (row: HolderCheck): HolderCheck => ({
  verified: row.verified,
  holder_state: row.holder_state,
  holder_name: row.holder_name,
  holder_due_at: row.holder_due_at,
  holder_waiting_since: row.holder_waiting_since,
  payouts_blocked_from: row.payouts_blocked_from,
  payouts_blocked: row.payouts_blocked,
})

/** The unique index on bank accounts, which an update can violate. */
export const ACCOUNT_INDEX = 'subaccounts_account_hash'

/** Adds `events`, the number of events that this change causes, to the row's count. */
export function updateSubaccount(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  content: Content & EncryptedNumber,
  events: number,
  now: Date,
) {
  return tx.one<StoredSubaccount>`
    update subaccounts
    set status = ${content.status}, business_name = ${content.business_name},
      bank_code = ${content.bank_code}, bank_name = ${content.bank_name},
      account_encrypted = ${content.account_encrypted}, account_hash = ${content.account_hash},
      account_last4 = ${content.account_last4}, account_number_plain = null,
      account_name = ${content.account_name},
      charge_basis_points = ${content.charge_basis_points},
      had_account = ${content.had_account},
      payouts_paused_until = ${content.payouts_paused_until}, ${setHolding(content, now)},
      event_sequence = event_sequence + ${events}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
}

/** A subaccount that becomes payable is due for settlement at once. */
const setHolding = (holding: HolderCheck, now: Date) => sql`verified = ${holding.verified},
      holder_state = ${holding.holder_state}, holder_name = ${holding.holder_name},
      holder_due_at = ${holding.holder_due_at},
      holder_waiting_since = ${holding.holder_waiting_since},
      payouts_blocked_from = ${holding.payouts_blocked_from},
      payouts_blocked = ${holding.payouts_blocked},
      settle_at = case when holder_state in ('waiting', 'blocked')
        and ${holding.holder_state}::text = 'settled'
        then least(settle_at, ${now}::timestamptz) else settle_at end`

/** Returns nothing if it is already Inactive or does not exist. */
export function updateInactive(tx: Tx, tenant: Tenant, reference: string, now: Date) {
  return tx.maybe<StoredSubaccount>`
    update subaccounts
    set status = 'Inactive', event_sequence = event_sequence + 1, updated_at = ${now}
    where ${named(tenant, reference)} and status = 'Active'
    returning ${COLUMNS}`
}

export type SubaccountName = Pick<
  SubaccountRow,
  'id' | 'reference' | 'business_name' | 'status' | 'currency'
>

/** Selects codes and names of subaccounts by id. */
export function selectCodes(db: Db, { businessId, live }: Tenant, ids: readonly number[]) {
  return db.many<Pick<SubaccountRow, 'id' | 'reference' | 'business_name'>>`
    select id, reference, business_name from subaccounts
    where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`
}

/**
 * Locks the subaccounts with these codes, so that none is deactivated until the transaction ends.
 */
export function lockByCodes(tx: Tx, { businessId, live }: Tenant, references: readonly string[]) {
  return tx.many<SubaccountName>`
    select id, reference, business_name, status, currency from subaccounts
    where business_id = ${businessId} and live = ${live}
      and reference = any(${references}::text[])
    order by id for share`
}

/**
 * Updates only the holder columns, and the account name if there is none. Adds `events` to the
 * row's count.
 */
export function updateHolderCheck(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  holding: HolderCheck,
  events: number,
  now: Date,
) {
  return tx.one<StoredSubaccount>`
    update subaccounts
    set ${setHolding(holding, now)}, event_sequence = event_sequence + ${events},
      account_name = coalesce(account_name, ${holding.holder_name}::text),
      updated_at = case when ${events} > 0 then ${now}::timestamptz else updated_at end
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
}

/**
 * Claims accounts that are due to be checked with their banks. If there is no result, the bank is
 * asked again at `next`.
 */
export function claimUnverified(db: Db, now: Date, next: Date, only: number | null, limit: number) {
  const find = (isOther: Sql) => db.many<RowKey>`
    select business_id, live, id from subaccounts
    where holder_due_at <= ${now} and ${isOther}
      and (${only}::bigint is null or (business_id = ${only} and not live))
    order by holder_due_at limit ${limit}`
  const claim = (keys: RowKey[]) => db.many<StoredSubaccount>`
    with due as (
      select business_id as b, live as l, id as i from subaccounts
      where ${isOneOf(keys)} and holder_due_at <= ${now} for update skip locked)
    update subaccounts set holder_due_at = ${next}
    from due where (business_id, live, id) = (b, l, i)
    returning ${COLUMNS}`
  return takeDue(db, () => findFairly(db, 'holders', limit, find), claim)
}

/** Each sort order has its own index. */
const ORDERS = {
  createdAt: [sql`created_at, id`, sql`created_at desc, id desc`],
  business_name: [sql`lower(business_name), id`, sql`lower(business_name) desc, id desc`],
  percentage_charge: [sql`charge_basis_points, id`, sql`charge_basis_points desc, id desc`],
  id: [sql`id`, sql`id desc`],
} as const satisfies Record<string, readonly [Sql, Sql]>

interface SubaccountFilter {
  /** Of a whole account number that was searched for. */
  accountHash: Buffer | undefined
  search: SearchQuery | undefined
  sortKey: keyof typeof ORDERS
  descending: boolean
}

export const findSubaccounts = (
  db: Db,
  tenant: Tenant,
  { accountHash, search, sortKey, descending }: SubaccountFilter,
  page: Page,
) =>
  paginate<StoredSubaccount>(
    db,
    {
      table: sql`subaccounts`,
      columns: COLUMNS,
      tenant,
      order: ORDERS[sortKey][descending ? 1 : 0],
      lookup: accountHash && [sql`account_hash = ${accountHash}`],
      search,
    },
    page,
  )
