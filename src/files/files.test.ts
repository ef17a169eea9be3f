import { createHash, randomBytes } from 'node:crypto'
import { readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { startS3 } from '../../test/s3-server.ts'
import { allChecks } from '../audit.ts'
import { runAudit } from '../ledger/audit.ts'
import { filesOf } from './files.fixture.ts'
import { openFiles, storeDirectory } from './files.ts'
import { openStorage } from './storage.ts'

const PRODUCTS = '/api/payment-service/external/v1/products'
const HOUR_MS = 3_600_000

const server = await startServer({ jobs: false })
const { db, clock, runJob, business } = server
const tenant = { businessId: business.businessId, live: false }
const storage = await openStorage(storeDirectory(server.directory))
const files = openFiles({
  db,
  clock,
  directory: server.directory,
  storage,
  nudge: () => {},
})

async function* once(bytes: Uint8Array) {
  yield bytes
}

const putAway = async (bytes: Uint8Array) =>
  files.putAway(await files.spool(once(bytes), 1_000_000))

const filesIn = filesOf(server.directory)

const counts = async () => {
  const row = await db.one<{ blobs: number; garbage: number }>`
    select (select count(*) from blobs) as blobs, (select count(*) from blob_garbage) as garbage`
  return { ...row, files: await filesIn('files'), spool: await filesIn('spool') }
}

const EMPTY = { blobs: 0, garbage: 0, files: 0, spool: 0 }

async function uploadTo(
  one: Pick<typeof server, 'url' | 'business'>,
  id: string,
  bytes: Uint8Array,
) {
  const data = new FormData()
  data.append('productId', id)
  data.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), 'a.bin')
  const response = await fetch(`${one.url}${PRODUCTS}/add-digital-download-files`, {
    method: 'POST',
    body: data,
    headers: { authorization: `Bearer ${one.business.keys.testSecret}` },
  })
  // biome-ignore lint/suspicious/noExplicitAny: a mistake shows as a failed expectation
  const body = (await response.json()) as any
  return { status: response.status, body }
}

const newProduct = async ({ post }: Pick<typeof server, 'post'>) =>
  (await post(`${PRODUCTS}/create-product`, { name: 'Book', price: 1 })).body.data
    .productId as string

describe('stored content', () => {
  test('that is never taken, as after a crash, is removed within an hour', async () => {
    const stored = await putAway(randomBytes(100))
    expect(await counts()).toEqual({ ...EMPTY, garbage: 1, files: 1 })
    await runJob('blobs')
    expect(await counts()).toEqual({ ...EMPTY, garbage: 1, files: 1 })
    clock.advance(HOUR_MS + 1)
    await runJob('blobs')
    expect(await counts()).toEqual(EMPTY)
    // Taking it too late fails, and nothing refers to missing content.
    const late = db.transaction((tx) => files.take(tx, tenant, stored))
    await expect(late).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(await counts()).toEqual(EMPTY)
  })

  test('cannot be taken once its removal has started', async () => {
    const stored = await putAway(randomBytes(100))
    clock.advance(HOUR_MS + 1)
    await db.run`update blob_garbage set due_at = ${new Date(clock.now().getTime() + HOUR_MS)}`
    const late = db.transaction((tx) => files.take(tx, tenant, stored))
    await expect(late).rejects.toMatchObject({ code: 'storage_unavailable' })
    clock.advance(2 * HOUR_MS)
    await runJob('blobs')
    expect(await counts()).toEqual(EMPTY)
  })

  test('is released with the transaction that took it', async () => {
    const stored = await putAway(randomBytes(100))
    const failing = db.transaction(async (tx) => {
      await files.take(tx, tenant, stored)
      throw new Error('changed its mind')
    })
    await expect(failing).rejects.toThrow('changed its mind')
    await files.discard([stored])
    await runJob('blobs')
    expect(await counts()).toEqual(EMPTY)
  })
})

describe('incoming files', () => {
  test('leave nothing if they break off or are too long', async () => {
    async function* breaking() {
      yield randomBytes(100)
      throw new Error('gone')
    }
    await expect(files.spool(breaking(), 1_000)).rejects.toThrow('gone')
    const long = files.spool(once(randomBytes(1_001)), 1_000)
    await expect(long).rejects.toMatchObject({ kind: 'too_large', code: 'file_too_large' })
    expect(await counts()).toEqual(EMPTY)
  })

  test('of a process that was killed are removed after two hours', async () => {
    const { path } = await files.spool(once(randomBytes(100)), 1_000)
    await runJob('blobs')
    expect(await counts()).toEqual({ ...EMPTY, spool: 1 })
    const longAgo = new Date(Date.now() - 2 * HOUR_MS - 1)
    await utimes(path, longAgo, longAgo)
    await runJob('blobs')
    expect(await counts()).toEqual(EMPTY)
  })
})

describe('the job', () => {
  test('never removes content that arrives again while it runs', async () => {
    const productId = await newProduct(server)
    const bytes = randomBytes(1_000)
    const body = { productId, status: true }
    for (let round = 0; round < 8; round++) {
      const first = await uploadTo(server, productId, bytes)
      const { digitalDownloadFileId } = first.body.data
      const gone = { ...body, digitalDownloadFileId }
      await server.post(`${PRODUCTS}/delete-digital-download-files`, gone)
      clock.advance(25 * HOUR_MS)
      const again = Array.from({ length: 4 }, () => uploadTo(server, productId, bytes))
      const all = await Promise.all([runJob('blobs'), ...again, runJob('blobs'), runJob('blobs')])
      const kept = all.filter((one) => typeof one !== 'number')
      expect(kept.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      await runJob('blobs')
      expect(await counts()).toEqual({ blobs: 1, garbage: 0, files: 1, spool: 0 })
      const sha256 = createHash('sha256').update(bytes).digest()
      const content = await files.open(await files.find(db, tenant, sha256))
      expect(Buffer.concat(await content.toArray()).equals(bytes)).toBe(true)
      for (const { body: one } of kept) {
        const id = one.data.digitalDownloadFileId
        await server.post(`${PRODUCTS}/delete-digital-download-files`, {
          ...body,
          digitalDownloadFileId: id,
        })
      }
    }
    clock.advance(25 * HOUR_MS)
    await runJob('blobs')
    expect(await counts()).toEqual(EMPTY)
    expect(await runAudit(db, allChecks)).toEqual([])
  })
})

describe('a server with a bucket', async () => {
  const s3 = await startS3()
  const directory = join(server.directory, 'other')
  const other = await startServer({
    jobs: false,
    storage: { directory, bucket: s3.bucket },
  })
  const rowsOf = () =>
    other.db.one<{ files: number; blobs: number }>`
      select (select count(*) from digital_files where sha256 is not null) as files,
        (select count(*) from blobs) as blobs`
  const left = async () => (await readdir(join(directory, 'spool')).catch(() => [])).length

  test('stores and removes files there', async () => {
    const productId = await newProduct(other)
    const { status, body } = await uploadTo(other, productId, randomBytes(3_000_000))
    expect([status, await s3.count(), await left()]).toEqual([200, 1, 0])
    await other.post(`${PRODUCTS}/delete-digital-download-files`, {
      productId,
      digitalDownloadFileId: body.data.digitalDownloadFileId,
      status: true,
    })
    other.clock.advance(25 * HOUR_MS)
    await other.runJob('blobs')
    expect([await s3.count(), await rowsOf()]).toEqual([0, { files: 0, blobs: 0 }])
  })

  test('returns 503 while it is unavailable, stores nothing then, and recovers', async () => {
    const productId = await newProduct(other)
    await s3.stop()
    const { status, body } = await uploadTo(other, productId, randomBytes(1_000_000))
    expect([status, body.errorCode]).toEqual([503, 'storage_unavailable'])
    expect([await rowsOf(), await left()]).toEqual([{ files: 0, blobs: 0 }, 0])
    other.clock.advance(2 * HOUR_MS)
    await expect(other.runJob('blobs')).rejects.toMatchObject({ code: 'storage_unavailable' })
    await s3.start()
    expect((await uploadTo(other, productId, randomBytes(1_000_000))).status).toBe(200)
    other.clock.advance(HOUR_MS)
    await other.runJob('blobs')
    expect([await s3.count(), await rowsOf()]).toEqual([1, { files: 1, blobs: 1 }])
  })
})
