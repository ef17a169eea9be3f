import { setTimeout as sleep } from 'node:timers/promises'
import { lacksFaketime } from './clock.ts'
import { runCommands } from './commands.ts'
import { sendGenerated } from './generated.ts'
import type { Violation } from './journal.ts'
import { breakProvider } from './provider.ts'
import { breakReceivers } from './receivers.ts'
import { type Business, type Rig, statusOf } from './rigs.ts'
import { openSlowly } from './slow-clients.ts'
import { lacksMount } from './small-disk.ts'
import { runTests } from './suites.ts'
import { lacksProgram, runSlowhttptest, runSqlmap } from './tools.ts'

/* What goes wrong, and how it is put right again. */

export type RigName = 'embedded' | 'proxied' | 'standby' | 'small' | 'clock'

/** What a fault found by itself, besides what is checked after every fault. */
export interface Found {
  violations: readonly Violation[]
  /** How many requests or the like were checked. */
  checks?: number
  /** What to print about them. */
  says?: string
}

export interface Options {
  /** How many generated requests to send. */
  requests: number
}

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
  /** Whether only a long run includes it, unless it is named. */
  isLong?: boolean
  /** Why it cannot be tried on this machine, if so. */
  lacks?(): string | undefined
  /** Resolves when everything is as it was. */
  run(
    rig: Rig,
    random: () => number,
    business: Business,
    options: Options,
  ): Promise<Found | undefined>
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
    rig: 'embedded',
    what: 'kill -9 of the server',
    promises: ['P8'],
    isServerUp: false,
    isNoticed: false,
    isInstant: true,
    async run({ server }) {
      await server.kill()
      await server.start()
    },
  },
  backend: {
    rig: 'embedded',
    what: 'kill -9 of a database backend',
    promises: ['P8'],
    isServerUp: true,
    isNoticed: false,
    isInstant: true,
    async run({ query }, random) {
      const rows = await query(`
        select pid from pg_stat_activity where backend_type = 'client backend'
          and pid <> pg_backend_pid() order by pid`)
      kill(Number(rows[Math.floor(random() * rows.length)]!.pid))
    },
  },
  postmaster: {
    rig: 'embedded',
    what: 'kill -9 of the postmaster',
    promises: ['P8'],
    isServerUp: true,
    isNoticed: false,
    isInstant: true,
    async run({ databasePids }) {
      kill((await databasePids())[0]!)
    },
  },
  both: {
    rig: 'embedded',
    what: 'kill -9 of the server and the postmaster',
    promises: ['P8'],
    isServerUp: false,
    isNoticed: false,
    isInstant: true,
    async run({ server, databasePids }) {
      kill((await databasePids())[0]!)
      await server.kill()
      await server.start()
    },
  },
  pause: {
    rig: 'embedded',
    what: 'the server is stopped (SIGSTOP), then continued',
    promises: ['P8'],
    isServerUp: false,
    isNoticed: false,
    isInstant: false,
    async run({ server }, random) {
      server.signal('SIGSTOP')
      await sleep(between(random, 2_000, 6_000))
      server.signal('SIGCONT')
    },
  },
  'pause-database': {
    rig: 'embedded',
    what: 'all of PostgreSQL is stopped (SIGSTOP), then continued',
    promises: ['P8'],
    isServerUp: true,
    isNoticed: true,
    isInstant: false,
    async run({ databasePids }, random) {
      const pids = await databasePids()
      signalAll(pids, 'SIGSTOP')
      await sleep(between(random, 4_000, 8_000))
      signalAll(pids, 'SIGCONT')
    },
  },
  slow: {
    rig: 'proxied',
    what: 'a database that is 100 to 400 ms away',
    promises: ['P8'],
    isServerUp: true,
    isNoticed: false,
    isInstant: false,
    async run({ proxy }, random) {
      proxy!.slow(between(random, 100, 400))
      await sleep(4_000)
      proxy!.slow(0)
    },
  },
  cut: {
    rig: 'proxied',
    what: 'a database that refuses connections',
    promises: ['P8'],
    isServerUp: true,
    isNoticed: true,
    isInstant: false,
    async run({ proxy }, random) {
      proxy!.cut()
      await sleep(between(random, 3_000, 6_000))
      proxy!.restore()
    },
  },
  silent: {
    rig: 'proxied',
    what: 'a database that does not respond',
    promises: ['P8'],
    isServerUp: true,
    isNoticed: true,
    isInstant: false,
    async run({ proxy }, random) {
      proxy!.freeze()
      await sleep(between(random, 4_000, 8_000))
      proxy!.restore()
    },
  },
  'lost-commit': {
    rig: 'proxied',
    what: 'a connection that ends after a commit was sent',
    promises: ['P3', 'P8'],
    isServerUp: true,
    isNoticed: false,
    isInstant: false,
    async run({ proxy }) {
      await Promise.race([proxy!.cutAfter('commit'), sleep(10_000)])
      await sleep(500)
      proxy!.restore()
    },
  },
  'no-commit': {
    rig: 'proxied',
    what: 'a connection that ends before a commit arrives',
    promises: ['P3', 'P8'],
    isServerUp: true,
    isNoticed: false,
    isInstant: false,
    async run({ proxy }) {
      await Promise.race([proxy!.cutBefore('commit'), sleep(10_000)])
      await sleep(500)
      proxy!.restore()
    },
  },
  'read-only': {
    rig: 'proxied',
    what: 'a database that only reads for a while',
    promises: ['P8', 'P15'],
    isServerUp: true,
    isNoticed: true,
    isInstant: false,
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
    rig: 'proxied',
    what: 'the secrets are encrypted again',
    promises: ['P16', 'P17'],
    isServerUp: true,
    isNoticed: false,
    isInstant: false,
    async run({ json }) {
      await json('rekey')
    },
  },
  commands: {
    rig: 'embedded',
    what: 'commands of an operator, with a backup that is restored',
    promises: ['P11', 'P17'],
    isServerUp: true,
    isNoticed: false,
    isInstant: false,
    run: runCommands,
  },
  receivers: {
    rig: 'embedded',
    what: 'webhook receivers that hang, redirect or fail',
    promises: ['P5'],
    isServerUp: true,
    isNoticed: false,
    isInstant: false,
    run: breakReceivers,
  },
  provider: {
    rig: 'embedded',
    what: 'a provider that answers late or not at all, and repeats itself',
    promises: ['P13', 'P14'],
    isServerUp: true,
    isNoticed: false,
    isInstant: false,
    run: breakProvider,
  },
  requests: {
    rig: 'embedded',
    what: 'generated requests to all operations',
    promises: ['P6'],
    isServerUp: true,
    isNoticed: false,
    isInstant: false,
    run: sendGenerated,
  },
  'slow-clients': {
    rig: 'embedded',
    what: 'clients that send a byte a second',
    promises: ['P7'],
    isServerUp: true,
    isNoticed: false,
    isInstant: false,
    run: openSlowly,
  },
  slowhttptest: {
    rig: 'embedded',
    what: 'slow headers, bodies and reading, by slowhttptest',
    promises: ['P7'],
    isServerUp: true,
    isNoticed: false,
    isInstant: false,
    isLong: true,
    lacks: () => lacksProgram('slowhttptest'),
    run: runSlowhttptest,
  },
  sqlmap: {
    rig: 'embedded',
    what: 'attempts at SQL injection, by sqlmap',
    promises: ['P6'],
    isServerUp: true,
    isNoticed: false,
    isInstant: false,
    isLong: true,
    lacks: () => lacksProgram('sqlmap'),
    run: runSqlmap,
  },
  tenants: {
    rig: 'embedded',
    what: 'each operation with ids of others, by npm test',
    promises: ['P9'],
    isServerUp: false,
    isNoticed: false,
    isInstant: false,
    isLong: true,
    run: runTests('P9', ['test/tenants']),
  },
  addresses: {
    rig: 'embedded',
    what: 'addresses and names that lead inside, by npm test',
    promises: ['P10'],
    isServerUp: false,
    isNoticed: false,
    isInstant: false,
    isLong: true,
    run: runTests('P10', ['src/safe-fetch']),
  },
  tampering: {
    rig: 'embedded',
    what: 'changed rows that the audit must name, by npm test',
    promises: ['P12'],
    isServerUp: false,
    isNoticed: false,
    isInstant: false,
    isLong: true,
    run: runTests('P12', ['src/audit', 'src/developers/events', 'src/ledger/audit.test.ts']),
  },
  'full-disk': {
    rig: 'small',
    what: 'a disk without any space left',
    promises: ['P8'],
    isServerUp: true,
    isNoticed: true,
    isInstant: false,
    lacks: lacksMount,
    async run({ disk, url }, random) {
      await disk!.fill()
      // What the database has set aside may last for a while.
      for (const end = Date.now() + 30_000; Date.now() < end; await sleep(200)) {
        if ((await statusOf(`${url}/health/ready`)) === 503) break
      }
      await sleep(between(random, 2_000, 4_000))
      await disk!.free()
    },
  },
  clock: {
    rig: 'clock',
    what: 'a clock that jumps ahead, far back, and home',
    promises: ['P8'],
    isServerUp: true,
    isNoticed: false,
    isInstant: false,
    lacks: lacksFaketime,
    async run({ clock }, random) {
      // Receivers accept signatures of the last and the next five minutes. What is due at a time of
      // the clock that was ahead has to wait for as long as it was ahead.
      for (const seconds of [between(random, 20, 40), -between(random, 60, 240), 0]) {
        await clock!.set(seconds * 1_000)
        await sleep(4_000)
      }
    },
  },
  promote: {
    rig: 'standby',
    what: 'the primary is killed, its standby promoted',
    promises: ['P8', 'P15'],
    isServerUp: true,
    isNoticed: true,
    isInstant: true,
    async run({ failOver }) {
      await failOver!()
    },
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
