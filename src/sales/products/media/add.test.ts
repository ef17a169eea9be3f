import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { form, noisy, openMedia, PRODUCTS, picture, png, UPLOAD } from './media.fixture.ts'

const server = await startServer({ jobs: false })
const { db, get, post, runJob } = server
const { upload, newProduct, fetchPicture, filesIn, kept } = openMedia(server)

describe('POST product-upload-media', () => {
  test('200 accepts an image, shows the original, and re-encodes it in two sizes', async () => {
    const { productId } = await newProduct()
    const camera = await picture(3000, 1000)
      .jpeg()
      .withMetadata({ orientation: 6 })
      .withExif({ IFD0: { Copyright: 'SECRET-PLACE' } })
      .toBuffer()
    const { status, body } = await upload(form({ productId }, { bytes: camera, name: 'x.png' }))
    expect(status).toBe(200)
    const { media, ...first } = body.data
    expect(media).toEqual([first])
    expect(first).toEqual({
      mediaId: expect.any(Number),
      reference: expect.stringMatching(/^MED_\w{20}$/),
      status: 'Processing',
      productId,
      variantId: null,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1\/media\/[\w-]+$/),
      thumbnailUrl: null,
      contentType: 'image/jpeg',
      width: 1000,
      height: 3000,
      bytes: camera.length,
      isPrimary: true,
      position: 1,
      createdAt: expect.any(String),
    })

    const original = await fetchPicture(first.url)
    expect(original.status).toBe(200)
    expect(Buffer.from(await original.arrayBuffer()).equals(camera)).toBe(true)
    expect(Object.fromEntries(original.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'public, max-age=60',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'inline',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-request-id': expect.stringMatching(/^req_/),
    })

    expect(await runJob('media')).toBe(1)
    const listed = await get(`${PRODUCTS}/get-product-media?productId=${productId}`)
    const [ready] = listed.body.data
    expect(ready).toMatchObject({
      status: 'Ready',
      contentType: 'image/jpeg',
      width: 683,
      height: 2048,
    })
    const shown = await fetchPicture(ready.url)
    expect(shown.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const bytes = Buffer.from(await shown.arrayBuffer())
    expect(bytes.length).toBe(ready.bytes)
    expect(bytes.includes('SECRET-PLACE')).toBe(false)
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 683, height: 2048 })
    const small = await fetchPicture(ready.thumbnailUrl)
    expect(small.headers.get('content-type')).toBe('image/webp')
    expect(await sharp(Buffer.from(await small.arrayBuffer())).metadata()).toMatchObject({
      format: 'webp',
      height: 400,
    })

    // The camera’s metadata is no longer available.
    const moved = await fetchPicture(first.url)
    expect([moved.status, moved.headers.get('location')]).toEqual([
      302,
      new URL(ready.url).pathname,
    ])
    expect(await filesIn('spool')).toBe(0)
  })

  test('200 accepts several at once, in order, with one event of the product', async () => {
    const { productId } = await newProduct()
    const sent = [
      await png('red'),
      await picture().webp().toBuffer(),
      await picture().gif().toBuffer(),
    ]
    const { body } = await upload(form({ productId }, ...sent.map((bytes) => ({ bytes }))))
    expect(
      body.data.media.map((one: Record<string, unknown>) => [
        one.contentType,
        one.position,
        one.isPrimary,
      ]),
    ).toEqual([
      ['image/png', 1, true],
      ['image/webp', 2, false],
      ['image/gif', 3, false],
    ])
    const { body: product } = await get(`${PRODUCTS}/get-product-details?productId=${productId}`)
    expect(product.data.media).toHaveLength(3)
    const events = await db.many<{ type: string; data: string }>`
      select type, data from events where object_id = ${Number(productId)} order by sequence`
    expect(events.map(({ type }) => type)).toEqual(['product.created', 'product.updated'])
    expect(JSON.parse(events[1]!.data).media).toHaveLength(3)
  })

  test('200 keeps an animation animated', async () => {
    const { productId } = await newProduct()
    const frames = Buffer.concat([0, 90, 180].map((shade) => Buffer.alloc(30 * 30 * 3, shade)))
    const raw = { width: 30, height: 90, channels: 3, pageHeight: 30 } as const
    const gif = await sharp(frames, { raw }).gif().toBuffer()
    const { body } = await upload(form({ productId }, { bytes: gif }))
    expect(body.data).toMatchObject({ contentType: 'image/gif', width: 30, height: 30 })
    await runJob('media')
    const [ready] = (await get(`${PRODUCTS}/get-product-media?productId=${productId}`)).body.data
    expect(ready).toMatchObject({ status: 'Ready', width: 30, height: 30 })
    const shown = Buffer.from(await (await fetchPicture(ready.url)).arrayBuffer())
    expect(await sharp(shown, { animated: true }).metadata()).toMatchObject({ pages: 3 })
  })

  test('200 accepts base64 in JSON, and an id as a number', async () => {
    const { productId } = await newProduct()
    const bytes = await png()
    for (const base64 of [
      bytes.toString('base64'),
      `data:image/jpeg;base64,${bytes.toString('base64')}`,
    ]) {
      const { status, body } = await post(UPLOAD, { productId: Number(productId), base64 })
      expect([status, body.data.contentType]).toEqual([200, 'image/png'])
    }
    expect(await filesIn('spool')).toBe(0)
  })

  test('200 repeats the response for the same key and bytes; 422 for other bytes', async () => {
    const { productId } = await newProduct()
    const [one, other] = [await noisy(), await noisy()]
    const headers = { 'idempotency-key': 'media-1' }
    const send = (bytes: Buffer, name = 'a.png') =>
      upload(form({ productId }, { bytes, name }), { headers })
    const first = await send(one)
    const before = await kept()
    const again = await send(one)
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await send(other)).status).toBe(422)
    expect((await send(one, 'b.png')).status).toBe(422)
    expect(await kept()).toEqual(before)
  })

  test('200 once for twenty at once with one key', async () => {
    const { productId } = await newProduct()
    const bytes = await noisy()
    const headers = { 'idempotency-key': 'media-race' }
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => upload(form({ productId }, { bytes }), { headers })),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(replies.map(({ body }) => body.data.mediaId)).size).toBe(1)
    const { body } = await get(`${PRODUCTS}/get-product-media?productId=${productId}`)
    expect(body.data).toHaveLength(1)
  })

  test('200 up to the limit; 400 for one more, even if they arrive at once', async () => {
    const { productId } = await newProduct()
    const bytes = await png()
    const replies = await Promise.all(
      Array.from({ length: 25 }, () => upload(form({ productId }, { bytes }))),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(20)
    const refused = replies.find(({ status }) => status === 400)!
    expect(refused.body).toMatchObject({
      errorCode: 'too_many_files',
      errors: { file: ['would exceed the limit of 20 images'] },
    })
    const { body } = await get(`${PRODUCTS}/get-product-media?productId=${productId}`)
    expect(body.data.map(({ position }: { position: number }) => position)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    )
  })
})
