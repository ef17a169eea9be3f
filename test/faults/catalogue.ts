import { setTimeout as sleep } from 'node:timers/promises'
import { breakProvider } from './provider.ts'
import { breakReceivers } from './receivers.ts'
import type { Business, Rig } from './rigs.ts'

/* What goes wrong, and how it is put right again. */

export type RigName = 'embedded' | 'proxied' | 'standby'

export interface Fault {
  rig: RigName
  what: string
  /** The promises that it is about, besides those that every round checks. */
  promises: readonly string[]
  /** Whether the process of the server runs all the time, so that `/health/live` must be 200. */
  isServerUp: boolean
  /** Whether the database is gone long enough for `/health/ready` to say so. */
  isNoticed: boolean
  /** Whether it is over at once, so that the time to recover counts from its beginning. */
  isInstant: boolean
  /** Resolves when everything is as it was, with a list of violations if there are any. */
  run(rig: Rig, random: () => number, business: Business): Promise<unknown>
}

const kill = (pid: number) => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

const between = (random: () => number, least: number, most: number) =>
  least + random() * (most - least)

export const FAULTS: Readonly<Record<string, Fault>> = {
  kill: {
    ...{ rig: 'embedded', what: 'kill -9 of the server', promises: ['P8'] },
    ...{ isServerUp: false, isNoticed: false, isInstant: true },
    async run({ server }) {
      await server.kill()
      await server.start()
    },
  },
  backend: {
    ...{ rig: 'embedded', what: 'kill -9 of a database backend', promises: ['P8'] },
    ...{ isServerUp: true, isNoticed: false, isInstant: true },
    async run({ query }, random) {
      const rows = await query(`
        select pid from pg_stat_activity where backend_type = 'client backend'
          and pid <> pg_backend_pid() order by pid`)
      kill(Number(rows[Math.floor(random() * rows.length)]!.pid))
    },
  },
  postmaster: {
    ...{ rig: 'embedded', what: 'kill -9 of the postmaster', promises: ['P8'] },
    ...{ isServerUp: true, isNoticed: false, isInstant: true },
    run: async ({ databasePids }) => kill((await databasePids())[0]!),
  },
  both: {
    ...{ rig: 'embedded', what: 'kill -9 of the server and the postmaster', promises: ['P8'] },
    ...{ isServerUp: false, isNoticed: false, isInstant: true },
    async run({ server, databasePids }) {
      kill((await databasePids())[0]!)
      await server.kill()
      await server.start()
    },
  },
  pause: {
    ...{ rig: 'embedded', what: 'the server is stopped (SIGSTOP), then continued' },
    ...{ promises: ['P8'], isServerUp: false, isNoticed: false, isInstant: false },
    async run({ server }, random) {
      server.signal('SIGSTOP')
      await sleep(between(random, 2_000, 6_000))
      server.signal('SIGCONT')
    },
  },
  'pause-database': {
    ...{ rig: 'embedded', what: 'all of PostgreSQL is stopped (SIGSTOP), then continued' },
    ...{ promises: ['P8'], isServerUp: true, isNoticed: true, isInstant: false },
    async run({ databasePids }, random) {
      const pids = await databasePids()
      signalAll(pids, 'SIGSTOP')
      await sleep(between(random, 4_000, 8_000))
      signalAll(pids, 'SIGCONT')
    },
  },
  slow: {
    ...{ rig: 'proxied', what: 'a database that is 100 to 400 ms away', promises: ['P8'] },
    ...{ isServerUp: true, isNoticed: false, isInstant: false },
    async run({ proxy }, random) {
      proxy!.slow(between(random, 100, 400))
      await sleep(4_000)
      proxy!.slow(0)
    },
  },
  cut: {
    ...{ rig: 'proxied', what: 'a database that refuses connections', promises: ['P8'] },
    ...{ isServerUp: true, isNoticed: true, isInstant: false },
    async run({ proxy }, random) {
      proxy!.cut()
      await sleep(between(random, 3_000, 6_000))
      proxy!.restore()
    },
  },
  silent: {
    ...{ rig: 'proxied', what: 'a database that does not respond', promises: ['P8'] },
    ...{ isServerUp: true, isNoticed: true, isInstant: false },
    async run({ proxy }, random) {
      proxy!.freeze()
      await sleep(between(random, 4_000, 8_000))
      proxy!.restore()
    },
  },
  'lost-commit': {
    ...{ rig: 'proxied', what: 'a connection that ends after a commit was sent' },
    ...{ promises: ['P3', 'P8'], isServerUp: true, isNoticed: false, isInstant: false },
    async run({ proxy }) {
      await Promise.race([proxy!.cutAfter('commit'), sleep(10_000)])
      await sleep(500)
      proxy!.restore()
    },
  },
  'no-commit': {
    ...{ rig: 'proxied', what: 'a connection that ends before a commit arrives' },
    ...{ promises: ['P3', 'P8'], isServerUp: true, isNoticed: false, isInstant: false },
    async run({ proxy }) {
      await Promise.race([proxy!.cutBefore('commit'), sleep(10_000)])
      await sleep(500)
      proxy!.restore()
    },
  },
  'read-only': {
    ...{ rig: 'proxied', what: 'a database that only reads for a while' },
    ...{ promises: ['P8', 'P15'], isServerUp: true, isNoticed: true, isInstant: false },
    async run({ query }, random) {
      await query('alter database tradepost set default_transaction_read_only = on')
      await query(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = 'tradepost' and pid <> pg_backend_pid()`)
      await sleep(between(random, 3_000, 5_000))
      // Without these words, this transaction would be read-only, too.
      await query(`
        begin read write;
        alter database tradepost reset default_transaction_read_only;
        commit`)
    },
  },
  rekey: {
    ...{ rig: 'proxied', what: 'the secrets are encrypted again', promises: ['P16', 'P17'] },
    ...{ isServerUp: true, isNoticed: false, isInstant: false },
    run: async ({ json }) => void (await json('rekey')),
  },
  receivers: {
    ...{ rig: 'embedded', what: 'webhook receivers that hang, redirect or fail' },
    ...{ promises: ['P5'], isServerUp: true, isNoticed: false, isInstant: false },
    run: breakReceivers,
  },
  provider: {
    ...{ rig: 'embedded', what: 'a provider that answers late or not at all, and repeats itself' },
    ...{ promises: ['P13', 'P14'], isServerUp: true, isNoticed: false, isInstant: false },
    run: breakProvider,
  },
  promote: {
    ...{ rig: 'standby', what: 'the primary is killed, its standby promoted' },
    ...{ promises: ['P8', 'P15'], isServerUp: true, isNoticed: true, isInstant: true },
    run: ({ failOver }) => failOver!(),
  },
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // A backend has ended meanwhile.
    }
  }
}
