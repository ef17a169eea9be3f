import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

/** A transaction that several clients repeat, without any server in between. */
export interface Transaction {
  /** With `:id`, which differs in each transaction. */
  statements: string[]
  /** The first id, from which the others follow. By default, ids are random. */
  firstId?: number
  clients: number
  seconds: number
  connection: pg.ClientConfig
}

/** Runs transactions with pgbench if it is available, otherwise with pg. */
export function transactionsPerSecond(transaction: Transaction): Promise<number> {
  const hasPgbench = spawnSync('pgbench', ['--version']).status === 0
  return hasPgbench ? byPgbench(transaction) : byClients(transaction)
}

async function byPgbench({ statements, firstId, clients, seconds, connection }: Transaction) {
  const ids =
    firstId === undefined
      ? ['\\set id random(1000000, 9000000000000000)']
      : ['\\set n :n + 1', `\\set id ${firstId} + :client_id + ${clients} * :n`]
  const lines = ['begin', ...statements, 'commit'].map((one) => `${one};`)
  const scratch = await mkdtemp(join(tmpdir(), 'tradepost-bench-'))
  const file = join(scratch, 'script.sql')
  await writeFile(file, [...ids, ...lines].join('\n'))
  const args = ['-n', '-M', 'prepared', '-c', `${clients}`, '-j', '2', '-D', 'n=-1']
  const env = {
    ...process.env,
    PGHOST: connection.host,
    PGPORT: `${connection.port}`,
    PGUSER: connection.user,
    PGPASSWORD: `${connection.password}`,
    PGDATABASE: connection.database,
  }
  const run = promisify(execFile)
  const { stdout } = await run('pgbench', [...args, '-T', `${seconds}`, '-f', file], { env })
  await rm(scratch, { recursive: true })
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
}

async function byClients({ statements, firstId, clients, seconds, connection }: Transaction) {
  const until = performance.now() + seconds * 1000
  const prepared = statements.map((text, i) => ({
    name: `s${i}`,
    text: text.replaceAll(':id', '$1::bigint'),
  }))
  let done = 0
  const run = async () => {
    const client = new pg.Client(connection)
    await client.connect()
    while (performance.now() < until) {
      const values = [firstId === undefined ? Math.floor(Math.random() * 9e15) : firstId + done]
      done++
      await client.query('begin')
      for (const statement of prepared) await client.query({ ...statement, values })
      await client.query('commit')
    }
    await client.end()
  }
  await Promise.all(Array.from({ length: clients }, run))
  return done / seconds
}
