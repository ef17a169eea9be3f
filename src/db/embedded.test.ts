import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import {
  lines,
  lockedBy,
  next,
  otherProcess,
  query,
  scratch,
  start,
  useScratch,
} from './embedded/scratch.fixture.ts'

useScratch()

test('a first start creates a durable, closed cluster with an owner and an app role', async () => {
  const { empty } = scratch
  const embedded = await start(empty, { settings: {} })
  expect(embedded.owner).toBe(true)
  const rows = await query(
    embedded,
    `select current_user as who, current_database() as database,
            current_setting('fsync') || current_setting('synchronous_commit')
              || current_setting('full_page_writes') || current_setting('data_checksums') as durable,
            current_setting('listen_addresses') as addresses,
            current_setting('wal_init_zero') as zeroes`,
  )
  expect(rows).toEqual([
    {
      who: 'tradepost_owner',
      database: 'tradepost',
      durable: 'onononon',
      addresses: '',
      zeroes: 'off',
    },
  ])
  await query(embedded, 'create table t (id int)')
  await expect(query(embedded, 'create table u (id int)', 'app')).rejects.toThrow(
    'permission denied',
  )
  await expect(query(embedded, 'select * from t', 'app')).rejects.toThrow('permission denied')
})

test('a wrong password is rejected, even on the socket', async () => {
  const { shared } = scratch
  const embedded = await start(shared)
  const client = new pg.Client({ ...embedded.config('owner'), password: 'guess' })
  await expect(client.connect()).rejects.toMatchObject({ code: '28P01' })
})

test('a stop ends the server, and the next start finds the stored data', async () => {
  const { shared } = scratch
  const first = await start(shared)
  await query(first, 'create table stopped (id int); insert into stopped values (7)')
  await first.stop()
  expect(lockedBy(shared)).toBeUndefined()
  const second = await start(shared)
  expect(await query(second, 'select id from stopped')).toEqual([{ id: 7 }])
})

test('there are connections for two servers and two commands', async () => {
  const embedded = await start(scratch.shared)
  const connections = Array(2 * 50 + 2 * 8).fill(embedded.config('app'))
  const clients = connections.map((connection) => new pg.Client(connection))
  const opened = await Promise.allSettled(clients.map((client) => client.connect()))
  await Promise.all(clients.map((client) => client.end()))
  expect(opened.filter(({ status }) => status === 'rejected')).toEqual([])
})

test('the server of a killed process is adopted', async () => {
  const { shared } = scratch
  const other = await otherProcess(shared)
  const pid = lockedBy(shared)
  await other.kill()
  expect(lockedBy(shared)).toBe(pid)
  const embedded = await start(shared)
  expect(embedded.owner).toBe(false)
  expect(lockedBy(shared)).toBe(pid)
  await embedded.stop()
  expect(lockedBy(shared)).toBeUndefined()
})

test('a server stays up while others use it, and the last one stops it', async () => {
  const { shared } = scratch
  const embedded = await start(shared)
  const other = await otherProcess(shared)
  expect(other.said).toBe('guest')
  const pid = lockedBy(shared)
  await embedded.stop()
  expect(lockedBy(shared)).toBe(pid)
  await other.leave()
  expect(lockedBy(shared)).toBeUndefined()
})

test('three processes that start at once on a new directory share one server', async () => {
  const { empty } = scratch
  const others = await Promise.all([1, 2, 3].map(() => otherProcess(empty)))
  expect(others.map((other) => other.said).sort()).toEqual(['guest', 'guest', 'owner'])
  expect(readdirSync(join(empty, 'postgres')).filter((name) => name.startsWith('new-'))).toEqual([])
  await Promise.all(others.map((other) => other.leave()))
  expect(lockedBy(empty)).toBeUndefined()
})

test('three starts and stops in one process share one server', async () => {
  const { empty } = scratch
  const all = await Promise.all([1, 2, 3].map(() => start(empty)))
  expect(all.filter((embedded) => embedded.owner)).toHaveLength(1)
  await Promise.all(all.map((embedded) => embedded.stop()))
  expect(lockedBy(empty)).toBeUndefined()
})

test('a killed server is restarted and keeps committed data', async () => {
  const { shared } = scratch
  const embedded = await start(shared, { settings: { shared_buffers: '16MB' } })
  await query(embedded, 'create table killed (id int); insert into killed values (7)')
  const down = next((listener) => embedded.onDown(listener))
  const up = next((listener) => embedded.onUp(listener))
  process.kill(lockedBy(shared)!, 'SIGKILL')
  await down
  await up
  expect(await query(embedded, 'select id from killed')).toEqual([{ id: 7 }])
  expect(lines.filter((line) => line.includes('lost'))).toHaveLength(1)
  expect(lines.at(-1)).toBe('the embedded database is up again')
})

test('two processes that lose their server agree on its replacement', async () => {
  const { shared } = scratch
  const [one, two] = [await start(shared), await start(shared)]
  const ups = [next((listener) => one.onUp(listener)), next((listener) => two.onUp(listener))]
  process.kill(lockedBy(shared)!, 'SIGKILL')
  await Promise.all(ups)
  expect([one.owner, two.owner].filter(Boolean)).toHaveLength(1)
})

test('clients reconnect after a killed backend makes the server recover', async () => {
  const { shared } = scratch
  const embedded = await start(shared)
  const up = next((listener) => embedded.onUp(listener))
  const client = new pg.Client(embedded.config('app'))
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  process.kill(rows[0].pid, 'SIGKILL')
  await up
  expect(await query(embedded, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a stop while the server is restarting leaves nothing running', async () => {
  const { shared } = scratch
  const embedded = await start(shared)
  const down = next((listener) => embedded.onDown(listener))
  process.kill(lockedBy(shared)!, 'SIGKILL')
  await down
  await embedded.stop()
  const again = await start(shared)
  expect(again.owner).toBe(true)
})

test('an aborted start leaves nothing running and nothing incomplete', async () => {
  const { empty } = scratch
  const reason = new Error('stopped by the operator')
  for (const afterMs of [0, 200, 600]) {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(reason), afterMs)
    const outcome = await start(empty, { signal: controller.signal }).catch((error: Error) => error)
    clearTimeout(timer)
    if (outcome instanceof Error) expect(outcome).toBe(reason)
    else await outcome.stop()
    expect(lockedBy(empty)).toBeUndefined()
    const staging = readdirSync(join(empty, 'postgres')).filter((name) => name.startsWith('new-'))
    expect(staging).toEqual([])
  }
  expect((await start(empty)).owner).toBe(true)
})

test('the remains of an interrupted first start are removed', async () => {
  const { empty } = scratch
  const half = join(empty, 'postgres/new-999999999-x/data')
  mkdirSync(half, { recursive: true })
  writeFileSync(join(half, 'PG_VERSION'), '18\n')
  await start(empty)
  expect(readdirSync(join(empty, 'postgres'))).not.toContain('new-999999999-x')
})

test('a lock file with the id of another process does not prevent a start', async () => {
  const { shared } = scratch
  const lock = `${process.pid}\n${shared}/postgres/cluster\n0\n5432\n${shared}/postgres\n\n0 0\nready   \n`
  writeFileSync(join(shared, 'postgres/cluster/postmaster.pid'), lock)
  expect((await start(shared)).owner).toBe(true)
})

test('a server that cannot start says why', async () => {
  const { shared } = scratch
  await expect(start(shared, { settings: { shared_buffers: '1' } })).rejects.toThrow(
    /PostgreSQL did not start: .*postgresql\.conf.* contains errors .*postgres\.log/,
  )
})
