import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

const CLIENTS = 16

/** The writes of one transaction per request; `:id` is a random number for each. */
export interface Transaction {
  statements: string[]
  seconds: number
  connection: pg.ClientConfig
  scratchDir: string
}

export interface Reference {
  tool: string
  perSecond: number
}

/**
 * Writes the same rows with one transaction per request: with pgbench if available, otherwise with
 * 16 pg clients.
 */
export function oneByOne(transaction: Transaction): Promise<Reference> {
  return hasPgbench() ? byPgbench(transaction) : byClients(transaction)
}

export const hasPgbench = () => spawnSync('pgbench', ['--version']).status === 0

interface Run {
  connection: pg.ClientConfig
  clients: number
  seconds: number
  /** Variables of the script, all numbers. */
  variables?: Record<string, number>
}

/** Transactions per second of a script with this many concurrent clients. */
export async function pgbench(
  file: string,
  { connection, clients, seconds, variables = {} }: Run,
): Promise<number> {
  const { stdout } = await promisify(execFile)(
    'pgbench',
    [
      ...['-n', '-M', 'prepared', '-c', `${clients}`, '-j', '2', '-T', `${seconds}`, '-f', file],
      ...Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]),
    ],
    {
      env: {
        ...process.env,
        PGHOST: connection.host,
        PGPORT: `${connection.port}`,
        PGUSER: connection.user,
        PGPASSWORD: `${connection.password}`,
        PGDATABASE: connection.database,
      },
    },
  )
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
}

async function byPgbench({ statements, seconds, connection, scratchDir }: Transaction) {
  const file = join(scratchDir, 'transaction.sql')
  const lines = ['\\set id random(1000000, 9000000000000000)', 'begin;']
  await writeFile(file, [...lines, ...statements.map((one) => `${one};`), 'commit;'].join('\n'))
  const perSecond = await pgbench(file, { connection, clients: CLIENTS, seconds })
  return { tool: `pgbench, ${CLIENTS} clients`, perSecond }
}

async function byClients({ statements, seconds, connection }: Transaction): Promise<Reference> {
  const until = performance.now() + seconds * 1000
  let done = 0
  const run = async () => {
    const client = new pg.Client(connection)
    await client.connect()
    while (performance.now() < until) {
      const id = Math.floor(Math.random() * 9e15)
      await client.query('begin')
      for (const [i, text] of statements.entries()) {
        await client.query({
          name: `s${i}`,
          text: text.replaceAll(':id', '$1::bigint'),
          values: [id],
        })
      }
      await client.query('commit')
      done++
    }
    await client.end()
  }
  await Promise.all(Array.from({ length: CLIENTS }, run))
  return { tool: `${CLIENTS} pg clients (no pgbench here)`, perSecond: done / seconds }
}
