import cluster from 'node:cluster'
import { appOptionsOf, closePool, openPool, tracingOf } from '../app/from-config.ts'
import { buildApp } from '../app.ts'
import { type Config, publicUrlOf, readConfig } from '../config.ts'
import { openIds } from '../db/ids.ts'
import { openKeyring } from '../encryption/keyring.ts'
import { serverKeysOf } from '../encryption/server-keys.ts'
import { openDraining } from '../http/draining.ts'
import { listen } from '../http/ports.ts'
import { closeDrained } from '../http/server.ts'
import { startJobs } from '../jobs/jobs.ts'
import { systemClock } from '../lib/clock.ts'
import type { Peers } from '../lib/peers.ts'
import { openLog } from '../log.ts'
import { TRAFFIC_TOPIC } from './drain.ts'
import { ANSWER_MS, type Message, openLink, openNudger } from './link.ts'
import { giveBackMemorySoon } from './memory.ts'
import { type Begin, type Begun, DRAIN_TOPIC } from './workers.ts'

type Stop = () => Promise<void>

/**
 * Handles requests until the process that started this one tells it to stop. Ends at once if that
 * process ends, because nothing would replace this worker from then on.
 */
export function runWorker(environment: NodeJS.ProcessEnv): void {
  // Ctrl-C reaches every process in the terminal, and a signal to a service all of its processes,
  // but the first process decides what to do.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const)
    process.on(signal, () => {})
  process.once('disconnect', () => process.exit(1))
  const peers = openPeers()
  const serving = Promise.withResolvers<Stop>()
  peers.on('begin', async (begin: Begin): Promise<Begun> => {
    try {
      serving.resolve(await serve(readConfig(environment), peers, begin))
      return {}
    } catch (error) {
      return { error: (error as Error).message }
    }
  })
  peers.on('stop', async () => {
    const stop = await serving.promise
    await stop()
    process.exit(0)
  })
}

/**
 * On Linux, each worker has its own socket on the port, and the system gives each connection to one
 * of them. Elsewhere, the first process accepts connections and passes them on. If a worker ends
 * while a connection is being passed to it, the connection stays open and nobody responds.
 */
const SHARING = process.platform === 'linux' ? { exclusive: true, reusePort: true } : {}

/**
 * Handles requests in this process. Returns a function that finishes the requests and closes
 * everything.
 */
async function serve(config: Config, peers: Peers, begin: Begin): Promise<Stop> {
  const log = openLog({ level: config.LOG_LEVEL, worker: cluster.worker!.id })
  const stopTracing = await tracingOf(config, log)
  const db = openPool(config, begin, log)
  const keyring = openKeyring(serverKeysOf(config))
  await keyring.load(db)
  const draining = openDraining()
  if (begin.isDraining) draining.begin()
  peers.on(DRAIN_TOPIC, draining.begin)
  peers.on(TRAFFIC_TOPIC, draining.traffic)
  const app = await buildApp(
    appOptionsOf(config, {
      db,
      ids: openIds(db),
      keyring,
      log,
      peers,
      draining,
      nudge: openNudger(peers),
      publicUrl: publicUrlOf(config, begin.port),
    }),
  )
  await listen(app.server, { host: config.HOST, port: begin.port, ...SHARING })
  const jobs = startJobs(db, systemClock, app.jobs, log, { runs: 'own' })
  giveBackMemorySoon()
  return async () => {
    await jobs.stop()
    await closeDrained(app.server)
    await closePool(db)
    await stopTracing()
  }
}

/** Sends data to the other processes through the process that started this one. */
function openPeers(): Peers {
  const receivers = new Map<string, (data: never) => unknown>()
  const receive = (topic: string, data: unknown) => receivers.get(topic)?.(data as never)
  const send = (message: Message) => {
    if (process.connected) process.send!(message, undefined, undefined, () => {})
  }
  const link = openLink(send, { told: receive, asked: receive })
  process.on('message', (message) => link.take(message as Message))
  return {
    tell: link.tell,
    // This waits longer, because the first process waits for the others in turn.
    ask: async (topic, data) => ((await link.ask(topic, data, 1.5 * ANSWER_MS)) ?? []) as unknown[],
    on: (topic, receive) => void receivers.set(topic, receive as (data: never) => unknown),
  }
}
