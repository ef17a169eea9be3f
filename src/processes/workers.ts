import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../db/log.ts'
import type { Peers } from '../lib/peers.ts'
import { fromRoot } from '../root.ts'
import { type Link, type Message, openLink } from './link.ts'

/**
 * The data that a worker needs before it can handle requests. Everything else is in the
 * environment.
 */
export interface Begin {
  connection: pg.ClientConfig
  connectionsMax: number
  isPooled: boolean
  port: number
  /** Whether the server is being taken out of service. */
  isDraining?: boolean
}

/** What a worker returns once it is listening, or if it cannot listen. */
export interface Begun {
  error?: string
}

/** The option of `tradepost start` that makes a process a worker of the one that started it. */
const AS_WORKER = '--as-worker'

/** Tells a worker that the server is being taken out of service. */
export const DRAIN_TOPIC = 'drain'

/** The processes that handle this server's requests. This process is one of their peers. */
export interface Workers extends Peers {
  /** Starts all workers. Throws if one of them cannot start. */
  start(begin: Begin): Promise<void>
  /** Tells all workers, also those that start later, that they are being taken out of service. */
  drain(): void
  /** Returns how many workers are running. */
  count(): number
  /** Lets all workers finish their requests. Resolves once they have ended. */
  stop(): Promise<void>
}

/** A worker that exits sooner than this is replaced only after a pause, which doubles each time. */
const YOUNG_MS = 10_000
const PAUSE_MS = { first: 100, most: 5_000 }

/**
 * How long workers can take to stop: 10 s for requests, 5 s for connections, and some extra time.
 */
const STOP_MS = 20_000

/** Runs `count` workers on one port, and replaces any that ends. */
export function openWorkers(count: number, log: Log): Workers {
  const running = new Set<Running>()
  const receivers = new Map<string, (data: never) => unknown>()
  const stopping = new AbortController()
  let failures = 0
  let isDraining = false

  const receive = (topic: string, data: unknown) => receivers.get(topic)?.(data as never)

  /** A worker that is still starting knows nothing yet, and would respond late. */
  const linksBut = (from?: Running): Link[] =>
    [...running].filter((one) => one.isReady && one !== from).map(({ link }) => link)

  function tell(topic: string, data: unknown, from?: Running): void {
    for (const link of linksBut(from)) link.tell(topic, data)
  }

  async function ask(topic: string, data: unknown, from?: Running): Promise<unknown[]> {
    const own = from && receive(topic, data)
    const all = await Promise.all([own, ...linksBut(from).map((link) => link.ask(topic, data))])
    return all.filter((response) => response !== undefined)
  }

  function fork(begin: Begin): Running {
    const worker = cluster.fork({ PORT: `${begin.port}` })
    const send = (message: Message) => {
      // A worker that has just ended does not need the message.
      if (worker.isConnected()) worker.send(message, () => {})
    }
    const link = openLink(send, {
      told(topic, data) {
        receive(topic, data)
        tell(topic, data, one)
      },
      asked: (topic, data) => ask(topic, data, one),
    })
    const ended = new Promise<Ended>((resolve) => {
      worker.once('exit', (code, signal) => resolve({ code, signal }))
      worker.on('error', (err) => {
        log.warn({ err, worker: worker.id }, 'a worker process failed')
        // A process that the system could not start does not exit either.
        if (worker.process.pid === undefined) resolve({ code: null, signal: null })
      })
    })
    const one: Running = { worker, link, ended, isReady: false }
    running.add(one)
    worker.on('message', link.take)
    void ended.then(() => {
      running.delete(one)
      link.close()
    })
    return one
  }

  /** Starts a worker. Throws if the worker can't listen. */
  async function launch(begin: Begin): Promise<Running> {
    const one = fork(begin)
    const said = await one.link.ask('begin', { ...begin, isDraining }, Number.POSITIVE_INFINITY)
    const { error } = (said ?? { error: 'a worker process ended while it was starting' }) as Begun
    if (error === undefined) {
      one.isReady = true
      // It may have started while the worker was starting.
      if (isDraining) one.link.tell(DRAIN_TOPIC)
      return one
    }
    one.worker.process.kill('SIGKILL')
    throw new Error(error)
  }

  /** Replaces a worker whenever it ends, as long as this server runs. */
  async function keep(first: Running, begin: Begin): Promise<void> {
    for (let one: Running | undefined = first; ; ) {
      const began = performance.now()
      const ended = await one?.ended
      if (stopping.signal.aborted) return
      if (one) log.error({ worker: one.worker.id, ...ended }, 'a worker process ended unexpectedly')
      failures = performance.now() - began < YOUNG_MS ? failures + 1 : 0
      const pauseMs = failures && Math.min(PAUSE_MS.first * 2 ** (failures - 1), PAUSE_MS.most)
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      one = await launch(begin).catch((err: unknown) => {
        if (!stopping.signal.aborted) log.error({ err }, 'a worker process could not start')
        return undefined
      })
      if (one) log.info({ worker: one.worker.id }, 'a worker process has replaced it')
    }
  }

  async function stop(): Promise<void> {
    stopping.abort()
    const all = [...running]
    for (const { link } of all) link.tell('stop')
    const late = setTimeout(() => {
      for (const { worker } of all) worker.process.kill('SIGKILL')
    }, STOP_MS)
    await Promise.all(all.map(({ ended }) => ended))
    clearTimeout(late)
  }

  return {
    async start(begin) {
      cluster.setupPrimary({ exec: fromRoot('bin/tradepost.js'), args: ['start', AS_WORKER] })
      const started = await Promise.all(Array.from({ length: count }, () => launch(begin)))
      for (const one of started) void keep(one, begin)
    },
    drain() {
      isDraining = true
      tell(DRAIN_TOPIC, undefined)
    },
    count: () => running.size,
    stop,
    tell: (topic, data) => tell(topic, data),
    ask: (topic, data) => ask(topic, data),
    on: (topic, receiver) => void receivers.set(topic, receiver as (data: never) => unknown),
  }
}

interface Running {
  worker: Worker
  link: Link
  ended: Promise<Ended>
  /** Whether it handles requests. */
  isReady: boolean
}

interface Ended {
  code: number | null
  signal: string | null
}
