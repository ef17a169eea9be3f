import { randomBytes } from 'node:crypto'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { startSecond, startServer } from '../../../../test/harness.ts'
import { form, noisy, openMedia, PRODUCTS, picture, png, UPLOAD } from './media.fixture.ts'

const server = await startServer({ jobs: false })
const { get, post, runJob } = server
const { upload, newProduct, fetchPicture, filesIn, kept } = openMedia(server)

describe('POST product-upload-media rejects', () => {
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
    ['an HTML page named .png', async () => Buffer.from(HTML)],
    ['an SVG drawing', async () => Buffer.from(SVG)],
    ['an empty file', async () => Buffer.alloc(0)],
    ['a header that claims 2.5 gigapixels', async () => pngOf(50_000, 50_000, 1)],
    ['a small file of 100 megapixels', async () => pngOf(10_000, 10_000, 10_000)],
    [
      'an incomplete image',
      async () => {
        const whole = await sharp(randomBytes(400 * 400 * 3), {
          raw: { width: 400, height: 400, channels: 3 },
        })
          .jpeg()
          .toBuffer()
        return whole.subarray(0, whole.length / 2)
      },
    ],
    ['an image with too few rows', async () => pngOf(600, 600, 300)],
    ['another type of image', async () => picture().tiff().toBuffer()],
    ['an HTML page after the first bytes of a GIF', async () => Buffer.from(`GIF89a${HTML}`)],
    [
      'too many frames',
      async () => {
        const frames = 301
        const raw = { width: 4, height: 4 * frames, channels: 3, pageHeight: 4 } as const
        const noise = Buffer.from(
          Array.from({ length: 48 * frames }, (_, i) => (Math.floor(i / 48) * 37) & 255),
        )
        return sharp(noise, { raw }).gif().toBuffer()
      },
    ],
  ])('400 for %s, even next to a valid image, and stores neither', async (_what, make) => {
    const { productId } = await newProduct()
    const before = await kept()
    const bytes = await make()
    const alone = await upload(form({ productId }, { bytes }))
    expect([alone.status, alone.body.errorCode]).toEqual([400, 'bad_picture'])
    expect(alone.body.errors.file[0]).toMatch(/sent as "a\.png"/)
    const both = await upload(form({ productId }, { bytes: await png() }, { bytes, name: 'b.png' }))
    expect([both.status, both.body.errorCode]).toEqual([400, 'bad_picture'])
    expect(await kept()).toEqual(before)
  })

  test('200 for an image with a page appended, without the page', async () => {
    const { productId } = await newProduct()
    const bytes = Buffer.concat([await png(), Buffer.from(HTML)])
    const { status, body } = await upload(
      form({ productId }, { bytes, name: 'a.html', type: 'text/html' }),
    )
    expect([status, body.data.contentType]).toEqual([200, 'image/png'])
    await runJob('media')
    const [ready] = (await get(`${PRODUCTS}/get-product-media?productId=${productId}`)).body.data
    const shown = await fetchPicture(ready.url)
    expect(shown.headers.get('content-type')).toBe('image/png')
    expect(Buffer.from(await shown.arrayBuffer()).includes('<script')).toBe(false)
  })

  test('413 for a file that is too large, by its length or while it arrives, and stores nothing', async () => {
    const { productId } = await newProduct()
    const before = await kept()
    const large = Buffer.alloc(10 * 1024 * 1024 + 1)
    const one = await upload(form({ productId }, { bytes: large }))
    expect([one.status, one.body.errorCode]).toEqual([413, 'file_too_large'])
    expect(one.body.message).toBe('A file must be at most 10 MiB.')
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
  ])('400 for the name %j', async (filename, fault) => {
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

  test('400 without an image, with two kinds, under another name, or with a field twice', async () => {
    const { productId } = await newProduct()
    const bytes = await png()
    const base64 = bytes.toString('base64')
    const url = 'https://example.com/a.png'
    for (const [body, fault] of [
      [{ productId }, /^is required: /],
      [{ productId, base64, url }, /^was sent in more than one way: /],
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

  test('404 for a product that is unknown or another business’s, and stores nothing', async () => {
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

  test('400 for a body that breaks off, and stores nothing from a client that disconnects', async () => {
    const { productId } = await newProduct()
    const before = await kept()
    const bytes = await noisy(300, 300)
    const torn = await rawUpload(productId, 'a.png', bytes, { ending: '' })
    expect([torn.status, torn.body.errorCode]).toEqual([400, 'invalid_multipart'])
    await leaveMidway(productId, bytes)
    await expect.poll(kept).toEqual(before)
  })

  test('415 for anything but multipart or JSON', async () => {
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

  /** Sends names that no client would send. */
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

describe('an image by URL', () => {
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
  ])('400 rejects %s', async (url) => {
    const { productId } = await newProduct()
    const { status, body } = await post(UPLOAD, { productId, url })
    expect([status, body.errorCode, Object.keys(body.errors)]).toEqual([
      400,
      'url_refused',
      ['url'],
    ])
  })
})

describe('an image that is fetched', async () => {
  let sent: Buffer = Buffer.alloc(0)
  const shop = createServer((_request, response) => response.end(sent))
  await new Promise<void>((listening) => shop.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/a`
  afterAll(() => shop.close())
  const other = await startSecond(server, {
    storage: { directory: server.directory, allowsAddress: () => true },
  })

  test('200 as for an upload; 400 and 413 too, and stores nothing then', async () => {
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
