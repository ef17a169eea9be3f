import type { Database, Tx } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'

/** What the first seal of a chain follows. */
const GENESIS = Buffer.alloc(32)

/** Everything that the hash of the digest seal `s` covers beside the hash before it. */
export const DIGEST_SEAL_CONTENT: Sql = sql`convert_to(to_json(array[
    s.business_id::text, s.live::text, s.seq::text, s.kind,
    to_char(s.sealed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')])::text, 'UTF8')
  || (select string_agg(convert_to(u.id::text, 'UTF8') || u.digest, ''::bytea order by u.n)
    from unnest(s.ids, s.digests) with ordinality as u (id, digest, n))`

/** Each is up to 512 digests, which makes at most 1 MB a seal. */
const ROWS_MAX = 50
/** 100 rows take some 10 ms. */
const WAITING_MAX = 1_000

/** Seals digests of events and rows. Nothing here is due by a clock. */
export const digestSeal = {
  name: 'digest-seal',
  everyMs: 2_000,
  sweep: (db: Database, now: Date, only?: number): Promise<number> =>
    only === undefined ? sealDigests(db, now) : Promise.resolve(0),
}

/**
 * Seals digests that wait, each onto the chain of its tenant. Answers how many rows it took. Safe
 * with several processes at once: each passes over the chains that another one has locked.
 */
export function sealDigests(db: Database, now: Date): Promise<number> {
  return db.transaction(async (tx) => {
    const waiting = await selectWaiting(tx)
    let taken = 0
    for (const queue of waiting) {
      if (await lockChain(tx, queue)) taken += await seal(tx, queue, now)
    }
    return taken
  })
}

interface Queue {
  business_id: number
  live: boolean
  kind: string
}

const selectWaiting = (tx: Tx) =>
  tx.many<Queue>`
    select distinct business_id, live, kind
    from (select business_id, live, kind from digests_unsealed limit ${WAITING_MAX}) as waiting
    order by business_id, live, kind`

async function lockChain(tx: Tx, { business_id, live }: Queue): Promise<boolean> {
  await tx.run`
    insert into digest_chains (business_id, live, seq, hash)
    values (${business_id}, ${live}, 0, ${GENESIS})
    on conflict do nothing`
  const locked = await tx.maybe`
    select from digest_chains where business_id = ${business_id} and live = ${live}
    for no key update skip locked`
  return locked !== undefined
}

/** Sorted by id, so that a seal does not depend on the order in which rows were found. */
async function seal(tx: Tx, { business_id, live, kind }: Queue, now: Date): Promise<number> {
  const { n } = await tx.one<{ n: number }>`
    with taken as (
      delete from digests_unsealed where ctid = any(array(
        select ctid from digests_unsealed
        where business_id = ${business_id} and live = ${live} and kind = ${kind}
        limit ${ROWS_MAX}))
      returning ids, digests
    ), listed as (
      select array_agg(u.id order by u.id) as ids, array_agg(u.digest order by u.id) as digests
      from taken, unnest(taken.ids, taken.digests) as u (id, digest)
    ), sealed as (
      insert into digest_seals (business_id, live, seq, kind, ids, digests, hash, sealed_at)
      select s.business_id, s.live, s.seq, s.kind, s.ids, s.digests,
        sha256(s.previous || ${DIGEST_SEAL_CONTENT}), s.sealed_at
      from (
        select c.business_id, c.live, c.seq + 1 as seq, ${kind}::text as kind, l.ids, l.digests,
          c.hash as previous, ${now}::timestamptz as sealed_at
        from digest_chains c, listed l
        where c.business_id = ${business_id} and c.live = ${live} and l.ids is not null
      ) as s
      returning business_id, live, seq, hash
    ), moved as (
      update digest_chains c set seq = sealed.seq, hash = sealed.hash
      from sealed where (c.business_id, c.live) = (sealed.business_id, sealed.live)
    )
    select count(*) as n from taken`
  return n
}
