import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { openBatch } from '../../db/batch.ts'
import type { Database, Statement, Tx } from '../../db/database.ts'
import { openWriter } from '../../db/dedicated-connection.ts'
import type { Log } from '../../db/log.ts'
import { plainArray, textArray, timeArray } from '../../db/pg-arrays.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import { addMs } from '../../lib/clock.ts'
import { MAIL_SWEEPER, queueMails } from '../../mail/queue.ts'
import type { WebhookRow } from './queries.ts'
import { type ClaimedRow, updateDisabled } from './queries-deliver.ts'
import { webhookRecord } from './record.ts'
import type { Outcome } from './send.ts'

export interface Attempt extends Outcome {
  url: string
  /** As JSON. */
  headers: string
  durationMs: number
  /** By the server's clock. */
  at: Date
}

/** How a claim ended. Without an attempt it is given back as it was. */
export interface End {
  claim: ClaimedRow
  attempt: Attempt | undefined
  fate: 'Delivered' | 'Failed' | 'Pending'
  /** When to try again; for what stays Pending. */
  dueAt: Date | null
  /** By the clock of the business. */
  now: Date
  /** An earlier note of this end may have been kept: then it is ours no more. */
  isRepeated: boolean
}

/** What became of it; undefined when the delivery is gone, or a repeated note found it noted. */
export interface Noted {
  /** Of the attempt. */
  number: number
  /** Of the endpoint, with this and all else that ended by now. */
  failingSince: Date | null
  failureCount: number
}

type Run = (statement: Statement) => Promise<pg.QueryResult>

/** Notes many ends; several of one delivery, whose lease ran out meanwhile, one after the other. */
async function noteAll(run: Run, ends: readonly End[]): Promise<(Noted | undefined)[]> {
  const noted = new Map<End, Noted | undefined>()
  for (let left = ends; left.length > 0; ) {
    const names = new Set<string>()
    const isFirst = ({ claim: { webhook_id, event_id } }: End) => {
      const name = `${webhook_id} ${event_id}`
      return !names.has(name) && names.add(name)
    }
    const now = left.filter(isFirst)
    const results = await noteEnds(run, now)
    for (const [i, end] of now.entries()) noted.set(end, results[i])
    left = left.filter((end) => !noted.has(end))
  }
  return ends.map((end) => noted.get(end))
}

/**
 * Notes many ends in one statement, and answers for each, in their order. Of one delivery only one
 * end may be among them.
 *
 * Whoever lost the lease meanwhile, or made an attempt at what was queued again since, still has
 * the attempt noted, and a success counts; what is tried next is then not theirs to say.
 */
async function noteEnds(run: Run, ends: readonly End[]): Promise<(Noted | undefined)[]> {
  const values = [...ENDS.map(([, , write]) => write(ends)), ...endpointsOf(ends)]
  const { rows } = await run({ name: 'note_webhook_ends', text: STATEMENT, values })
  const noted = new Map(rows.map((row: NotedRow) => [Number(row.place), row]))
  return ends.map((_, i) => {
    const row = noted.get(i)
    return (
      row && {
        number: row.number,
        failingSince: row.failing_since,
        failureCount: row.failure_count ?? 0,
      }
    )
  })
}

interface NotedRow {
  place: string
  number: number
  failing_since: Date | null
  failure_count: number | null
}

type Column = [name: string, type: string, write: (ends: readonly End[]) => string]

type Plain = number | boolean | null

const plain = (name: string, type: string, pick: (end: End, i: number) => Plain): Column => [
  name,
  type,
  (ends) => plainArray(ends.map(pick)),
]
const text = (name: string, pick: (end: End) => string | null | undefined): Column => [
  name,
  'text',
  (ends) => textArray(ends.map((end) => pick(end) ?? null)),
]
const time = (name: string, pick: (end: End) => Date | null | undefined): Column => [
  name,
  'timestamptz',
  (ends) => timeArray(ends.map((end) => pick(end) ?? null)),
]

/** The columns of `ended`, with their values. */
const ENDS: readonly Column[] = [
  plain('place', 'integer', (_end, i) => i),
  plain('business_id', 'bigint', ({ claim }) => claim.business_id),
  plain('live', 'boolean', ({ claim }) => claim.live),
  plain('webhook_id', 'bigint', ({ claim }) => claim.webhook_id),
  plain('event_id', 'bigint', ({ claim }) => claim.event_id),
  plain('round', 'integer', ({ claim }) => claim.round_count),
  time('lease', ({ claim }) => claim.lease_until),
  plain('is_tried', 'boolean', ({ attempt }) => attempt !== undefined),
  plain('is_repeated', 'boolean', ({ isRepeated }) => isRepeated),
  text('fate', ({ fate }) => fate),
  time('due_at', ({ dueAt }) => dueAt),
  time('now', ({ now }) => now),
  text('url', ({ attempt }) => attempt?.url),
  text('headers', ({ attempt }) => attempt?.headers),
  plain('status', 'smallint', ({ attempt }) => attempt?.status ?? null),
  text('error', ({ attempt }) => attempt?.error),
  text('response', ({ attempt }) => attempt?.response),
  plain('duration_ms', 'integer', ({ attempt }) => attempt?.durationMs ?? null),
  time('at', ({ attempt }) => attempt?.at),
]

/** What the ends say of each endpoint, in their order: after a success failures count anew. */
function endpointsOf(ends: readonly End[]): string[] {
  const tried = ends.filter(({ attempt }) => attempt)
  const said = [...Map.groupBy(tried, ({ claim }) => claim.webhook_id).values()].map((own) => {
    const success = own.findLastIndex(({ fate }) => fate === 'Delivered')
    const failures = own.slice(success + 1)
    return {
      ...own[0]!.claim,
      succeededAt: own[success]?.now ?? null,
      succeededUrl: own[success]?.attempt?.url ?? null,
      failures: failures.length,
      failedAt: failures[0]?.now ?? null,
    }
  })
  // All processes lock endpoints in one order, or two of them would wait for each other.
  said.sort((a, b) => a.webhook_id - b.webhook_id)
  return [
    plainArray(said.map(({ business_id }) => business_id)),
    plainArray(said.map(({ live }) => live)),
    plainArray(said.map(({ webhook_id }) => webhook_id)),
    timeArray(said.map(({ succeededAt }) => succeededAt)),
    plainArray(said.map(({ failures }) => failures)),
    timeArray(said.map(({ failedAt }) => failedAt)),
    textArray(said.map(({ succeededUrl }) => succeededUrl)),
  ]
}

const at = (i: number) => `$${ENDS.length + i}`

const KEY = 'business_id, live, webhook_id, event_id'
const OURS = `d.status = 'Pending' and d.lease_until = e.lease and d.round_count = e.round`

const STATEMENT = `
with ended as materialized (
  select * from unnest(${ENDS.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ')})
    as t (${ENDS.map(([name]) => name).join(', ')})
), noted as (
  update webhook_deliveries d set
    attempt_count = d.attempt_count + e.is_tried::int,
    round_count = case when ${OURS} then d.round_count + e.is_tried::int else d.round_count end,
    status = case when e.fate = 'Delivered' or ${OURS} then e.fate else d.status end,
    due_at = case when ${OURS} then coalesce(e.due_at, d.due_at) else d.due_at end,
    finished_at = case when e.fate = 'Delivered' or (${OURS} and e.fate = 'Failed') then e.now
      else d.finished_at end,
    last_status = case when e.is_tried and (e.fate = 'Delivered' or ${OURS}) then e.status
      else d.last_status end,
    last_error = case when e.is_tried and (e.fate = 'Delivered' or ${OURS}) then e.error
      else d.last_error end,
    lease_until = case when d.lease_until = e.lease or e.fate = 'Delivered' then null
      else d.lease_until end
  from ended e
  where d.business_id = e.business_id and d.live = e.live and d.webhook_id = e.webhook_id
    and d.event_id = e.event_id and (not e.is_repeated or ${OURS})
  returning ${KEY.replaceAll(/\w+/g, 'd.$&')}, e.place, d.attempt_count as number
), tried as (
  insert into webhook_attempts
    (${KEY}, number, url, headers, status, error, response, duration_ms, at)
  select ${KEY.replaceAll(/\w+/g, 'n.$&')}, n.number, e.url, e.headers, e.status, e.error,
    e.response, e.duration_ms, e.at
  from noted n join ended e using (place) where e.is_tried
), fared as (
  update webhooks w set
    last_success_at = greatest(w.last_success_at, s.succeeded_at),
    url_proved_at = case when w.url = s.succeeded_url then coalesce(w.url_proved_at, s.succeeded_at)
      else w.url_proved_at end,
    failure_count = case when s.succeeded_at is null then w.failure_count else 0 end + s.failures,
    failing_since = case
      when s.failures = 0 then null
      when s.succeeded_at is null then coalesce(w.failing_since, s.failed_at)
      else s.failed_at end
  from unnest(${at(1)}::bigint[], ${at(2)}::boolean[], ${at(3)}::bigint[],
    ${at(4)}::timestamptz[], ${at(5)}::integer[], ${at(6)}::timestamptz[], ${at(7)}::text[])
    as s (business_id, live, webhook_id, succeeded_at, failures, failed_at, succeeded_url)
  where w.business_id = s.business_id and w.live = s.live and w.id = s.webhook_id
    and w.status <> 'Deleted'
  returning w.id, w.failing_since, w.failure_count
)
select n.place, n.number, f.failing_since, f.failure_count
from noted n left join fared f on f.id = n.webhook_id`

const NOTE_AGAIN_MS = [100, 500, 2_000, 5_000, 15_000]

/**
 * Stores how attempts ended, many at a time. What was delivered must not be sent again only because
 * the database was away for a moment, so this tries for a while, within the lease.
 */
export function openNotes({ db, log }: { db: Database; log: Log }) {
  const writer = openWriter(db)
  const hurry = new AbortController()
  const batch = openBatch(
    (ends: readonly End[]) => noteAll((statement) => writer.query(statement), ends),
    ({ attempt }) => 500 + (attempt?.response?.length ?? 0),
  )

  /** Undefined when it could not be done; whoever finds the lease run out sends it again. */
  async function surely<T>(claim: ClaimedRow, work: (isRepeated: boolean) => Promise<T>) {
    let isRepeated = false
    for (const againMs of [...NOTE_AGAIN_MS, undefined]) {
      try {
        return await work(isRepeated)
      } catch (err) {
        if (againMs === undefined || hurry.signal.aborted) {
          log.error({ err, ...named(claim) }, 'the end of an attempt could not be noted')
          return undefined
        }
        isRepeated = true
        await sleep(againMs, undefined, { signal: hurry.signal }).catch(() => {})
      }
    }
    return undefined
  }

  const end = (one: Omit<End, 'isRepeated'>) =>
    surely(one.claim, (isRepeated) => batch.add({ ...one, isRepeated }))
  /** From now on what cannot be noted at once is left to whoever finds its lease run out. */
  return { surely, end, hurry: () => hurry.abort() }
}

/** For the log: no address and nothing of what is told. */
export const named = ({ business_id, live, webhook_id, event_id }: ClaimedRow) => ({
  businessId: business_id,
  live,
  webhookId: webhook_id,
  eventId: event_id,
})

type DisableDeps = Pick<Deps, 'db' | 'ids' | 'nudge'>

/** How long every attempt must have failed, and how many there must have been. */
const FAILING_MS = 5 * 24 * 3_600_000
const FAILURES_LEAST = 10

/** The receiver said that nothing is there any more (410). Does nothing to one that is disabled. */
export function disableGone(deps: DisableDeps, claim: ClaimedRow, now: Date): Promise<void> {
  return disable(deps, claim, 'It answered 410 Gone.', now)
}

/** Gives up on an endpoint at which everything failed for five days. */
export async function disableFailing(
  deps: DisableDeps,
  claim: ClaimedRow,
  { failingSince, failureCount }: Noted,
  now: Date,
): Promise<void> {
  if (!failingSince || failingSince > addMs(now, -FAILING_MS)) return
  if (failureCount < FAILURES_LEAST) return
  await disable(deps, claim, 'Every attempt failed for five days.', now)
}

function disable(
  { db, ids, nudge }: DisableDeps,
  { business_id: businessId, live, webhook_id: id, url }: ClaimedRow,
  reason: string,
  now: Date,
): Promise<void> {
  const tenant = { businessId, live }
  return db.transaction(async (tx) => {
    // At the address that failed: one that was changed meanwhile is not to blame.
    const found = await updateDisabled(tx, tenant, { id, url, reason, now })
    if (!found) return
    const { owner, ...row } = found
    await tellDisabled(tx, { ids }, tenant, row, now)
    if (!owner) return
    const about = { subjectType: 'webhook', subjectId: id, data: { reason } }
    await queueMails(tx, ids, [
      { ...tenant, kind: 'webhook_disabled', ...about, to: owner, at: now },
    ])
    tx.after(() => nudge(MAIL_SWEEPER))
  })
}

/** The row's `event_sequence` was raised in the statement that disabled it. */
export const tellDisabled = (
  tx: Tx,
  { ids }: Pick<Deps, 'ids'>,
  { businessId, live }: { businessId: number; live: boolean },
  row: WebhookRow,
  now: Date,
): Promise<void> =>
  appendEvents(tx, ids, [
    {
      businessId,
      live,
      type: 'webhook.disabled',
      objectType: 'webhook',
      objectId: row.id,
      sequence: row.event_sequence,
      data: webhookRecord(row),
      at: now,
    },
  ])
