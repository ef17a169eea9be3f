import type { Db } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { AuditCheck } from '../../ledger/audit.ts'
import type { ProtectedRows } from '../../ledger/row-notes.ts'
import { chainedContent } from './queries.ts'

export const consoleChecks: readonly AuditCheck[] = [
  {
    // Each entry is compared with the previous entry's stored hash, so that only the changed row is
    // reported.
    name: 'audit-log',
    what: 'no audit log entry has changed since it was written',
    table: 'audit_log',
    sql: sql`
      select a.business_id, coalesce(a.live, false) as live, a.seq as id,
        'the entry or its hash was changed' as problem
      from (
        select *, lag(seq, 1, 0::bigint) over chain as previous,
          lag(hash, 1, decode(repeat('00', 32), 'hex')) over chain as previous_hash
        from audit_log
        window chain as (partition by business_id order by seq)
      ) as a
      where a.seq = a.previous + 1
        and a.hash <> sha256(a.previous_hash || convert_to(${chainedContent}, 'UTF8'))`,
  },
  {
    name: 'audit-log-gaps',
    what: 'audit log entries are numbered from 1 to the chain head without gaps',
    table: 'audit_log',
    sql: sql`
      select business_id, false as live, previous + 1 as id,
        format('entries %s to %s are missing', previous + 1, seq - 1) as problem
      from (
        select *, lag(seq, 1, 0::bigint) over (partition by business_id order by seq) as previous
        from audit_log
      ) as numbered
      where seq <> previous + 1
      union all
      select coalesce(c.business_id, a.business_id), false, coalesce(c.seq, 0),
        format('the last entry (%s) does not match the chain head (%s) in number and hash',
          coalesce(a.seq, 0), coalesce(c.seq, 0))
      from audit_chains c
      full join (
        select distinct on (business_id) business_id, seq, hash from audit_log
        order by business_id, seq desc
      ) as a on a.business_id = c.business_id
      where coalesce(a.seq, 0) <> coalesce(c.seq, 0) or a.hash is distinct from c.hash
        and coalesce(c.seq, 0) > 0`,
  },
  {
    name: 'audit-log-missing',
    what: 'every business with members has an audit log',
    table: 'audit_log',
    sql: sql`
      select m.business_id, false as live, 1 as id,
        format('the log is missing, although the business has %s members', count(*)) as problem
      from members m
      left join (select business_id from audit_log group by business_id) as a
        on a.business_id = m.business_id
      where a.business_id is null
      group by m.business_id`,
  },
  {
    name: 'owners',
    what: 'every business with members has an owner',
    table: 'members',
    sql: sql`
      select business_id, false as live, min(person_id) as id,
        format('none of its %s members is an owner', count(*)) as problem
      from members group by business_id
      having count(*) filter (where role = 'owner') = 0`,
  },
]

/**
 * Selects a business's entries after one with this hash, and whether each of them fits the entry
 * before it.
 */
export const logPage = (
  db: Db,
  businessId: number,
  { seq, hash }: { seq: number; hash: string },
  limit: number,
) =>
  db.many<{ seq: number; hash: string; fits: boolean }>`
    select a.seq, encode(a.hash, 'hex') as hash,
      a.hash = sha256(a.previous_hash || convert_to(${chainedContent}, 'UTF8')) as fits
    from (
      select *, lag(hash, 1, decode(${hash}, 'hex')) over (order by seq) as previous_hash
      from (
        select * from audit_log
        where business_id = ${businessId} and seq > ${seq}
        order by seq limit ${limit}
      ) as page
    ) as a
    order by a.seq`

/** Selects the hash of one entry of a business, and the head of its chain. */
export async function logEnds(db: Db, businessId: number, seq: number) {
  const entry = await db.maybe<{ hash: string }>`
    select encode(hash, 'hex') as hash from audit_log
    where business_id = ${businessId} and seq = ${seq}`
  const head = await db.maybe<{ seq: number; hash: string }>`
    select seq, encode(hash, 'hex') as hash from audit_chains where business_id = ${businessId}`
  return { kept: entry?.hash, head }
}

export const protectedMembers: ProtectedRows = {
  kind: 'member',
  table: 'members',
  rows: sql`select business_id, false as live, person_id as id, created_at,
    to_json(array[role])::text as content from members`,
}

export const protectedBusinesses: ProtectedRows = {
  kind: 'business',
  table: 'businesses',
  rows: sql`select s.business_id, s.live, b.id, b.created_at,
      to_json(array[b.requires_two_factor::text])::text as content
    from business_settings s join businesses b on b.id = s.business_id where not s.live`,
  unwritten: '["false"]',
}

/** Members' requests for which the audit log has no outcome yet. */
export const protectedIntents: ProtectedRows = {
  kind: 'asked',
  table: 'audit_asked',
  rows: sql`select business_id, live, id, at as created_at, to_json(array[person_id::text,
    person_name, ip, request_id, action, object])::text as content from audit_asked`,
}
