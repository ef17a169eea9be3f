import { readdir, readlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { allChecks } from '../../../audit.ts'
import { runAudit } from '../../../ledger/audit.ts'
import { form, noisy, openMedia, PRODUCTS, png } from './media.fixture.ts'

const PLAIN = '/api/payment-service/v1/products'

const server = await startServer({ jobs: false })
const { db, get, post, runJob, clock } = server
const { upload, newProduct, fetchPicture, filesIn, kept } = openMedia(server)

test('200 deletes a product with its images, which are no longer served and are removed', async () => {
  const { productId } = await newProduct()
  const { body } = await upload(form({ productId }, { bytes: await noisy() }))
  await runJob('media')
  const { url } = (await get(`${PRODUCTS}/get-product-details?productId=${productId}`)).body.data
    .media[0]
  expect((await fetchPicture(url)).status).toBe(200)
  expect((await post(`${PRODUCTS}/delete-product`, { productId })).status).toBe(200)
  expect((await fetchPicture(url)).status).toBe(404)
  expect(body.status).toBe('success')
  const { n } = await db.one<{ n: number }>`
    select count(*) as n from product_media where product_id = ${Number(productId)}`
  expect(n).toBe(0)
  const before = await filesIn('files')
  clock.advance(25 * 3_600_000)
  await runJob('blobs')
  expect(await filesIn('files')).toBeLessThanOrEqual(before - 3)
  expect(await runAudit(db, allChecks)).toEqual([])
})

test('200 for an image leaves no file open when clients disconnect', async () => {
  const { productId } = await newProduct()
  await upload(form({ productId }, { bytes: await noisy() }))
  await runJob('media')
  const { url } = (await get(`${PRODUCTS}/get-product-details?productId=${productId}`)).body.data
    .media[0]
  const { pathname } = new URL(url)
  const { hostname, port } = new URL(server.url)
  for (let round = 0; round < 10; round++) {
    await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const line = connect(Number(port), hostname).on('error', () => {})
        line.write(`GET ${pathname} HTTP/1.1\r\nHost: x\r\n\r\n`)
        // Some disconnect before the file is opened, some while it is sent.
        await new Promise((resolve) => (i % 2 ? setImmediate(resolve) : line.once('data', resolve)))
        line.destroy()
      }),
    )
  }
  await expect.poll(() => openBelow(server.directory)).toEqual([])
})

/** The files below a folder that this process has open. */
async function openBelow(folder: string): Promise<string[]> {
  const opened = await readdir('/proc/self/fd').catch(() => [])
  const paths = await Promise.all(
    opened.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  )
  return paths.filter((path) => path.startsWith(folder))
}

describe('POST delete-product-media', () => {
  test('200 closes the gap, and the next image becomes the primary one', async () => {
    const { productId } = await newProduct()
    const sent = await Promise.all([noisy(), noisy(), noisy()])
    const { body } = await upload(form({ productId }, ...sent.map((bytes) => ({ bytes }))))
    const [first, second, third] = body.data.media
    await runJob('media')
    const [ready] = (await get(`${PRODUCTS}/get-product-media?productId=${productId}`)).body.data
    expect(ready).toMatchObject({ mediaId: first.mediaId, isPrimary: true, position: 1 })
    const { status, body: gone } = await post(`${PRODUCTS}/delete-product-media`, {
      productId,
      mediaId: String(first.mediaId),
    })
    expect([status, gone.data]).toEqual([
      200,
      { ...ready, status: 'Deleted', url: null, thumbnailUrl: null },
    ])
    const { body: left } = await get(`${PRODUCTS}/get-product-media?productId=${productId}`)
    expect(
      left.data.map((one: Record<string, unknown>) => [one.mediaId, one.position, one.isPrimary]),
    ).toEqual([
      [second.mediaId, 1, true],
      [third.mediaId, 2, false],
    ])
    expect((await fetchPicture(first.url)).status).toBe(404)
    const again = await post(`${PRODUCTS}/delete-product-media`, {
      productId,
      mediaId: first.mediaId,
    })
    expect([again.status, again.body.errorCode]).toEqual([404, 'media_not_found'])
    expect(again.body.errors).toEqual({ mediaId: ['does not exist'] })

    // A day later nothing of it is left in storage.
    const before = await kept()
    clock.advance(25 * 3_600_000)
    await runJob('blobs')
    const after = await kept()
    expect([before.blobs - after.blobs, after.garbage]).toEqual([3, 0])
    expect(after.files).toBe(after.blobs)
  })

  test('404 for the media of another product, business or mode', async () => {
    const { productId } = await newProduct()
    const { productId: otherId } = await newProduct()
    const { body } = await upload(form({ productId }, { bytes: await png() }))
    const { mediaId } = body.data
    const remove = `${PRODUCTS}/delete-product-media`
    expect((await post(remove, { productId: otherId, mediaId })).status).toBe(404)
    const other = server.as((await server.newBusiness()).keys.testSecret)
    expect((await other.post(remove, { productId, mediaId })).status).toBe(404)
    const live = server.as(server.business.keys.liveSecret)
    expect((await live.post(remove, { productId, mediaId })).status).toBe(404)
    expect((await live.get(`${PRODUCTS}/get-product-media?productId=${productId}`)).status).toBe(
      404,
    )
  })
})

describe('GET get-product-media', () => {
  test('200 returns the whole list, or a page if one is requested', async () => {
    const { productId } = await newProduct()
    const bytes = await png()
    await upload(form({ productId }, { bytes }, { bytes }, { bytes }))
    const path = `${PRODUCTS}/get-product-media?productId=${productId}`
    const whole = await get(path)
    expect([whole.body.data.length, whole.body.meta]).toEqual([3, undefined])
    const page = await get(`${path}&page=2&limit=2`)
    expect([page.body.data.length, page.body.meta.total]).toEqual([1, 3])
    expect((await get(`${PRODUCTS}/get-product-media`)).status).toBe(400)
  })
})

describe('images of a variant', () => {
  test('200 are separate, only in the plain family, and at most five', async () => {
    const product = await newProduct({ options: [{ name: 'Size', values: ['M', 'L'] }] })
    const { productId } = product
    const [{ variantId }, { variantId: otherId }] = product.variants
    const bytes = await png()
    const path = `${PLAIN}/add-product-variant-media`
    const fields = { productId, variantId: String(variantId) }
    const { status, body } = await upload(form(fields, { bytes }, { bytes }), { path })
    expect([status, body.data.variantId, body.data.isPrimary]).toEqual([200, variantId, true])
    const list = (id: number) =>
      get(`${PLAIN}/get-product-variant-media?productId=${productId}&variantId=${id}`)
    expect((await list(variantId)).body.data).toHaveLength(2)
    expect((await list(otherId)).body.data).toEqual([])
    expect((await get(`${PRODUCTS}/get-product-media?productId=${productId}`)).body.data).toEqual(
      [],
    )
    const full = await upload(form(fields, ...Array.from({ length: 4 }, () => ({ bytes }))), {
      path,
    })
    expect(full.status).toBe(400)

    const { mediaId } = body.data
    const remove = `${PLAIN}/delete-product-variant-media`
    expect((await post(remove, { productId, variantId: otherId, mediaId })).status).toBe(404)
    expect((await post(remove, { productId, variantId, mediaId })).status).toBe(200)
    expect((await list(variantId)).body.data).toHaveLength(1)
    const external = path.replace('/v1/', '/external/v1/')
    expect((await upload(form(fields, { bytes }), { path: external })).status).toBe(404)
    const unknown = await upload(form({ productId, variantId: productId }, { bytes }), { path })
    expect([unknown.status, unknown.body.errorCode]).toEqual([404, 'product_variant_not_found'])
  })
})

test('404 for URLs of images that do not exist', async () => {
  for (const name of ['x', '..%2f..%2fetc', `1t-1-${'a'.repeat(22)}`]) {
    expect((await fetch(`${server.url}/media/${name}`)).status).toBe(404)
  }
})
