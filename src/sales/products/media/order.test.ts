import sharp from 'sharp'
import { expect, test } from 'vitest'
import { findings } from '../../../../test/corruption/findings.ts'
import { startServer } from '../../../../test/harness.ts'
import { openShop, type Shop } from '../../checkout/checkout.fixture.ts'

const server = await startServer({ jobs: false })
const PRODUCTS = '/api/payment-service/external/v1/products'
const PLAIN = '/api/payment-service/v1/products'
const ORDER = `${PRODUCTS}/order-product-media`

const picture = async (background: string) =>
  (
    await sharp({ create: { width: 9, height: 9, channels: 3, background } })
      .png()
      .toBuffer()
  ).toString('base64')

/** A product in two sizes, with three product images and two of the first size. */
async function pictured(shop: Shop) {
  const productId = await shop.product({ options: [{ name: 'Size', values: ['M', 'L'] }] })
  const details = async () =>
    (await shop.get(`${PRODUCTS}/get-product-details?productId=${productId}`)).body.data
  const [{ variantId }] = (await details()).variants
  const add = async (colour: string, path: string, more: object = {}) => {
    const sent = { productId, base64: await picture(colour), ...more }
    return (await shop.post(path, sent)).body.data.mediaId as number
  }
  const own: number[] = []
  for (const colour of ['red', 'green', 'blue']) {
    own.push(await add(colour, `${PRODUCTS}/product-upload-media`))
  }
  const ofVariant: number[] = []
  for (const colour of ['pink', 'gold']) {
    ofVariant.push(await add(colour, `${PLAIN}/add-product-variant-media`, { variantId }))
  }
  return { productId, variantId, own, ofVariant, details }
}

const idsOf = (media: { mediaId: number }[]) => media.map(({ mediaId }) => mediaId)

test('200 reorders the images of a product or variant', async () => {
  const shop = await openShop(server)
  const { productId, variantId, own, ofVariant, details } = await pictured(shop)
  const [a, b, c] = own
  const { status, body } = await shop.put(ORDER, { productId, mediaIds: [c, String(a), b] })
  expect(status).toBe(200)
  expect(body.data.map((one: { position: number }) => one.position)).toEqual([1, 2, 3])
  const after = await details()
  expect(idsOf(after.media)).toEqual([c, a, b])
  expect(after.media.map((one: { isPrimary: boolean }) => one.isPrimary)).toEqual([
    true,
    false,
    false,
  ])
  expect(idsOf(after.variants[0].media)).toEqual(ofVariant)

  const mediaIds = ofVariant.toReversed()
  expect((await shop.put(ORDER, { productId, variantId, mediaIds })).status).toBe(200)
  const last = await details()
  expect(idsOf(last.variants[0].media)).toEqual(mediaIds)
  expect(idsOf(last.media)).toEqual([c, a, b])
  expect(await findings(server)).toEqual([])
})

test('200 repeated, changes nothing and causes no event', async () => {
  const shop = await openShop(server)
  const { productId, own } = await pictured(shop)
  const told = async () => {
    const { count } = await server.db.one<{ count: number }>`
      select count(*) from events
      where business_id = ${shop.tenant.businessId} and type = 'product.updated'`
    return Number(count)
  }
  const mediaIds = own.toReversed()
  await shop.put(ORDER, { productId, mediaIds })
  const before = await told()
  expect((await shop.put(ORDER, { productId, mediaIds })).status).toBe(200)
  expect(await told()).toBe(before)
})

test('400 unless each is named once; 404 for unknown images and another business’s', async () => {
  const shop = await openShop(server)
  const { productId, variantId, own, ofVariant, details } = await pictured(shop)
  const [a, b, c] = own as [number, number, number]
  for (const mediaIds of [
    [a, b],
    [a, b, b],
    [a, b, ofVariant[0]],
    [a, b, c, ofVariant[0]],
  ]) {
    const { status, body } = await shop.put(ORDER, { productId, mediaIds })
    expect([status, body.errors?.mediaIds?.[0]]).toEqual([
      400,
      'must name each of the 3 images once',
    ])
  }
  expect((await shop.put(ORDER, { productId, mediaIds: [] })).status).toBe(400)
  const strange = variantId + 1_000_000
  const notThere = { productId, variantId: strange, mediaIds: own }
  expect((await shop.put(ORDER, notThere)).status).toBe(404)
  const stranger = await openShop(server)
  expect((await stranger.put(ORDER, { productId, mediaIds: own })).status).toBe(404)
  expect((await shop.live.put(ORDER, { productId, mediaIds: own })).status).toBe(404)
  expect(idsOf((await details()).media)).toEqual(own)
})

test('200 for simultaneous requests leaves one order with each image once', async () => {
  const shop = await openShop(server)
  const { productId, own, details } = await pictured(shop)
  const [a, b, c] = own
  const wanted = [
    [a, b, c],
    [c, b, a],
    [b, c, a],
    [c, a, b],
  ]
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, i) => shop.put(ORDER, { productId, mediaIds: wanted[i % 4] })),
  )
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  expect(wanted).toContainEqual(idsOf((await details()).media))
  expect(await findings(server)).toEqual([])
})
