import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { startS3 } from '../../test/s3-server.ts'
import { openConfiguredShipper } from '../backup/wal/archive.ts'
import { readConfig } from '../config.ts'
import { openConfigured } from '../db/connect.ts'
import { noteWalProgress } from '../db/embedded/wal.ts'
import { expectRefused, openHome } from './cli.fixture.ts'
import { quietLog } from './open.ts'
import { homeWithKeyOf, moment, notesIn, query, shopWith } from './restore-at.fixture.ts'

/* The drill of recovery to a moment: the embedded database, with a server that archives its WAL. */

const { scratch, tradepost, json, start } = await openHome()
const s3 = await startS3({ listable: true })
const keyFile = join(scratch, 'passphrase')
await writeFile(keyFile, 'correct horse battery staple\n')
const archive = join(scratch, 'archive')
const backups = join(scratch, 'backups')
const KEY = ['--key-file', keyFile]
const home = {
  DATA_DIR: join(scratch, 'data'),
  WAL_ARCHIVE: archive,
  WAL_ARCHIVE_KEY_FILE: keyFile,
}

const freshHome = async (name: string) => ({
  ...home,
  DATA_DIR: await homeWithKeyOf(home.DATA_DIR, join(scratch, name)),
})

const filesIn = async (dataDir: string) =>
  (await readdir(join(dataDir, 'files'), { recursive: true })).filter((name) => /\/./.test(name))

const SEGMENT = /wal\/[0-9A-F]{24}$/
const segments = async () =>
  (await readdir(archive, { recursive: true })).filter((name) => SEGMENT.test(name))

const moments: Record<'early' | 'noted' | 'later', string> = { early: '', noted: '', later: '' }
let last = { invoiceNumber: '' }
let shop: ReturnType<typeof shopWith>

/** A business writes, an operator makes a mistake, and the machine is lost. */
beforeAll(async () => {
  const server = await start(home)
  shop = shopWith((await readFile(join(home.DATA_DIR, 'test-key'), 'utf8')).trim())
  const { create, upload } = shop
  await create(server.url, 'one')
  await upload(server.url)
  moments.early = await moment()
  expect(await json(['backup', backups], home)).toMatchObject({ base: expect.any(String) })
  await create(server.url, 'two')
  await upload(server.url)
  moments.noted = await moment()
  last = await create(server.url, 'three')
  await upload(server.url)
  await query(home.DATA_DIR, "update invoices set note = 'harmed'")
  moments.later = await moment()
  await create(server.url, 'four')
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  const [, age] = /^tradepost_wal_archive_age_seconds (\S+)$/m.exec(metrics) ?? []
  expect(Number(age)).toBeLessThan(600)
  await server.stop()
}, 180_000)

test.each([
  ['before the first base backup', 'early', 1, 'the first base backup ended at'],
  ['after the last WAL', 'afterwards', 1, 'does not reach'],
  ['in the future', '2100-01-01T00:00:00Z', 2, 'is in the future'],
  ['without a time zone', '2026-11-28T10:15:00', 2, 'It must be a time with its zone'],
])(
  'a time %s is refused',
  async (_why, at, status, says) => {
    const time = at === 'early' ? moments.early : at === 'afterwards' ? await moment() : at
    const home5 = await freshHome(`refused-${Math.random()}`)
    const result = await tradepost(['restore', archive, '--at', time, ...KEY], home5)
    expectRefused(result, status, says)
    expect(await readdir(home5.DATA_DIR)).toEqual(['encryption.key'])
  },
  60_000,
)

test('1 for a wrong passphrase, a missing segment and a changed one', async () => {
  const other = await freshHome('other')
  const at = ['--at', moments.noted]
  expectRefused(await tradepost(['restore', archive, ...at], other), 1, 'is encrypted')
  const wrong = join(scratch, 'wrong')
  await writeFile(wrong, 'incorrect horse battery staple')
  const args = ['restore', archive, ...at, '--key-file', wrong]
  expectRefused(await tradepost(args, other), 1, 'cannot be decrypted')
  const copy = join(scratch, 'copy')
  await cp(archive, copy, { recursive: true })
  const newest = (await segments()).sort().slice(-1)[0]!
  const harmed = join(copy, newest)
  const bytes = await readFile(harmed)
  bytes[bytes.length - 30]! ^= 1
  await writeFile(harmed, bytes)
  const late = ['restore', copy, '--at', moments.later, ...KEY]
  expectRefused(await tradepost(late, other), 1, 'was changed')
  await rm(harmed)
  expectRefused(await tradepost(late, other), 1, 'does not reach')
  expect(await readdir(other.DATA_DIR)).toEqual(['encryption.key'])
}, 120_000)

test('1 for a backup with another passphrase than that of the archive', async () => {
  const WAL_ARCHIVE_KEY_FILE = join(scratch, 'changed')
  await writeFile(WAL_ARCHIVE_KEY_FILE, 'another horse battery staple')
  const before = await readdir(archive, { recursive: true })
  const result = await tradepost(['backup', backups], { ...home, WAL_ARCHIVE_KEY_FILE })
  expectRefused(result, 1, 'it was started with another passphrase')
  expect(await readdir(archive, { recursive: true })).toEqual(before)
}, 60_000)

test('1 names a damaged file, and restores the others, also into a bucket', async () => {
  const copy = join(scratch, 'damaged')
  await cp(archive, copy, { recursive: true })
  const at = ['--at', moments.noted, ...KEY]
  const whole = await freshHome('whole')
  await json(['restore', archive, ...at], whole)
  // The archive also has files that no record referred to at that moment.
  const [{ key: damaged }] = await query(
    whole.DATA_DIR,
    'select storage_key as key from blobs where release_at is null limit 1',
  )
  // A file can have been archived more than once.
  const names = await readdir(copy, { recursive: true })
  for (const name of names.filter((one) => one.includes(`files/${damaged}.`))) {
    const bytes = await readFile(join(copy, name))
    bytes[bytes.length - 30]! ^= 1
    await writeFile(join(copy, name), bytes)
  }
  const target = { ...(await freshHome('damaged-target')), STORAGE_URL: s3.url }
  const { status, stdout } = await tradepost(['restore', copy, ...at, '--json'], target)
  const restored = JSON.parse(stdout)
  expect([status, restored.faults]).toEqual([1, [`${damaged} is damaged`]])
  expect(await s3.count()).toBe(restored.files - 1)
  expect(await notesIn(target.DATA_DIR)).toEqual(['one', 'two'])
}, 120_000)

test('0 recovers the database as it was at a moment, and a new line of WAL begins there', async () => {
  const second = await freshHome('second')
  const at = ['--at', moments.noted, ...KEY]
  const verified = await json(['restore', archive, ...at, '--verify'], second)
  expect(verified).toMatchObject({ at: moments.noted, findings: [], faults: [] })
  const recovered = await json(['restore', archive, ...at], second)
  expect(recovered).toMatchObject({ at: moments.noted, faults: [] })
  expect(recovered.ids).toBeGreaterThanOrEqual(1_000_000)
  expect(await readdir(second.DATA_DIR)).not.toContain('recovering')
  expect(await notesIn(second.DATA_DIR)).toEqual(['one', 'two'])
  // Jobs add smaller images to those that were uploaded.
  expect(recovered.files).toBeGreaterThanOrEqual(2)
  expect(await filesIn(second.DATA_DIR)).toHaveLength(recovered.files)
  expect(await json(['payouts', 'resume', '--restored'], second)).toHaveLength(2)
  expect(await json(['audit'], second)).toMatchObject({ findings: [] })
  expectRefused(await tradepost(['restore', archive, ...at], second), 2, 'move it away first')

  // A server goes on there, and its WAL goes into the same archive.
  const server = await start(second)
  const { create } = shop
  const next = await create(server.url, 'five')
  const digits = (text: string) => Number(/\d+$/.exec(text)![0])
  expect(digits(next.invoiceNumber)).toBeGreaterThan(digits(last.invoiceNumber) + 900)
  const unprotected = await json(['doctor'], { ...second, PORT: '0' })
  expect(unprotected.checks).toContainEqual(
    expect.objectContaining({ name: 'archive', level: 'warn', fix: 'tradepost backup' }),
  )
  await json(['backup', backups], second)
  const { checks } = await json(['doctor'], { ...second, PORT: '0' })
  expect(checks).toContainEqual(expect.objectContaining({ name: 'archive', level: 'ok' }))
  await create(server.url, 'six')
  const afterwards = await moment()
  await create(server.url, 'seven')
  await server.stop()

  // Both lines can still be recovered.
  const third = await freshHome('third')
  await json(['restore', archive, '--at', afterwards, ...KEY], third)
  expect(await notesIn(third.DATA_DIR)).toEqual(['one', 'two', 'five', 'six'])
  const fourth = await freshHome('fourth')
  await json(['restore', archive, '--at', moments.later, ...KEY], fourth)
  expect(await notesIn(fourth.DATA_DIR)).toEqual(['harmed', 'harmed', 'harmed'])

  // Later, the first line is not kept any longer.
  const kept = await json(['backup', backups, '--keep', '1'], second)
  expect(kept.removedBases).toHaveLength(2)
  const lines = (await readdir(archive, { recursive: true })).filter((name) =>
    name.endsWith('line.json'),
  )
  expect(lines).toHaveLength(1)
  const gone = ['restore', archive, '--at', moments.later, ...KEY, '--verify']
  expectRefused(await tradepost(gone, second), 1, 'the first base backup ended at')
  const first = ['restore', archive, '--at', await atBase(), ...KEY, '--verify']
  expect(await json(first, second)).toMatchObject({ findings: [], faults: [] })
}, 300_000)

/** The first moment of the archive. */
async function atBase(): Promise<string> {
  const names = await readdir(archive, { recursive: true })
  const name = names.find((one) => /base\/[^/]+\.json$/.test(one))!
  return JSON.parse(await readFile(join(archive, name), 'utf8')).base.endedAt
}

test('a server whose WAL is not archived warns, and does not lose it', async () => {
  const fifth = await freshHome('fifth')
  const blocked = { ...fifth, WAL_ARCHIVE: join(scratch, 'blocked') }
  await writeFile(blocked.WAL_ARCHIVE, 'not a directory')
  const server = await start({ ...blocked, LOG_LEVEL: 'warn' })
  await rm(blocked.WAL_ARCHIVE)
  await server.stop()
  const shipped = await readdir(blocked.WAL_ARCHIVE, { recursive: true })
  expect(shipped.filter((name) => SEGMENT.test(name))).not.toEqual([])
  noteWalProgress(join(fifth.DATA_DIR, 'postgres'), 'from', new Date(0))
  noteWalProgress(join(fifth.DATA_DIR, 'postgres'), 'until', new Date(0))
  const { checks } = await json(['doctor'], { ...blocked, PORT: '0' })
  const says = 'the last moment that can be recovered is 1970-01-01T00:00:00Z'
  expect(checks).toContainEqual(expect.objectContaining({ name: 'archive', level: 'warn', says }))
}, 60_000)

test('processes that begin an archive at the same time encrypt it with one key', async () => {
  const sixth = await freshHome('sixth')
  const config = readConfig({ ...sixth, WAL_ARCHIVE: join(scratch, 'at-once') })
  const opened = await openConfigured(config, quietLog, { archivesWal: true })
  try {
    const begin = async () => {
      const { shipper, close } = (await openConfiguredShipper(config, opened.superuser))!
      for (;;) {
        const line = await shipper.begin()
        if (!line) continue
        close()
        return line.key!.toString('hex')
      }
    }
    const keys = await Promise.all(Array.from({ length: 6 }, begin))
    expect(new Set(keys).size).toBe(1)
  } finally {
    await opened.stop()
  }
}, 60_000)
