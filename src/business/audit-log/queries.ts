import type { Db, Tx } from '../../db/database.ts'
import { all, type Sql, sql } from '../../db/sql.ts'

/** The hash preceding the first entry of a chain. */
const GENESIS = Buffer.alloc(32)

/** Everything that the hash of entry `a` covers, as a JSON array of strings. */
export const chainedContent: Sql = sql`to_json(array[
  a.business_id::text, a.seq::text, a.live::text,
  to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
  a.person_id::text, a.person_name, a.ip, a.request_id, a.action, a.object, a.detail])::text`

export interface AuditRow {
  business_id: number
  seq: number
  live: boolean | null
  at: Date
  person_id: number | null
  person_name: string
  ip: string | null
  request_id: string | null
  action: string
  object: string | null
  detail: string
}

/** Locks a business's chain. Creates the chain if this is its first entry. */
export async function lockChain(tx: Tx, businessId: number): Promise<void> {
  await tx.run`
    insert into audit_chains (business_id, seq, hash) values (${businessId}, 0, ${GENESIS})
    on conflict do nothing`
  await tx.one`select 1 from audit_chains where business_id = ${businessId} for no key update`
}

/** Appends an entry to a chain that the caller has locked. */
export const insertEntry = (tx: Tx, row: Omit<AuditRow, 'seq'>) =>
  tx.run`
    with written as (
      insert into audit_log (business_id, seq, live, at, person_id, person_name, ip, request_id,
        action, object, detail, hash)
      select a.business_id, a.seq, a.live, a.at, a.person_id, a.person_name, a.ip, a.request_id,
        a.action, a.object, a.detail,
        sha256(a.previous || convert_to(${chainedContent}, 'UTF8'))
      from (
        select c.business_id, c.seq + 1 as seq, ${row.live}::boolean as live,
          ${row.at}::timestamptz as at, ${row.person_id}::bigint as person_id,
          ${row.person_name}::text as person_name, ${row.ip}::text as ip,
          ${row.request_id}::text as request_id, ${row.action}::text as action,
          ${row.object}::text as object, ${row.detail}::text as detail, c.hash as previous
        from audit_chains c where c.business_id = ${row.business_id}) as a
      returning business_id, seq, hash)
    update audit_chains c set seq = written.seq, hash = written.hash
    from written where c.business_id = written.business_id`

export interface AuditFilter {
  person?: number | undefined
  action?: string | undefined
  from?: Date | undefined
  /** Exclusive. */
  until?: Date | undefined
}

const matches = (businessId: number, { person, action, from, until }: AuditFilter): Sql =>
  all([
    sql`business_id = ${businessId}`,
    person === undefined ? undefined : sql`person_id = ${person}`,
    action === undefined
      ? undefined
      : sql`(action = ${action} or starts_with(action, ${`${action}.`}::text))`,
    from && sql`at >= ${from}`,
    until && sql`at < ${until}`,
  ])

const columns = sql`business_id, seq, live, at, person_id, person_name, ip, request_id, action,
  object, detail`

/** Newest first. With `before`, selects only entries with lower numbers, to fetch the next page. */
export const selectEntries = (
  db: Db,
  businessId: number,
  filter: AuditFilter,
  { before, offset, take }: { before: number | null; offset: number; take: number },
) =>
  db.many<AuditRow>`
    select ${columns} from audit_log
    where ${matches(businessId, filter)} and (${before}::bigint is null or seq < ${before})
    order by seq desc offset ${offset} limit ${take}`

export const countEntries = async (
  db: Db,
  businessId: number,
  filter: AuditFilter,
  max: number,
): Promise<number> =>
  (
    await db.one<{ n: number }>`
      select count(*) as n from (
        select 1 from audit_log where ${matches(businessId, filter)} limit ${max}) as found`
  ).n

/** Selects a person's businesses, in the order in which their chains are locked. */
export const selectBusinessIds = async (db: Db, personId: number): Promise<number[]> =>
  (
    await db.many<{ business_id: number }>`
      select business_id from members where person_id = ${personId} order by business_id`
  ).map((row) => row.business_id)

/** A member's request that has no known outcome yet. */
export interface IntentRow {
  business_id: number
  id: number
  live: boolean
  at: Date
  person_id: number
  person_name: string
  ip: string
  request_id: string
  action: string
  object: string | null
}

export const insertIntent = (db: Db, row: IntentRow) =>
  db.run`
    insert into audit_asked
      (business_id, id, live, at, person_id, person_name, ip, request_id, action, object)
    values (${row.business_id}, ${row.id}, ${row.live}, ${row.at}, ${row.person_id},
      ${row.person_name}, ${row.ip}, ${row.request_id}, ${row.action}, ${row.object})`

export const deleteIntent = async (
  tx: Tx,
  { business_id, id }: Pick<IntentRow, 'business_id' | 'id'>,
): Promise<boolean> =>
  (await tx.run`
    delete from audit_asked where business_id = ${business_id} and id = ${id}`) > 0

/** Selects requests from before a given moment that still have no outcome, oldest first. */
export const selectOpenIntents = (db: Db, before: Date, limit: number) =>
  db.many<IntentRow>`
    select business_id, id, live, at, person_id, person_name, ip, request_id, action, object
    from audit_asked where at <= ${before} order by at, id limit ${limit}`
