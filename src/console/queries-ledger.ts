import type { Db } from '../db/database.ts'
import { ANEW, all, type Sql, sql } from '../db/sql.ts'
import type { Cursor, Place } from '../lib/cursor.ts'
import type { Minor } from '../lib/money.ts'
import type { Range } from '../lib/paging.ts'
import type { Tenant } from '../lib/tenant.ts'

export interface MoveRow {
  id: number
  journal_id: number
  kind: string
  amount_minor: Minor
  currency: string
  debit_account_id: number
  debit_kind: string
  debit_subject: number
  credit_account_id: number
  credit_kind: string
  credit_subject: number
  verb: string
  cause_type: string
  cause_id: number
  created_at: Date
}

/** One side of one account: what it gave, or what it got. */
export interface Walk {
  accountId: number
  side: 'debit' | 'credit'
}

export interface MoveFilter {
  /** Together they come by every movement that is wanted, some of them twice. */
  walks: readonly Walk[]
  range: Range
  kind: string | undefined
  causeType: string | undefined
  /** Only what this caused; its few movements are found by it, and not by walking. */
  cause: { type: string; id: number } | undefined
}

/**
 * How many movements of a walk are looked at for those that a filter wants: 10,000 take some 20 ms.
 * A filter that hardly any meets would else read all there are.
 */
export const LOOKED_MAX = 10_000

/**
 * Movements between accounts, newest first, or from a cursor back to what is newer. No index has
 * all of a business in this order, which each payment would pay for; but every movement touches an
 * account that there is only one of, and each side of an account has an index.
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
  return db.many<MoveRow>`${ANEW}
    select ${columns} from (
      select distinct on (created_at, id) * from (${found}) found
      order by ${order} limit ${take}
    ) t ${joins}
    order by ${cursor?.back ? sql`t.created_at, t.id` : sql`t.created_at desc, t.id desc`}`
}

/** The columns of movements `t`, and what is joined for them: both accounts and the journal. */
export const movesOf = (tenant: Tenant) => ({
  columns: sql`t.id, t.journal_id, t.kind, t.amount_minor, t.currency, t.created_at,
    d.id as debit_account_id, d.kind as debit_kind, d.subject_id as debit_subject,
    c.id as credit_account_id, c.kind as credit_kind, c.subject_id as credit_subject,
    j.verb, j.cause_type, j.cause_id`,
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

/** Movements of one side, as far as its index says which are wanted. */
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
    select * from (${looked} limit ${LOOKED_MAX}) looked where ${wanted(tenant, filter)}
    order by ${order} limit ${take})`
}

/** Whether a walk comes by movements that are not wanted. */
const isSparse = ({ kind, causeType }: MoveFilter) => kind !== undefined || causeType !== undefined

/** Looks the cause up for each movement: a join would read the journals of all. */
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
 * Where looking ended with movements unlooked at, in the order of reading: what lies beyond may
 * have been found on one side and missed on another. Undefined when all were looked at.
 */
export async function selectEndOfLook(
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
        order by ${order} offset ${LOOKED_MAX - 1} limit 1)`,
    )
    .reduce((left, right) => sql`${left} union all ${right}`)
  return db.maybe<Place>`${ANEW}
    select * from (${ends}) ends order by ${order} limit 1`
}
