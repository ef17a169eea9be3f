import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { asOwner, startSecond, startServer } from '../../../../test/harness.ts'
import { allChecks } from '../../../audit.ts'
import { runAudit } from '../../../ledger/audit.ts'
import { encode } from './pictures.ts'
import { claimDue } from './queries.ts'

const PRODUCTS = '/api/payment-service/external/v1/products'
const PLAIN = '/api/payment-service/v1/products'
const UPLOAD = `${PRODUCTS}/product-upload-media`

const server = await startServer({ sweepers: false })
const { db, get, post, sweep, clock } = server

interface Part {
  bytes: Uint8Array | string
  name?: string
  type?: string
}

const form = (fields: Record<string, string>, ...files: Part[]): FormData => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  for (const { bytes, name = 'a.png', type = 'image/png' } of files) {
    data.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>], { type }), name)
  }
  return data
}

async function upload(
  data: FormData,
  { path = UPLOAD, key = server.business.keys.testSecret, headers = {} } = {},
) {
  const response = await fetch(server.url + path, {
    method: 'POST',
    body: data,
    headers: { authorization: `Bearer ${key}`, ...headers },
  })
  const { status, headers: answered } = response
  // biome-ignore lint/suspicious/noExplicitAny: a mistake shows as a failed expectation
  const answer = (await response.json()) as any
  return { status, body: answer, headers: answered }
}

const newProduct = async (more: object = {}) => {
  const { body } = await post(`${PRODUCTS}/create-product`, { name: 'Shirt', price: 5, ...more })
  return body.data
}

const picture = (width = 60, height = 40, colour = 'red') =>
  sharp({ create: { width, height, channels: 3, background: colour } })

const png = (colour?: string) => picture(60, 40, colour).png().toBuffer()

/** Noise, so that no two are the same content. */
const noisy = (width = 50, height = 50) =>
  sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 1 })
    .toBuffer()

const pathOf = (address: string) => server.url + new URL(address).pathname
const fetchPicture = (address: string) => fetch(pathOf(address), { redirect: 'manual' })

const filesIn = async (part: 'spool' | 'files') => {
  const all = await readdir(join(server.directory, part), {
    recursive: true,
    withFileTypes: true,
  }).catch(() => [])
  return all.filter((entry) => entry.isFile()).length
}

const rows = async () => {
  const [one] = await db.many<{ media: number; blobs: number; garbage: number }>`
    select (select count(*) from product_media) as media, (select count(*) from blobs) as blobs,
      (select count(*) from blob_garbage) as garbage`
  return one!
}

const kept = async () => ({
  ...(await rows()),
  spool: await filesIn('spool'),
  files: await filesIn('files'),
})

describe('POST product-upload-media', () => {
  test('200 takes a picture, shows the original, and makes it anew in two sizes', async () => {
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

    expect(await sweep('media')).toBe(1)
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

    // What the camera wrote is not to be had any more.
    const moved = await fetchPicture(first.url)
    expect([moved.status, moved.headers.get('location')]).toEqual([
      302,
      new URL(ready.url).pathname,
    ])
    expect(await filesIn('spool')).toBe(0)
  })

  test('200 takes several at once, in their order, and tells of the product once', async () => {
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

  test('200 keeps an animation one', async () => {
    const { productId } = await newProduct()
    const frames = Buffer.concat([0, 90, 180].map((shade) => Buffer.alloc(30 * 30 * 3, shade)))
    const raw = { width: 30, height: 90, channels: 3, pageHeight: 30 } as const
    const gif = await sharp(frames, { raw }).gif().toBuffer()
    const { body } = await upload(form({ productId }, { bytes: gif }))
    expect(body.data).toMatchObject({ contentType: 'image/gif', width: 30, height: 30 })
    await sweep('media')
    const [ready] = (await get(`${PRODUCTS}/get-product-media?productId=${productId}`)).body.data
    expect(ready).toMatchObject({ status: 'Ready', width: 30, height: 30 })
    const shown = Buffer.from(await (await fetchPicture(ready.url)).arrayBuffer())
    expect(await sharp(shown, { animated: true }).metadata()).toMatchObject({ pages: 3 })
  })

  test('200 takes base64 in JSON, and an id as a number', async () => {
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

  test('200 repeats the answer to the same key and bytes; 422 for other bytes', async () => {
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

  test('200 for as many as there can be; 400 for one more, also when they come at once', async () => {
    const { productId } = await newProduct()
    const bytes = await png()
    const replies = await Promise.all(
      Array.from({ length: 25 }, () => upload(form({ productId }, { bytes }))),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(20)
    const refused = replies.find(({ status }) => status === 400)!
    expect(refused.body).toMatchObject({
      errorCode: 'too_many_files',
      errors: { file: ['would be more than the 20 pictures that there can be'] },
    })
    const { body } = await get(`${PRODUCTS}/get-product-media?productId=${productId}`)
    expect(body.data.map(({ position }: { position: number }) => position)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    )
  })
})

describe('POST product-upload-media refuses', () => {
  const chunk = (type: string, data: Buffer) => {
    const bytes = Buffer.alloc(12 + data.length)
    bytes.writeUInt32BE(data.length, 0)
    bytes.write(type, 4)
    data.copy(bytes, 8)
    bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length)
    return bytes
  }
  const pngOf = (width: number, height: number, rows: number) => {
    const head = Buffer.alloc(13)
    head.writeUInt32BE(width, 0)
    head.writeUInt32BE(height, 4)
    head.set([8, 2], 8)
    return Buffer.concat([
      Buffer.from('89504e470d0a1a0a', 'hex'),
      chunk('IHDR', head),
      chunk('IDAT', deflateSync(Buffer.alloc((width * 3 + 1) * rows))),
      chunk('IEND', Buffer.alloc(0)),
    ])
  }
  const HTML = '<!doctype html><script>alert(1)</script>'
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'

  test.each([
    ['a page named .png', async () => Buffer.from(HTML)],
    ['a drawing', async () => Buffer.from(SVG)],
    ['nothing', async () => Buffer.alloc(0)],
    ['a header that promises 2.5 gigapixels', async () => pngOf(50_000, 50_000, 1)],
    ['a small file of 100 megapixels', async () => pngOf(10_000, 10_000, 10_000)],
    [
      'a picture that is cut off',
      async () => {
        const whole = await sharp(randomBytes(400 * 400 * 3), {
          raw: { width: 400, height: 400, channels: 3 },
        })
          .jpeg()
          .toBuffer()
        return whole.subarray(0, whole.length / 2)
      },
    ],
    ['a picture with too few rows', async () => pngOf(600, 600, 300)],
    ['other kinds of pictures', async () => picture().tiff().toBuffer()],
    ['a page behind the first bytes of a GIF', async () => Buffer.from(`GIF89a${HTML}`)],
    [
      'a flood of frames',
      async () => {
        const frames = 301
        const raw = { width: 4, height: 4 * frames, channels: 3, pageHeight: 4 } as const
        const noise = Buffer.from(
          Array.from({ length: 48 * frames }, (_, i) => (Math.floor(i / 48) * 37) & 255),
        )
        return sharp(noise, { raw }).gif().toBuffer()
      },
    ],
  ])('400 %s, beside a good one too, and keeps nothing of either', async (_what, make) => {
    const { productId } = await newProduct()
    const before = await kept()
    const bytes = await make()
    const alone = await upload(form({ productId }, { bytes }))
    expect([alone.status, alone.body.errorCode]).toEqual([400, 'bad_picture'])
    expect(alone.body.errors.file[0]).toMatch(/"a\.png" is not/)
    const both = await upload(form({ productId }, { bytes: await png() }, { bytes, name: 'b.png' }))
    expect([both.status, both.body.errorCode]).toEqual([400, 'bad_picture'])
    expect(await kept()).toEqual(before)
  })

  test('200 a picture with a page behind it, of which the page does not stay', async () => {
    const { productId } = await newProduct()
    const bytes = Buffer.concat([await png(), Buffer.from(HTML)])
    const { status, body } = await upload(
      form({ productId }, { bytes, name: 'a.html', type: 'text/html' }),
    )
    expect([status, body.data.contentType]).toEqual([200, 'image/png'])
    await sweep('media')
    const [ready] = (await get(`${PRODUCTS}/get-product-media?productId=${productId}`)).body.data
    const shown = await fetchPicture(ready.url)
    expect(shown.headers.get('content-type')).toBe('image/png')
    expect(Buffer.from(await shown.arrayBuffer()).includes('<script')).toBe(false)
  })

  test('413 what is too large, at its length or while it comes, and keeps nothing', async () => {
    const { productId } = await newProduct()
    const before = await kept()
    const large = Buffer.alloc(10 * 1024 * 1024 + 1)
    const one = await upload(form({ productId }, { bytes: large }))
    expect([one.status, one.body.errorCode]).toEqual([413, 'file_too_large'])
    expect(one.body.message).toBe('A file here has at most 10 MiB.')
    const good = { bytes: await png() }
    const many = await upload(form({ productId }, ...Array.from({ length: 11 }, () => good)))
    expect([many.status, many.body.errorCode]).toEqual([413, 'too_many_parts'])
    expect(await kept()).toEqual(before)
  })

  test.each([
    ['../../etc/passwd', /slashes/],
    ['a\\b.png', /slashes/],
    ['a\u0000.png', /NUL/],
    ['a\u202egnp.exe', /direction/],
    ['..', /must be a name/],
    [`${'ż'.repeat(130)}.png`, /255 bytes/],
  ])('400 the name %j', async (filename, fault) => {
    const { productId } = await newProduct()
    const before = await kept()
    const base64 = (await png()).toString('base64')
    const { status, body } = await post(UPLOAD, { productId, base64, filename })
    expect([status, body.errors]).toEqual([
      400,
      { filename: [filename.includes('\0') ? expect.any(String) : expect.stringMatching(fault)] },
    ])
    const sent = await rawUpload(productId, filename, await png())
    expect([sent.status, sent.body.errors]).toEqual([
      400,
      { filename: [expect.stringMatching(fault)] },
    ])
    expect(await kept()).toEqual(before)
  })

  test('400 without a picture, with two kinds, under another name, or with a field twice', async () => {
    const { productId } = await newProduct()
    const bytes = await png()
    const base64 = bytes.toString('base64')
    const url = 'https://example.com/a.png'
    for (const [body, fault] of [
      [{ productId }, /^is required: /],
      [{ productId, base64, url }, /^came in more than one way: /],
    ] as const) {
      const { status, body: answer } = await post(UPLOAD, body)
      const errors = { file: [expect.stringMatching(fault)] }
      expect([status, answer.errors]).toEqual([400, errors])
    }
    const fields = async (data: FormData) => {
      const { status, body } = await upload(data)
      return [status, Object.keys(body.errors ?? {})]
    }
    expect(await fields(form({ productId }))).toEqual([400, ['file']])
    expect(await fields(form({}, { bytes }))).toEqual([400, ['productId']])
    expect(await fields(form({ productId, url }, { bytes }))).toEqual([400, ['file']])
    const twice = form({ productId }, { bytes })
    twice.append('productId', productId)
    expect(await fields(twice)).toEqual([400, ['productId']])
    const other = form({ productId })
    other.append('picture', new Blob([bytes as Uint8Array<ArrayBuffer>]), 'a.png')
    expect(await fields(other)).toEqual([400, ['picture']])
    for (const wrong of ['', 'not base64!', 'YQ=', '<svg/>']) {
      const { status } = await post(UPLOAD, { productId, base64: wrong })
      expect(status).toBe(400)
    }
  })

  test('404 a product that is not there, or of somebody else, and keeps nothing', async () => {
    const { productId } = await newProduct()
    const other = await server.newBusiness()
    const bytes = await png()
    const before = await kept()
    for (const key of [other.keys.testSecret, server.business.keys.liveSecret]) {
      const { status, body } = await upload(form({ productId }, { bytes }), { key })
      expect([status, body.errorCode]).toEqual([404, 'product_not_found'])
    }
    expect((await upload(form({ productId: '999999999' }, { bytes }))).status).toBe(404)
    expect(await kept()).toEqual(before)
  })

  test('400 a body that breaks off, and keeps nothing of a client that leaves', async () => {
    const { productId } = await newProduct()
    const before = await kept()
    const bytes = await noisy(300, 300)
    const torn = await rawUpload(productId, 'a.png', bytes, { ending: '' })
    expect([torn.status, torn.body.errorCode]).toEqual([400, 'invalid_multipart'])
    await leaveMidway(productId, bytes)
    await expect.poll(kept).toEqual(before)
  })

  test('415 what is neither multipart nor JSON', async () => {
    const { status } = await post(UPLOAD, 'a=b', { 'content-type': 'text/plain' })
    expect(status).toBe(415)
    const bare = await post(UPLOAD, 'a=b', { 'content-type': 'multipart/form-data' })
    expect([bare.status, bare.body.errorCode]).toEqual([400, 'invalid_multipart'])
  })

  const body = (
    productId: string,
    filename: string,
    bytes: Uint8Array,
    ending = '\r\n--xx--\r\n',
  ) =>
    Buffer.concat([
      Buffer.from(
        `--xx\r\nContent-Disposition: form-data; name="productId"\r\n\r\n${productId}\r\n` +
          `--xx\r\nContent-Disposition: form-data; name="file"; filename="${filename.replaceAll('\\', '\\\\')}"\r\n` +
          'Content-Type: image/png\r\n\r\n',
      ),
      bytes,
      Buffer.from(ending),
    ])

  /** Names as no client would send them. */
  async function rawUpload(
    productId: string,
    filename: string,
    bytes: Uint8Array,
    { ending = '\r\n--xx--\r\n' } = {},
  ) {
    return post(UPLOAD, body(productId, filename, bytes, ending), {
      'content-type': 'multipart/form-data; boundary=xx',
    })
  }

  async function leaveMidway(productId: string, bytes: Uint8Array): Promise<void> {
    const whole = body(productId, 'a.png', bytes)
    const sending = request(server.url + UPLOAD, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.business.keys.testSecret}`,
        'content-type': 'multipart/form-data; boundary=xx',
        'content-length': whole.length,
      },
    })
    sending.on('error', () => {})
    sending.write(whole.subarray(0, whole.length - 5_000))
    await expect.poll(() => filesIn('spool')).toBe(1)
    sending.destroy()
  }
})

describe('a picture by its address', () => {
  test.each([
    'http://127.0.0.1/a.png',
    'http://2130706433/a.png',
    'http://[::1]/a.png',
    'http://[::ffff:10.0.0.1]/a.png',
    'http://localhost/a.png',
    'http://169.254.169.254/latest/meta-data',
    'https://10.1.2.3/a.png',
    'file:///etc/passwd',
    'https://user:pw@example.com/a.png',
  ])('400 refuses %s', async (url) => {
    const { productId } = await newProduct()
    const { status, body } = await post(UPLOAD, { productId, url })
    expect([status, body.errorCode, Object.keys(body.errors)]).toEqual([
      400,
      'url_refused',
      ['url'],
    ])
  })
})

describe('a picture that is fetched', async () => {
  let sent: Buffer = Buffer.alloc(0)
  const shop = createServer((_request, response) => response.end(sent))
  await new Promise<void>((listening) => shop.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/a`
  afterAll(() => shop.close())
  const other = await startSecond(server, {
    storage: { directory: server.directory, allowsAddress: () => true },
  })

  test('200 as when it is sent; 400 and 413 too, and nothing is kept', async () => {
    const { productId } = await newProduct()
    sent = await noisy()
    const { status, body } = await other.post(UPLOAD, { productId, url, filename: 'a.png' })
    expect([status, body.data.bytes]).toEqual([200, sent.length])
    const before = await kept()
    sent = Buffer.from('<html>')
    const page = await other.post(UPLOAD, { productId, url })
    expect([page.status, page.body.errorCode]).toEqual([400, 'bad_picture'])
    sent = Buffer.alloc(10 * 1024 * 1024 + 1)
    const large = await other.post(UPLOAD, { productId, url })
    expect([large.status, large.body.errorCode]).toEqual([413, 'file_too_large'])
    expect(await kept()).toEqual(before)
  })
})

test('200 deletes a product with its pictures, which are shown no more and let go of', async () => {
  const { productId } = await newProduct()
  const { body } = await upload(form({ productId }, { bytes: await noisy() }))
  await sweep('media')
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
  await sweep('blobs')
  expect(await filesIn('files')).toBeLessThanOrEqual(before - 3)
  expect(await runAudit(db, allChecks)).toEqual([])
})

describe('POST delete-product-media', () => {
  test('200 closes the gap, and the next one becomes the primary', async () => {
    const { productId } = await newProduct()
    const sent = await Promise.all([noisy(), noisy(), noisy()])
    const { body } = await upload(form({ productId }, ...sent.map((bytes) => ({ bytes }))))
    const [first, second, third] = body.data.media
    await sweep('media')
    const { status, body: gone } = await post(`${PRODUCTS}/delete-product-media`, {
      productId,
      mediaId: String(first.mediaId),
    })
    expect([status, gone.data]).toEqual([
      200,
      { reference: first.reference, status: 'Deleted', mediaId: first.mediaId, productId },
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

    // A day later nothing of it is left in the store.
    const before = await kept()
    clock.advance(25 * 3_600_000)
    await sweep('blobs')
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
  test('200 is whole, or a page when one is asked for', async () => {
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

describe('media of a variant', () => {
  test('200 is its own, in the plain family alone, and up to five', async () => {
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

describe('making anew', () => {
  const animation = (frames: number, edge: number) => {
    const raw = { width: edge, height: edge * frames, channels: 3, pageHeight: edge } as const
    const bytes = Buffer.alloc(edge * edge * frames * 3)
    for (let i = 0; i < frames; i++) {
      bytes.fill((i * 37) & 255, edge * edge * 3 * i, edge * edge * 3 * (i + 1))
    }
    return sharp(bytes, { raw }).gif().toBuffer()
  }

  test.each([
    [8, 'as it is when its frames are few pixels', 8, 200],
    [1, 'by its first frame when they are many', 100, 300],
  ])('200 leaves %i frames: shows an animation %s', async (left, _how, frames, edge) => {
    const { picture } = await encode(await animation(frames, edge))
    const { pages = 1, format } = await sharp(picture.content).metadata()
    expect([pages, format, picture.width, picture.height]).toEqual([left, 'gif', edge, edge])
  })

  test('200 never makes more than 10 MiB of what was less', { timeout: 60_000 }, async () => {
    const edge = 2900
    const noise = randomBytes(edge * edge * 3).map((byte) => (byte & 1) * 255)
    const raw = { width: edge, height: edge, channels: 3 } as const
    const original = await sharp(noise, { raw }).png({ compressionLevel: 1 }).toBuffer()
    expect(original.length).toBeLessThan(10 * 1024 * 1024)
    const { picture } = await encode(original)
    expect(picture.content.length).toBeLessThan(10 * 1024 * 1024)
    expect([picture.width, picture.contentType]).toEqual([1024, 'image/png'])
  })

  test('200 takes turns between businesses, however many one of them sent first', async () => {
    while ((await sweep('media')) > 0);
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

describe('the store', () => {
  test('200 keeps the same content once for a business and mode', async () => {
    const { productId } = await newProduct()
    clock.advance(2 * 3_600_000)
    await sweep('media')
    await sweep('blobs')
    const before = await kept()
    const bytes = await noisy()
    const uploads = () => upload(form({ productId }, { bytes }))
    await Promise.all([uploads(), uploads(), uploads()])
    await sweep('blobs')
    const after = await kept()
    expect([after.blobs - before.blobs, after.files - before.files]).toEqual([1, 1])
    expect([after.media - before.media, after.garbage]).toEqual([3, 0])
  })

  test('404 for a picture that could not be made anew: it is Failed, and not shown', async () => {
    const { productId } = await newProduct()
    const { body } = await upload(form({ productId }, { bytes: await noisy() }))
    await db.run`update product_media set attempts = 9 where id = ${body.data.mediaId}`
    await sweep('media')
    const { body: list } = await get(`${PRODUCTS}/get-product-media?productId=${productId}`)
    expect(list.data[0]).toMatchObject({ status: 'Failed', url: null, thumbnailUrl: null })
    expect((await fetchPicture(body.data.url)).status).toBe(404)
  })
})

describe('the audit', () => {
  test.each<[string, (id: number) => string, string]>([
    ['a length', (id) => `update product_media set bytes = 1 where id = ${id}`, 'media-contents'],
    [
      'a state',
      (id) => `update product_media set status = 'Ready' where id = ${id}`,
      'media-contents',
    ],
    [
      'a place',
      (id) => `update product_media set position = 7 where id = ${id}`,
      'media-positions',
    ],
    [
      'a rank',
      (id) => `update product_media set is_primary = false where id = ${id}`,
      'media-positions',
    ],
  ])('200 before, and then names %s that is wrong', async (_what, sql, check) => {
    const { productId } = await newProduct()
    const { body } = await upload(form({ productId }, { bytes: await noisy() }))
    const { mediaId } = body.data
    expect(await runAudit(db, allChecks)).toEqual([])
    await asOwner(server.name, (client) => client.query(sql(mediaId)))
    const found = await runAudit(db, allChecks)
    expect(found.map(({ check, id }) => [check, id])).toEqual([[check, String(mediaId)]])
    await post(`${PRODUCTS}/delete-product-media`, { productId, mediaId })
  })

  test('200 before, and then names content that nothing refers to', async () => {
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

test('404 for addresses of pictures that are none', async () => {
  for (const name of ['x', '..%2f..%2fetc', `1t-1-${'a'.repeat(22)}`]) {
    expect((await fetch(`${server.url}/media/${name}`)).status).toBe(404)
  }
})
