import sharp from 'sharp'
import { expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server
const UPLOAD = '/api/payment-service/external/v1/payment-pages/upload-page-image'
const DAY_MS = 24 * 3_600_000
const MOST = 500

const picture = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'teal' } })
  .png()
  .toBuffer()
const upload = (key: string) => server.as(key).post(UPLOAD, { base64: picture.toString('base64') })

/** Adds as many image rows as if they had been uploaded. */
async function sendMore(businessId: number, count: number) {
  await db.run`
    insert into product_media (business_id, live, id, reference, original_sha256, status,
      content_type, width, height, bytes, is_primary, position, created_at, look_at)
    select m.business_id, m.live, m.id + 1000000 + n, m.reference || n, m.original_sha256, 'Ready',
      m.content_type, m.width, m.height, m.bytes, true, 1, m.created_at, m.look_at
    from product_media m, generate_series(1, ${count}::integer) n
    where m.business_id = ${businessId}`
}

const kept = async (businessId: number) =>
  (await db.many`select id from product_media where business_id = ${businessId}`).length

test('400 beyond the daily number of images, however many arrive at once', async () => {
  const { businessId, keys } = await server.newBusiness()
  expect((await upload(keys.testSecret)).status).toBe(201)
  await sendMore(businessId, MOST - 4)
  const answers = await Promise.all(Array.from({ length: 8 }, () => upload(keys.testSecret)))
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
  expect(statuses).toEqual([201, 201, 201, 400, 400, 400, 400, 400])
  expect(await kept(businessId)).toBe(MOST)
  const refused = await upload(keys.testSecret)
  expect(refused.body).toMatchObject({
    error: expect.stringContaining('500 images'),
    errorCode: 'too_many_files',
  })
  // Other businesses and the other mode are not affected.
  expect((await upload(keys.liveSecret)).status).toBe(201)
  expect((await server.post(UPLOAD, { base64: picture.toString('base64') })).status).toBe(201)
})

test('201 again once unused images have been removed', async () => {
  const { businessId, keys } = await server.newBusiness()
  await upload(keys.testSecret)
  await sendMore(businessId, MOST - 1)
  expect((await upload(keys.testSecret)).status).toBe(400)
  clock.advance(2 * DAY_MS)
  await server.runJob('page-pictures')
  expect((await upload(keys.testSecret)).status).toBe(201)
})
