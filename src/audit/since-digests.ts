import type { Db } from '../db/database.ts'
import { EVENT_DIGEST, FORGOTTEN_DIGEST } from '../events/digest.ts'
import { BEFORE_DIGESTS, type ProtectedRows, ROW_NOTE_DIGEST } from '../ledger/row-notes.ts'
import { DIGEST_SEAL_CONTENT } from '../ledger/seals.ts'
import { type Checking, type Link, type Position, REWRITTEN } from './position.ts'

type Digested = Pick<Position, 'digests' | 'eventsFrom' | 'eventIds'>

/**
 * Checks the digests that were sealed since the position, the events written since then, what was
 * forgotten, and the notes about protected rows.
 */
export async function checkDigests(
  checking: Checking,
  watched: readonly ProtectedRows[],
): Promise<Digested> {
  const { position } = checking
  await checkKept(checking)
  const work: Work = {
    checking,
    last: position.digests,
    known: new Set(position.eventIds),
    digests: new Map(),
    events: new Map(),
    forgotten: new Map(),
    notes: new Map(),
    place: { at: position.eventsFrom ?? '-infinity', id: 0 },
    recent: [],
  }
  // One page of each in turn, because their orders are about the same. What does not match yet
  // stays in memory.
  for (let isDone = false; !isDone; ) {
    const sealed = await readSeals(work, checking.db)
    const events = await readEvents(work, checking.db)
    match(work)
    isDone = !sealed && !events
  }
  return checking.within((snapshot) => finish(work, snapshot, watched))
}

interface Work {
  checking: Checking
  /** The last verified seal. */
  last: Link
  /** Events that the audit before compared, among those that are read again. */
  known: Set<number>
  /** Digests whose events have not been read yet, and the reverse, by id. */
  digests: Map<number, string>
  events: Map<number, EventRow>
  forgotten: Map<number, string>
  notes: Map<number, string>
  place: Place
  /** The compared events, with their times. */
  recent: [id: number, at: string][]
}

interface Place {
  at: string
  id: number
}

interface EventRow {
  id: number
  at: string
  digest: string
  hasSalt: boolean
}

const SEALS_PAGE = 50
const EVENTS_PAGE = 5_000

async function checkKept({ db, position, report }: Checking): Promise<void> {
  const { businessId, live, digests } = position
  if (digests.seq === 0) return
  const kept = await db.maybe<{ hash: string }>`
    select encode(hash, 'hex') as hash from digest_seals
    where business_id = ${businessId} and live = ${live} and seq = ${digests.seq}`
  if (kept?.hash !== digests.hash) report('heads', 'digest_seals', digests.seq, REWRITTEN)
}

interface SealRow {
  seq: number
  hash: string
  kind: string
  fits: boolean
  ids: number[]
  digests: string[]
}

/** Reads one page of seals. Returns whether there can be more. */
async function readSeals(work: Work, db: Db): Promise<boolean> {
  const { report, position } = work.checking
  const { businessId, live } = position
  const page = await db.many<SealRow>`
    select s.seq, encode(s.hash, 'hex') as hash, s.kind, to_json(s.ids) as ids,
      s.hash = sha256(s.previous_hash || ${DIGEST_SEAL_CONTENT}) as fits,
      (select json_agg(encode(u.digest, 'hex') order by u.n)
        from unnest(s.digests) with ordinality as u (digest, n)) as digests
    from (
      select *, lag(hash, 1, decode(${work.last.hash}, 'hex')) over (order by seq)
        as previous_hash
      from (
        select * from digest_seals
        where business_id = ${businessId} and live = ${live} and seq > ${work.last.seq}
        order by seq limit ${SEALS_PAGE}
      ) as page
    ) as s
    order by s.seq`
  for (const { seq, hash, kind, fits, ids, digests } of page) {
    const { last } = work
    if (seq !== last.seq + 1) {
      report('digest-seals', 'digest_seals', seq, `seals ${last.seq + 1} to ${seq - 1} are missing`)
    } else if (!fits) {
      report('digest-seals', 'digest_seals', seq, 'the seal or its hash was changed')
    }
    for (const [i, id] of ids.entries()) keep(work, kind, id, digests[i]!)
    work.last = { seq, hash }
  }
  return page.length === SEALS_PAGE
}

function keep({ digests, forgotten, notes }: Work, kind: string, id: number, digest: string): void {
  if (kind === 'event') digests.set(id, digest)
  else if (kind === 'forgotten') forgotten.set(id, digest)
  else notes.set(id, digest)
}

/** Reads one page of events. Returns whether there can be more. */
async function readEvents(work: Work, db: Db): Promise<boolean> {
  const { businessId, live } = work.checking.position
  const page = await db.many<EventRow>`
    select e.id, e.created_at::text as at, encode(${EVENT_DIGEST}, 'hex') as digest,
      e.salt is not null as "hasSalt"
    from (
      select * from events
      where business_id = ${businessId} and live = ${live}
        and (created_at, id) > (${work.place.at}::timestamptz, ${work.place.id}::bigint)
      order by created_at, id limit ${EVENTS_PAGE}
    ) as e
    order by e.created_at, e.id`
  for (const event of page) {
    if (work.known.has(event.id)) work.recent.push([event.id, event.at])
    else {
      work.events.set(event.id, event)
      work.checking.examined.events += 1
    }
  }
  work.place = page.at(-1) ?? work.place
  return page.length === EVENTS_PAGE
}

/** Compares the events with their digests, and forgets both. */
function match(work: Work): void {
  const { checking, digests, events, recent } = work
  for (const [id, event] of events) {
    const digest = digests.get(id)
    if (digest === undefined) continue
    if (!event.hasSalt || digest !== event.digest) {
      checking.report('event-digests', 'events', id, 'it was changed')
    }
    digests.delete(id)
    events.delete(id)
    recent.push([id, event.at])
  }
  if (recent.length > RECENT_MAX) {
    const from = newestOf(recent) - HOUR_MS
    work.recent = recent.filter(([, at]) => new Date(at).getTime() >= from)
  }
}

const HOUR_MS = 3_600_000

/** If there are more, those that are older than an hour are left out. */
const RECENT_MAX = 50_000

const newestOf = (recent: Work['recent']): number =>
  recent.reduce((newest, [, at]) => Math.max(newest, new Date(at).getTime()), 0)

/** Reads the rest and the queue from one moment, and looks for what remains. */
async function finish(
  work: Work,
  snapshot: Db,
  watched: readonly ProtectedRows[],
): Promise<Digested> {
  const { checking, events } = work
  const { position, report } = checking
  const { businessId, live } = position
  while (await readSeals(work, snapshot));
  while (await readEvents(work, snapshot));
  match(work)
  const head = await snapshot.maybe<Link>`
    select seq, encode(hash, 'hex') as hash from digest_chains
    where business_id = ${businessId} and live = ${live}`
  if ((head?.seq ?? 0) !== work.last.seq || (work.last.seq > 0 && head?.hash !== work.last.hash)) {
    const says = `the last seal (${work.last.seq}) does not match the chain head`
    report('digest-chain-ends', 'digest_seals', head?.seq ?? 0, says)
  }
  const end: Link = work.last
  const unsealed = new Map<number, string>()
  const waiting = await snapshot.many<{ kind: string; id: number; digest: string }>`
    select s.kind, u.id, encode(u.digest, 'hex') as digest
    from digests_unsealed s, unnest(s.ids, s.digests) as u (id, digest)
    where s.business_id = ${businessId} and s.live = ${live}`
  for (const { kind, id, digest } of waiting) {
    if (kind === 'event') unsealed.set(id, digest)
    keep(work, kind, id, digest)
  }
  match(work)
  await checkForgotten(work, snapshot)
  await checkLost(work, snapshot)
  for (const event of events.values()) await checkForged(work, snapshot, event)
  await checkNotes(work, snapshot, watched)
  return { digests: end, ...recentOf(work, unsealed) }
}

/**
 * Returns from when events are read again: an hour before the newest event, or before the oldest
 * one whose digest is still waiting, because transactions commit in another order than their times.
 */
function recentOf({ recent, checking }: Work, unsealed: ReadonlyMap<number, string>) {
  if (recent.length === 0) {
    const { eventsFrom, eventIds } = checking.position
    return { eventsFrom, eventIds }
  }
  const open = recent.filter(([id]) => unsealed.has(id)).map(([, at]) => new Date(at).getTime())
  const from = new Date(open.reduce((a, b) => Math.min(a, b), newestOf(recent) - HOUR_MS))
  return {
    eventsFrom: from.toISOString(),
    // Digests that are still waiting are compared again once they are sealed.
    eventIds: recent
      .filter(([id, at]) => new Date(at) >= from && !unsealed.has(id))
      .map(([id]) => id),
  }
}

interface ForgottenRow {
  id: number
  digest: string
  stillExists: boolean
}

async function checkForgotten({ checking, forgotten, digests }: Work, db: Db): Promise<void> {
  const { report, position } = checking
  const ids = [...new Set([...forgotten.keys(), ...digests.keys()])]
  const rows = await db.many<ForgottenRow>`
    select e.id, encode(${FORGOTTEN_DIGEST}, 'hex') as digest, exists (
      select from events t
      where t.business_id = e.business_id and t.live = e.live and t.object_id = e.object_id
        and t.sequence = e.sequence and t.id = e.id) as "stillExists"
    from forgotten_events e
    where e.business_id = ${position.businessId} and e.live = ${position.live}
      and e.id = any(${ids}::bigint[])`
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const [id, digest] of forgotten) {
    const row = byId.get(id)
    const problem = !row
      ? 'it was forgotten, but the record of this is missing'
      : row.stillExists
        ? 'it still exists'
        : row.digest !== digest && 'it was changed'
    if (problem) report('forgotten-events', row ? 'forgotten_events' : 'events', id, problem)
  }
  for (const id of byId.keys()) {
    if (!forgotten.has(id)) {
      const says = 'the server did not forget it: it has no digest'
      report('forgotten-events', 'forgotten_events', id, says)
    }
    digests.delete(id)
  }
}

/** Looks for digests without an event among older events too: they can have been sealed late. */
async function checkLost({ checking, digests }: Work, db: Db): Promise<void> {
  if (digests.size === 0) return
  const { report, position } = checking
  const { businessId, live } = position
  const rows = await db.many<Pick<EventRow, 'id' | 'digest'>>`
    select e.id, encode(${EVENT_DIGEST}, 'hex') as digest from events e
    where e.business_id = ${businessId} and e.live = ${live}
      and e.id = any(${[...digests.keys()]}::bigint[])`
  const byId = new Map(rows.map(({ id, digest }) => [id, digest]))
  for (const [id, digest] of digests) {
    const there = byId.get(id)
    if (there === undefined) {
      report('lost-events', 'events', id, 'it is missing, but its digest still exists')
    } else if (there !== digest) report('event-digests', 'events', id, 'it was changed')
  }
}

/** Reports an event without a digest, unless a version without digests can have written it. */
async function checkForged({ checking }: Work, db: Db, { id, at, hasSalt }: EventRow) {
  const { businessId, live } = checking.position
  const old = await db.maybe`
    select from (${BEFORE_DIGESTS}) as old
    where old.business_id = ${businessId} and old.live = ${live}
      and ${at}::timestamptz < old.until`
  if (!hasSalt && old !== undefined) return
  const says = hasSalt ? 'its digest is missing' : 'the server did not write it: it has no digest'
  checking.report('event-digests', 'events', id, says)
}

interface NoteRow {
  id: number
  subject_id: number
  isLast: boolean
  digest: string
}

/** Compares the rows whose notes were written since the position with the last of these notes. */
async function checkNotes(
  { checking, notes }: Work,
  db: Db,
  watched: readonly ProtectedRows[],
): Promise<void> {
  const { report, position, examined } = checking
  const { businessId, live } = position
  examined.notes += notes.size
  if (notes.size === 0) return
  const there = new Set<number>()
  for (const { kind, rows, table } of watched) {
    const found = await db.many<NoteRow>`
      select n.id, n.subject_id, n.is_last as "isLast", encode(${ROW_NOTE_DIGEST}, 'hex') as digest
      from (
        select *, number = max(number) over (partition by subject_id) as is_last from row_notes
        where business_id = ${businessId} and live = ${live} and kind = ${kind}
      ) as n
      left join (select * from (${rows}) as every
        where business_id = ${businessId} and live = ${live}) as r on r.id = n.subject_id
      where n.id = any(${[...notes.keys()]}::bigint[])`
    for (const { id, subject_id, isLast, digest } of found) {
      there.add(id)
      if (!isLast || digest === notes.get(id)) continue
      report(`${kind}-notes`, table, subject_id, 'it differs from its last note')
    }
  }
  const others = [...notes.keys()].filter((id) => !there.has(id))
  const kept = await db.many<{ id: number }>`
    select id from row_notes
    where business_id = ${businessId} and live = ${live} and id = any(${others}::bigint[])`
  const older = new Set(kept.map(({ id }) => id))
  for (const id of others) {
    if (!older.has(id)) {
      report('row-notes', 'row_notes', id, 'it is missing, but its digest still exists')
    }
  }
}
