import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

const CLIENTS = 16

/** A transaction that several clients repeat; `:id` is a random number for each. */
export interface Transaction {
  statements: string[]
  seconds: number
  connection: pg.ClientConfig
}

export const hasPgbench = () => spawnSync('pgbench', ['--version']).status === 0

/**
 * Starts P: the transaction, repeated by 16 clients. Returns how many a second, with pgbench if it
 * is available, otherwise with pg clients.
 */
export const transactionsPerSecond = (transaction: Transaction): Promise<number> =>
  hasPgbench() ? byPgbench(transaction) : byClients(transaction)

function byPgbench({ statements, seconds, connection }: Transaction): Promise<number> {
  const script = [
    '\\set id random(1000000, 9000000000000000)',
    'begin;',
    ...statements.map((one) => `${one};`),
    'commit;',
  ].join('\n')
  return pgbench(script, { connection, clients: CLIENTS, seconds })
}

interface Run {
  connection: pg.ClientConfig
  clients: number
  seconds: number
  /** Variables of the script, all numbers. */
  variables?: Record<string, number>
}

/** Transactions per second of a script with this many concurrent clients. */
export async function pgbench(
  script: string,
  { connection, clients, seconds, variables = {} }: Run,
): Promise<number> {
  const scratch = await mkdtemp(join(tmpdir(), 'tradepost-bench-'))
  const file = join(scratch, 'script.sql')
  await writeFile(file, script)
  const args = [
    ...['-n', '-M', 'prepared', '-c', `${clients}`, '-j', '2', '-T', `${seconds}`, '-f', file],
    ...Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]),
  ]
  const env = {
    ...process.env,
    PGHOST: connection.host,
    PGPORT: `${connection.port}`,
    PGUSER: connection.user,
    PGPASSWORD: `${connection.password}`,
    PGDATABASE: connection.database,
  }
  const { stdout } = await promisify(execFile)('pgbench', args, { env })
  await rm(scratch, { recursive: true })
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
}

async function byClients({ statements, seconds, connection }: Transaction): Promise<number> {
  const until = performance.now() + seconds * 1000
  const prepared = statements.map((text, i) => ({
    name: `s${i}`,
    text: text.replaceAll(':id', '$1::bigint'),
  }))
  let done = 0
  const run = async () => {
    const client = new pg.Client(connection)
    await client.connect()
    for (; performance.now() < until; done++) {
      const values = [Math.floor(Math.random() * 9e15)]
      await client.query('begin')
      for (const statement of prepared) await client.query({ ...statement, values })
      await client.query('commit')
    }
    await client.end()
  }
  await Promise.all(Array.from({ length: CLIENTS }, run))
  return done / seconds
}
