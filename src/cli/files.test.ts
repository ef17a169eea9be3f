import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startSecond, startServer } from '../../test/harness.ts'
import { startS3 } from '../../test/s3-server.ts'
import { spoolDirectory, storeDirectory } from '../files/files.ts'
import { copyFiles, removeCopied } from '../files/move.ts'
import { openStorage } from '../files/storage.ts'
import { form, noisy, openMedia, PRODUCTS } from '../sales/products/media/media.fixture.ts'
import { databaseSettings, expectRefused, openHome } from './cli.fixture.ts'

const { begin, tradepost, json } = await openHome()
const s3 = await startS3({ listable: true })
const STORAGE_URL = s3.url

const server = await startServer({ jobs: false })
const { upload, newProduct, filesIn } = openMedia(server)
const { directory, db, get, runJob } = server
const settings = { ...databaseSettings(server.name), DATA_DIR: directory, STORAGE_URL }
const move = (...options: string[]) => json(['files', 'move', ...options], settings)

/** Stores pictures, and returns their paths. */
async function store(count: number): Promise<string[]> {
  const { productId } = await newProduct()
  for (let i = 0; i < count; i++) {
    const { body } = await upload(form({ productId }, { bytes: await noisy() }))
    expect(body.status).toBe('success')
  }
  await runJob('media')
  const { body } = await get(`${PRODUCTS}/get-product-details?productId=${productId}`)
  return body.data.media.map(({ url }: { url: string }) => new URL(url).pathname)
}

/** Returns the statuses of all pictures, and how many bytes a server returns. */
async function served(url: string, paths: readonly string[]) {
  const replies = await Promise.all(
    paths.map(async (path) => {
      const response = await fetch(url + path)
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
    }),
  )
  return {
    statuses: new Set(replies.map(({ status }) => status)),
    bytes: replies.map(({ bytes }) => bytes),
  }
}

const blobs = async () => (await db.one<{ n: number }>`select count(*) as n from blobs`).n

const paths = await store(8)

test('2 without a bucket', async () => {
  const { STORAGE_URL: _, ...without } = settings
  const ended = await tradepost(['files', 'move', '--to', 'bucket'], without)
  expectRefused(ended, 2, 'set STORAGE_URL to the bucket')
})

test('0 after kills at any moment; each file is in the bucket once, and the server goes on', async () => {
  const total = await blobs()
  expect(total).toBeGreaterThanOrEqual(8)
  for (let killed = 0; killed < 3; killed++) {
    const before = await s3.count()
    const child = begin(['files', 'move', '--to', 'bucket'], settings)
    const ended = new Promise((done) => child.once('exit', done))
    await expect
      .poll(() => s3.count(), { interval: 1 })
      .toBeGreaterThan(Math.min(before, total - 1))
    child.kill('SIGKILL')
    await ended
    expect((await served(server.url, paths)).statuses).toEqual(new Set([200]))
  }
  const done = await move('--to', 'bucket')
  expect(done).toMatchObject({ files: total, faults: [], removed: 0 })
  expect(await s3.count()).toBe(total)
  expect(await move('--to', 'bucket')).toMatchObject({ files: total, copied: 0 })
  expect(await filesIn('files')).toBe(total)
})

test('0 copies what was stored meanwhile; a server with the bucket then has everything', async () => {
  const later = await store(2)
  const said = await tradepost(['files', 'move', '--to', 'bucket'], settings)
  expect(said.status).toBe(0)
  expect(said.stdout).toMatch(/Copied \d+ files .*, and checked each copy\./)
  expect(said.stdout).toContain('3. Set STORAGE_URL on every server, and restart.')

  const second = await startSecond(server, { storage: { directory, bucket: s3.bucket } })
  const all = [...paths, ...later]
  const [old, now] = [await served(server.url, all), await served(second.url, all)]
  expect(now.statuses).toEqual(new Set([200]))
  expect(now.bytes.map((bytes, i) => bytes.equals(old.bytes[i]!))).toEqual(all.map(() => true))
})

test('1 removes nothing if something had to be copied; 0 removes once nothing has', async () => {
  await store(1)
  const total = await blobs()
  const refused = await tradepost(['files', 'move', '--to', 'bucket', '--remove'], settings)
  expect(refused.status).toBe(1)
  expect(refused.stdout).toContain('Nothing was removed')
  expect(await filesIn('files')).toBe(total)

  expect(await move('--to', 'bucket', '--remove')).toMatchObject({ copied: 0, removed: total })
  expect(await filesIn('files')).toBe(0)
  expect(await s3.count()).toBe(total)
})

test('0 moves everything back to the disk', async () => {
  const total = await blobs()
  expect(await move('--to', 'disk')).toMatchObject({ copied: total, faults: [] })
  expect((await served(server.url, paths)).statuses).toEqual(new Set([200]))
  expect(await move('--to', 'disk', '--remove')).toMatchObject({ copied: 0, removed: total })
  expect(await s3.count()).toBe(0)
})

test('1 names damaged and missing files, and copies the others', async () => {
  const total = await blobs()
  const names = await readdir(join(directory, 'files'), { recursive: true, withFileTypes: true })
  const [one, other] = names.filter((entry) => entry.isFile())
  const path = join(one!.parentPath, one!.name)
  const content = await readFile(path)
  const spoilt = Buffer.from(content)
  spoilt[10]! ^= 1
  await writeFile(path, spoilt)
  const gone = join(other!.parentPath, other!.name)
  const kept = await readFile(gone)
  await writeFile(gone, kept.subarray(1))

  const { status, stdout } = await tradepost(['files', 'move', '--to', 'bucket'], settings)
  expect(status).toBe(1)
  expect(stdout).toContain(`${one!.name}: it is damaged`)
  expect(stdout).toContain(`${other!.name}: it is damaged`)
  expect(await s3.count()).toBe(total - 2)
  await writeFile(path, content)
  await writeFile(gone, kept)
  expect(await move('--to', 'bucket')).toMatchObject({ copied: 2, faults: [] })
})

test('0 deletes the copies of files that have been deleted since', async () => {
  const before = await s3.count()
  expect(before).toBe(await blobs())
  server.clock.advance(25 * 3_600_000)
  await runJob('blobs')
  const { productId } = await newProduct()
  await upload(form({ productId }, { bytes: await noisy() }))
  await move('--to', 'bucket')
  expect(await s3.count()).toBe(await blobs())
  await server.post(`${PRODUCTS}/delete-product`, { productId })
  server.clock.advance(25 * 3_600_000)
  await runJob('blobs')
  const left = await blobs()
  expect(left).toBeLessThan(await s3.count())
  expect(await move('--to', 'bucket')).toMatchObject({ files: left, copied: 0 })
  expect(await s3.count()).toBe(left)
})

test('1 while the bucket is unreachable, and continues afterwards', async () => {
  await s3.stop()
  const failed = await tradepost(['files', 'move', '--to', 'bucket'], settings)
  expect(failed.status).toBe(1)
  expect(failed.stderr).toMatch(/^error: /)
  await s3.start()
  expect(await move('--to', 'bucket')).toMatchObject({ faults: [] })
})

test('0 also removes files that servers have deleted only in the new place', async () => {
  const { productId } = await newProduct()
  await upload(form({ productId }, { bytes: await noisy() }))
  await move('--to', 'bucket')
  const before = await filesIn('files')
  const second = await startSecond(server, { storage: { directory, bucket: s3.bucket } })
  await second.post(`${PRODUCTS}/delete-product`, { productId })
  server.clock.advance(25 * 3_600_000)
  const job = second.app.jobs.find(({ name }) => name === 'blobs')!
  while ((await job.run(second.db, server.clock.now())) > 0);
  expect(await blobs()).toBeLessThan(before)
  expect(await filesIn('files')).toBe(before)
  expect(await move('--to', 'bucket', '--remove')).toMatchObject({ removed: before, left: 0 })
  expect(await filesIn('files')).toBe(0)
  await move('--to', 'disk')
})

test('a file that a server stores in the old place after the copying is not removed', async () => {
  const moving = {
    db,
    spoolDirectory: spoolDirectory(directory),
    target: 'elsewhere',
    from: await openStorage(storeDirectory(directory)),
    to: await openStorage(join(directory, 'elsewhere')),
    journalPath: join(directory, 'files-copied-elsewhere'),
  }
  const { checked, faults } = await copyFiles(moving)
  const before = await blobs()
  expect([checked.size, faults]).toEqual([before, []])
  const newer = await store(1)
  expect(await removeCopied(moving, checked)).toMatchObject({ removed: before })
  expect((await served(server.url, newer)).statuses).toEqual(new Set([200]))
})
