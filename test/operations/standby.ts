import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, inject } from 'vitest'
import { chooseRunner, findBinaries } from '../../src/db/embedded/cluster.ts'
import { freePort } from './ports.ts'

const USER = 'postgres'
const DATABASE = 'postgres'

interface Server {
  port: number
  url: string
  query(text: string): Promise<Record<string, unknown>[]>
  /** Ends the postmaster without a chance to do anything; its children end when they notice. */
  kill(): Promise<void>
}

interface Pair {
  primary: Server
  standby: Server
}

/** Starts a primary and a standby, until the end of the file. */
export async function startPrimaryAndStandby(): Promise<Pair> {
  const { close, ...pair } = await openPrimaryAndStandby(inject('fastestFolder'))
  afterAll(close)
  return pair
}

/**
 * Starts a primary and a standby that it replicates to. A commit is confirmed only once the standby
 * has it on disk, as an operator would set it up who must not lose anything.
 */
export async function openPrimaryAndStandby(
  directory: string,
): Promise<Pair & { close(): Promise<void> }> {
  const folder = await mkdtemp(join(directory, 'tradepost-standby-'))
  const binaries = findBinaries(folder)
  const { prefix, env } = chooseRunner(folder, binaries)
  const children: ChildProcess[] = []
  async function close(): Promise<void> {
    for (const child of children) child.kill('SIGKILL')
    await sleep(200)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }

  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  const [program, ...rest] = [...prefix, binaries.initdb]
  execFileSync(
    program!,
    [
      ...rest,
      `--pgdata=${first}`,
      `--username=${USER}`,
      '--auth=trust',
      '--no-sync',
      '--no-locale',
      '--encoding=UTF8',
    ],
    { env, stdio: 'ignore' },
  )
  await appendFile(join(first, 'pg_hba.conf'), `host replication ${USER} 127.0.0.1/32 trust\n`)
  execFileSync('cp', ['-a', first, second])

  async function start(dir: string, settings: Record<string, string>): Promise<Server> {
    const port = await freePort()
    const all = {
      port: String(port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'off',
      shared_buffers: '32MB',
      ...settings,
    }
    const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const [command, ...args] = [...prefix, binaries.postgres, '-D', dir, ...options]
    const child = spawn(command!, args, { env, stdio: 'ignore', cwd: '/' })
    children.push(child)
    const url = `postgres://${USER}@127.0.0.1:${port}/${DATABASE}`

    async function query(text: string) {
      const client = new pg.Client({ connectionString: url })
      client.on('error', () => {})
      await client.connect()
      try {
        return (await client.query(text)).rows
      } finally {
        await client.end()
      }
    }
    for (;;) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended with ${child.exitCode}`)
      if (await query('select 1').catch(() => undefined)) break
      await sleep(50)
    }
    return {
      port,
      url,
      query,
      async kill() {
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      },
    }
  }

  const primary = await start(first, { synchronous_commit: 'on' })
  await writeFile(join(second, 'standby.signal'), '')
  const standby = await start(second, {
    primary_conninfo: `host=127.0.0.1 port=${primary.port} user=${USER} application_name=standby`,
  })
  await primary.query("alter system set synchronous_standby_names = 'standby'")
  await primary.query('select pg_reload_conf()')
  for (;;) {
    const rows = await primary.query('select sync_state from pg_stat_replication')
    if (rows[0]?.sync_state === 'sync') return { primary, standby, close }
    await sleep(50)
  }
}
