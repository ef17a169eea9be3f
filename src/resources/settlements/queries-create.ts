import type { Db, Tx } from '../../db/database.ts'
import { ANEW, sql } from '../../db/sql.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { COLUMNS, type SettlementRow } from './queries.ts'

/** A subaccount whose settlement is looked at, and the days of its business. */
export interface DueRow {
  business_id: number
  live: boolean
  id: number
  time_zone: string
}

/** Subaccounts whose day has come; whoever claims one finds out whether it is still so. */
export function selectDue(db: Db, now: Date, only: number | null, limit: number) {
  return db.many<DueRow>`
    select business_id, live, id, time_zone
    from (
      select business_id, live, id, settle_at from subaccounts
      where settle_at <= ${now}
        and (${only}::bigint is null or (business_id = ${only} and not live))
      order by settle_at limit ${limit}
    ) due
    join business_settings using (business_id, live)
    order by settle_at`
}

/** Where the money of a subaccount goes, and whether it may. */
export interface Payee {
  id: number
  currency: string
  bank_code: string | null
  bank_name: string | null
  account_number: string
  account_name: string | null
  is_payable: boolean
}

/** Nothing goes to an account whose holder is in doubt, or that was changed just now. */
const isPayable = (now: Date) => sql`(bank_code is not null
  and holder_state not in ('waiting', 'blocked')
  and (payouts_paused_until is null or payouts_paused_until <= ${now}::timestamptz))`

const payee = (now: Date) => sql`id, currency, bank_code, bank_name, account_number, account_name,
  ${isPayable(now)} as is_payable`

/**
 * Takes a subaccount whose day has come until the transaction ends, and sets its next one. Nothing
 * comes back when another sweep has it, or had it.
 *
 * The lock leaves its key alone, so that payments go on adding entries meanwhile.
 */
export function claimDue(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { now, next }: { now: Date; next: Date },
) {
  return tx.maybe<Payee>`
    update subaccounts set settle_at = ${next}
    where (business_id, live, id) = (
      select business_id, live, id from subaccounts
      where business_id = ${businessId} and live = ${live} and id = ${id} and settle_at <= ${now}
      for no key update skip locked)
    returning ${payee(now)}`
}

/** As `claimDue`, whatever its day; that stays as it is. */
export function claimAny(tx: Tx, { businessId, live }: Tenant, id: number, now: Date) {
  return tx.one<Payee>`
    select ${payee(now)} from subaccounts
    where business_id = ${businessId} and live = ${live} and id = ${id} for no key update`
}

/** Looks at a subaccount later, if nobody has set another time meanwhile. */
export function postpone(db: Db, { businessId, live }: Tenant, id: number, now: Date, to: Date) {
  return db.run`
    update subaccounts set settle_at = ${to}
    where business_id = ${businessId} and live = ${live} and id = ${id} and settle_at <= ${now}`
}

export interface Taking {
  settlementId: number
  subaccountId: number
  currency: string
  /** Entries from then on are left for the next, but for refunds: they are taken at once. */
  before: Date
}

/**
 * Gives the open entries of a subaccount to a settlement, and answers what they come to: none when
 * that is not more than 0. They are added up where they are, since there may be a million.
 */
export function takeEntries(
  tx: Tx,
  { businessId, live }: Tenant,
  { settlementId, subaccountId, currency, before }: Taking,
) {
  const isOpen = sql`business_id = ${businessId} and live = ${live}
    and subaccount_id = ${subaccountId} and settlement_id is null and currency = ${currency}
    and (created_at < ${before} or amount_minor < 0)`
  return tx.one<{ entry_count: number; amount_minor: Minor }>`${ANEW}
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

export type NewSettlementRow = Pick<
  SettlementRow,
  | 'id'
  | 'reference'
  | 'subaccount_id'
  | 'amount_minor'
  | 'currency'
  | 'entry_count'
  | 'bank_code'
  | 'bank_name'
  | 'account_number'
  | 'account_name'
  | 'provider'
> & { now: Date }

/** Pending, and to be ordered at once. */
export function insertSettlement(tx: Tx, { businessId, live }: Tenant, row: NewSettlementRow) {
  const { now } = row
  const timeline = JSON.stringify([{ status: 'Pending', at: now, message: null }])
  return tx.one<SettlementRow>`
    insert into settlements
      (business_id, live, id, reference, subaccount_id, status, amount_minor, currency,
       entry_count, bank_code, bank_name, account_number, account_name, provider, look_up_at,
       timeline, created_at, updated_at)
    values
      (${businessId}, ${live}, ${row.id}, ${row.reference}, ${row.subaccount_id}, 'Pending',
       ${row.amount_minor}, ${row.currency}, ${row.entry_count}, ${row.bank_code},
       ${row.bank_name}, ${row.account_number}, ${row.account_name}, ${row.provider}, ${now},
       ${timeline}, ${now}, ${now})
    returning ${COLUMNS}`
}

/** Subaccounts with something open that came before, from one id on, by their ids. */
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
