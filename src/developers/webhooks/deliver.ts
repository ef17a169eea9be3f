import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, Gauge, type Registry } from 'prom-client'
import { openBatch } from '../../db/batch.ts'
import type { Database, Db } from '../../db/database.ts'
import { openWriter } from '../../db/dedicated-connection.ts'
import type { Log } from '../../db/log.ts'
import type { Deps } from '../../deps.ts'
import { MissingKeyError } from '../../encryption/server-keys.ts'
import type { JobRun } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { Problem } from '../../lib/problem.ts'
import { readRetryAfter } from '../../safe-fetch/exchange.ts'
import type { Resolve } from '../../safe-fetch/guard.ts'
import { inOwnSpan } from '../../tracing/tracing.ts'
import { FAILURES_MANY, openSlots, type Slot, STARTING_LIMIT } from './concurrency.ts'
import { disableEndpoint } from './endpoints.ts'
import { nextAttemptAt, notBefore, WEBHOOK_JOB } from './jobs.ts'
import {
  type Attempt,
  type AttemptRow,
  bringForward,
  type ClaimedRow,
  claimDue,
  claimMore,
  claimOne,
  type DeliveryKey,
  type RecordedResult,
  type Result,
  recordResults,
  selectLast,
} from './queries-deliver.ts'
import { allowsFor, bodyOf, headersOf, type Outcome, openSender, openSigningKeys } from './send.ts'

export type { AttemptRow } from './queries-deliver.ts'

export interface WebhookOptions {
  /** Whether test-mode endpoints can be on this machine. */
  allowsLoopback: boolean
  /** The remaining options are for tests. */
  timeoutMs?: number
  leaseMs?: number
  resolve?: Resolve
  ca?: string
  random?: () => number
}

type DelivererDeps = Pick<Deps, 'db' | 'ids' | 'keyring' | 'clock' | 'nudge' | 'pauses'> &
  WebhookOptions & { log: Log }

/**
 * Sends queued deliveries. Each process has one deliverer; several processes can share a database.
 */
export interface Deliverer {
  run: JobRun
  /**
   * Makes one attempt at a delivery immediately, and returns the attempt once it is recorded. Waits
   * for the receiver for at most 15 s. If an attempt is already in progress, returns that one.
   * Throws 429 if too many callers are waiting for this endpoint.
   */
  deliverNow(tenant: Tenant, webhookId: number, eventId: number): Promise<AttemptRow>
  /** Resolves once nothing is in progress. */
  idle(): Promise<void>
  /** Starts no further attempts, and ends those in progress. */
  stop(): Promise<void>
  stats(): Stats
  measure(registry: Registry): void
}

/**
 * Covers everything from the first step to the last byte of the response (CONTRACT.md, section 17).
 */
const TIMEOUT_MS = 15_000

/**
 * How long a claimed delivery belongs to its process. Must exceed the wait for a slot, the attempt
 * and the recording taken together, because another process sends the delivery again after that.
 */
const LEASE_MS = 60_000

/**
 * When an attempt starts, its lease must outlast its timeout by this much, to leave time for
 * recording the result.
 */
const RECORDING_MS = 5_000

/**
 * While the database is down, recording a result is retried after these delays, within the lease.
 */
const RECORD_AGAIN_MS = [100, 500, 2_000, 5_000, 15_000]

/** How long a stopping server waits for attempts in progress, and then for them to be recorded. */
const DRAIN_MS = 2_000

/**
 * How many callers can wait for attempts at one endpoint at once, and how often each of them checks
 * for a result.
 */
const AT_ONCE_MAX = 4
const LOOK_AGAIN_MS = 100

/**
 * For how long, and how many times, all attempts must have failed before an endpoint is disabled.
 */
const FAILING_MS = 5 * 24 * 3_600_000
const FAILURES_MIN = 10

const GONE = 410

export function openDeliverer(deps: DelivererDeps): Deliverer {
  const { db, clock, log, timeoutMs = TIMEOUT_MS, leaseMs = LEASE_MS } = deps
  const { allowsLoopback, resolve, ca, random = Math.random } = deps
  const senderOf = (live: boolean) =>
    openSender({ allows: allowsFor({ live }, allowsLoopback), timeoutMs, resolve, ca })
  const senders = { live: senderOf(true), test: senderOf(false) }
  const signingKeysOf = openSigningKeys(db, deps.keyring)
  const slots = openSlots()
  const writer = openWriter(db)
  const batch = openBatch<Result, RecordedResult>({
    db,
    businessOf: ({ claim }) => claim.business_id,
    write: (results) => recordResults((statement) => writer.query(statement), results),
    bytesOf: ({ attempt }) => 500 + (attempt?.response?.length ?? 0),
  })
  const inProgress = new Set<Promise<unknown>>()
  const counts = { delivered: 0, failed: 0 }
  /** Endpoints that had more deliveries due than there was room for. */
  const backlogs = new Set<number>()
  /** For each endpoint, the number of attempts that callers are waiting for. */
  const atOnce = new Map<number, number>()
  const hurry = new AbortController()
  let after = 0
  let isStopped = false

  /**
   * Claims due deliveries for all endpoints and starts sending them, without waiting for receivers.
   */
  async function run(_db: Database, now: Date, only?: number): Promise<number> {
    const room = slots.room()
    if (isStopped || room.limit === 0) return 0
    const serverNow = clock.now()
    const leaseUntil = addMs(serverNow, leaseMs)
    const claims = await claimDue(db, { now, serverNow, leaseUntil, only, after, ...room })
    after = claims.reduce((most, { webhook_id }) => Math.max(most, webhook_id), 0)
    for (const [id, own] of Map.groupBy(claims, ({ webhook_id }) => webhook_id)) {
      deliverAll(id, own, room.rooms.get(id) ?? STARTING_LIMIT)
    }
    return isStopped ? 0 : claims.length
  }

  function deliverAll(webhookId: number, claims: readonly ClaimedRow[], room: number): void {
    if (claims.length >= room) backlogs.add(webhookId)
    for (const claim of claims) {
      void track(deliver(claim)).catch((err) =>
        log.error({ err, ...named(claim) }, 'could not complete a delivery attempt'),
      )
    }
  }

  async function deliver(claim: ClaimedRow): Promise<void> {
    const slot = await slots.enter(claim)
    let attempt: Attempt | undefined
    try {
      attempt = slot && (await attemptAt(claim))
    } finally {
      slot?.leave(attempt && isSuccess(attempt))
    }
    if (slot) void track(claimNext(claim))
    await finish(claim, attempt)
  }

  /**
   * Returns undefined if it makes no attempt, because too little of the lease is left or the server
   * is stopping. Throws a MissingKeyError, which is no attempt either: the delivery keeps its
   * lease, after which another process can send it.
   */
  async function attemptAt(claim: ClaimedRow): Promise<Attempt | undefined> {
    const at = clock.now()
    const leaseLeftMs = claim.lease_until.getTime() - at.getTime()
    if (isStopped || leaseLeftMs < timeoutMs + RECORDING_MS) return undefined
    const { url, live } = claim
    const startedAt = performance.now()
    try {
      const body = bodyOf(claim)
      const headers = headersOf(claim, await signingKeysOf(claim), body, at)
      const outcome = await traced(claim, () =>
        senders[live ? 'live' : 'test'].send({ url, headers, body }),
      )
      const durationMs = Math.round(performance.now() - startedAt)
      return outcome && { ...outcome, url, headers: JSON.stringify(headers), durationMs, at }
    } catch (err) {
      if (err instanceof MissingKeyError) throw err
      log.error({ err, ...named(claim) }, 'a webhook request could not be created')
      const error = 'The request could not be created.'
      const nothing = { status: null, response: null, retryAfter: undefined }
      return { ...nothing, error, url, headers: '{}', durationMs: 0, at }
    }
  }

  /**
   * Claims more deliveries for the endpoint that just received one. Runs outside the job, which
   * covers all endpoints and would delay a fast one.
   */
  async function claimNext(last: ClaimedRow): Promise<void> {
    const limit = slots.roomOf(last.webhook_id)
    if (limit === 0 || isStopped || !backlogs.delete(last.webhook_id)) return
    // The job continues when the server writes again.
    if (await deps.pauses.isReadOnly()) return
    const serverNow = clock.now()
    const times = { now: addMs(serverNow, last.ahead_ms), serverNow }
    try {
      const leaseUntil = addMs(serverNow, leaseMs)
      deliverAll(last.webhook_id, await claimMore(db, last, { ...times, leaseUntil, limit }), limit)
    } catch (err) {
      // The job will claim these deliveries later.
      log.warn({ err, ...named(last) }, 'no more deliveries could be claimed')
    }
  }

  /** Records the result of an attempt. Disables an endpoint that is gone or keeps failing. */
  async function finish(claim: ClaimedRow, attempt: Attempt | undefined): Promise<RecordedResult> {
    const now = addMs(clock.now(), claim.ahead_ms)
    if (!attempt) return record({ claim, status: 'Pending', dueAt: null, now })
    const isGone = attempt.status === GONE && attempt.error === null
    // Disables the endpoint first, so that a crash between the two repeats both the attempt and the
    // disabling.
    if (isGone)
      await retried(claim, () => disable(claim, 'The endpoint responded with 410 Gone.', now))
    const recorded = await record({ claim, attempt, now, ...nextState() })
    if (isSuccess(attempt)) {
      counts.delivered++
      if (isRecovery(claim, now)) await sendWhatWaits(claim, now)
      return recorded
    }
    counts.failed++
    const { status, error } = attempt
    log.info(
      { ...named(claim), number: recorded?.number, status, error },
      'a delivery attempt failed',
    )
    const { failing_since: since, failure_count: failures = 0 } = recorded ?? {}
    if (since && since <= addMs(now, -FAILING_MS) && failures >= FAILURES_MIN) {
      await disable(claim, 'Every attempt failed for five days.', now)
    }
    return recorded

    function nextState(): Pick<Result, 'status' | 'dueAt' | 'isEarly'> {
      if (isSuccess(attempt!)) return { status: 'Delivered', dueAt: null }
      const retryAfterMs = readRetryAfter(attempt!.retryAfter, clock.now())
      const { planned_at: planned } = claim
      if (!isGone && planned && planned > now) {
        return { status: 'Pending', dueAt: notBefore(planned, now, retryAfterMs), isEarly: true }
      }
      const round = claim.round_count + 1
      const dueAt = isGone ? undefined : nextAttemptAt(round, now, retryAfterMs, random())
      return dueAt ? { status: 'Pending', dueAt } : { status: 'Failed', dueAt: null }
    }
  }

  /**
   * An endpoint that had failed many times in a row works again. What waits for it is due now,
   * instead of after its own delay, which can be a day. How many are sent at once does not change.
   */
  async function sendWhatWaits(
    { business_id: businessId, live, webhook_id: id }: ClaimedRow,
    now: Date,
  ): Promise<void> {
    try {
      await hurryDeliveries(db, { businessId, live }, id, { now, serverNow: clock.now() })
      deps.nudge(WEBHOOK_JOB)
    } catch (err) {
      log.warn({ err, businessId, live, webhookId: id }, 'waiting deliveries keep their delays')
    }
  }

  const record = (result: Omit<Result, 'isRepeated'>): Promise<RecordedResult> =>
    retried(result.claim, (isRepeated) => batch.add({ ...result, isRepeated }))

  const disable = (claim: ClaimedRow, reason: string, now: Date) =>
    disableEndpoint(deps, claim, reason, now)

  /**
   * Retries a write, so that a delivered event isn't sent again just because the database was
   * briefly down. Returns undefined if every retry failed. The delivery is then sent again after
   * its lease has expired.
   */
  async function retried<T>(
    claim: ClaimedRow,
    work: (isRepeated: boolean) => Promise<T>,
  ): Promise<T | undefined> {
    for (let i = 0; ; i++) {
      try {
        return await work(i > 0)
      } catch (err) {
        const againMs = RECORD_AGAIN_MS[i]
        if (againMs === undefined || hurry.signal.aborted) {
          log.error({ err, ...named(claim) }, 'the result of an attempt could not be recorded')
          return undefined
        }
        await sleep(againMs, undefined, { signal: hurry.signal }).catch(() => {})
      }
    }
  }

  async function deliverNow(
    { businessId, live }: Tenant,
    webhookId: number,
    eventId: number,
  ): Promise<AttemptRow> {
    const count = atOnce.get(webhookId) ?? 0
    if (count >= AT_ONCE_MAX) throw tooMany()
    atOnce.set(webhookId, count + 1)
    try {
      return await track(attemptNow({ businessId, live, webhookId, eventId }))
    } finally {
      const left = atOnce.get(webhookId)! - 1
      if (left > 0) atOnce.set(webhookId, left)
      else atOnce.delete(webhookId)
    }
  }

  async function attemptNow(key: DeliveryKey): Promise<AttemptRow> {
    const endsAt = performance.now() + timeoutMs + RECORDING_MS
    while (performance.now() < endsAt && !isStopped) {
      const serverNow = clock.now()
      const leaseUntil = addMs(serverNow, leaseMs)
      const claim = await claimOne(db, key, { serverNow, leaseUntil })
      const slot = claim && slots.enterAtOnce(claim)
      if (claim) await deliverAtOnce(claim, slot)
      // If another process has claimed the delivery, waits for the attempt that this process makes.
      const last = claim && !slot ? undefined : await selectLast(db, key, clock.now())
      if (last) return last
      await sleep(LOOK_AGAIN_MS)
    }
    throw new Problem('unavailable', 'delivery_under_way', 'The attempt is still in progress.', {
      retryAfterSeconds: 5,
    })
  }

  /**
   * Keeps the slot until the attempt has been recorded, so that the next attempt at an unproven URL
   * waits.
   */
  async function deliverAtOnce(claim: ClaimedRow, slot: Slot | undefined): Promise<void> {
    let attempt: Attempt | undefined
    try {
      attempt = slot && (await attemptAt(claim))
      await finish(claim, attempt)
    } finally {
      slot?.leave(attempt && isSuccess(attempt))
    }
  }

  function track<T>(work: Promise<T>): Promise<T> {
    inProgress.add(work)
    void work.catch(() => {}).finally(() => inProgress.delete(work))
    return work
  }

  const stats = () => ({ ...slots.counts(), ...counts })

  return {
    run,
    deliverNow,
    async idle() {
      while (inProgress.size > 0) await Promise.allSettled([...inProgress])
    },
    async stop() {
      isStopped = true
      slots.close()
      await Promise.race([this.idle(), sleep(DRAIN_MS, undefined, { ref: false })])
      senders.live.close()
      senders.test.close()
      hurry.abort()
      await Promise.race([this.idle(), sleep(DRAIN_MS, undefined, { ref: false })])
    },
    stats,
    measure: (registry) => measureWebhooks(registry, stats),
  }
}

/** How many deliveries one statement makes due. */
const HURRIED_MAX = 1_000

/** Makes the waiting deliveries of an endpoint due now. Returns how many. */
export async function hurryDeliveries(
  db: Db,
  tenant: Tenant,
  webhookId: number,
  at: { now: Date; serverNow: Date },
): Promise<number> {
  for (let count = 0; ; ) {
    const limits = { limit: HURRIED_MAX, before: count }
    const found = await bringForward(db, tenant, webhookId, { ...at, ...limits })
    count += found
    if (found < HURRIED_MAX) return count
  }
}

const tooMany = () =>
  new Problem(
    'rate_limited',
    'rate_limited',
    'Other deliveries to this endpoint are in progress.',
    {
      retryAfterSeconds: 5,
    },
  )

/**
 * How long an endpoint must have failed before what waits for it is brought forward. Events that it
 * always refuses are therefore not sent again each time it accepts another one.
 */
const RECOVERY_MS = 60_000

const isRecovery = ({ failure_count, failing_since }: ClaimedRow, now: Date): boolean =>
  failure_count >= FAILURES_MANY &&
  failing_since !== null &&
  failing_since <= addMs(now, -RECOVERY_MS)

const isSuccess = ({ status, error }: Attempt): boolean =>
  error === null && status !== null && status >= 200 && status < 300

interface Stats {
  running: number
  waiting: number
  delivered: number
  failed: number
}

/** Identifies a delivery in the log, without its URL or data. */
const named = ({ business_id, live, webhook_id, event_id }: ClaimedRow) => ({
  businessId: business_id,
  live,
  webhookId: webhook_id,
  eventId: event_id,
})

function measureWebhooks(registry: Registry, stats: () => Stats): void {
  new Gauge({
    name: 'tradepost_webhook_deliveries',
    help: 'Deliveries in this process, by state.',
    labelNames: ['state'] as const,
    registers: [registry],
    collect() {
      const { running, waiting } = stats()
      this.set({ state: 'under_way' }, running)
      this.set({ state: 'waiting' }, waiting)
    },
  })
  new Counter({
    name: 'tradepost_webhook_attempts_total',
    help: 'Delivery attempts, by outcome.',
    labelNames: ['outcome'] as const,
    registers: [registry],
    collect() {
      const { delivered, failed } = stats()
      this.reset()
      this.inc({ outcome: 'delivered' }, delivered)
      this.inc({ outcome: 'failed' }, failed)
    },
  })
}

/** Never tells the URL, because it can contain a secret. */
const traced = (
  { type, reference, business_id, live }: ClaimedRow,
  send: () => Promise<Outcome | undefined>,
): Promise<Outcome | undefined> =>
  inOwnSpan(
    'webhook delivery',
    {
      'tradepost.event_type': type,
      'tradepost.event': reference,
      'tradepost.business_id': business_id,
      'tradepost.mode': live ? 'live' : 'test',
    },
    async (span) => {
      const outcome = await send()
      const { status = null, error = null } = outcome ?? {}
      span?.set({ 'http.response.status_code': status ?? undefined })
      const isFine = error === null && status !== null && status >= 200 && status < 300
      if (outcome && !isFine) span?.fail(String(status ?? 'no_response'))
      return outcome
    },
  )
