import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { asOwner, startServer } from '../../../../test/harness.ts'
import { allChecks } from '../../../audit.ts'
import { encodeImage } from '../../../files/images.ts'
import { runAudit } from '../../../ledger/audit.ts'
import { form, noisy, openMedia, PRODUCTS } from './media.fixture.ts'
import { claimDue } from './queries.ts'

const server = await startServer({ jobs: false })
const { db, get, post, runJob, clock } = server
const { upload, newProduct, fetchPicture, kept } = openMedia(server)

describe('re-encoding', () => {
  const animation = (frames: number, edge: number) => {
    const raw = { width: edge, height: edge * frames, channels: 3, pageHeight: edge } as const
    const bytes = Buffer.alloc(edge * edge * frames * 3)
    for (let i = 0; i < frames; i++) {
      bytes.fill((i * 37) & 255, edge * edge * 3 * i, edge * edge * 3 * (i + 1))
    }
    return sharp(bytes, { raw }).gif().toBuffer()
  }

  test.each([
    [8, 'with all frames if it is small', 8, 200],
    [1, 'as its first frame if it is large', 100, 300],
  ])('200 leaves %i frames: shows an animation %s', async (left, _how, frames, edge) => {
    const { picture } = await encodeImage(1, await animation(frames, edge))
    const { pages = 1, format } = await sharp(picture.content).metadata()
    expect([pages, format, picture.width, picture.height]).toEqual([left, 'gif', edge, edge])
  })

  test('200 never produces more than 10 MiB from less', { timeout: 60_000 }, async () => {
    const edge = 2900
    const noise = randomBytes(edge * edge * 3).map((byte) => (byte & 1) * 255)
    const raw = { width: edge, height: edge, channels: 3 } as const
    const original = await sharp(noise, { raw }).png({ compressionLevel: 1 }).toBuffer()
    expect(original.length).toBeLessThan(10 * 1024 * 1024)
    const { picture } = await encodeImage(1, original)
    expect(picture.content.length).toBeLessThan(10 * 1024 * 1024)
    expect([picture.width, picture.contentType]).toEqual([1024, 'image/png'])
  })

  test('200 takes turns between businesses, however many images the first one sent', async () => {
    while ((await runJob('media')) > 0);
    const many = await newProduct()
    const bytes = await noisy()
    const sent = await upload(
      form({ productId: many.productId }, ...Array.from({ length: 6 }, () => ({ bytes }))),
    )
    expect(sent.status).toBe(200)
    const other = await server.newBusiness()
    const caller = server.as(other.keys.testSecret)
    const made = await caller.post(`${PRODUCTS}/create-product`, { name: 'Cap', price: 5 })
    const { productId } = made.body.data
    await upload(form({ productId }, { bytes }), { key: other.keys.testSecret })
    const now = clock.now()
    const served: number[] = []
    for (const _turn of [1, 2, 3, 4]) {
      const row = await claimDue(db, { now, leasedUntil: now, last: served.at(-1) ?? 0 })
      served.push(row!.business_id)
    }
    const [first, second] = served
    expect(new Set([first, second])).toEqual(
      new Set([server.business.businessId, other.businessId]),
    )
    expect(served).toEqual([first, second, first, second])
  })
})

describe('storage', () => {
  test('200 stores the same content once per business and mode', async () => {
    const { productId } = await newProduct()
    clock.advance(2 * 3_600_000)
    await runJob('media')
    await runJob('blobs')
    const before = await kept()
    const bytes = await noisy()
    const uploads = () => upload(form({ productId }, { bytes }))
    await Promise.all([uploads(), uploads(), uploads()])
    await runJob('blobs')
    const after = await kept()
    expect([after.blobs - before.blobs, after.files - before.files]).toEqual([1, 1])
    expect([after.media - before.media, after.garbage]).toEqual([3, 0])
  })

  test('404 for an image that could not be re-encoded: it is Failed and not shown', async () => {
    const { productId } = await newProduct()
    const { body } = await upload(form({ productId }, { bytes: await noisy() }))
    await db.run`update product_media set attempts = 9 where id = ${body.data.mediaId}`
    await runJob('media')
    const { body: list } = await get(`${PRODUCTS}/get-product-media?productId=${productId}`)
    expect(list.data[0]).toMatchObject({ status: 'Failed', url: null, thumbnailUrl: null })
    expect((await fetchPicture(body.data.url)).status).toBe(404)
  })
})

describe('the audit', () => {
  test.each<[string, (id: number) => string, string]>([
    ['a size', (id) => `update product_media set bytes = 1 where id = ${id}`, 'media-contents'],
    [
      'a state',
      (id) => `update product_media set status = 'Ready' where id = ${id}`,
      'media-contents',
    ],
    [
      'a position',
      (id) => `update product_media set position = 7 where id = ${id}`,
      'media-positions',
    ],
    [
      'a primary flag',
      (id) => `update product_media set is_primary = false where id = ${id}`,
      'media-positions',
    ],
  ])('200 finds nothing at first, and then names %s that is wrong', async (_what, sql, check) => {
    const { productId } = await newProduct()
    const { body } = await upload(form({ productId }, { bytes: await noisy() }))
    const { mediaId } = body.data
    expect(await runAudit(db, allChecks)).toEqual([])
    await asOwner(server.name, (client) => client.query(sql(mediaId)))
    const found = await runAudit(db, allChecks)
    expect(found.map(({ check, id }) => [check, id])).toEqual([[check, String(mediaId)]])
    await post(`${PRODUCTS}/delete-product-media`, { productId, mediaId })
  })

  test('200 finds nothing at first, and then names unreferenced content', async () => {
    const { productId } = await newProduct()
    const { body } = await upload(form({ productId }, { bytes: await noisy() }))
    const { mediaId } = body.data
    await asOwner(server.name, (client) =>
      client.query(`delete from product_media where id = ${mediaId}`),
    )
    const found = await runAudit(db, allChecks)
    expect(found.map(({ check }) => check)).toEqual(['media-blobs'])
  })
})
