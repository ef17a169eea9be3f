import { randomBytes } from 'node:crypto'
import { get as getHttp } from 'node:http'
import { describe, expect, test } from 'vitest'
import { asOwner, startSecond, startServer } from '../../../../test/harness.ts'
import { allChecks } from '../../../audit.ts'
import { runAudit } from '../../../ledger/audit.ts'
import { EXPIRY, MINUTE_MS, openDownloads, PRODUCTS } from './downloads.fixture.ts'
import { revokeDownloads } from './grants.ts'

const server = await startServer({ jobs: false })
const { db, ids, get, put, clock, business } = server
const tenant = { businessId: business.businessId, live: false }
const deps = { ids, publicUrl: 'http://127.0.0.1' }
const { newFile, nextOrder, buy, pathOf, download, grantOf, eventsOf } = openDownloads(server)

describe('GET /d/{token}', () => {
  test('200 serves the file as an attachment, never inline', async () => {
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

  test('200, 206 and 416 for byte ranges', async () => {
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
    // Clients that resume a download send a HEAD request first.
    expect((await download(link!.url, {}, 'HEAD')).status).toBe(200)
    clock.advance(25 * 60 * MINUTE_MS)
    expect((await download(link!.url, {}, 'HEAD')).status).toBe(410)
  })

  test('200 for three of two hundred at once, 410 for the rest', async () => {
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

  test('206 resumes for free within a day; 410 after that', async () => {
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

  test('200 again after a broken connection, ten times, then 410', async () => {
    const { productId, bytes } = await newFile(randomBytes(8_000_000))
    await put(EXPIRY, { productId, maxDownloads: 1 })
    const [link] = await buy([productId])
    for (let i = 1; i <= 10; i++) {
      await breakOff(link!.url)
      await expect.poll(() => grantOf(link!.url)).toMatchObject({ downloads: 0, given_back: i })
    }
    // The rest can be fetched as a part, which then counts.
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

  test('410 as a page after the whole purchase was refunded, and not before', async () => {
    const [one, other] = [await newFile(), await newFile()]
    const causeId = nextOrder()
    const links = await buy([one.productId, other.productId], causeId)
    expect(await buy([one.productId, other.productId], causeId)).toEqual(links)
    const [kept] = await buy([one.productId])
    const revokeIt = () =>
      db.transaction((tx) => revokeDownloads(tx, deps, tenant, causeId, clock.now()))
    await Promise.all([revokeIt(), revokeIt()])
    for (const { url } of links) {
      const { status, bytes, headers } = await download(url)
      expect([status, headers.get('content-type')]).toEqual([410, 'text/html; charset=utf-8'])
      expect(bytes.toString()).toContain('This link has expired')
      expect(await eventsOf(url)).toEqual(['1 download.granted', '2 download.revoked'])
    }
    expect((await download(kept!.url)).status).toBe(200)
  })

  test('404 as a page for an invalid link', async () => {
    const { productId } = await newFile()
    const [link] = await buy([productId])
    const { pathname } = new URL(link!.url)
    const last = pathname.at(-1) === 'a' ? 'b' : 'a'
    for (const path of ['/d/x', `${pathname.slice(0, -1)}${last}`, pathname.replace('t-', 'l-')]) {
      const { status, text, headers } = await get(path, { authorization: '' })
      expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(text).toContain('find this page')
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

describe('the audit', () => {
  test.each<[string, (file: number, grant: number) => string, (...ids: number[]) => string[]]>([
    [
      'a wrong file size',
      (file) => `update digital_files set bytes = 1 where id = ${file}`,
      (file) => [`digital-file-contents ${file}`],
    ],
    [
      'a download that never happened',
      (file) => `update digital_files set downloads = downloads + 1 where id = ${file}`,
      (file) => [`digital-file-downloads ${file}`],
    ],
    [
      'a link that outlived its file',
      (file) => `update digital_files set status = 'Revoked' where id = ${file}`,
      (_file, grant) => [`download-revocations ${grant}`],
    ],
    [
      'a download without its event',
      (_file, grant) => `update download_grants set event_sequence = 9 where id = ${grant}`,
      (_file, grant) => [`download-events ${grant}`],
    ],
  ])('200 finds nothing at first, and then names %s', async (_what, sql, expected) => {
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

/** Reads a little of a file and disconnects. */
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
