import type { Db } from '../../db/database.ts'
import { ANEW, all, type Sql, sql } from '../../db/sql.ts'
import {
  candidates,
  containsText,
  createdIn,
  of,
  recordOf,
  type TextIndex,
} from '../../db/text-search.ts'
import { textSweeper } from '../../jobs/text-index.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import type { Cursor, Place, Range } from '../../lib/paging.ts'
import { COLUMNS, type TransactionRow, UNTOLD } from './queries.ts'
import { TRANSACTION_STATES, type TransactionState } from './states.ts'

export const CHANNELS = ['USSD', 'BANK_TRANSFER', 'CARD', 'WALLET', 'OFFLINE'] as const

/** Which transactions are meant, by a list or by an export. */
export interface TransactionFilter {
  status: TransactionState | undefined
  channel: (typeof CHANNELS)[number] | undefined
  reference: string | undefined
  search: { id: number } | { reference: string } | { text: string } | undefined
  /** Whether the payer has chosen how to pay; a checkout that was only opened has not. */
  methodChosen: boolean | undefined
  range: Range
}

/**
 * So many have a text at most for all of them to be collected. Where more have it, one in so few
 * does that walking through the list soon comes by a page of them.
 */
const COLLECTED_MAX = 5_000

/**
 * So many, newest first from the cursor on; where that says `back`, the ones before it instead,
 * oldest first.
 */
export async function findTransactions(
  db: Db,
  tenant: Tenant,
  filter: TransactionFilter,
  cursor: Cursor | undefined,
  limit: number,
): Promise<TransactionRow[]> {
  const { search, reference } = filter
  if (search && 'text' in search && reference === undefined) {
    const found = await findByText(db, tenant, filter, search.text, cursor, limit)
    if (found) return found
  }
  return findInOrder(db, tenant, filter, cursor, limit)
}

/** So many, newest first, from where the last ones ended: for reading on. */
export const selectOlder = (
  db: Db,
  tenant: Tenant,
  filter: TransactionFilter,
  after: Place | undefined,
  limit: number,
) => findInOrder(db, tenant, filter, after && { ...after, back: false }, limit)

/** Through the list itself. Each part ends at the limit, and the rows that are left are read. */
function findInOrder(
  db: Db,
  tenant: Tenant,
  filter: TransactionFilter,
  cursor: Cursor | undefined,
  limit: number,
) {
  const order = orderOf(cursor)
  const parts = conditions(tenant, filter, cursor).map(
    (wanted) => sql`
      (select id, created_at from transactions where ${wanted} order by ${order} limit ${limit})`,
  )
  return db.many<TransactionRow>`
    select ${COLUMNS} from (
      select id as found_id from (${parts.reduce((left, right) => sql`${left} union all ${right}`)})
        parts
      order by ${order} limit ${limit}
    ) page cross join ${recordOf(TRANSACTION_TEXTS, tenant, sql`found_id`)} transactions
    order by ${order}`
}

type Row = TransactionRow & { collected: number }

/**
 * Through the index of texts, and the queue of those that are not in it yet; undefined when too
 * many have the text.
 */
async function findByText(
  db: Db,
  tenant: Tenant,
  filter: TransactionFilter,
  text: string,
  cursor: Cursor | undefined,
  limit: number,
): Promise<TransactionRow[] | undefined> {
  const order = orderOf(cursor)
  const collected = candidates(TRANSACTION_TEXTS, tenant, {
    text,
    range: rangeFrom(filter.range, cursor),
    further: cursor && beyond(cursor),
    ascending: cursor?.back ?? false,
  })
  const isFiltered = filter.status !== undefined || filter.channel !== undefined
  // None is looked at where the list is walked after all: it would be most of what this costs.
  const areAll = sql`(select count(*) from candidates) < ${COLLECTED_MAX}`
  const matches = isFiltered
    ? sql`
      select r.id, r.created_at
      from candidates c cross join ${recordOf(TRANSACTION_TEXTS, tenant, sql`c.id`)} r
      where ${areAll} and ${all([isInState(filter), isChosen(filter)])}`
    : sql`select id, created_at from candidates where ${areAll}`
  const rows = await db.many<Row>`${ANEW}
    with candidates as materialized (
      ${collected} limit ${COLLECTED_MAX}
    ), page as (
      select r.*
      from (select id from (${matches}) matches order by ${order} limit ${limit}) m
        cross join ${recordOf(TRANSACTION_TEXTS, tenant, sql`m.id`)} r
    )
    select collected, ${COLUMNS}
    from (select count(*) as collected from candidates) counted left join page on true
    order by ${order}`
  if (rows[0]!.collected === COLLECTED_MAX) return undefined
  return rows.filter(({ id }) => id !== null)
}

const orderOf = (cursor: Cursor | undefined): Sql =>
  cursor?.back ? sql`created_at, id` : sql`created_at desc, id desc`

function beyond({ created_at, id, back }: Cursor): Sql {
  const place = sql`(${created_at}::timestamptz, ${id}::bigint)`
  return back ? sql`(created_at, id) > ${place}` : sql`(created_at, id) < ${place}`
}

/** What is left of the range, so that weeks on the other side of the cursor are not looked into. */
function rangeFrom({ from, until }: Range, cursor: Cursor | undefined): Range {
  if (!cursor) return { from, until }
  const at = cursor.created_at
  if (cursor.back) return { from: from && from > at ? from : at, until }
  const after = new Date(at.getTime() + 1)
  return { from, until: until && until < after ? until : after }
}

const isInState = ({ status, channel }: Pick<TransactionFilter, 'status' | 'channel'>): Sql =>
  all([status && sql`status = ${status}`, channel && sql`channel = ${channel}`])

const isChosen = ({ methodChosen }: Pick<TransactionFilter, 'methodChosen'>): Sql | undefined =>
  methodChosen === undefined ? undefined : sql`(provider <> ${UNTOLD}) = ${methodChosen}::boolean`

/**
 * What the transactions that are meant meet, each of them exactly one of it. The index by status
 * and channel is in the order of the list for each pair of the two, so where one of them is asked
 * for, the other is written out.
 */
function conditions(tenant: Tenant, filter: TransactionFilter, cursor: Cursor | undefined): Sql[] {
  const { status, channel, range, reference, search } = filter
  const isOne = reference !== undefined || (search && !('text' in search))
  const isPart = !isOne && (status === undefined) !== (channel === undefined)
  const pairs = isPart ? pairsOf(filter) : [{ status, channel }]
  return pairs.map((pair) =>
    all([
      of(tenant),
      isInState(pair),
      isChosen(filter),
      createdIn(range),
      cursor && beyond(cursor),
      reference === undefined ? undefined : sql`reference = ${reference}`,
      search && isSought(search),
    ]),
  )
}

const pairsOf = ({ status, channel }: TransactionFilter) =>
  status === undefined
    ? TRANSACTION_STATES.map((one) => ({ status: one, channel }))
    : CHANNELS.map((one) => ({ status, channel: one }))

function isSought(search: NonNullable<TransactionFilter['search']>): Sql {
  if ('id' in search) return sql`id = ${search.id}`
  if ('reference' in search) return sql`reference = ${search.reference}`
  return containsText(search.text)
}

export interface Period {
  from: Date
  /** Exclusive. */
  until: Date
  currency: string
}

/** What the transactions of one status and channel come to. */
export interface Sums extends Pick<TransactionRow, 'status' | 'channel'> {
  count: number
  amount: Minor
  fee: Minor
  /** What was received, fees on top and overpayments and all; 0 where nothing was. */
  paid: Minor
  excess: Minor
  refunded: Minor
  /** Of the refunds, what was not an overpayment. */
  given_back: Minor
}

/**
 * Reads every transaction of the period: some 1 µs of each, so 30 ms for a month and 0.4 s for a
 * year of 400,000. An index with all these columns halves that, but then no change of an amount
 * could spare the other indexes. The sums are numeric, so that not even those of the largest
 * amounts overflow, and come as text.
 */
export async function sumTransactions(
  db: Db,
  { businessId, live }: Tenant,
  { from, until, currency }: Period,
): Promise<Sums[]> {
  const rows = await db.many<Record<keyof Sums, string> & Pick<Sums, 'status' | 'channel'>>`
    select status, channel, count(*)::text as count, sum(amount_minor)::text as amount,
      sum(fee_minor)::text as fee, sum(coalesce(paid_minor, 0))::text as paid,
      sum(excess_minor)::text as excess, sum(refunded_minor)::text as refunded,
      sum(greatest(refunded_minor - excess_minor, 0))::text as given_back
    from transactions
    where business_id = ${businessId} and live = ${live} and created_at >= ${from}
      and created_at < ${until} and currency = ${currency}
    group by status, channel`
  return rows.map(
    ({ status, channel, count, amount, fee, paid, excess, refunded, given_back }) => ({
      status,
      channel,
      count: Number(count),
      amount: BigInt(amount),
      fee: BigInt(fee),
      paid: BigInt(paid),
      excess: BigInt(excess),
      refunded: BigInt(refunded),
      given_back: BigInt(given_back),
    }),
  )
}

export const TRANSACTION_TEXTS: TextIndex = {
  records: sql`transactions`,
  texts: sql`transaction_texts`,
  due: sql`transaction_texts_due`,
}

export const transactionTextSweeper = textSweeper('transaction-texts', TRANSACTION_TEXTS)
