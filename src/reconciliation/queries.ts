import type { Database, Db, Tx } from '../db/database.ts'
import { isLeaseFree } from '../db/leases.ts'
import { plainArray, textArray } from '../db/pg-arrays.ts'
import { sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import type { ProviderEntry, Range } from '../providers/connector/types.ts'
import { nextRun, readableAt } from './days.ts'
import { KINDS_IN } from './match.ts'
import type { Account } from './queries-match.ts'

/** A day of a connection. */
export interface DayKey extends Account {
  /** `YYYY-MM-DD`. */
  day: string
}

export interface DayRow {
  business_id: number
  live: boolean
  connection_id: number
  day: string
  status: 'Open' | 'Closed'
  run_at: Date | null
  next_at: Date | null
  problem: string | null
  matched: number
  waiting: number
  differences: number
}

const DAY = sql`business_id, live, connection_id, day, status, run_at, next_at,
  problem, matched, waiting, differences`

const isDay = ({ tenant: { businessId, live }, connectionId, day }: DayKey) =>
  sql`business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
    and day = ${day}`

// -------------------------------------------------------------------------------- schedule

interface NewDay extends Omit<DayKey, 'tenant'> {
  businessId: number
  live: boolean
}

/** Selects days of accounts with real providers that have ended and are not planned yet. */
export async function selectUnplanned(
  db: Db,
  zone: string,
  { first, last }: { first: string; last: string },
  limit: number,
): Promise<NewDay[]> {
  return db.many`
    select c.business_id as "businessId", c.live, c.id as "connectionId", d.day::date::text as day
    from provider_connections c
    cross join lateral generate_series(
      greatest(${first}::date, (c.created_at at time zone ${zone})::date), ${last}::date,
      interval '1 day') as d (day)
    where c.business_id is not null and c.status in ('Active', 'Paused')
      and (c.business_id, c.live, c.id, d.day::date) not in (
        select r.business_id, r.live, r.connection_id, r.day from reconciliation_days r
        where r.day between ${first} and ${last})
    order by d.day, c.id limit ${limit}`
}

/** Plans days, or asks for them again. */
export function planDays(db: Db, days: readonly NewDay[], at: Date) {
  return db.many<DayRow>`
    insert into reconciliation_days as d (business_id, live, connection_id, day, status, next_at)
    select business_id, live, connection_id, day, 'Open', ${at}::timestamptz
    from unnest(
      ${plainArray(days.map(({ businessId }) => businessId))}::bigint[],
      ${plainArray(days.map(({ live }) => live))}::boolean[],
      ${plainArray(days.map(({ connectionId }) => connectionId))}::bigint[],
      ${textArray(days.map(({ day }) => day))}::text[]::date[]
    ) as n (business_id, live, connection_id, day)
    on conflict (business_id, live, connection_id, day) do update
    set next_at = ${at}, status = 'Open'
    returning ${DAY}`
}

/** Selects due days, oldest first, either of all businesses or of one business's test data. */
export const selectDue = (db: Db, now: Date, only: number | null, limit: number) =>
  db.many<Pick<DayRow, 'business_id' | 'live' | 'connection_id' | 'day'>>`
    select business_id, live, connection_id, day::text as day from reconciliation_days
    where next_at <= ${now} and ${isLeaseFree(sql`lease_until`, now)}
      and (${only}::bigint is null or (business_id = ${only} and not live))
    order by day, connection_id limit ${limit}`

interface Taking {
  now: Date
  /** When the lease ends. */
  until: Date
  /** Whether to take the day only if it is due, which it no longer is if it has just been read. */
  ifDue: boolean
}

/**
 * Takes a day, so that no other process reads it. Returns whether it was free. Until the run is
 * finished, `next_at` is when the lease ends; another time means that someone has asked again.
 */
export async function takeDay(
  db: Db,
  key: DayKey,
  { now, until, ifDue }: Taking,
): Promise<boolean> {
  const { tenant, connectionId, day } = key
  const taken = await db.maybe`
    insert into reconciliation_days as d
      (business_id, live, connection_id, day, status, next_at, lease_until)
    values (${tenant.businessId}, ${tenant.live}, ${connectionId}, ${day}, 'Open', ${until},
      ${until})
    on conflict (business_id, live, connection_id, day) do update
    set next_at = ${until}, lease_until = ${until}
      where ${isLeaseFree(sql`d.lease_until`, now)}
        and (not ${ifDue}::boolean or d.next_at <= ${now})
    returning connection_id`
  return taken !== undefined
}

export const extendLease = (db: Db, key: DayKey, until: Date) =>
  db.run`update reconciliation_days set lease_until = ${until} where ${isDay(key)}`

interface Finished {
  now: Date
  /** When the lease ended when the day was taken. */
  taken: Date
  nextAt: Date | null
  /** Why the day could not be read to its end. */
  problem: string | null
}

/**
 * Ends a run. The day is closed if everything agrees, and read again at once if someone has asked
 * for it meanwhile.
 */
export function finishDay(
  tx: Tx,
  key: DayKey,
  { now, taken, nextAt, problem }: Finished,
  range: Range,
) {
  return tx.run`
    update reconciliation_days
    set run_at = ${now}, lease_until = null, problem = ${problem},
      next_at = case when next_at < ${taken} then least(next_at, ${now}) else ${nextAt} end,
      matched = ${ofDay(key, range, 'matched')}, waiting = ${ofDay(key, range, 'waiting')}
    where ${isDay(key)}`
}

const ofDay = (
  { tenant: { businessId, live }, connectionId }: DayKey,
  { from, until }: Range,
  name: 'matched' | 'waiting',
) => sql`(
  select count(*) from provider_entries
  where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
    and at >= ${from} and at < ${until} and class = ${name})`

/**
 * Counts what is still open, and closes the day if nothing is, the run was finished, and nobody has
 * asked for another. A day that was read before it had ended is read once more when it has.
 */
export function updateStatus(tx: Tx, key: DayKey, now: Date) {
  const { tenant, connectionId, day } = key
  const open = sql`(
    select count(*) from provider_differences
    where business_id = ${tenant.businessId} and live = ${tenant.live}
      and connection_id = ${connectionId} and day = ${day} and status = 'Open')`
  const isClear = sql`not exists (
    select from reconciliation_balances
    where business_id = ${tenant.businessId} and live = ${tenant.live}
      and connection_id = ${connectionId} and day = ${day} and unexplained_minor <> 0)`
  const isClosed = sql`${open} = 0 and ${isClear} and waiting = 0 and problem is null
    and run_at is not null and lease_until is null and (next_at is null or next_at > ${now})`
  return tx.maybe<DayRow>`
    update reconciliation_days
    set differences = ${open},
      status = case when ${isClosed} then 'Closed' else 'Open' end,
      next_at = case when ${isClosed} and run_at >= ${readableAt(day)} then null
        else coalesce(next_at, ${nextRun(day, now)}) end
    where ${isDay(key)}
    returning ${DAY}`
}

/**
 * Selects the accounts with real providers, or the one that is named. The simulator has no business
 * itself, so one has to be named too.
 */
export const selectReconcilable = (
  db: Db,
  {
    businessId,
    connectionId,
  }: { businessId: number | undefined; connectionId: number | undefined },
) =>
  db.many<{ id: number; name: string; business_id: number; live: boolean }>`
    select c.id, c.name, b.id as business_id, c.live
    from provider_connections c
    join businesses b on b.id = coalesce(c.business_id, ${businessId ?? null}::bigint)
    where c.status in ('Active', 'Paused')
      and (${businessId ?? null}::bigint is null or b.id = ${businessId ?? null})
      and case when ${connectionId ?? null}::bigint is null then c.business_id is not null
        else c.id = ${connectionId ?? null} end
    order by b.id, c.id`

// ---------------------------------------------------------------------------------- lists

interface DayFilter {
  connectionId: number | undefined
  status: DayRow['status'] | undefined
  before: string | undefined
  take: number
}

export const selectDays = (db: Db, { businessId, live }: Tenant, filter: DayFilter) =>
  db.many<DayRow>`
    select ${DAY} from reconciliation_days
    where business_id = ${businessId} and live = ${live}
      and (${filter.connectionId ?? null}::bigint is null
        or connection_id = ${filter.connectionId ?? null})
      and (${filter.status ?? null}::text is null or status = ${filter.status ?? null})
      and (${filter.before ?? null}::date is null or day < ${filter.before ?? null})
    order by day desc, connection_id limit ${filter.take}`

export const selectDay = (db: Db, key: DayKey) =>
  db.maybe<DayRow>`select ${DAY} from reconciliation_days where ${isDay(key)}`

export interface EntryRow extends Omit<ProviderEntry, 'providerId' | 'settlementId'> {
  provider_id: string
  settlement_id: string | null
  order_kind: string | null
  order_reference: string | null
  class: string
}

export interface EntryFilter {
  class: string | undefined
  kind: string | undefined
  offset: number
  take: number
}

export function selectEntries(
  db: Db,
  { tenant: { businessId, live }, connectionId }: DayKey,
  { from, until }: Range,
  filter: EntryFilter,
) {
  return db.many<EntryRow & { total: number }>`
    select e.kind, e.provider_id, e.reference, e.status, e.amount_minor, e.fee_minor, e.currency,
      e.at, e.settlement_id, e.order_kind, e.class, e.total, o.reference as order_reference
    from (
      select *, count(*) over () as total from provider_entries
      where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
        and at >= ${from} and at < ${until}
        and (${filter.class ?? null}::text is null or class = ${filter.class ?? null})
        and (${filter.kind ?? null}::text is null or kind = ${filter.kind ?? null})
      order by at, kind, provider_id offset ${filter.offset} limit ${filter.take}
    ) e
    left join provider_orders o on o.business_id = ${businessId} and o.live = ${live}
      and o.kind = e.order_kind and o.subject_id = e.subject_id and o.attempt = e.attempt
    order by e.at, e.kind, e.provider_id`
}

/** Selects a day's entries that come after one of them, by time. */
export function selectEntriesAfter(
  db: Db,
  { tenant: { businessId, live }, connectionId }: DayKey,
  { from, until }: Range,
  { after, take, ...filter }: Omit<EntryFilter, 'offset'> & { after: EntryRow | undefined },
) {
  return db.many<EntryRow>`
    select e.kind, e.provider_id, e.reference, e.status, e.amount_minor, e.fee_minor, e.currency,
      e.at, e.settlement_id, e.order_kind, e.class, o.reference as order_reference
    from (
      select * from provider_entries
      where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
        and at >= ${after?.at ?? from} and at < ${until}
        and (${filter.class ?? null}::text is null or class = ${filter.class ?? null})
        and (${filter.kind ?? null}::text is null or kind = ${filter.kind ?? null})
        and (${after?.kind ?? null}::text is null or (at, kind, provider_id)
          > (${after?.at ?? from}::timestamptz, ${after?.kind ?? null},
            ${after?.provider_id ?? null}::text))
      order by at, kind, provider_id limit ${take}
    ) e
    left join provider_orders o on o.business_id = ${businessId} and o.live = ${live}
      and o.kind = e.order_kind and o.subject_id = e.subject_id and o.attempt = e.attempt
    order by e.at, e.kind, e.provider_id`
}

// ------------------------------------------------------------------------------- balances

export interface BalanceRow {
  currency: string
  at: Date
  theirs_minor: Minor
  ledger_minor: Minor
  explained_minor: Minor
  unexplained_minor: Minor
}

const BALANCE = sql`currency, at, theirs_minor, ledger_minor, explained_minor, unexplained_minor`

export const selectDayBalances = (db: Db, key: DayKey) =>
  db.many<BalanceRow>`
    select ${BALANCE} from reconciliation_balances where ${isDay(key)} order by currency`

/** Selects what was found the last time that a connection's balance was compared. */
export const selectLastBalance = (
  db: Db,
  { tenant: { businessId, live }, connectionId }: Account,
  currency: string,
  before: Date,
) =>
  db.maybe<BalanceRow>`
    select ${BALANCE} from reconciliation_balances
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and currency = ${currency} and at <= ${before}
    order by at desc limit 1`

export function upsertBalance(tx: Tx, key: DayKey, row: BalanceRow) {
  const { tenant, connectionId, day } = key
  return tx.run`
    insert into reconciliation_balances
      (business_id, live, connection_id, day, currency, at, theirs_minor, ledger_minor,
       explained_minor, unexplained_minor)
    values (${tenant.businessId}, ${tenant.live}, ${connectionId}, ${day}, ${row.currency},
      ${row.at}, ${row.theirs_minor}, ${row.ledger_minor}, ${row.explained_minor},
      ${row.unexplained_minor})
    on conflict (business_id, live, connection_id, day, currency) do update
    set at = excluded.at, theirs_minor = excluded.theirs_minor,
      ledger_minor = excluded.ledger_minor, explained_minor = excluded.explained_minor,
      unexplained_minor = excluded.unexplained_minor`
}

/**
 * Selects by how much the provider's balance and our ledger are known to differ. That is what open
 * differences are about, and closed ones that nobody has booked, and what the provider has executed
 * and we have not finished.
 */
export function selectExplained(
  db: Db,
  { tenant: { businessId, live }, connectionId }: Account,
  currency: string,
) {
  // Of an order that is not paid here, nothing is booked that could have another amount, unless its
  // money is held as a deposit.
  const isPaid = sql`exists (
    select from provider_orders o
    where o.business_id = ${businessId} and o.live = ${live} and o.kind = d.subject_kind
      and o.subject_id = d.subject_id and o.attempt = d.attempt and o.state = 'Successful')`
  return db.one<{ ledger_minor: Minor; explained_minor: Minor }>`
    select
      coalesce((
        select debits_minor - credits_minor from ledger_accounts
        where business_id = ${businessId} and live = ${live} and kind = 'provider_clearing'
          and subject_id = ${connectionId} and currency = ${currency}), 0) as ledger_minor,
      coalesce((
        select sum((coalesce(theirs_minor, 0) - coalesce(ours_minor, 0))
            * case when kind = any(${KINDS_IN}::text[]) and field <> 'fee' then 1 else -1 end
          - case when class = 'missing_here'
            then coalesce((evidence #>> '{entry,feeMinor}')::bigint, 0) else 0 end)
        from provider_differences d
        where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
          and currency = ${currency} and closed_with_journal is null
          and (field <> 'amount' or subject_id is null or evidence ? 'deposit' or ${isPaid})
          and (status = 'Open' and kind <> 'balance'
            or resolution in ('accepted', 'sent_back', 'not_ours'))), 0)::bigint
      + coalesce((
        select sum(amount_minor * case when kind = any(${KINDS_IN}::text[]) then 1 else -1 end
          - coalesce(fee_minor, 0))
        from provider_entries
        where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
          and currency = ${currency} and class = 'waiting'
          and (status = 'Successful' or status = 'Pending' and kind = 'payout')), 0)::bigint
        as explained_minor`
}

/** Selects the open difference of a connection's balance in a currency. */
export const selectOpenBalance = (
  db: Db,
  { tenant: { businessId, live }, connectionId }: Account,
  currency: string,
) =>
  db.maybe<{ provider_id: string }>`
    select provider_id from provider_differences
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and kind = 'balance' and currency = ${currency} and status = 'Open'
    order by first_seen_at limit 1`

// ----------------------------------------------------------------------------- settlements

export interface SettlementRow {
  id: number
  provider_id: string
  status: ProviderEntry['status']
  amount_minor: Minor
  currency: string
  at: Date
  payments: number | null
  journal_id: number | null
}

/** Stores what a provider says of a settlement. What has been booked keeps its amount. */
export function upsertSettlement(
  tx: Tx,
  { tenant: { businessId, live }, connectionId }: Account,
  id: number,
  { providerId, status, amount_minor, currency, at }: ProviderEntry,
) {
  return tx.one<SettlementRow>`
    insert into provider_settlements
      (business_id, live, id, connection_id, provider_id, status, amount_minor, currency, at)
    values (${businessId}, ${live}, ${id}, ${connectionId}, ${providerId}, ${status},
      ${amount_minor}, ${currency}, ${at})
    on conflict (business_id, live, connection_id, provider_id) do update
    set status = excluded.status, at = excluded.at,
      amount_minor = case when provider_settlements.journal_id is null
        then excluded.amount_minor else provider_settlements.amount_minor end
    returning id, provider_id, status, amount_minor, currency, at, payments, journal_id`
}

export const updateSettlementJournal = (
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  journalId: number,
) =>
  tx.run`
    update provider_settlements set journal_id = ${journalId}
    where business_id = ${businessId} and live = ${live} and id = ${id}`

export const selectUnread = (db: Db, { tenant: { businessId, live }, connectionId }: Account) =>
  db.many<Pick<SettlementRow, 'id' | 'provider_id'>>`
    select id, provider_id from provider_settlements
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and status = 'Successful' and payments is null
    order by at limit 100`

export const updatePayments = (
  db: Database | Tx,
  { businessId, live }: Tenant,
  id: number,
  payments: number,
) =>
  db.run`
    update provider_settlements set payments = ${payments}
    where business_id = ${businessId} and live = ${live} and id = ${id}`

/** Selects open differences of fees that are only the rounding of a provider. */
export const selectRounding = (db: Db, { tenant: { businessId, live }, connectionId }: Account) =>
  db.many<{ reference: string }>`
    select reference from provider_differences
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and status = 'Open' and field = 'fee' and abs(theirs_minor - ours_minor) = 1
    limit 1000`

/** Selects the sums of a business's accounts, by kind and connection. */
export const selectAccounts = (db: Db, { businessId, live }: Tenant) =>
  db.many<{ kind: string; subject_id: number; currency: string; balance_minor: Minor }>`
    select kind, case when kind = 'subaccount' then 0 else subject_id end as subject_id, currency,
      sum(credits_minor - debits_minor)::bigint as balance_minor
    from ledger_accounts
    where business_id = ${businessId} and live = ${live}
    group by 1, 2, 3 order by 3, 1, 2`

export interface ConnectionRow {
  id: number
  name: string
  provider: string
  status: string
}

/** Selects the connections of a business, and the simulator's in test mode. */
export const selectConnections = (db: Db, { businessId, live }: Tenant) =>
  db.many<ConnectionRow>`
    select id, name, provider, status from provider_connections
    where live = ${live} and (business_id = ${businessId} or business_id is null)
    order by id`
