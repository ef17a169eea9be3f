import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startS3 } from '../../test/s3-server.ts'
import { openStorage } from '../files/storage.ts'
import { expectRefused, openHome } from './cli.fixture.ts'
import { homeWithKeyOf, moment, notesIn, query, shopWith } from './restore-at.fixture.ts'

/* Recovery to a moment if one bucket has everything: the files, the backups and the WAL. Of the
 * machine, only the encryption key and the passphrase are left. */

const { scratch, tradepost, json, start } = await openHome()
const s3 = await startS3({ listable: true })
const bucket = await openStorage('', s3.bucket)
afterAll(() => bucket.close())
const keyFile = join(scratch, 'passphrase')
await writeFile(keyFile, 'correct horse battery staple\n')
const KEY = ['--key-file', keyFile]
const home = {
  DATA_DIR: join(scratch, 'data'),
  STORAGE_URL: s3.url,
  WAL_ARCHIVE: 'bucket',
  WAL_ARCHIVE_KEY_FILE: keyFile,
}

const freshHome = async (name: string) => ({
  ...home,
  DATA_DIR: await homeWithKeyOf(home.DATA_DIR, join(scratch, name)),
})

const moments = { noted: '', away: '' }
const pictures: string[] = []
let made = { name: '' }
/** The key of a file that was stored at the first moment. */
let stored = ''
let shop: ReturnType<typeof shopWith>

/** A business writes, also while the bucket is away. Then an operator makes a mistake. */
beforeAll(async () => {
  const first = await start(home)
  shop = shopWith((await readFile(join(home.DATA_DIR, 'test-key'), 'utf8')).trim())
  await shop.create(first.url, 'one')
  pictures.push(await shop.upload(first.url))
  made = await json(['backup', 'bucket', ...KEY], home)
  expect(made).toMatchObject({ base: expect.any(String), files: { faults: [] } })
  await shop.create(first.url, 'two')
  pictures.push(await shop.upload(first.url))
  const [blob] = await query(
    home.DATA_DIR,
    'select storage_key as key from blobs where release_at is null limit 1',
  )
  stored = blob.key
  moments.noted = await moment()
  await s3.stop()
  await shop.create(first.url, 'three')
  moments.away = await moment()
  // What cannot be archived now waits on the disk for the next start.
  expect(await first.stop()).toBe(0)
  await s3.start()

  const second = await start(home)
  await shop.create(second.url, 'four')
  await query(home.DATA_DIR, "update invoices set note = 'harmed'")
  expect(await second.stop()).toBe(0)
}, 240_000)

test('0 for a moment at which the bucket was away; and backups are not taken for base backups', async () => {
  const away = await freshHome('away')
  const restored = await json(['restore', 'bucket', '--at', moments.away, ...KEY], away)
  expect(restored).toMatchObject({ at: moments.away, faults: [] })
  expect(await notesIn(away.DATA_DIR)).toEqual(['one', 'two', 'three'])
  const newest = await json(['restore', 'bucket', '--verify', ...KEY], away)
  expect(newest).toMatchObject({ name: made.name, findings: [], faults: [] })
}, 180_000)

test('1 names a file that the bucket has lost since', async () => {
  const lost = await freshHome('lost')
  const copy = join(scratch, 'copy')
  await writeFile(copy, await buffer(await bucket.get(stored)))
  await bucket.delete(stored)
  const args = ['restore', 'bucket', '--at', moments.noted, ...KEY, '--verify', '--json']
  const { status, stdout } = await tradepost(args, lost)
  await bucket.put(stored, copy)
  const { faults, findings } = JSON.parse(stdout)
  expect([status, faults, findings]).toEqual([1, [`${stored} is missing`], []])
  expect(await readdir(lost.DATA_DIR)).toEqual(['encryption.key'])
}, 120_000)

test('0 recovers the database with its files, goes on there, and keeps them when old backups go', async () => {
  const next = await freshHome('next')
  const at = ['--at', moments.noted, ...KEY]
  const restored = await json(['restore', 'bucket', ...at], next)
  expect(restored).toMatchObject({ at: moments.noted, faults: [] })
  expect(restored.files).toBeGreaterThanOrEqual(2)
  expect(await readdir(next.DATA_DIR)).not.toContain('files')
  expect(await notesIn(next.DATA_DIR)).toEqual(['one', 'two'])

  const server = await start(next)
  const picturesThere = () =>
    Promise.all(pictures.map(async (path) => (await fetch(server.url + path)).status))
  expect(await picturesThere()).toEqual([200, 200])
  expect(await json(['payouts', 'resume', '--restored'], next)).toHaveLength(2)
  expect(await json(['audit'], next)).toMatchObject({ findings: [] })
  await shop.create(server.url, 'five')

  const kept = await json(['backup', 'bucket', '--keep', '1', ...KEY], next)
  expect([kept.removed, kept.removedBases]).toEqual([[made.name], [expect.any(String)]])
  const { checks } = await json(['doctor'], { ...next, PORT: '0' })
  for (const name of ['archive', 'bucket']) {
    expect(checks).toContainEqual(expect.objectContaining({ name, level: 'ok' }))
  }
  const later = await moment()
  await shop.create(server.url, 'six')
  expect(await picturesThere()).toEqual([200, 200])
  expect(await server.stop()).toBe(0)

  const gone = await tradepost(['restore', 'bucket', ...at, '--verify'], next)
  expectRefused(gone, 1, 'the first base backup ended at')
  const verified = await json(['restore', 'bucket', '--at', later, ...KEY, '--verify'], next)
  expect(verified).toMatchObject({ at: later, findings: [], faults: [] })
}, 240_000)
