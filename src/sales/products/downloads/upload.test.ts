import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startSecond, startServer } from '../../../../test/harness.ts'
import { EXPIRY, MINUTE_MS, openDownloads, PRODUCTS, UPLOAD } from './downloads.fixture.ts'

const RENAME = `${PRODUCTS}/rename-digital-download-files`

const server = await startServer({ jobs: false })
const { get, post, put, clock, business } = server
const { upload, newProduct, newFile, buy, download, filesIn } = openDownloads(server)

describe('POST add-digital-download-files', () => {
  test('200 stores the bytes, with their hash and a type detected from them', async () => {
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

  test('200 accepts several, whatever types they claim', async () => {
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

  test('200 repeats the response for the same key and bytes; 422 for other bytes', async () => {
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

  test('400, 404, 413 and 415, and stores nothing', async () => {
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
    expect(await refusal(upload('1', [{ bytes }]))).toEqual([
      ...[404, 'product_not_found', ['productId']],
    ])
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
  test('200 renames the file, and buyers download it under the new name', async () => {
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

  test('400 for invalid names; 404 for another business’s files', async () => {
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

describe('PUT set-download-link-expiry', () => {
  test('200 for the product, then for one of its files; existing links keep their limits', async () => {
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
    expect(ofFile.body.data).toMatchObject({
      name: expect.any(String),
      bytes: expect.any(Number),
      sha256: expect.any(String),
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

  test('400 for invalid limits', async () => {
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
