import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { get as getHttp } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { asOwner, startSecond, startServer } from '../../../../test/harness.ts'
import { allChecks } from '../../../audit.ts'
import { runAudit } from '../../../ledger/audit.ts'
import { grantDownloads, revokeDownloads } from './grants.ts'

const PRODUCTS = '/api/payment-service/external/v1/products'
const UPLOAD = `${PRODUCTS}/add-digital-download-files`
const DELETE = `${PRODUCTS}/delete-digital-download-files`
const EXPIRY = `${PRODUCTS}/set-download-link-expiry`
const RENAME = `${PRODUCTS}/rename-digital-download-files`
const MINUTE_MS = 60_000

const server = await startServer({ sweepers: false })
const { db, ids, get, post, put, sweep, clock, business } = server
const tenant = { businessId: business.businessId, live: false }
const deps = { ids, publicUrl: 'http://127.0.0.1' }

async function upload(
  productId: string | undefined,
  files: { bytes: Uint8Array | string; name?: string }[],
  { key = business.keys.testSecret, headers = {} } = {},
) {
  const data = new FormData()
  if (productId) data.append('productId', productId)
  for (const { bytes, name = 'book.pdf' } of files) {
    data.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), name)
  }
  const { status, ...response } = await send(data, key, headers)
  return { status, ...response }
}

async function send(data: FormData, key: string, headers: Record<string, string>) {
  const response = await fetch(server.url + UPLOAD, {
    method: 'POST',
    body: data,
    headers: { authorization: `Bearer ${key}`, ...headers },
  })
  // biome-ignore lint/suspicious/noExplicitAny: a mistake shows as a failed expectation
  const body = (await response.json()) as any
  return { status: response.status, body, headers: response.headers }
}

const newProduct = async () => {
  const { body } = await post(`${PRODUCTS}/create-product`, { name: 'Book', price: 5 })
  return body.data.productId as string
}

/** A product with one file. */
async function newFile(bytes: Uint8Array = randomBytes(1_000), name = 'book.pdf') {
  const productId = await newProduct()
  const { body } = await upload(productId, [{ bytes, name }])
  return { productId, fileId: body.data.digitalDownloadFileId as string, bytes, file: body.data }
}

let orders = 1_000_000_000

/** What checkout will do once an order is paid. */
const buy = async (productIds: string[], causeId = ++orders) =>
  db.transaction((tx) =>
    grantDownloads(tx, deps, tenant, {
      causeId,
      productIds: productIds.map(Number),
      customerEmail: 'ada@example.com',
      now: clock.now(),
    }),
  )

const pathOf = (url: string) => server.url + new URL(url).pathname

async function download(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(pathOf(url), { headers, method })
  return {
    status: response.status,
    bytes: Buffer.from(await response.arrayBuffer()),
    headers: response.headers,
  }
}

const grantOf = (url: string) =>
  db.one<{ id: number; downloads: number; given_back: number }>`
    select id, downloads, given_back from download_grants
    where secret = ${url.split('-').at(-1)}`

const eventsOf = async (url: string) => {
  const { id } = await grantOf(url)
  const events = await db.many<{ type: string; sequence: number }>`
    select type, sequence from events where object_id = ${id} order by sequence`
  return events.map(({ type, sequence }) => `${sequence} ${type}`)
}

const filesIn = async (part: 'spool' | 'files') => {
  const all = await readdir(join(server.directory, part), {
    recursive: true,
    withFileTypes: true,
  }).catch(() => [])
  return all.filter((entry) => entry.isFile()).length
}

describe('POST add-digital-download-files', () => {
  test('200 keeps the bytes, told by their hash, and a type that the bytes tell', async () => {
    const productId = await newProduct()
    const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(100_000)])
    const { status, body } = await upload(productId, [{ bytes, name: 'Ọ̀wọ̀ “1”.pdf' }])
    const { files, ...file } = body.data
    expect(status).toBe(200)
    expect(files).toEqual([file])
    expect(file).toEqual({
      digitalDownloadFileId: expect.stringMatching(/^\d+$/),
      reference: expect.stringMatching(/^DDF_\w{20}$/),
      productId,
      name: 'Ọ̀wọ̀ “1”.pdf',
      contentType: 'application/pdf',
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      downloads: 0,
      expiryValue: null,
      expiryUnit: null,
      maxDownloads: null,
      status: 'Active',
      createdAt: expect.any(String),
    })
    const { body: list } = await get(
      `${PRODUCTS}/get-digital-download-files?productId=${productId}`,
    )
    expect(list.data).toEqual([file])
    const { body: product } = await get(`${PRODUCTS}/get-product-details?productId=${productId}`)
    expect(product.data.digitalFiles).toMatchObject([{ reference: file.reference }])
    expect(await filesIn('spool')).toBe(0)
  })

  test('200 takes several, whatever they say they are', async () => {
    const productId = await newProduct()
    const { body } = await upload(productId, [
      { bytes: 'PK\u0003\u0004 and so on', name: 'a.pdf' },
      { bytes: '<script>alert(1)</script>', name: 'b.html' },
    ])
    expect(body.data.files.map((one: { contentType: string }) => one.contentType)).toEqual([
      'application/zip',
      'application/octet-stream',
    ])
  })

  test('200 repeats the answer to the same key and bytes; 422 for other bytes', async () => {
    const productId = await newProduct()
    const headers = { 'idempotency-key': 'file-1' }
    const bytes = randomBytes(500)
    const first = await upload(productId, [{ bytes }], { headers })
    const again = await upload(productId, [{ bytes }], { headers })
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const other = await upload(productId, [{ bytes: randomBytes(500) }], { headers })
    expect(other.status).toBe(422)
  })

  test('400, 404, 413 and 415, and nothing is kept', async () => {
    const productId = await newProduct()
    const small = await startSecond(server, {
      storage: { directory: server.directory, fileBytesMax: 10_000 },
    })
    const before = [await filesIn('files'), await filesIn('spool')]
    const refusal = async (wanted: ReturnType<typeof upload>) => {
      const { status, body } = await wanted
      return [status, body.errorCode, Object.keys(body.errors ?? {})]
    }
    const bytes = randomBytes(9_000)
    expect(await refusal(upload(undefined, [{ bytes }]))).toEqual([
      400,
      'validation_failed',
      ['productId'],
    ])
    expect((await refusal(upload(productId, []))).slice(0, 1)).toEqual([400])
    expect((await refusal(upload(productId, [{ bytes: '' }]))).slice(0, 1)).toEqual([400])
    expect(await refusal(upload(productId, [{ bytes, name: 'a\u202efdp.exe' }]))).toEqual([
      400,
      'validation_failed',
      ['filename'],
    ])
    expect(await refusal(upload('1', [{ bytes }]))).toEqual([404, 'product_not_found', []])
    const other = await server.newBusiness()
    for (const key of [other.keys.testSecret, business.keys.liveSecret]) {
      expect((await upload(productId, [{ bytes }], { key })).status).toBe(404)
    }
    expect((await post(UPLOAD, { productId, base64: 'YQ==' })).status).toBe(415)

    const data = new FormData()
    data.append('productId', productId)
    for (const name of ['a', 'b']) {
      data.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), name)
    }
    const tooMuch = await fetch(small.url + UPLOAD, {
      method: 'POST',
      body: data,
      headers: { authorization: `Bearer ${business.keys.testSecret}` },
    })
    expect(tooMuch.status).toBe(413)
    expect([await filesIn('files'), await filesIn('spool')]).toEqual(before)
  })

  test('400 for the fifty-first', async () => {
    const productId = await newProduct()
    const ten = (round: number) =>
      Array.from({ length: 10 }, (_, i) => ({ bytes: `${productId} ${round} ${i}` }))
    for (let round = 0; round < 5; round++) {
      expect((await upload(productId, ten(round))).status).toBe(200)
    }
    const { status, body } = await upload(productId, [{ bytes: 'more' }])
    expect([status, body.errorCode]).toEqual([400, 'too_many_files'])
  })
})

describe('PUT rename-digital-download-files', () => {
  test('200 renames, and buyers save it under the new name', async () => {
    const { productId, fileId } = await newFile()
    const [link] = await buy([productId])
    const { status, body } = await put(RENAME, {
      productId,
      digitalDownloadFileId: fileId,
      name: 'Ìwé "tuntun".pdf',
    })
    expect([status, body.data.name]).toEqual([200, 'Ìwé "tuntun".pdf'])
    const { headers } = await download(link!.url)
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="_w_ _tuntun_.pdf"; filename*=UTF-8''%C3%8Cw%C3%A9%20%22tuntun%22.pdf`,
    )
  })

  test('400 for names that are none; 404 for files of others', async () => {
    const { productId, fileId } = await newFile()
    const other = await newFile()
    for (const name of ['', ' ', 'a/b', 'a\\b', '..', 'a\nb', 'a\u202eb', 'x'.repeat(256)]) {
      const { status, body } = await put(RENAME, { productId, digitalDownloadFileId: fileId, name })
      expect([status, Object.keys(body.errors)]).toEqual([400, ['name']])
    }
    const body = { productId, digitalDownloadFileId: other.fileId, name: 'a' }
    const { status, body: refused } = await put(RENAME, body)
    expect([status, refused.errorCode]).toEqual([404, 'digital_file_not_found'])
  })
})

describe('POST delete-digital-download-files', () => {
  const isThere = async (productId: string) =>
    (await get(`${PRODUCTS}/get-digital-download-files?productId=${productId}`)).body.data.length

  test('200 takes it off the product; past buyers keep it, or lose it with status true', async () => {
    const { productId, fileId, bytes, file } = await newFile()
    const [link] = await buy([productId])
    const body = { productId, digitalDownloadFileId: fileId }
    const kept = await post(DELETE, { ...body, status: false })
    expect([kept.status, kept.body.data]).toEqual([
      200,
      { reference: file.reference, status: 'Deleted' },
    ])
    expect(await isThere(productId)).toBe(0)
    expect(await buy([productId])).toEqual([])
    clock.advance(48 * 60 * MINUTE_MS)
    await sweep('blobs')
    expect((await download(link!.url)).bytes.equals(bytes)).toBe(true)
    expect((await post(DELETE, { ...body, status: false })).status).toBe(404)

    const revoked = await post(DELETE, { ...body, status: true })
    expect(revoked.body.data).toEqual({ reference: file.reference, status: 'Revoked' })
    expect((await download(link!.url)).status).toBe(410)
    expect(await eventsOf(link!.url)).toEqual([
      '1 download.granted',
      '2 download.accessed',
      '3 download.revoked',
    ])
    // A day later its content is gone.
    const before = await filesIn('files')
    clock.advance(25 * 60 * MINUTE_MS)
    await sweep('blobs')
    expect(await filesIn('files')).toBe(before - 1)
    expect((await download(link!.url)).status).toBe(410)
    expect(await runAudit(db, allChecks)).toEqual([])
  })

  test('200 lets go of content that nobody bought', async () => {
    const { productId, fileId } = await newFile()
    await post(DELETE, { productId, digitalDownloadFileId: fileId, status: false })
    const before = await filesIn('files')
    clock.advance(25 * 60 * MINUTE_MS)
    await sweep('blobs')
    expect(await filesIn('files')).toBe(before - 1)
  })

  test('200 with status true after false, as often as one likes, when nobody bought it', async () => {
    const { productId, fileId, file } = await newFile()
    const body = { productId, digitalDownloadFileId: fileId }
    const { reference } = file
    const kept = await post(DELETE, { ...body, status: false })
    expect([kept.status, kept.body.data]).toEqual([200, { reference, status: 'Deleted' }])
    expect((await post(DELETE, { ...body, status: false })).status).toBe(404)
    for (let i = 0; i < 2; i++) {
      const { status, body: revoked } = await post(DELETE, { ...body, status: true })
      expect([status, revoked.data]).toEqual([200, { reference, status: 'Revoked' }])
    }
    expect(await isThere(productId)).toBe(0)
    expect(await runAudit(db, allChecks)).toEqual([])
  })

  test('200 after its product was deleted: buyers keep what they bought until then', async () => {
    const { productId, fileId, bytes } = await newFile()
    const [link] = await buy([productId])
    const { body: added } = await upload(productId, [{ bytes: 'nobody has bought this' }])
    clock.advance(25 * 60 * MINUTE_MS)
    await sweep('blobs')
    const late = { productId, digitalDownloadFileId: added.data.digitalDownloadFileId }
    expect((await post(`${PRODUCTS}/delete-product`, { productId })).status).toBe(200)
    const before = await filesIn('files')
    clock.advance(25 * 60 * MINUTE_MS)
    await sweep('blobs')
    expect(await filesIn('files')).toBe(before - 1)
    expect((await download(link!.url)).bytes.equals(bytes)).toBe(true)
    // Whoever had begun to buy is given what others have; of the other file nothing is left.
    expect(await buy([productId])).toHaveLength(1)

    const body = { productId, digitalDownloadFileId: fileId }
    expect((await post(DELETE, { ...body, status: false })).status).toBe(404)
    expect((await post(DELETE, { ...body, status: true })).status).toBe(200)
    expect((await post(DELETE, { ...late, status: true })).status).toBe(200)
    expect((await download(link!.url)).status).toBe(410)
    expect(await runAudit(db, allChecks)).toEqual([])
  })

  test('400 names what is missing; 404 for what is not there', async () => {
    const { productId, fileId } = await newFile()
    const { status, body } = await post(DELETE, {})
    expect([status, Object.keys(body.errors).sort()]).toEqual([
      400,
      ['digitalDownloadFileId', 'productId', 'status'],
    ])
    const wrong = { productId, digitalDownloadFileId: fileId, status: 'true' }
    expect((await post(DELETE, wrong)).status).toBe(400)
    for (const not of [{ productId: '1' }, { digitalDownloadFileId: '1' }]) {
      const sent = { productId, digitalDownloadFileId: fileId, status: true, ...not }
      expect((await post(DELETE, sent)).status).toBe(404)
    }
    const other = server.as((await server.newBusiness()).keys.testSecret)
    const sent = { productId, digitalDownloadFileId: fileId, status: true }
    expect((await other.post(DELETE, sent)).status).toBe(404)
    expect(await isThere(productId)).toBe(1)
  })
})

describe('PUT set-download-link-expiry', () => {
  test('200 for the product, then for one file of it; links that were given keep theirs', async () => {
    const { productId, fileId, file } = await newFile()
    const { body: added } = await upload(productId, [{ bytes: 'other' }])
    const other = added.data.digitalDownloadFileId
    const [early] = await buy([productId])
    const ofProduct = await put(EXPIRY, {
      productId,
      expiryValue: 2,
      expiryUnit: 'hours',
      maxDownloads: 3,
    })
    expect([ofProduct.status, ofProduct.body.data]).toMatchObject([
      200,
      { productId, expiryValue: 2, expiryUnit: 'hours', maxDownloads: 3, status: 'Active' },
    ])
    const ofFile = await put(EXPIRY, {
      productId,
      digitalDownloadFileId: Number(fileId),
      expiryValue: null,
      expiryUnit: 'days',
    })
    expect(ofFile.body.data).toEqual({
      reference: file.reference,
      status: 'Active',
      productId,
      digitalDownloadFileId: fileId,
      expiryValue: null,
      expiryUnit: null,
      maxDownloads: 3,
    })
    const list = await get(`${PRODUCTS}/get-digital-download-files?productId=${productId}`)
    expect(list.body.data).toMatchObject([
      { digitalDownloadFileId: fileId, expiryValue: null, maxDownloads: 3 },
      { digitalDownloadFileId: other, expiryValue: 2, expiryUnit: 'hours', maxDownloads: 3 },
    ])

    const [first, second] = await buy([productId])
    const inTwoHours = second!.expiresAt!.getTime() - clock.now().getTime()
    expect([early!.expiresAt, first!.expiresAt]).toEqual([null, null])
    expect(inTwoHours / MINUTE_MS).toBeCloseTo(120, 0)
    await put(EXPIRY, { productId, expiryValue: 90, expiryUnit: 'days' })
    clock.advance(121 * MINUTE_MS)
    expect((await download(second!.url)).status).toBe(410)
    expect((await download(first!.url)).status).toBe(200)
    expect((await download(early!.url)).status).toBe(200)
  })

  test('400 for limits that are none', async () => {
    const productId = await newProduct()
    for (const [limits, field] of [
      [{}, 'expiryValue'],
      [{ expiryValue: 0, expiryUnit: 'days' }, 'expiryValue'],
      [{ expiryValue: -1, expiryUnit: 'days' }, 'expiryValue'],
      [{ expiryValue: 1.5, expiryUnit: 'days' }, 'expiryValue'],
      [{ expiryValue: 4000, expiryUnit: 'days' }, 'expiryValue'],
      [{ expiryValue: 5 }, 'expiryUnit'],
      [{ expiryValue: 5, expiryUnit: 'weeks' }, 'expiryUnit'],
      [{ maxDownloads: 0 }, 'maxDownloads'],
    ] as const) {
      const { status, body } = await put(EXPIRY, { productId, ...limits })
      expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
    }
    const { productId: other, fileId } = await newFile()
    expect(other).not.toBe(productId)
    const sent = { productId, digitalDownloadFileId: fileId, maxDownloads: 1 }
    expect((await put(EXPIRY, sent)).status).toBe(404)
  })
})

describe('GET /d/{token}', () => {
  test('200 gives the file to save, never to show', async () => {
    const { productId, bytes } = await newFile(Buffer.from('<script>alert(1)</script>'), 'a.html')
    const [link] = await buy([productId])
    expect(link).toMatchObject({ name: 'a.html', expiresAt: null })
    const got = await download(link!.url)
    expect(got.status).toBe(200)
    expect(got.bytes.equals(bytes)).toBe(true)
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="a.html"; filename*=UTF-8''a.html`,
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-request-id': expect.stringMatching(/^req_/),
    })
    expect(await eventsOf(link!.url)).toEqual(['1 download.granted', '2 download.accessed'])
    const { body } = await get('/api/user-service/v1/events?limit=1')
    expect(body.data[0]).toMatchObject({ type: 'download.accessed' })
  })

  test('200, 206 and 416 for parts of it', async () => {
    const { productId, bytes } = await newFile(randomBytes(600_000))
    const [link] = await buy([productId])
    const whole = await download(link!.url)
    const etag = whole.headers.get('etag')!
    const part = async (range: string, ifRange?: string) => {
      const headers = { range, ...(ifRange && { 'if-range': ifRange }) }
      const { status, bytes: got, headers: answered } = await download(link!.url, headers)
      return { status, got, range: answered.get('content-range') }
    }
    const size = bytes.length
    for (const [range, from, to] of [
      ['bytes=0-99', 0, 100],
      ['bytes=100-', 100, size],
      ['bytes=599999-', size - 1, size],
      ['bytes=-500', size - 500, size],
      ['bytes=300000-999999999', 300_000, size],
      ['bytes=-700000', 0, size],
    ] as const) {
      const { status, got, range: answered } = await part(range)
      expect([range, status, answered]).toEqual([range, 206, `bytes ${from}-${to - 1}/${size}`])
      expect(got.equals(bytes.subarray(from, to))).toBe(true)
    }
    expect((await part('bytes=100-', etag)).status).toBe(206)
    for (const range of ['bytes=5-2', 'bytes=0-1,5-9', 'lines=1-2', 'bytes=-', 'bytes=a-b']) {
      expect((await part(range)).status).toBe(200)
    }
    expect((await part('bytes=100-', '"another"')).status).toBe(200)
    const behind = await part(`bytes=${size}-`)
    expect([behind.status, behind.range]).toEqual([416, `bytes */${size}`])
  })

  test('200 to HEAD counts nothing', async () => {
    const { productId, bytes } = await newFile()
    await put(EXPIRY, { productId, maxDownloads: 1 })
    const [link] = await buy([productId])
    const head = await download(link!.url, {}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([
      200,
      String(bytes.length),
      0,
    ])
    expect((await grantOf(link!.url)).downloads).toBe(0)
    expect((await download(link!.url)).status).toBe(200)
    // Whoever goes on with a download looks first.
    expect((await download(link!.url, {}, 'HEAD')).status).toBe(200)
    clock.advance(25 * 60 * MINUTE_MS)
    expect((await download(link!.url, {}, 'HEAD')).status).toBe(410)
  })

  test('200 three times of two hundred at once, 410 for the rest', async () => {
    const { productId, fileId, bytes } = await newFile(randomBytes(300_000))
    await put(EXPIRY, { productId, maxDownloads: 3 })
    const [link] = await buy([productId])
    const got = await Promise.all(Array.from({ length: 200 }, () => download(link!.url)))
    const whole = got.filter((one) => one.status === 200)
    expect(whole.map((one) => one.bytes.equals(bytes))).toEqual([true, true, true])
    expect(got.filter(({ status }) => status === 410)).toHaveLength(197)
    expect(await grantOf(link!.url)).toMatchObject({ downloads: 3, given_back: 0 })
    expect((await eventsOf(link!.url)).length).toBe(4)
    const { body } = await get(`${PRODUCTS}/get-digital-download-files?productId=${productId}`)
    expect(body.data).toMatchObject([{ digitalDownloadFileId: fileId, downloads: 3 }])
  })

  test('206 goes on for free within a day; 410 after that', async () => {
    const { productId, bytes } = await newFile()
    await put(EXPIRY, { productId, maxDownloads: 1 })
    const [link] = await buy([productId])
    await download(link!.url)
    for (let i = 0; i < 3; i++) {
      const { status, bytes: got } = await download(link!.url, { range: 'bytes=400-' })
      expect([status, got.equals(bytes.subarray(400))]).toEqual([206, true])
    }
    expect((await download(link!.url)).status).toBe(410)
    clock.advance(25 * 60 * MINUTE_MS)
    expect((await download(link!.url, { range: 'bytes=400-' })).status).toBe(410)
    expect((await grantOf(link!.url)).downloads).toBe(1)
  })

  test('200 again after a broken connection, ten times, and 410 after that', async () => {
    const { productId, bytes } = await newFile(randomBytes(8_000_000))
    await put(EXPIRY, { productId, maxDownloads: 1 })
    const [link] = await buy([productId])
    for (let i = 1; i <= 10; i++) {
      await breakOff(link!.url)
      await expect.poll(() => grantOf(link!.url)).toMatchObject({ downloads: 0, given_back: i })
    }
    // What is left may be fetched as what it is: a part, which then counts.
    const rest = await download(link!.url, { range: 'bytes=1000000-' })
    expect([rest.status, rest.bytes.equals(bytes.subarray(1_000_000))]).toEqual([206, true])
    expect((await grantOf(link!.url)).downloads).toBe(1)
    expect((await download(link!.url)).status).toBe(410)

    const [other] = await buy([productId])
    await db.run`update download_grants set given_back = 10
      where id = ${(await grantOf(other!.url)).id}`
    await breakOff(other!.url)
    await expect.poll(async () => (await eventsOf(other!.url)).length).toBe(2)
    expect((await download(other!.url)).status).toBe(410)
    expect(await runAudit(db, allChecks)).toEqual([])
  })

  test('410 as a page after the whole purchase was refunded, and only then', async () => {
    const [one, other] = [await newFile(), await newFile()]
    const causeId = ++orders
    const links = await buy([one.productId, other.productId], causeId)
    expect(await buy([one.productId, other.productId], causeId)).toEqual(links)
    const [kept] = await buy([one.productId])
    const revokeIt = () =>
      db.transaction((tx) => revokeDownloads(tx, deps, tenant, causeId, clock.now()))
    await Promise.all([revokeIt(), revokeIt()])
    for (const { url } of links) {
      const { status, bytes, headers } = await download(url)
      expect([status, headers.get('content-type')]).toEqual([410, 'text/html; charset=utf-8'])
      expect(bytes.toString()).toContain('This link has ended')
      expect(await eventsOf(url)).toEqual(['1 download.granted', '2 download.revoked'])
    }
    expect((await download(kept!.url)).status).toBe(200)
  })

  test('404 as a page for what is no link', async () => {
    const { productId } = await newFile()
    const [link] = await buy([productId])
    const { pathname } = new URL(link!.url)
    const last = pathname.at(-1) === 'a' ? 'b' : 'a'
    for (const path of ['/d/x', `${pathname.slice(0, -1)}${last}`, pathname.replace('t-', 'l-')]) {
      const { status, text, headers } = await get(path, { authorization: '' })
      expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(text).toContain('Nothing here')
    }
  })

  test('200 on another server, and after a restart', async () => {
    const { productId, bytes } = await newFile()
    const [link] = await buy([productId])
    const second = await startSecond(server)
    const response = await fetch(second.url + new URL(link!.url).pathname)
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
    await second.close()
  })
})

test('409 never: files bought while they are deleted are granted, or not, but whole', async () => {
  const { productId, fileId } = await newFile()
  const deleting = post(DELETE, { productId, digitalDownloadFileId: fileId, status: true })
  const buying = Array.from({ length: 10 }, () => buy([productId]))
  const [{ status }, ...links] = await Promise.all([deleting, ...buying])
  expect(status).toBe(200)
  for (const { url } of links.flat()) expect((await download(url)).status).toBe(410)
  expect(await runAudit(db, allChecks)).toEqual([])
})

describe('the audit', () => {
  test.each<[string, (file: number, grant: number) => string, (...ids: number[]) => string[]]>([
    [
      'the length of a file',
      (file) => `update digital_files set bytes = 1 where id = ${file}`,
      (file) => [`digital-file-contents ${file}`],
    ],
    [
      'a download that nobody began',
      (file) => `update digital_files set downloads = downloads + 1 where id = ${file}`,
      (file) => [`digital-file-downloads ${file}`],
    ],
    [
      'a link that outlived its file',
      (file) => `update digital_files set status = 'Revoked' where id = ${file}`,
      (_file, grant) => [`download-revocations ${grant}`],
    ],
    [
      'a download that was not told of',
      (_file, grant) => `update download_grants set event_sequence = 9 where id = ${grant}`,
      (_file, grant) => [`download-events ${grant}`],
    ],
  ])('200 before, and then names %s', async (_what, sql, expected) => {
    const { productId, fileId } = await newFile()
    const [link] = await buy([productId])
    expect((await download(link!.url)).status).toBe(200)
    const { id } = await grantOf(link!.url)
    expect(await runAudit(db, allChecks)).toEqual([])
    const damage = async (statement: string) =>
      asOwner(server.name, (client) => client.query(statement))
    await damage(sql(Number(fileId), id))
    const found = await runAudit(db, allChecks)
    expect(found.map((one) => `${one.check} ${one.id}`)).toEqual(expected(Number(fileId), id))
    await damage(`update digital_files set bytes = 1000, downloads = 1, status = 'Active'
      where id = ${fileId}`)
    await damage(`update download_grants set event_sequence = 2 where id = ${id}`)
  })
})

/** Takes a little of a file and leaves. */
function breakOff(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    getHttp(pathOf(url), (response) => {
      response.once('data', () => {
        response.destroy()
        resolve()
      })
      response.on('error', () => {})
    }).on('error', reject)
  })
}
