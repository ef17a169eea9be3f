import type { Db, Tx } from '../../db/database.ts'
import { findFairly } from '../../db/leases.ts'
import { paginate } from '../../db/paginate.ts'
import { PLAN_EACH_TIME, type Sql, sql } from '../../db/sql.ts'
import { timelineEntry, withEntry } from '../../db/timeline.ts'
import {
  type EncryptedNumber,
  NUMBER_COLUMNS,
  type StoredNumber,
} from '../../encryption/account-numbers.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import { type Page, type Range, windowOf } from '../../lib/paging.ts'
import { newOrders } from '../../provider-orders/statements.ts'
import type { SettlementState } from './schemas.ts'

export interface SettlementRow extends StoredNumber {
  id: number
  reference: string
  subaccount_id: number
  status: SettlementState
  amount_minor: Minor
  currency: string
  /** The number of entries when the settlement was created. */
  entry_count: number
  /** The subaccount's bank account at the time of creation. */
  bank_code: string
  bank_name: string
  account_name: string | null
  /** Why the settlement failed or is delayed, or how the bank later contradicted its outcome. */
  failure_reason: string | null
  provider: string
  /** JSON text: a list of `{status, at, message}`. */
  timeline: string
  event_sequence: number
  paid_at: Date | null
  /** When the bank returned a payout that it had made. */
  returned_at: Date | null
  created_at: Date
  updated_at: Date
}

/** In the same order as `SettlementRow`. */
const COLUMNS = sql`id, reference, subaccount_id, status, amount_minor, currency,
  entry_count, bank_code, bank_name, account_name, failure_reason, provider, timeline,
  event_sequence, paid_at, returned_at, created_at, updated_at, ${NUMBER_COLUMNS}`

export function selectById(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<SettlementRow>`
    select ${COLUMNS} from settlements
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

export function selectSettlement(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<SettlementRow>`
    select ${COLUMNS} from settlements
    where business_id = ${businessId} and live = ${live} and reference = ${reference}`
}

interface Change {
  from: readonly SettlementState[]
  to: SettlementState
  message: string | null
  failure_reason: string | null
  isReturn: boolean
  /** How many events this change causes. */
  events: 0 | 1
  now: Date
}

/** Moves a settlement if its state allows it. Of two concurrent moves, exactly one succeeds. */
export function updateMoved(tx: Tx, { businessId, live }: Tenant, id: number, change: Change) {
  const { from, to, message, failure_reason, isReturn, events, now } = change
  return tx.maybe<SettlementRow>`
    update settlements
    set status = ${to}, failure_reason = ${failure_reason},
      paid_at = case when ${to}::text = 'Paid' then ${now}::timestamptz else paid_at end,
      returned_at = case when ${isReturn}::boolean then ${now}::timestamptz end,
      timeline = ${withEntry(sql`timeline`, timelineEntry(to, message, now))},
      event_sequence = event_sequence + ${events}::integer, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and status = any(${from}::text[])
    returning ${COLUMNS}`
}

/** Stores why a settlement is waiting. Storing the same reason again has no effect. */
export function updateReason(
  db: Db,
  { businessId, live }: Tenant,
  id: number,
  reason: string,
  now: Date,
) {
  return db.run`
    update settlements set failure_reason = ${reason}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id} and status = 'Pending'
      and failure_reason is distinct from ${reason}`
}

/** Stores which provider pays a settlement whose provider order has moved. */
export function updateProvider(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { provider }: { provider: string },
) {
  return tx.one<SettlementRow>`
    update settlements set provider = ${provider}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
}

const TO_DO = '; resolve this with the subaccount'

/**
 * Marks ended settlements whose outcome the bank later contradicted, so that a person can act on
 * them. Marks each one only once. Returns how many it marked.
 */
export function markContradicted(
  db: Db,
  { businessId, live }: Tenant,
  id: number,
  status: SettlementState,
  reason: string,
  now: Date,
) {
  return db.run`
    update settlements set failure_reason = ${reason + TO_DO}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id} and status = ${status}
      and (failure_reason is null or right(failure_reason, ${TO_DO.length}) <> ${TO_DO})`
}

/**
 * The time limit for a statement that changes all of a settlement's entries. A million take about
 * 10 s.
 */
export const ENTRIES_TIMEOUT_MS = 5 * 60_000

/** Reopens a settlement's entries so that the next one pays them. */
export function releaseEntries(tx: Tx, { businessId, live }: Tenant, id: number) {
  return tx.run`
    update subaccount_entries set settlement_id = null
    where business_id = ${businessId} and live = ${live} and settlement_id = ${id}`
}

/** A subaccount that is due, with its business's time zone. */
export interface DueRow {
  business_id: number
  live: boolean
  id: number
  time_zone: string
}

/**
 * Selects due subaccounts. The transaction that claims one checks again whether it is still due.
 */
export function selectDue(db: Db, now: Date, only: number | null, limit: number) {
  const find = (isOther: Sql) => db.many<DueRow>`
    select business_id, live, id, time_zone
    from (
      select business_id, live, id, settle_at from subaccounts
      where settle_at <= ${now} and ${isOther}
        and (${only}::bigint is null or (business_id = ${only} and not live))
      order by settle_at limit ${limit}
    ) due
    join business_settings using (business_id, live)
    order by settle_at`
  return findFairly(db, 'settlements', limit, find)
}

export interface Payee extends StoredNumber {
  id: number
  currency: string
  bank_code: string | null
  bank_name: string | null
  account_name: string | null
  is_payable: boolean
}

/**
 * An account is not payable while its holder is in doubt, or for some time after it has been
 * changed.
 */
const isPayable = (now: Date) => sql`(bank_code is not null
  and holder_state not in ('waiting', 'blocked')
  and (payouts_paused_until is null or payouts_paused_until <= ${now}::timestamptz))`

const payee = (now: Date) => sql`id, currency, bank_code, bank_name, account_name,
  ${NUMBER_COLUMNS}, ${isPayable(now)} as is_payable`

/**
 * Claims a due subaccount until the transaction ends, and sets its next due time, which is earlier
 * if a pause of its payouts ends before that. Returns nothing if another run has claimed it.
 *
 * The lock does not cover the key, so payments can keep adding entries.
 */
export function claimDue(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { now, next }: { now: Date; next: Date },
) {
  return tx.maybe<Payee>`
    update subaccounts
    set settle_at = least(${next}::timestamptz,
      case when payouts_paused_until > ${now} then payouts_paused_until end)
    where (business_id, live, id) = (
      select business_id, live, id from subaccounts
      where business_id = ${businessId} and live = ${live} and id = ${id} and settle_at <= ${now}
      for no key update skip locked)
    returning ${payee(now)}`
}

/** Like `claimDue`, but regardless of when the subaccount is due. Its due time does not change. */
export function claimAny(tx: Tx, { businessId, live }: Tenant, id: number, now: Date) {
  return tx.one<Payee>`
    select ${payee(now)} from subaccounts
    where business_id = ${businessId} and live = ${live} and id = ${id} for no key update`
}

/** Postpones a subaccount, unless its due time has changed. */
export function postpone(db: Db, { businessId, live }: Tenant, id: number, now: Date, to: Date) {
  return db.run`
    update subaccounts set settle_at = ${to}
    where business_id = ${businessId} and live = ${live} and id = ${id} and settle_at <= ${now}`
}

interface Taking {
  settlementId: number
  subaccountId: number
  currency: string
  /**
   * Entries created from this time on are left for the next settlement. Refunds are the exception:
   * they are included at once.
   */
  before: Date
}

/**
 * Assigns a subaccount's open entries to a settlement, and returns their sum. Assigns none if the
 * sum is not above 0. PostgreSQL adds them up, because there can be a million.
 */
export function takeEntries(
  tx: Tx,
  { businessId, live }: Tenant,
  { settlementId, subaccountId, currency, before }: Taking,
) {
  const isOpen = sql`business_id = ${businessId} and live = ${live}
    and subaccount_id = ${subaccountId} and settlement_id is null and currency = ${currency}
    and (created_at < ${before} or amount_minor < 0)`
  return tx.one<{ entry_count: number; amount_minor: Minor }>`${PLAN_EACH_TIME}
    with total as materialized (
      select sum(amount_minor) as minor from subaccount_entries where ${isOpen}
    ), taken as (
      update subaccount_entries set settlement_id = ${settlementId}
      where ${isOpen} and (select minor from total) > 0
      returning amount_minor
    )
    select count(*) as entry_count, coalesce(sum(amount_minor), 0)::bigint as amount_minor
    from taken`
}

type NewSettlementRow = Pick<
  SettlementRow,
  | 'id'
  | 'reference'
  | 'subaccount_id'
  | 'amount_minor'
  | 'currency'
  | 'entry_count'
  | 'bank_code'
  | 'bank_name'
  | 'account_name'
  | 'provider'
> &
  EncryptedNumber & {
    /** The connection to the provider that pays the settlement. */
    connection_id: number
    now: Date
  }

/** Inserts a Pending settlement. Its payout is requested at once. */
export function insertSettlement(tx: Tx, { businessId, live }: Tenant, row: NewSettlementRow) {
  const { now } = row
  const timeline = JSON.stringify([{ status: 'Pending', at: now, message: null }])
  const order = newOrders('settlement', sql`inserted`, row.reference, {
    connectionId: row.connection_id,
    amount_minor: row.amount_minor,
    currency: row.currency,
    sentAt: null,
    nextAt: now,
  })
  return tx.one<SettlementRow>`
    with inserted as (
    insert into settlements
      (business_id, live, id, reference, subaccount_id, status, amount_minor, currency,
       entry_count, bank_code, bank_name, account_encrypted, account_hash, account_last4,
       account_name, provider, timeline, created_at, updated_at)
    values
      (${businessId}, ${live}, ${row.id}, ${row.reference}, ${row.subaccount_id}, 'Pending',
       ${row.amount_minor}, ${row.currency}, ${row.entry_count}, ${row.bank_code},
       ${row.bank_name}, ${row.account_encrypted}, ${row.account_hash}, ${row.account_last4},
       ${row.account_name}, ${row.provider},
       ${timeline}, ${now}, ${now})
    returning business_id, live, ${COLUMNS}
    ), ordered as (${order})
    select ${COLUMNS} from inserted`
}

/** Selects subaccounts that have older open entries, by id, starting from a given id. */
export function selectOpen(
  db: Db,
  { businessId, live }: Tenant,
  { after, before, now, limit }: { after: number; before: Date; now: Date; limit: number },
) {
  return db.many<{ id: number }>`
    select id from subaccounts s
    where business_id = ${businessId} and live = ${live} and id > ${after}
      and ${isPayable(now)} and settle_at is not null
      and exists (
        select from subaccount_entries e
        where e.business_id = ${businessId} and e.live = ${live} and e.subaccount_id = s.id
          and e.settlement_id is null and e.created_at < ${before})
    order by id limit ${limit}`
}

interface SettlementFilter {
  status: SettlementState | undefined
  subaccountId: number | undefined
  range: Range
  isDescending: boolean
}

/** Returns one page with its meta, in order of creation. */
export const findSettlements = (
  db: Db,
  tenant: Tenant,
  { status, subaccountId, ...filter }: SettlementFilter,
  page: Page,
) =>
  paginate<SettlementRow>(
    db,
    {
      ...filter,
      table: sql`settlements`,
      columns: COLUMNS,
      tenant,
      filters: [
        status && sql`status = ${status}`,
        subaccountId === undefined ? undefined : sql`subaccount_id = ${subaccountId}`,
      ],
    },
    page,
  )

/** One entry paid by a settlement. */
export interface LineRow {
  id: number
  kind: 'share' | 'refund' | 'refund_failed'
  transaction_id: number
  transaction_reference: string
  refund_reference: string | null
  /** Negative for a refund. */
  amount_minor: Minor
  currency: string
  created_at: Date
}

/** Returns one page plus one extra line, oldest first. */
export function selectLines(db: Db, tenant: Tenant, settlementId: number, page: Page) {
  const { offset, take } = windowOf(page)
  return linesOf(db, tenant, settlementId, sql`order by id limit ${take} offset ${offset}`)
}

/** Returns up to `limit` lines after a given one. */
export function selectLinesAfter(
  db: Db,
  tenant: Tenant,
  settlementId: number,
  after: number,
  limit: number,
) {
  return linesOf(db, tenant, settlementId, sql`and id > ${after} order by id limit ${limit}`)
}

// Selects the page using only the settlement index, and looks up its lines afterwards.
const linesOf = (db: Db, { businessId, live }: Tenant, settlementId: number, page: Sql) =>
  db.many<LineRow>`
    select e.id, e.kind, e.transaction_id, t.reference as transaction_reference,
      r.reference as refund_reference, e.amount_minor, e.currency, e.created_at
    from (
      select id from subaccount_entries
      where business_id = ${businessId} and live = ${live} and settlement_id = ${settlementId}
      ${page}
    ) page
    join subaccount_entries e
      on e.business_id = ${businessId} and e.live = ${live} and e.id = page.id
    left join transactions t
      on t.business_id = ${businessId} and t.live = ${live} and t.id = e.transaction_id
    left join refunds r
      on r.business_id = ${businessId} and r.live = ${live} and r.id = e.refund_id
    order by e.id`

interface SubaccountBalanceRow {
  /** The balance of the subaccount's ledger account. */
  owed_minor: Minor
  pending_minor: Minor
  paid_minor: Minor
  settle_at: Date | null
}

/**
 * This is a single statement, so an amount that a settlement moves out of one sum always appears in
 * another. With one settlement a day, the list's index is fast enough.
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
