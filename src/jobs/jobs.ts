import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { deleteExpired } from '../db/idempotency.ts'
import { inTurnsOfSeveral } from '../db/turns.ts'
import { addMs, type Clock } from '../lib/clock.ts'
import { inJobSpan } from '../tracing/tracing.ts'

/**
 * Processes a limited number of rows that are due by `now`, and returns how many it processed.
 *
 * `only` limits the run to the test data of one business whose test clock is ahead. Several
 * processes can run a job at once, so rows are claimed in the statement that finds them.
 */
export type JobRun = (db: Database, now: Date, only?: number) => Promise<number>

export interface Job {
  name: string
  /** The longest that a due row waits without a nudge. */
  everyMs: number
  run: JobRun
  /**
   * Moving a test clock nudges the job, because its rows are due by `now` and users wait for them.
   */
  followsTestClock?: true
  /** Users wait for the job's rows. */
  isAwaited?: true
  /** Every process runs the job, because the job concerns the memory of its process. */
  isOfProcess?: true
  /**
   * How long to rest between runs while there is more to do, as a multiple of how long the run
   * took; 3 by default. Use 0 for a job that waits for external calls rather than using the
   * CPU.
   */
  restFactor?: number
  /** Ends a run early that is waiting for an outside service. */
  stop?(): void
  /** Resolves when the work has ended that goes on after the runs that began it. */
  outlasting?(): Promise<readonly unknown[]>
}

export interface RunningJobs {
  /**
   * Reports that a row is due, or will be due in `afterMs`. A crash loses the nudge, but the next
   * regular run finds the row.
   */
  nudge(name: string, afterMs?: number): void
  /**
   * Finishes the runs in progress and doesn't start new ones, apart from jobs that concern the
   * memory of this process.
   */
  drain(): Promise<void>
  /** The same for all jobs. */
  stop(): Promise<void>
}

/** A busy job leaves most of the time to requests, but rests for at most this long. */
const REST_MS_MAX = 500

/** The minimum time between two runs of the same job, except for nudges that are due at once. */
const NUDGE_MS = 50

/** The maximum number of rows per run, so that no run holds locks for long. */
export const JOB_ROWS_MAX = 200

interface Share {
  /**
   * Which jobs this process runs. `own` are those that concern its own memory. `unnudged` are all
   * jobs, in a process that receives no nudges because other processes handle the requests.
   */
  runs: 'all' | 'own' | 'unnudged'
}

/** How long users wait for a job that is not nudged. */
const UNNUDGED_MS = 1_000

/** Runs each job at its interval and when nudged, never twice at once in one process. */
export function startJobs(
  db: Database,
  clock: Clock,
  jobs: readonly Job[],
  log: Logger,
  { runs }: Share = { runs: 'all' },
): RunningJobs {
  const ours = jobs.filter(({ isOfProcess }) => runs !== 'own' || isOfProcess)
  const paced = runs === 'unnudged' ? ours.map(oftener) : ours
  const loops = new Map(paced.map((job) => [job.name, loopOf(db, clock, job, log)]))
  for (const loop of loops.values()) loop.wake(0)
  const end = async (some: readonly Job[]) => {
    await Promise.all(some.map(({ name }) => loops.get(name)!.stop()))
  }
  return {
    nudge: (name, afterMs = 0) => loops.get(name)?.wake(afterMs),
    drain: () => end(paced.filter(({ isOfProcess }) => !isOfProcess)),
    stop: () => end(paced),
  }
}

const oftener = (job: Job): Job =>
  job.followsTestClock || job.isAwaited
    ? { ...job, everyMs: Math.min(job.everyMs, UNNUDGED_MS) }
    : job

function loopOf(db: Database, clock: Clock, job: Job, log: Logger) {
  const { name, everyMs, restFactor = 3 } = job
  const rest = (tookMs: number) =>
    sleep(Math.min(restFactor * tookMs, REST_MS_MAX), undefined, { ref: false })
  let stopped = false
  let running: Promise<void> | undefined
  let again = false
  let timer: NodeJS.Timeout | undefined
  /** When the next regular run is due, and when each pending nudge is. */
  let rhythmAt = Number.POSITIVE_INFINITY
  const nudges = new Set<number>()

  function wake(afterMs: number): void {
    if (stopped) return
    if (running && afterMs === 0) {
      again = true
      return
    }
    const at = Date.now() + afterMs
    // Nudges that are close together share one run, which starts after the last of them is due.
    nudges.add(afterMs === 0 ? at : Math.ceil(at / NUDGE_MS) * NUDGE_MS)
    arm()
  }

  function arm(): void {
    if (stopped || running) return
    clearTimeout(timer)
    timer = setTimeout(
      () => inTurnsOfSeveral(fire),
      Math.max(0, Math.min(rhythmAt, ...nudges) - Date.now()),
    )
    timer.unref()
  }

  function fire(): void {
    const now = Date.now()
    for (const at of nudges) if (at <= now) nudges.delete(at)
    running = runDueNow().finally(() => {
      running = undefined
      rhythmAt = Date.now() + (again ? 0 : everyMs)
      arm()
    })
  }

  async function runDueNow(): Promise<void> {
    again = false
    try {
      const run: JobRun = (...args) => inJobSpan(name, () => job.run(...args))
      const began = clock.now()
      const elapsedMs = () => clock.now().getTime() - began.getTime()
      const goOn = () => {
        again = true
      }
      await runDue(db, began, run, { isStopped: () => stopped, rest, elapsedMs, goOn })
    } catch (error) {
      if (!stopped) log.warn({ err: error, job: name }, 'job failed; it will be retried')
    }
  }

  async function stop(): Promise<void> {
    stopped = true
    clearTimeout(timer)
    job.stop?.()
    await running
    await job.outlasting?.()
  }

  return { wake, stop }
}

/**
 * Runs a job once for all businesses by the server's clock, then for each business whose test clock
 * is ahead. If one of these runs fails, the others go on.
 */
export async function runDue(
  db: Database,
  now: Date,
  run: JobRun,
  pace: Pace = AT_ONCE,
): Promise<number> {
  let total = 0
  const failures: unknown[] = []
  const runAt = (at: Date, only?: number) =>
    // The events of a long run must not have its old time: see `resumeOf` in developers/events.
    untilDone(() => run(db, addMs(at, pace.elapsedMs()), only), pace).then(
      (count) => (total += count),
      (error: unknown) => failures.push(error),
    )
  await runAt(now)
  const ahead = await db.many<{ id: number; test_clock_offset_ms: number }>`
    select id, test_clock_offset_ms from businesses where test_clock_offset_ms > 0`
  for (const { id, test_clock_offset_ms } of ahead) {
    await runAt(addMs(now, test_clock_offset_ms), id)
  }
  if (failures.length > 0) throw failures[0]
  return total
}

interface Pace {
  isStopped(): boolean
  rest(tookMs: number): Promise<unknown>
  /** How long ago the whole run began, by the clock. */
  elapsedMs(): number
  /** Asks for another run, because this one ends with work left. */
  goOn(): void
}

const AT_ONCE: Pace = {
  isStopped: () => false,
  rest: async () => {},
  elapsedMs: () => 0,
  goOn: () => {},
}

/** The longest run for all businesses or for one, because new rows can become due for ever. */
const RUN_MS_MAX = 60_000

async function untilDone(run: () => Promise<number>, pace: Pace): Promise<number> {
  let total = 0
  const until = pace.elapsedMs() + RUN_MS_MAX
  while (!pace.isStopped()) {
    if (pace.elapsedMs() > until) {
      pace.goOn()
      break
    }
    const began = performance.now()
    const done = await run()
    if (done === 0) break
    total += done
    await pace.rest(performance.now() - began)
  }
  return total
}

/**
 * Runs `work` for each row, up to `atOnce` at a time. A failure does not stop the others. The first
 * failure is thrown once all are done.
 */
export async function forEachConcurrent<Row>(
  rows: readonly Row[],
  atOnce: number,
  work: (row: Row) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = []
  const waiting = rows.values()
  const worker = async () => {
    for (const row of waiting) await work(row).catch((error) => failures.push(error))
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  if (failures.length > 0) throw failures[0]
}

/** Deletes expired Idempotency-Keys, a few at a time. */
export const pruneJob: Job = {
  name: 'prune',
  everyMs: 60_000,
  run: (db, now, only) => deleteExpired(db, now, only, JOB_ROWS_MAX),
}
