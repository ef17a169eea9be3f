import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../db/log.ts'
import type { Deps } from '../../deps.ts'
import { type Archive, archiveLine } from '../../jobs/archive.ts'
import type { Job } from '../../jobs/jobs.ts'
import { retentionJob } from '../../jobs/retention.ts'
import type { CallLog, CallLogCounts, CallRecord } from '../../lib/call-record.ts'
import { deleteOldEntries, insertEntries, lockOldEntries, selectOldEntries } from './queries.ts'
import { bodyBytesOf, type Entry, entryOf, requestRecord, withoutBodies } from './record.ts'

export interface RequestLog extends CallLog {
  /** How many days to keep lines; 0 keeps none. */
  days: number
  /**
   * Tries to write the queued lines. Resolves after this attempt, even if the database could not be
   * reached and all lines are still queued.
   */
  flush(): Promise<void>
  /** Writes the queued lines, but gives up after CLOSE_MS. */
  close(): Promise<void>
}

export interface RequestLogOptions extends Partial<RequestLogLimits> {
  /** 30 by default. */
  days?: number
}

interface RequestLogLimits {
  /** How long a line can wait to be written in a batch. */
  everyMs: number
  /** Rows per statement. */
  rowsMax: number
  /** The maximum number of lines in the queue while the database is down. */
  linesMax: number
  /** The maximum number of characters in the bodies of queued lines. */
  bodiesMax: number
  /** Above this many requests per second, lines are stored without bodies. */
  bodiesPerSecond: number
}

const LIMITS: RequestLogLimits = {
  everyMs: 250,
  rowsMax: 500,
  linesMax: 20_000,
  bodiesMax: 8 * 1024 * 1024,
  bodiesPerSecond: 500,
}

/** The longest pause between two attempts while the database is down. */
const RETRY_MS_MAX = 5_000
const CLOSE_MS = 2_000

type LogDeps = Pick<Deps, 'db' | 'ids' | 'clock'> & { log: Log }

/** Queues log lines in memory and writes them in batches, without delaying the requests. */
export function openRequestLog(
  { db, ids, clock, log }: LogDeps,
  { days = 30, ...settings }: RequestLogOptions = {},
): RequestLog {
  const limits = { ...LIMITS, ...settings }
  const waiting: Entry[] = []
  const counts = { written: 0, bodiesDropped: 0, linesDropped: 0 }
  const isCalm = calmBelow(limits.bodiesPerSecond)
  let bodies = 0
  let failures = 0
  let isFull = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined

  function note(exchange: CallRecord): void {
    const keepsBodies = isCalm()
    try {
      if (waiting.length >= limits.linesMax) overflow()
      else add(entryOf(exchange, clock.now(), keepsBodies))
    } catch (err) {
      counts.linesDropped++
      log.error(
        { err, requestId: exchange.requestId },
        'a request could not be queued for the request log',
      )
    }
  }

  function add(entry: Entry): void {
    const bytes = bodyBytesOf(entry)
    const fits = bodies + bytes <= limits.bodiesMax
    const kept = fits ? entry : withoutBodies(entry)
    if (kept.bodies_dropped) counts.bodiesDropped++
    waiting.push(kept)
    if (fits) bodies += bytes
    arm()
  }

  function overflow(): void {
    counts.linesDropped++
    if (isFull) return
    isFull = true
    log.warn({ lines: waiting.length }, 'the request log is full; requests are being dropped')
  }

  function arm(): void {
    if (running || isClosed || waiting.length === 0) return
    const isBatch = waiting.length >= limits.rowsMax && failures === 0
    if (timer && !isBatch) return
    clearTimeout(timer)
    const pause = Math.min(limits.everyMs * 2 ** failures, RETRY_MS_MAX)
    timer = setTimeout(() => void start(), isBatch ? 0 : Math.max(pause, limits.everyMs))
    timer.unref()
  }

  function start(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    running ??= run(waiting.length).finally(() => {
      running = undefined
      arm()
    })
    return running
  }

  async function run(lines: number): Promise<void> {
    try {
      for (let left = lines; left > 0; ) {
        const batch = waiting.slice(0, Math.min(left, limits.rowsMax))
        await write(batch)
        // Lines count as queued until they have been written.
        waiting.splice(0, batch.length)
        for (const entry of batch) bodies -= bodyBytesOf(entry)
        left -= batch.length
        isFull = false
      }
      if (failures > 0) log.info({ lines }, 'the request log is being written again')
      failures = 0
    } catch (err) {
      if (failures++ === 0)
        log.warn({ err }, 'requests could not be logged; they are kept in memory')
    }
  }

  async function write(batch: readonly Entry[]): Promise<void> {
    try {
      for (const entry of batch) entry.id ??= ids.take() ?? (await ids.next())
      await insertEntries(db, batch)
      counts.written += batch.length
    } catch (error) {
      if (!isOfARow(error)) throw error
      if (batch.length === 1) {
        counts.linesDropped++
        log.error({ err: error, requestId: batch[0]!.request_id }, 'a request could not be logged')
        return
      }
      const middle = batch.length >> 1
      await write(batch.slice(0, middle))
      await write(batch.slice(middle))
    }
  }

  async function flush(): Promise<void> {
    await running
    if (waiting.length > 0) await start()
  }

  return {
    days,
    note,
    flush,
    counts: (): CallLogCounts => ({ waiting: waiting.length, ...counts }),
    async close() {
      isClosed = true
      clearTimeout(timer)
      await Promise.race([flush(), sleep(CLOSE_MS, undefined, { ref: false })])
      if (waiting.length > 0) log.warn({ lines: waiting.length }, 'requests were not logged')
    },
  }
}

/**
 * Returns whether the data in one row caused the error, which means that a retry would fail in the
 * same way.
 */
const isOfARow = (error: unknown): boolean =>
  /^2[123]/.test(String((error as { code?: unknown })?.code ?? ''))

/**
 * Returns a function that counts a request, and returns whether at most `perSecond` requests
 * arrived in this second and in the previous one.
 */
function calmBelow(perSecond: number): () => boolean {
  let second = 0
  let count = 0
  let before = 0
  return () => {
    const now = Math.floor(performance.now() / 1000)
    if (now !== second) {
      before = now === second + 1 ? count : 0
      second = now
      count = 0
    }
    count++
    return count <= perSecond && before <= perSecond
  }
}

/**
 * No request waits for a lock on these rows, so one run can delete more of them than other jobs do.
 */
const ROWS_MAX = 500

/** Deletes requests after `days` days, by the server's clock. With 0, deletes them all. */
export const requestLogJob = (days: number, archive: Archive | undefined): Job =>
  retentionJob(
    'request-log',
    { days, archive },
    {
      kind: 'requests',
      limit: ROWS_MAX,
      find: selectOldEntries,
      read: lockOldEntries,
      linesOf: (rows) => rows.map((row) => archiveLine(row, requestRecord(row))),
      remove: deleteOldEntries,
    },
  )
