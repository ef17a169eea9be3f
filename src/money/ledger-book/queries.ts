import type { Db } from '../../db/database.ts'
import { all, PLAN_EACH_TIME, type Sql, sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import { type Cursor, type Place, type Range, SCANNED_MAX } from '../../lib/paging.ts'

export interface MoveRow {
  id: number
  journal_id: number
  kind: string
  amount_minor: Minor
  currency: string
  debit_account_id: number
  debit_kind: string
  debit_subject: number
  /** The name of the account's connection, if it has one. */
  debit_connection: string | null
  credit_account_id: number
  credit_kind: string
  credit_subject: number
  credit_connection: string | null
  verb: string
  cause_type: string
  cause_id: number
  created_at: Date
}

/** Reads the debits or the credits of one account. */
export interface Walk {
  accountId: number
  side: 'debit' | 'credit'
}

export interface MoveFilter {
  /** Together, the walks cover every movement that is wanted, some of them twice. */
  walks: readonly Walk[]
  range: Range
  kind: string | undefined
  causeType: string | undefined
  /**
   * Selects only movements with this cause. As there are only a few of them, they are found through
   * the cause, without a walk.
   */
  cause: { type: string; id: number } | undefined
}

/**
 * Selects movements between accounts, newest first. Going back from a cursor, selects newer ones.
 * No index has all of a business's movements in this order, because every payment would have to
 * maintain it. However, every movement touches an account that is not a subaccount's, of which a
 * business has only a few, and each side of an account is indexed.
 */
export function selectMoves(
  db: Db,
  tenant: Tenant,
  filter: MoveFilter,
  cursor: Cursor | undefined,
  take: number,
): Promise<MoveRow[]> {
  const order = orderOf(cursor)
  const { columns, joins } = movesOf(tenant)
  const found = filter.cause
    ? causedBy(tenant, filter, filter.cause, cursor)
    : filter.walks
        .map((walk) => walked(tenant, walk, filter, cursor, take))
        .reduce((left, right) => sql`${left} union all ${right}`)
  return db.many<MoveRow>`${PLAN_EACH_TIME}
    select ${columns} from (
      select distinct on (created_at, id) * from (${found}) found
      order by ${order} limit ${take}
    ) t ${joins}
    order by ${cursor?.back ? sql`t.created_at, t.id` : sql`t.created_at desc, t.id desc`}`
}

/** The name of an account's connection; null for an account without one. */
const connectionOf = (account: Sql): Sql => sql`(
      select name from provider_connections
      where id = ${account}.subject_id and ${account}.kind <> 'subaccount')`

const movesOf = (tenant: Tenant) => ({
  columns: sql`t.id, t.journal_id, t.kind, t.amount_minor, t.currency, t.created_at,
    d.id as debit_account_id, d.kind as debit_kind, d.subject_id as debit_subject,
    ${connectionOf(sql`d`)} as debit_connection,
    c.id as credit_account_id, c.kind as credit_kind, c.subject_id as credit_subject,
    ${connectionOf(sql`c`)} as credit_connection, j.verb, j.cause_type, j.cause_id`,
  joins: sql`
    join ledger_accounts d on ${of(tenant, sql`d`)} and d.id = t.debit_account_id
    join ledger_accounts c on ${of(tenant, sql`c`)} and c.id = t.credit_account_id
    join ledger_journals j on ${of(tenant, sql`j`)} and j.id = t.journal_id`,
})

const of = ({ businessId, live }: Tenant, table: Sql): Sql =>
  sql`${table}.business_id = ${businessId} and ${table}.live = ${live}`

const orderOf = (cursor: Cursor | undefined): Sql =>
  cursor?.back ? sql`created_at, id` : sql`created_at desc, id desc`

const sideOf = ({ side, accountId }: Walk): Sql =>
  side === 'debit' ? sql`debit_account_id = ${accountId}` : sql`credit_account_id = ${accountId}`

/** Selects the movements on one side, filtered as far as its index allows. */
const indexed = (tenant: Tenant, walk: Walk, { range }: MoveFilter, cursor: Cursor | undefined) =>
  sql`ledger_transfers t
    where ${of(tenant, sql`t`)} and ${sideOf(walk)} and ${placed(range, cursor)}`

const placed = ({ from, until }: Range, cursor: Cursor | undefined): Sql => {
  const place = cursor && sql`(${cursor.created_at}::timestamptz, ${cursor.id}::bigint)`
  return all([
    from && sql`created_at >= ${from}`,
    until && sql`created_at < ${until}`,
    place && (cursor.back ? sql`(created_at, id) > ${place}` : sql`(created_at, id) < ${place}`),
  ])
}

function walked(
  tenant: Tenant,
  walk: Walk,
  filter: MoveFilter,
  cursor: Cursor | undefined,
  take: number,
): Sql {
  const order = orderOf(cursor)
  const looked = sql`select * from ${indexed(tenant, walk, filter, cursor)} order by ${order}`
  if (!isSparse(filter)) return sql`(${looked} limit ${take})`
  return sql`(
    select * from (${looked} limit ${SCANNED_MAX}) looked where ${wanted(tenant, filter)}
    order by ${order} limit ${take})`
}

/** Returns whether a walk also scans movements that do not match. */
const isSparse = ({ kind, causeType }: MoveFilter) => kind !== undefined || causeType !== undefined

/** Looks up the cause of each movement, because a join would read all journals. */
const wanted = (tenant: Tenant, { kind, causeType }: MoveFilter): Sql =>
  all([
    kind === undefined ? undefined : sql`kind = ${kind}`,
    causeType === undefined
      ? undefined
      : sql`(select j.cause_type from ledger_journals j
          where ${of(tenant, sql`j`)} and j.id = journal_id) = ${causeType}`,
  ])

function causedBy(
  tenant: Tenant,
  filter: MoveFilter,
  cause: { type: string; id: number },
  cursor: Cursor | undefined,
): Sql {
  const sides = filter.walks.map(sideOf).reduce((left, right) => sql`${left} or ${right}`)
  return sql`
    select t.* from (
      select id as caused_id from ledger_journals j
      where ${of(tenant, sql`j`)} and cause_type = ${cause.type} and cause_id = ${cause.id}
    ) caused
    join ledger_transfers t on ${of(tenant, sql`t`)} and t.journal_id = caused_id
    where (${sides}) and ${wanted(tenant, filter)} and ${placed(filter.range, cursor)}`
}

/**
 * Returns the position at which the scan stopped early, in reading order; `undefined` if everything
 * was scanned. Beyond that position, a movement might be found on one side and missed on the other.
 */
export async function selectEndOfScan(
  db: Db,
  tenant: Tenant,
  filter: MoveFilter,
  cursor: Cursor | undefined,
): Promise<Place | undefined> {
  if (filter.cause || !isSparse(filter)) return undefined
  const order = orderOf(cursor)
  const ends = filter.walks
    .map(
      (walk) => sql`(
        select created_at, id from ${indexed(tenant, walk, filter, cursor)}
        order by ${order} offset ${SCANNED_MAX - 1} limit 1)`,
    )
    .reduce((left, right) => sql`${left} union all ${right}`)
  return db.maybe<Place>`${PLAN_EACH_TIME}
    select * from (${ends}) ends order by ${order} limit 1`
}

/** The kinds of account that exist only once per business and currency, in display order. */
export const OWN_KINDS: readonly string[] = [
  'wallet_available',
  'wallet_pending',
  'held',
  'refunds',
  'unallocated',
  'fees',
  'receivable',
]

/** The kinds of account that exist once for each connection to a provider. */
export const CONNECTION_KINDS: readonly string[] = ['provider_clearing', 'provider_fees', 'bank']

const LISTED_KINDS = [...OWN_KINDS, ...CONNECTION_KINDS]

export interface AccountRow {
  id: number
  kind: string
  subject_id: number
  /** The name of its connection, if it has one. */
  connection: string | null
  currency: string
  /** Credits minus debits. */
  balance_minor: Minor
}

const COLUMNS = sql`id, kind, subject_id, ${connectionOf(sql`ledger_accounts`)} as connection,
  currency, credits_minor - debits_minor as balance_minor`

const ofAll = ({ businessId, live }: Tenant): Sql =>
  sql`business_id = ${businessId} and live = ${live}`

/**
 * Selects the business's accounts in one currency, or in all, except those of subaccounts. An
 * account doesn't exist until its first use.
 */
export function selectAccounts(db: Db, tenant: Tenant, currency: string | undefined) {
  const wanted = currency === undefined ? sql`true` : sql`currency = ${currency}`
  return db.many<AccountRow>`
    select ${COLUMNS} from ledger_accounts
    where ${ofAll(tenant)} and kind = any(${LISTED_KINDS}::text[]) and ${wanted}
    order by currency, array_position(${LISTED_KINDS}::text[], kind), subject_id`
}

/**
 * Selects one account, if it has ever been used. `subjectId` is the id of the subaccount or
 * connection, or 0 for an account that exists only once.
 */
export function selectAccount(
  db: Db,
  tenant: Tenant,
  { kind, subjectId, currency }: { kind: string; subjectId: number; currency: string },
) {
  return db.maybe<AccountRow>`
    select ${COLUMNS} from ledger_accounts
    where ${ofAll(tenant)} and kind = ${kind} and subject_id = ${subjectId}
      and currency = ${currency}`
}

/** Sums the balances of all subaccounts, by currency. */
export function sumSubaccounts(db: Db, tenant: Tenant) {
  return db.many<{ currency: string; count: number; balance_minor: Minor }>`
    select currency, count(*) as count, sum(credits_minor - debits_minor)::bigint as balance_minor
    from ledger_accounts
    where ${ofAll(tenant)} and kind = 'subaccount'
    group by currency order by currency`
}

/** Selects subaccounts that have ledger accounts, by name. */
export function selectSubaccountAccounts(db: Db, tenant: Tenant, limit: number) {
  return db.many<AccountRow & { reference: string; business_name: string }>`
    select a.id, a.kind, a.subject_id, null as connection, a.currency,
      a.credits_minor - a.debits_minor as balance_minor, s.reference, s.business_name
    from subaccounts s
    join ledger_accounts a on a.business_id = s.business_id and a.live = s.live
      and a.kind = 'subaccount' and a.subject_id = s.id and a.currency = s.currency
    where s.business_id = ${tenant.businessId} and s.live = ${tenant.live}
    order by lower(s.business_name), s.id limit ${limit}`
}

/** Adding up this many takes about 100 ms. */
const NEWER_MAX = 100_000

/**
 * Returns an account's credits minus debits right after one of its movements. This is the current
 * balance minus all newer movements. Returns null if there are too many to add up.
 */
export async function selectBalanceAfter(
  db: Db,
  tenant: Tenant,
  accountId: number,
  { created_at, id }: Place,
): Promise<Minor | null> {
  const newer = (account: Sql, sign: Sql) => sql`(
    select ${sign} * amount_minor as change from ledger_transfers
    where ${ofAll(tenant)} and ${account} = ${accountId}
      and (created_at, id) > (${created_at}::timestamptz, ${id}::bigint)
    order by created_at desc, id desc limit ${NEWER_MAX + 1})`
  const row = await db.one<{ count: number; balance_minor: Minor }>`${PLAN_EACH_TIME}
    select (
        select credits_minor - debits_minor from ledger_accounts
        where ${ofAll(tenant)} and id = ${accountId}
      ) - coalesce(sum(change), 0)::bigint as balance_minor, count(*) as count
    from (
      ${newer(sql`debit_account_id`, sql`-1`)} union all
      ${newer(sql`credit_account_id`, sql`1`)}
    ) newer`
  return row.count > NEWER_MAX ? null : row.balance_minor
}

/**
 * More movements than any journal contains: two for each of 100 subaccounts, plus those of the
 * business.
 */
const MOVES_MAX = 1_000

/** Selects all movements of one journal, which were posted together. */
export function selectJournal(db: Db, tenant: Tenant, journalId: number) {
  const { columns, joins } = movesOf(tenant)
  return db.many<MoveRow>`
    select ${columns} from (
      select * from ledger_transfers
      where business_id = ${tenant.businessId} and live = ${tenant.live}
        and journal_id = ${journalId}
      order by id limit ${MOVES_MAX}
    ) t ${joins} order by t.id`
}

/** Selects a movement's journal and, once it is sealed, its place in the hash chain. */
export function selectEntry(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<{ journal_id: number; seal: number | null; sealed_at: Date | null }>`
    select t.journal_id, s.seq as seal, s.sealed_at from ledger_transfers t
    left join ledger_seals s
      on s.business_id = ${businessId} and s.live = ${live} and s.transfer_id = t.id
    where t.business_id = ${businessId} and t.live = ${live} and t.id = ${id}`
}

/**
 * Selects the other journals with the same cause, oldest first. Each is identified by its first
 * movement.
 */
export function selectSteps(
  db: Db,
  { businessId, live }: Tenant,
  { type, id }: { type: string; id: number },
) {
  return db.many<{ id: number; verb: string; entry_id: number; created_at: Date }>`
    select j.id, j.verb, j.created_at, (
        select min(t.id) from ledger_transfers t
        where t.business_id = ${businessId} and t.live = ${live} and t.journal_id = j.id
      ) as entry_id
    from ledger_journals j
    where j.business_id = ${businessId} and j.live = ${live}
      and j.cause_type = ${type} and j.cause_id = ${id}
    order by j.created_at, j.id limit 100`
}
