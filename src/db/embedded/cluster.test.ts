import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chooseRunner, findBinaries, findCluster } from './cluster.ts'
import { runningPostmaster, startPostmaster } from './postmaster.ts'
import { copyShared, query, SETTINGS, scratch, start, useScratch } from './scratch.fixture.ts'

useScratch()

test('a directory with other content is rejected and left unchanged', async () => {
  const { empty } = scratch
  mkdirSync(join(empty, 'postgres'))
  writeFileSync(join(empty, 'postgres/holiday.jpg'), 'sea')
  await expect(start(empty)).rejects.toThrow(
    /not a database of this Tradepost.*holiday\.jpg.*DATA_DIR/,
  )
  expect(readdirSync(join(empty, 'postgres'))).toEqual(['holiday.jpg'])
})

test('a foreign cluster in our place is rejected and left unchanged', async () => {
  const { empty } = scratch
  mkdirSync(join(empty, 'postgres/cluster/base'), { recursive: true })
  writeFileSync(join(empty, 'postgres/cluster/PG_VERSION'), '18\n')
  await expect(start(empty)).rejects.toThrow('tradepost.json is missing')
  expect(readdirSync(join(empty, 'postgres/cluster')).sort()).toEqual(['PG_VERSION', 'base'])
})

test('another of our clusters in place of this one is rejected', async () => {
  const { empty } = scratch
  const other = join(empty, 'other')
  await (await start(other)).stop()
  copyShared(empty)
  rmSync(join(empty, 'postgres/cluster'), { recursive: true })
  cpSync(join(other, 'postgres/cluster'), join(empty, 'postgres/cluster'), { recursive: true })
  await expect(start(empty)).rejects.toThrow('system identifier')
})

test('a database that vanished is not replaced by a new one', async () => {
  const { empty } = scratch
  copyShared(empty)
  rmSync(join(empty, 'postgres/cluster'), { recursive: true })
  await expect(start(empty)).rejects.toThrow(/is gone: put it back, or restore a backup/)
})

test('another server on our socket is rejected', async () => {
  const { empty, shared } = scratch
  await (await start(empty)).stop()
  const top = join(empty, 'postgres')
  const binaries = findBinaries(join(top, 'lib'))
  const foreign = findCluster(top)!
  const runner = chooseRunner(top, binaries)
  const theirs = startPostmaster(foreign, join(shared, 'postgres'), binaries, runner, SETTINGS)
  try {
    await expect.poll(() => runningPostmaster(foreign)?.ready, { timeout: 10_000 }).toBe(true)
    await expect(start(shared)).rejects.toThrow(/another PostgreSQL is running in .*DATA_DIR/)
  } finally {
    await theirs.abandon()
  }
})

test('a socket path too long for the kernel becomes a short one', async () => {
  const { empty } = scratch
  const dataDir = join(empty, 'd'.repeat(120))
  copyShared(dataDir)
  const embedded = await start(dataDir)
  const { host } = embedded.config('app')
  expect(host.length).toBeLessThan(80)
  expect(host).toContain(
    createHash('sha256').update(join(dataDir, 'postgres')).digest('hex').slice(0, 16),
  )
  expect(await query(embedded, 'select 1 as one')).toEqual([{ one: 1 }])
  const second = await start(dataDir)
  expect(second.owner).toBe(false)
  for (const each of [embedded, second]) await each.stop()
  expect(existsSync(host)).toBe(false)
})

test('a copy that other users can read is closed to them and used', async () => {
  const { empty } = scratch
  copyShared(empty)
  const paths = [join(empty, 'postgres'), join(empty, 'postgres/cluster')]
  for (const path of paths) chmodSync(path, 0o755)
  await start(empty)
  expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700])
})

test('a directory name with quotes, commas and spaces works', async () => {
  const { empty } = scratch
  const dataDir = join(empty, `it's "a", directory`)
  copyShared(dataDir)
  const embedded = await start(dataDir)
  expect(await query(embedded, 'select 1 as one')).toEqual([{ one: 1 }])
})
