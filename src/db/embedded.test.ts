import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { findBinaries } from './embedded/binaries.ts'
import { findCluster } from './embedded/cluster.ts'
import { runningPostmaster, startPostmaster } from './embedded/postmaster.ts'
import { chooseRunner } from './embedded/runner.ts'
import { type Embedded, type EmbeddedOptions, startEmbedded } from './embedded.ts'

const SETTINGS = { fsync: 'off', shared_buffers: '16MB' }
const MODULE = new URL('./embedded.ts', import.meta.url).href

let template: string
let root: string
let lines: string[] = []
let begun: Embedded[]
let children: ChildProcess[]

// Most tests begin with a copy of a cluster: making one takes longer than they do.
beforeAll(async () => {
  template = mkdtempSync(join(tmpdir(), 'embedded-template-'))
  const embedded = await startEmbedded({ dataDir: template, log, settings: SETTINGS })
  await embedded.stop()
})

afterAll(() => rmSync(template, { recursive: true, force: true }))

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'embedded-')))
  lines = []
  begun = []
  children = []
})

afterEach(async () => {
  for (const embedded of begun) await embedded.stop()
  for (const child of children) child.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
})

const note = (_fields: object, message: string) => void lines.push(message)
const log = { info: note, warn: note, error: note }

async function start(options: Partial<EmbeddedOptions> = {}): Promise<Embedded> {
  const embedded = await startEmbedded({ dataDir: root, log, settings: SETTINGS, ...options })
  begun.push(embedded)
  return embedded
}

function copyTemplate(dataDir = root) {
  mkdirSync(dataDir, { recursive: true })
  execFileSync('cp', ['-a', join(template, 'postgres'), dataDir])
}

async function query(embedded: Embedded, text: string, role: 'owner' | 'app' = 'owner') {
  const client = new pg.Client(embedded.config(role))
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Another process that joins the cluster, says so, and leaves when its input ends. */
async function otherProcess(dataDir = root) {
  const script = `
    const { startEmbedded } = await import(${JSON.stringify(MODULE)})
    const log = { info() {}, warn() {}, error() {} }
    const options = { dataDir: ${JSON.stringify(dataDir)}, log, settings: ${JSON.stringify(SETTINGS)} }
    const embedded = await startEmbedded(options)
    console.log(embedded.owner ? 'owner' : 'guest')
    process.stdin.on('end', async () => { await embedded.stop(); process.exit(0) }).resume()`
  const stdio = ['pipe', 'pipe', 'inherit'] as ['pipe', 'pipe', 'inherit']
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio })
  children.push(child)
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const first = new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve)
    void exited.then(() => reject(new Error('it ended before it was up')))
  })
  const said = await first
  const leave = () => {
    child.stdin.end()
    return exited
  }
  const kill = () => {
    child.kill('SIGKILL')
    return exited
  }
  return { said, leave, kill }
}

function lockedBy(dataDir = root): number | undefined {
  const path = join(dataDir, 'postgres/cluster/postmaster.pid')
  return existsSync(path) ? Number(readFileSync(path, 'utf8').split('\n')[0]) : undefined
}

function next(subscribe: (listener: () => void) => unknown): Promise<void> {
  return new Promise((resolve) => void subscribe(() => resolve()))
}

test('a first start makes a durable, closed cluster with an owner and an app role', async () => {
  const embedded = await start({ settings: {} })
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

test('a wrong password is refused, on the socket too', async () => {
  copyTemplate()
  const embedded = await start()
  const client = new pg.Client({ ...embedded.config('owner'), password: 'guess' })
  await expect(client.connect()).rejects.toMatchObject({ code: '28P01' })
})

test('a stop ends the server, and the next start finds what was stored', async () => {
  copyTemplate()
  const first = await start()
  await query(first, 'create table t (id int); insert into t values (7)')
  await first.stop()
  expect(lockedBy()).toBeUndefined()
  const second = await start()
  expect(await query(second, 'select id from t')).toEqual([{ id: 7 }])
})

test('the server of a killed process is adopted', async () => {
  copyTemplate()
  const other = await otherProcess()
  const pid = lockedBy()
  await other.kill()
  expect(lockedBy()).toBe(pid)
  const embedded = await start()
  expect(embedded.owner).toBe(false)
  expect(lockedBy()).toBe(pid)
  await embedded.stop()
  expect(lockedBy()).toBeUndefined()
})

test('a server that others still use goes on, and the last one stops it', async () => {
  copyTemplate()
  const embedded = await start()
  const other = await otherProcess()
  expect(other.said).toBe('guest')
  const pid = lockedBy()
  await embedded.stop()
  expect(lockedBy()).toBe(pid)
  await other.leave()
  expect(lockedBy()).toBeUndefined()
})

test('five that start at once on a new directory share one server', async () => {
  const others = await Promise.all([1, 2, 3, 4, 5].map(() => otherProcess()))
  expect(others.map((other) => other.said).sort()).toEqual([
    ...['guest', 'guest', 'guest', 'guest', 'owner'],
  ])
  expect(readdirSync(join(root, 'postgres')).filter((name) => name.startsWith('new-'))).toEqual([])
  await Promise.all(others.map((other) => other.leave()))
  expect(lockedBy()).toBeUndefined()
})

test('five that start and stop in one process share one server', async () => {
  const all = await Promise.all([1, 2, 3, 4, 5].map(() => start()))
  expect(all.filter((embedded) => embedded.owner)).toHaveLength(1)
  await Promise.all(all.map((embedded) => embedded.stop()))
  expect(lockedBy()).toBeUndefined()
})

test('a killed server is brought up again, keeping what was committed', async () => {
  copyTemplate()
  const embedded = await start({ settings: { shared_buffers: '16MB' } })
  await query(embedded, 'create table t (id int); insert into t values (7)')
  const down = next(embedded.onDown)
  const up = next(embedded.onUp)
  process.kill(lockedBy()!, 'SIGKILL')
  await down
  await up
  expect(await query(embedded, 'select id from t')).toEqual([{ id: 7 }])
  expect(lines.filter((line) => line.includes('lost'))).toHaveLength(1)
  expect(lines.at(-1)).toBe('the embedded database is up again')
})

test('two processes that lose their server agree on the next one', async () => {
  copyTemplate()
  const [one, two] = [await start(), await start()]
  const ups = [next(one.onUp), next(two.onUp)]
  process.kill(lockedBy()!, 'SIGKILL')
  await Promise.all(ups)
  expect([one.owner, two.owner].filter(Boolean)).toHaveLength(1)
})

test('a killed backend, which makes the server recover, is got over', async () => {
  copyTemplate()
  const embedded = await start()
  const up = next(embedded.onUp)
  const client = new pg.Client(embedded.config('app'))
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  process.kill(rows[0].pid, 'SIGKILL')
  await up
  expect(await query(embedded, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a stop while the server is being brought up leaves nothing running', async () => {
  copyTemplate()
  const embedded = await start()
  const down = next(embedded.onDown)
  process.kill(lockedBy()!, 'SIGKILL')
  await down
  await embedded.stop()
  const again = await start()
  expect(again.owner).toBe(true)
})

test('an aborted start leaves nothing running and nothing half made', async () => {
  const reason = new Error('stopped by the operator')
  for (const afterMs of [0, 50, 200, 500, 700]) {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(reason), afterMs)
    const outcome = await start({ signal: controller.signal }).catch((error: Error) => error)
    clearTimeout(timer)
    if (outcome instanceof Error) expect(outcome).toBe(reason)
    else await outcome.stop()
    expect(lockedBy()).toBeUndefined()
    const staging = readdirSync(join(root, 'postgres')).filter((name) => name.startsWith('new-'))
    expect(staging).toEqual([])
  }
  expect((await start()).owner).toBe(true)
})

test('what an interrupted first start left is thrown away', async () => {
  const half = join(root, 'postgres/new-999999999-x/data')
  mkdirSync(half, { recursive: true })
  writeFileSync(join(half, 'PG_VERSION'), '18\n')
  await start()
  expect(readdirSync(join(root, 'postgres'))).not.toContain('new-999999999-x')
})

test('a lock file whose process id belongs to somebody else is no obstacle', async () => {
  copyTemplate()
  const lock = `${process.pid}\n${root}/postgres/cluster\n0\n5432\n${root}/postgres\n\n0 0\nready   \n`
  writeFileSync(join(root, 'postgres/cluster/postmaster.pid'), lock)
  expect((await start()).owner).toBe(true)
})

test('a directory with other things in it is refused and left alone', async () => {
  mkdirSync(join(root, 'postgres'))
  writeFileSync(join(root, 'postgres/holiday.jpg'), 'sea')
  await expect(start()).rejects.toThrow(/not a database of this Tradepost.*holiday\.jpg.*DATA_DIR/)
  expect(readdirSync(join(root, 'postgres'))).toEqual(['holiday.jpg'])
})

test('a cluster of somebody else in our place is refused and left alone', async () => {
  mkdirSync(join(root, 'postgres/cluster/base'), { recursive: true })
  writeFileSync(join(root, 'postgres/cluster/PG_VERSION'), '18\n')
  await expect(start()).rejects.toThrow('tradepost.json is missing')
  expect(readdirSync(join(root, 'postgres/cluster')).sort()).toEqual(['PG_VERSION', 'base'])
})

test('another of our clusters in the place of this one is refused', async () => {
  const other = join(root, 'other')
  copyTemplate()
  await (await start({ dataDir: other })).stop()
  rmSync(join(root, 'postgres/cluster'), { recursive: true })
  cpSync(join(other, 'postgres/cluster'), join(root, 'postgres/cluster'), { recursive: true })
  await expect(start()).rejects.toThrow('system identifier')
})

test('a database that vanished is not begun anew', async () => {
  copyTemplate()
  rmSync(join(root, 'postgres/cluster'), { recursive: true })
  await expect(start()).rejects.toThrow(/is gone: put it back, or restore a backup/)
})

test('another server on our socket is refused', async () => {
  const other = join(root, 'other')
  copyTemplate()
  await (await start({ dataDir: other })).stop()
  const top = join(other, 'postgres')
  const binaries = findBinaries(join(top, 'lib'))
  const foreign = findCluster(top)!
  const runner = chooseRunner(top, binaries)
  const theirs = startPostmaster(foreign, join(root, 'postgres'), binaries, runner, SETTINGS)
  try {
    await expect.poll(() => runningPostmaster(foreign)?.ready, { timeout: 10_000 }).toBe(true)
    await expect(start()).rejects.toThrow(/another PostgreSQL answers in .*DATA_DIR/)
  } finally {
    await theirs.abandon()
  }
})

test('a socket path too long for the kernel becomes a short one', async () => {
  const dataDir = join(root, 'd'.repeat(120))
  copyTemplate(dataDir)
  const embedded = await start({ dataDir })
  const { host } = embedded.config('app')
  expect(host.length).toBeLessThan(80)
  expect(host).toContain(
    createHash('sha256').update(join(dataDir, 'postgres')).digest('hex').slice(0, 16),
  )
  expect(await query(embedded, 'select 1 as one')).toEqual([{ one: 1 }])
  const second = await start({ dataDir })
  expect(second.owner).toBe(false)
  for (const each of [embedded, second]) await each.stop()
  expect(existsSync(host)).toBe(false)
})

test('a copy that anybody may read is closed again and used', async () => {
  copyTemplate()
  const paths = [join(root, 'postgres'), join(root, 'postgres/cluster')]
  for (const path of paths) chmodSync(path, 0o755)
  await start()
  expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700])
})

test('a directory name with quotes, commas and spaces works', async () => {
  const dataDir = join(root, `it's "a", directory`)
  copyTemplate(dataDir)
  const embedded = await start({ dataDir })
  expect(await query(embedded, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a server that cannot start says why', async () => {
  copyTemplate()
  await expect(start({ settings: { shared_buffers: '1' } })).rejects.toThrow(
    /PostgreSQL did not start: .*postgresql\.conf.* contains errors .*postgres\.log/,
  )
})
