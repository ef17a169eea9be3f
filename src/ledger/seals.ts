import { createHash } from 'node:crypto'
import type { Database, Db, Tx } from '../db/database.ts'
import { groupsFor } from '../db/distributed/rewrite.ts'
import { type Sql, sql } from '../db/sql.ts'
import { columnsOf } from './journals.ts'

/** The hash that precedes a chain's first seal. */
const GENESIS = Buffer.alloc(32)

const timeText = (column: Sql) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const SEALED: Sql = sql`t.business_id::text, t.live::text, t.id::text, t.debit_account_id::text,
  t.credit_account_id::text, t.amount_minor::text, t.currency, t.kind,
  ${timeText(sql`t.created_at`)}, t.journal_id::text, j.cause_type, j.cause_id::text, j.verb,
  ${timeText(sql`j.created_at`)}`

/**
 * Everything that a seal covers, as a JSON array of strings: the transfer `t`, its journal `j` and
 * the time of sealing. Times are formatted explicitly because PostgreSQL's default format depends
 * on settings.
 */
export const sealedContent = (sealedAt: Sql): Sql =>
  sql`to_json(array[${SEALED}, ${timeText(sealedAt)}])::text`

/** The same for version 1 seals, which do not cover the time of sealing. */
export const sealedContent1: Sql = sql`to_json(array[${SEALED}])::text`

const hashOf = (previous: Buffer, content: string): Buffer =>
  createHash('sha256').update(previous).update(content).digest()

/**
 * Seals posted transfers. It does not depend on the time, so it does not follow the test clocks.
 */
export const ledgerSeal = {
  name: 'ledger-seal',
  everyMs: 2_000,
  async run(db: Database, now: Date, only?: number): Promise<number> {
    return only === undefined ? sealLedger(db, now, JOURNALS_MAX) : 0
  },
}

/** 1,000 journals take about 40 ms. */
const JOURNALS_MAX = 1_000

/**
 * Takes up to `limit` journals from the queue and seals their transfers, adding each to its
 * tenant's chain: hash = SHA-256(previous hash, `sealedContent`). Returns the number of transfers
 * sealed.
 *
 * A chain follows the order of sealing: by id within a batch, and otherwise in the order in which
 * transfers were committed and found. Any fixed order would prove the same, but with this one, no
 * row can arrive too late for its position. Several processes can run this at once: each seals the
 * chains it can lock and skips those locked by another.
 */
export function sealLedger(db: Database, now: Date, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const chains = await lockChains(tx, limit)
    if (chains.size === 0) return 0
    const taken = await takeUnsealed(tx, [...chains.values()], now, limit)
    const seals = taken.map(({ business_id, live, transfer_id, content }) => {
      const chain = chains.get(keyOf({ business_id, live }))!
      chain.seq += 1
      chain.hash = hashOf(chain.hash, content)
      return { ...chain, transfer_id }
    })
    await insertSeals(tx, seals, now)
    await updateChains(tx, [...chains.values()])
    return seals.length
  })
}

interface Chain {
  business_id: number
  live: boolean
  seq: number
  hash: Buffer
}

const keyOf = ({ business_id, live }: Pick<Chain, 'business_id' | 'live'>) =>
  `${business_id} ${live}`

/**
 * Locks the chains of the tenants that have journals in the queue, except those that another
 * process has locked.
 */
async function lockChains(tx: Tx, limit: number): Promise<Map<string, Chain>> {
  const all = await selectWaiting(tx, limit)
  if (all.length === 0) return new Map()
  // Any of the groups: another process may be sealing the first one.
  const groups = groupsFor(tx, all, ({ business_id }) => business_id)
  const waiting = groups[Math.floor(Math.random() * groups.length)]!
  const w = columnsOf(waiting)
  await tx.run`
    insert into ledger_chains (business_id, live, seq, hash)
    select business_id, live, 0, ${GENESIS}::bytea
    from unnest(${w('business_id')}::bigint[], ${w('live')}::boolean[]) as w (business_id, live)
    on conflict do nothing`
  const chains = await tx.many<Chain>`
    select c.business_id, c.live, c.seq, c.hash
    from unnest(${w('business_id')}::bigint[], ${w('live')}::boolean[]) as w (business_id, live)
    join ledger_chains c using (business_id, live)
    for no key update of c skip locked`
  return new Map(chains.map((chain) => [keyOf(chain), chain]))
}

function selectWaiting(db: Db, limit: number): Promise<Pick<Chain, 'business_id' | 'live'>[]> {
  return db.many`
    select distinct business_id, live
    from (select business_id, live from ledger_unsealed limit ${limit}) as waiting
    order by business_id, live`
}

interface Unsealed {
  business_id: number
  live: boolean
  transfer_id: number
  content: string
}

/** Skips transfers that already have a seal, because they would block their chain for ever. */
function takeUnsealed(
  tx: Tx,
  chains: readonly Chain[],
  now: Date,
  limit: number,
): Promise<Unsealed[]> {
  const c = columnsOf(chains)
  return tx.many`
    with taken as (
      delete from ledger_unsealed where business_id = any(${c('business_id')}::bigint[])
        and ctid = any(array(
          select u.ctid from ledger_unsealed u
          join unnest(${c('business_id')}::bigint[], ${c('live')}::boolean[])
            as c (business_id, live) using (business_id, live)
          limit ${limit}))
      returning business_id, live, journal_id
    )
    select t.business_id, t.live, t.id as transfer_id,
      ${sealedContent(sql`${now}::timestamptz`)} as content
    from (select distinct business_id, live, journal_id from taken) u
    join ledger_journals j on (j.business_id, j.live, j.id) = (u.business_id, u.live, u.journal_id)
    join ledger_transfers t
      on (t.business_id, t.live, t.journal_id) = (u.business_id, u.live, u.journal_id)
    where not exists (
      select from ledger_seals s
      where (s.business_id, s.live, s.transfer_id) = (t.business_id, t.live, t.id))
    order by t.business_id, t.live, t.id`
}

function insertSeals(
  tx: Tx,
  seals: readonly (Chain & { transfer_id: number })[],
  now: Date,
): Promise<number> {
  const s = columnsOf(seals)
  return tx.run`
    insert into ledger_seals (business_id, live, seq, transfer_id, hash, sealed_at, version)
    select business_id, live, seq, transfer_id, hash, ${now}::timestamptz, 2 from unnest(
      ${s('business_id')}::bigint[], ${s('live')}::boolean[], ${s('seq')}::bigint[],
      ${s('transfer_id')}::bigint[], ${s('hash')}::bytea[]
    ) as s (business_id, live, seq, transfer_id, hash)`
}

function updateChains(tx: Tx, chains: readonly Chain[]): Promise<number> {
  const c = columnsOf(chains)
  return tx.run`
    update ledger_chains set seq = c.seq, hash = c.hash
    from unnest(${c('business_id')}::bigint[], ${c('live')}::boolean[], ${c('seq')}::bigint[],
      ${c('hash')}::bytea[]) as c (business_id, live, seq, hash)
    where (ledger_chains.business_id, ledger_chains.live) = (c.business_id, c.live)`
}

/** Everything that the hash of a digest seal `s` covers besides the previous hash. */
export const DIGEST_SEAL_CONTENT: Sql = sql`convert_to(to_json(array[
    s.business_id::text, s.live::text, s.seq::text, s.kind,
    to_char(s.sealed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')])::text, 'UTF8')
  || (select string_agg(convert_to(u.id::text, 'UTF8') || u.digest, ''::bytea order by u.n)
    from unnest(s.ids, s.digests) with ordinality as u (id, digest, n))`

/** Each row has up to 512 digests, so a seal covers at most 1 MB. */
const ROWS_MAX = 50
/** 100 rows take about 10 ms. */
const WAITING_MAX = 1_000

/** Seals digests of events and rows. It does not depend on the time. */
export const digestSeal = {
  name: 'digest-seal',
  everyMs: 2_000,
  run: (db: Database, now: Date, only?: number): Promise<number> =>
    only === undefined ? sealDigests(db, now) : Promise.resolve(0),
}

/**
 * Seals queued digests, adding each to its tenant's chain. Returns the number of queue rows taken.
 * Several processes can run this at once: each skips chains locked by another.
 */
function sealDigests(db: Database, now: Date): Promise<number> {
  return db.transaction(async (tx) => {
    const waiting = await selectWaitingDigests(tx)
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

const selectWaitingDigests = (tx: Tx) =>
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

/** Sorts by id, so that a seal does not depend on the order in which rows were found. */
async function seal(tx: Tx, { business_id, live, kind }: Queue, now: Date): Promise<number> {
  const { n } = await tx.one<{ n: number }>`
    with taken as (
      delete from digests_unsealed where business_id = ${business_id} and ctid = any(array(
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
