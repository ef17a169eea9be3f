import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../db/log.ts'
import type { Draining, Traffic } from '../http/draining.ts'
import type { RunningJobs } from '../jobs/jobs.ts'
import type { Workers } from './workers.ts'

/** How far a server is with draining. */
export interface DrainStatus {
  state: 'running' | 'draining' | 'drained'
  /** Requests that its processes are handling. */
  requests: number
  /** Whether jobs and webhook deliveries are still in progress. */
  working: boolean
}

export interface Drain {
  /** Starts to drain the server. Resolves once it is drained, or if it is stopped first. */
  begin(): Promise<void>
  status(): Promise<DrainStatus>
  stop(): void
}

interface Parts {
  draining: Draining
  workers: Workers | undefined
  jobs: RunningJobs
  /** Resolves when work has ended that jobs began but do not wait for. */
  settled(): Promise<unknown>
  log: Log
}

/** Asks a worker how many requests it handles. */
export const TRAFFIC_TOPIC = 'traffic'

/**
 * How long no request must have arrived. By then, a proxy that checks `/health/ready` every 5 s has
 * seen it fail twice.
 */
const QUIET_MS = 10_000
const LOOK_MS = 250

/** Takes a server out of service without stopping it, in all its processes. */
export function openDrain({ draining, workers, jobs, settled, log }: Parts): Drain {
  const stopping = new AbortController()
  let isWorking = true
  let drained: Promise<void> | undefined

  async function traffic(): Promise<Traffic | undefined> {
    if (!workers) return draining.traffic()
    const all = (await workers.ask(TRAFFIC_TOPIC)) as Traffic[]
    // A worker that does not respond may be handling requests.
    if (all.length < workers.count()) return undefined
    return {
      open: all.reduce((sum, { open }) => sum + open, 0),
      quietMs: Math.min(...all.map(({ quietMs }) => quietMs)),
    }
  }

  async function status(): Promise<DrainStatus> {
    const found = await traffic()
    const requests = found?.open ?? 0
    if (!draining.hasBegun()) return { state: 'running', requests, working: true }
    const isQuiet = found !== undefined && requests === 0 && found.quietMs >= QUIET_MS
    const state = isQuiet && !isWorking ? 'drained' : 'draining'
    return { state, requests, working: isWorking }
  }

  async function run(): Promise<void> {
    log.info({}, 'draining')
    draining.begin()
    workers?.drain()
    await jobs.drain()
    await settled()
    isWorking = false
    while (!stopping.signal.aborted && (await status()).state !== 'drained') {
      await sleep(LOOK_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
    if (!stopping.signal.aborted) log.info({}, 'drained')
  }

  return {
    begin: () => {
      drained ??= run()
      return drained
    },
    status,
    stop: () => stopping.abort(),
  }
}
