import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Database } from '../../db/database.ts'
import type { Log } from '../../db/log.ts'
import type { Deps } from '../../deps.ts'
import type { Sweep } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { Problem } from '../../lib/problem.ts'
import type { Resolve } from '../../safe-fetch/guard.ts'
import {
  type Attempt,
  disableFailing,
  disableGone,
  type End,
  type Noted,
  named,
  openNotes,
} from './attempt-results.ts'
import { openFirstContacts, openLanes, type Went } from './concurrency.ts'
import { nextAttemptAt, readRetryAfter } from './jobs.ts'
import {
  type AttemptRow,
  type ClaimedRow,
  claimDue,
  claimMore,
  claimOne,
  type Named,
  selectLast,
} from './queries-deliver.ts'
import { allowsFor, bodyOf, headersOf, openSender } from './send.ts'

export type { AttemptRow } from './queries-deliver.ts'

export interface WebhookOptions {
  /** Whether endpoints of test mode may be on this machine. */
  allowsLoopback: boolean
  /** What follows is for tests. */
  timeoutMs?: number
  leaseMs?: number
  resolve?: Resolve
  ca?: string
  random?: () => number
}

type DelivererDeps = Pick<Deps, 'db' | 'ids' | 'clock' | 'nudge'> & WebhookOptions & { log: Log }

/** Sends what is queued. One in each process; several share a database. */
export interface Deliverer {
  sweep: Sweep
  /**
   * Makes one attempt at one delivery at once, and answers it when it is noted: whoever asks waits
   * for the receiver, 15 s at most. If one is under way already, it is that one. `now` is the
   * business's. Throws 429 when many are waited for at this endpoint.
   */
  deliverNow(tenant: Tenant, webhookId: number, eventId: number, now: Date): Promise<AttemptRow>
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
  /** Begins nothing more, and ends what is under way. */
  stop(): Promise<void>
  stats(): Stats
  measure(registry: Registry): void
}

/** From the first step to the last byte of the answer (CONTRACT.md, section 17). */
const TIMEOUT_MS = 15_000

/**
 * How long a delivery stays with the process that took it: longer than it may wait for its turn,
 * an attempt and its noting last, since whoever takes it afterwards sends it again.
 */
const LEASE_MS = 60_000

/** What a lease must still hold beyond an attempt when that begins. */
const NOTING_MS = 5_000

/** How long attempts under way may take to end when the server stops, and their noting then. */
const DRAIN_MS = 2_000

const GONE = 410

export function openDeliverer(deps: DelivererDeps): Deliverer {
  const { db, clock, log, timeoutMs = TIMEOUT_MS, leaseMs = LEASE_MS } = deps
  const { allowsLoopback, resolve, ca, random = Math.random } = deps
  const senderOf = (live: boolean) =>
    openSender({ allows: allowsFor({ live }, allowsLoopback), timeoutMs, resolve, ca })
  const senders = { live: senderOf(true), test: senderOf(false) }
  const note = openNotes(deps)
  const underWay = new Set<Promise<unknown>>()
  const counts = { delivered: 0, failed: 0 }
  let after = 0
  let isStopped = false

  const contacts = openFirstContacts()
  const lanes = openLanes({
    contacts,
    start,
    giveBack: (claims) => {
      for (const claim of claims) void tracked(release(claim))
    },
    fetch: (like, room) => tracked(more(like, room)),
  })

  function tracked<T>(work: Promise<T>): Promise<T> {
    underWay.add(work)
    void work.catch(() => {}).finally(() => underWay.delete(work))
    return work
  }

  /** One attempt in its turn. What follows from it is noted without holding the lane. */
  async function start(claim: ClaimedRow): Promise<Went> {
    const leftMs = claim.lease_until.getTime() - clock.now().getTime()
    if (isStopped || leftMs < timeoutMs + NOTING_MS) {
      void tracked(release(claim))
      return 'given back'
    }
    const attempt = await tracked(attemptOf(claim))
    void tracked(finish(claim, attempt)).catch((err) =>
      log.error({ err, ...named(claim) }, 'what follows from an attempt was not done'),
    )
    if (!attempt) return 'given back'
    return isSuccess(attempt) ? 'well' : 'badly'
  }

  /** Never throws: what cannot even be made is an attempt that failed. */
  async function attemptOf(claim: ClaimedRow): Promise<Attempt | undefined> {
    const at = clock.now()
    const { url, live } = claim
    const began = performance.now()
    try {
      const body = bodyOf(claim)
      const headers = headersOf(claim, body, at)
      const outcome = await senders[live ? 'live' : 'test'].send({ url, headers, body })
      const durationMs = Math.round(performance.now() - began)
      return outcome && { ...outcome, url, headers: JSON.stringify(headers), durationMs, at }
    } catch (err) {
      log.error({ err, ...named(claim) }, 'a webhook could not be made')
      const error = 'It could not be made.'
      const nothing = { status: null, response: null, retryAfter: undefined }
      return { ...nothing, error, url, headers: '{}', durationMs: 0, at }
    }
  }

  async function finish(
    claim: ClaimedRow,
    attempt: Attempt | undefined,
  ): Promise<Noted | undefined> {
    if (!attempt) return release(claim)
    const now = addMs(clock.now(), claim.ahead_ms)
    const isGone = attempt.status === GONE && attempt.error === null
    // First, so that a crash in between leaves it to be tried, and disabled, again.
    if (isGone) await note.surely(claim, () => disableGone(deps, claim, now))
    const noted = await note.end({ claim, attempt, now, ...fateOf(claim, attempt, now) })
    const isDelivered = isSuccess(attempt)
    counts[isDelivered ? 'delivered' : 'failed']++
    if (!isDelivered) {
      const { status, error } = attempt
      log.info({ ...named(claim), number: noted?.number, status, error }, 'a webhook failed')
      if (noted?.failingSince) await disableFailing(deps, claim, noted, now)
    }
    return noted
  }

  function fateOf(claim: ClaimedRow, attempt: Attempt, now: Date): Pick<End, 'fate' | 'dueAt'> {
    if (isSuccess(attempt)) return { fate: 'Delivered', dueAt: null }
    const askedMs = readRetryAfter(attempt.retryAfter, clock.now())
    const isGone = attempt.status === GONE && attempt.error === null
    const dueAt = isGone ? undefined : nextAttemptAt(claim.round_count + 1, now, askedMs, random())
    return dueAt ? { fate: 'Pending', dueAt } : { fate: 'Failed', dueAt: null }
  }

  const release = (claim: ClaimedRow) =>
    note.end({
      claim,
      attempt: undefined,
      fate: 'Pending',
      dueAt: null,
      now: addMs(clock.now(), claim.ahead_ms),
    })

  async function sweep(_db: Database, now: Date, only?: number): Promise<number> {
    if (isStopped) return 0
    const room = lanes.room()
    if (room.limit === 0) return 0
    const serverNow = clock.now()
    const leaseUntil = addMs(serverNow, leaseMs)
    const claims = await claimDue(db, { now, serverNow, leaseUntil, only, after, ...room })
    after = claims.reduce((most, { webhook_id }) => Math.max(most, webhook_id), 0)
    lanes.add(kept(claims))
    return isStopped ? 0 : claims.length
  }

  /** What came too late, since the server is stopping, is given back. */
  function kept(claims: ClaimedRow[]): ClaimedRow[] {
    if (!isStopped) return claims
    for (const claim of claims) void tracked(release(claim))
    return []
  }

  async function more(like: ClaimedRow, limit: number): Promise<readonly ClaimedRow[]> {
    const serverNow = clock.now()
    const times = { now: addMs(serverNow, like.ahead_ms), serverNow }
    const wanted = { ...times, leaseUntil: addMs(serverNow, leaseMs), limit }
    try {
      return kept(await claimMore(db, like, wanted))
    } catch (err) {
      // The sweeper finds them, too.
      log.warn({ err, ...named(like) }, 'no more deliveries could be taken')
      return []
    }
  }

  const asked = new Map<number, number>()

  async function deliverNow(
    { businessId, live }: Tenant,
    webhookId: number,
    eventId: number,
  ): Promise<AttemptRow> {
    const waiting = asked.get(webhookId) ?? 0
    if (waiting >= ASKED_MAX) throw tooMany()
    asked.set(webhookId, waiting + 1)
    try {
      return await tracked(attemptNow({ businessId, live, webhookId, eventId }))
    } finally {
      const left = asked.get(webhookId)! - 1
      if (left > 0) asked.set(webhookId, left)
      else asked.delete(webhookId)
    }
  }

  async function attemptNow(one: Named): Promise<AttemptRow> {
    const untilMs = performance.now() + timeoutMs + NOTING_MS
    while (performance.now() < untilMs && !isStopped) {
      const serverNow = clock.now()
      const leaseUntil = addMs(serverNow, leaseMs)
      const claim = await claimOne(db, one, { serverNow, leaseUntil })
      const leave = claim && contacts.enter(claim)
      if (claim && leave) await attemptInTurn(claim, leave)
      else if (claim) await release(claim)
      // Where somebody else has it, theirs is the attempt that is waited for.
      const last = claim && !leave ? undefined : await selectLast(db, one, clock.now())
      if (last) return last
      await sleep(LOOK_AGAIN_MS)
    }
    throw new Problem('unavailable', 'delivery_under_way', 'The attempt is still under way.', {
      retryAfterSeconds: 5,
    })
  }

  async function attemptInTurn(claim: ClaimedRow, leave: () => void): Promise<void> {
    try {
      const attempt = await attemptOf(claim)
      if (attempt && isSuccess(attempt)) contacts.answered(claim)
      await finish(claim, attempt)
    } finally {
      leave()
    }
  }

  const stats = () => ({ ...lanes.counts(), ...counts })

  return {
    sweep,
    deliverNow,
    async idle() {
      while (underWay.size > 0) await Promise.allSettled([...underWay])
    },
    async stop() {
      isStopped = true
      for (const claim of lanes.close()) void tracked(release(claim))
      await Promise.race([this.idle(), sleep(DRAIN_MS, undefined, { ref: false })])
      senders.live.close()
      senders.test.close()
      note.hurry()
      await Promise.race([this.idle(), sleep(DRAIN_MS, undefined, { ref: false })])
    },
    stats,
    measure: (registry) => measureWebhooks(registry, stats),
  }
}

/** Attempts that are waited for at once at one endpoint, and how often one that is ours not. */
const ASKED_MAX = 4
const LOOK_AGAIN_MS = 100

const tooMany = () =>
  new Problem('rate_limited', 'rate_limited', 'Attempts at this endpoint are under way.', {
    retryAfterSeconds: 5,
  })

const isSuccess = ({ status, error }: Attempt): boolean =>
  error === null && status !== null && status >= 200 && status < 300

interface Stats {
  running: number
  waiting: number
  delivered: number
  failed: number
}

/** Adds to `/metrics` how this process is doing at telling merchants' servers. */
function measureWebhooks(registry: Registry, stats: () => Stats): void {
  new Gauge({
    name: 'tradepost_webhook_deliveries',
    help: 'Deliveries that this process has in hand, by what they do.',
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
    help: 'Attempts at deliveries, by how they ended.',
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
