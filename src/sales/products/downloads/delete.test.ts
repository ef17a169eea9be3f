import { describe, expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { allChecks } from '../../../audit.ts'
import { runAudit } from '../../../ledger/audit.ts'
import { MINUTE_MS, openDownloads, PRODUCTS } from './downloads.fixture.ts'

const DELETE = `${PRODUCTS}/delete-digital-download-files`

const server = await startServer({ jobs: false })
const { db, get, post, runJob, clock } = server
const { upload, newFile, buy, download, eventsOf, filesIn } = openDownloads(server)

describe('POST delete-digital-download-files', () => {
  const isThere = async (productId: string) =>
    (await get(`${PRODUCTS}/get-digital-download-files?productId=${productId}`)).body.data.length

  test('200 removes it from the product; past buyers keep it, or lose it with status true', async () => {
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
    await runJob('blobs')
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
    await runJob('blobs')
    expect(await filesIn('files')).toBe(before - 1)
    expect((await download(link!.url)).status).toBe(410)
    expect(await runAudit(db, allChecks)).toEqual([])
  })

  test('200 releases content that was never bought', async () => {
    const { productId, fileId } = await newFile()
    await post(DELETE, { productId, digitalDownloadFileId: fileId, status: false })
    const before = await filesIn('files')
    clock.advance(25 * 60 * MINUTE_MS)
    await runJob('blobs')
    expect(await filesIn('files')).toBe(before - 1)
  })

  test('200 with status true after false, any number of times, if it was never bought', async () => {
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

  test('200 after its product was deleted: earlier buyers keep what they bought', async () => {
    const { productId, fileId, bytes } = await newFile()
    const [link] = await buy([productId])
    const { body: added } = await upload(productId, [{ bytes: 'nobody has bought this' }])
    clock.advance(25 * 60 * MINUTE_MS)
    await runJob('blobs')
    const late = { productId, digitalDownloadFileId: added.data.digitalDownloadFileId }
    expect((await post(`${PRODUCTS}/delete-product`, { productId })).status).toBe(200)
    const before = await filesIn('files')
    clock.advance(25 * 60 * MINUTE_MS)
    await runJob('blobs')
    expect(await filesIn('files')).toBe(before - 1)
    expect((await download(link!.url)).bytes.equals(bytes)).toBe(true)
    // A buyer with an open checkout still gets the files; the other file has been removed.
    expect(await buy([productId])).toHaveLength(1)

    const body = { productId, digitalDownloadFileId: fileId }
    expect((await post(DELETE, { ...body, status: false })).status).toBe(404)
    expect((await post(DELETE, { ...body, status: true })).status).toBe(200)
    expect((await post(DELETE, { ...late, status: true })).status).toBe(200)
    expect((await download(link!.url)).status).toBe(410)
    expect(await runAudit(db, allChecks)).toEqual([])
  })

  test('400 names what is missing; 404 for an unknown file', async () => {
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

test('409 never: files bought during their deletion are granted or not, but never broken', async () => {
  const { productId, fileId } = await newFile()
  const deleting = post(DELETE, { productId, digitalDownloadFileId: fileId, status: true })
  const buying = Array.from({ length: 10 }, () => buy([productId]))
  const [{ status }, ...links] = await Promise.all([deleting, ...buying])
  expect(status).toBe(200)
  for (const { url } of links.flat()) expect((await download(url)).status).toBe(410)
  expect(await runAudit(db, allChecks)).toEqual([])
})
