import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { openShop, type Shop } from '../checkout/checkout.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server
const PAGES = '/api/payment-service/external/v1/payment-pages'
const UPLOAD = `${PAGES}/upload-page-image`
const DAY_MS = 24 * 3_600_000

const picture = (background = 'teal') =>
  sharp({ create: { width: 1600, height: 900, channels: 3, background } })
    .png()
    .toBuffer()

/** Uploads like a browser, with a name and type that say nothing. */
async function upload({ keys }: Pick<Shop, 'keys'>, bytes: Uint8Array, headers = {}) {
  const body = new FormData()
  body.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'cover.png')
  const response = await fetch(server.url + UPLOAD, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${keys.testSecret}`, ...headers },
  })
  // biome-ignore lint/suspicious/noExplicitAny: a mistake shows as a failed expectation
  return { status: response.status, body: (await response.json()) as any }
}

const pathOf = (address: string) => new URL(address).pathname
const statusOf = async (address: string) => (await fetch(server.url + pathOf(address))).status
const look = async (link: string) => (await fetch(`${server.url}/pay/${link}`)).text()

const kept = async ({ tenant: { businessId } }: Shop) => {
  const { count } = await db.one<{ count: number }>`
    select count(*) from product_media where business_id = ${businessId}`
  return Number(count)
}

/** Two days later the cleanup has checked every unused image. */
async function daysLater() {
  clock.advance(2 * DAY_MS)
  await server.runJob('page-pictures')
}

describe('POST upload-page-image', () => {
  test('201 stores an image that a page shows, re-encoded, and large where it fits', async () => {
    const shop = await openShop(server)
    const { status, body } = await upload(shop, await picture())
    expect(status).toBe(201)
    expect(body.data).toEqual({
      mediaId: expect.any(Number),
      reference: expect.stringMatching(/^MED_\w{20}$/),
      status: 'Processing',
      url: expect.stringMatching(/\/media\/[\w-]+$/),
      thumbnailUrl: null,
      contentType: 'image/png',
      width: 1600,
      height: 900,
      bytes: expect.any(Number),
      createdAt: expect.any(String),
    })
    const { url } = body.data
    await shop.page({ customLink: 'sent-cover', image: url })
    expect(await look('sent-cover')).toContain(`<img class="banner" src="${pathOf(url)}"`)
    await server.runJob('media')
    expect(await look('sent-cover')).toMatch(/<source media="[^"]+" srcset="\/media\/[\w-]+"/)
    expect(await statusOf(url)).toBe(200)
    expect(await findings(server)).toEqual([])
  })

  test('201 for an image of more than 256 KiB as base64', async () => {
    const { post } = await openShop(server)
    const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
    const create = { width: 500, height: 300, channels: 3, background: 'teal', noise } as const
    const base64 = (await sharp({ create }).png().toBuffer()).toString('base64')
    expect(base64.length).toBeGreaterThan(300 * 1024)
    expect((await post(UPLOAD, { base64 })).status).toBe(201)
  })

  test('201 accepts base64 too, and acts once for one key sent twice', async () => {
    const shop = await openShop(server)
    const base64 = (await picture()).toString('base64')
    const { status, body } = await shop.post(UPLOAD, { base64, filename: 'cover.png' })
    expect([status, body.data.contentType]).toEqual([201, 'image/png'])
    const headers = { 'idempotency-key': 'one-cover' }
    const first = await upload(shop, await picture('red'), headers)
    const again = await upload(shop, await picture('red'), headers)
    expect(again.body).toEqual(first.body)
    expect(await kept(shop)).toBe(2)
  })

  test('400 for bytes that are not an image, whatever the name, and for none', async () => {
    const shop = await openShop(server)
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    for (const bytes of [Buffer.from(svg), (await picture()).subarray(0, 200)]) {
      const { status, body } = await upload(shop, bytes)
      expect(status).toBe(400)
      expect(body.error).toContain('complete JPEG, PNG, WebP or GIF image')
    }
    expect((await shop.post(UPLOAD, {})).status).toBe(400)
    expect(await kept(shop)).toBe(0)
  })
})

describe('an image of a page', () => {
  test('404 a day after the last page that showed it changed its image or was deleted', async () => {
    const shop = await openShop(server)
    const [first, second, unused] = await Promise.all(
      ['teal', 'red', 'blue'].map(async (colour) => {
        const { body } = await upload(shop, await picture(colour))
        return body.data.url as string
      }),
    )
    await server.runJob('media')
    const pageId = await shop.page({ customLink: 'first-cover', image: first })
    const other = await shop.page({ customLink: 'other-cover', image: first })
    await daysLater()
    expect(await Promise.all([first, second, unused].map((one) => statusOf(one!)))).toEqual([
      200, 404, 404,
    ])

    const { body } = await upload(shop, await picture('red'))
    const image = body.data.url
    await shop.put(`${PAGES}/update-page-details`, { pageId, image })
    await daysLater()
    expect([await statusOf(first!), await statusOf(image)]).toEqual([200, 200])
    await shop.post(`${PAGES}/delete-page`, { pageId: other })
    await shop.put(`${PAGES}/update-page-details`, { pageId, title: 'The same' })
    expect(await statusOf(first!)).toBe(200)
    await daysLater()
    expect([await statusOf(first!), await statusOf(image)]).toEqual([404, 200])
    expect(await kept(shop)).toBe(1)
    // Its references were removed too.
    expect(await findings(server)).toEqual([])
  })

  test('400 for a page that would show an image already removed as unused', async () => {
    const shop = await openShop(server)
    const { body } = await upload(shop, await picture())
    const image = body.data.url
    const pageId = await shop.page({ customLink: 'late-cover' })
    await daysLater()
    const made = await shop.post(`${PAGES}/create-pages`, { title: 'Late', image })
    expect([made.status, made.body.error]).toEqual([400, expect.stringContaining('was removed')])
    const change = { pageId, title: 'Late', image }
    const changed = await shop.put(`${PAGES}/update-page-details`, change)
    expect([changed.status, changed.body.error]).toEqual([400, made.body.error])
    expect(await look('late-cover')).not.toContain('class="banner"')
    // A page keeps the image it has, whatever happened to the file.
    expect((await shop.put(`${PAGES}/update-page-details`, { pageId, title: 'Late' })).status).toBe(
      200,
    )
  })

  test('404 a day after its page was deleted, however far ahead the test clock is', async () => {
    const shop = await openShop(server)
    const { body } = await upload(shop, await picture())
    const image = body.data.url
    const pageId = await shop.page({ customLink: 'far-ahead', image })
    const advanceSeconds = (365 * DAY_MS) / 1_000
    expect((await shop.post('/api/simulator/clock', { advanceSeconds })).status).toBe(200)
    await shop.post(`${PAGES}/delete-page`, { pageId })
    await daysLater()
    expect(await statusOf(image)).toBe(404)
  })

  test('400 for a page of another business or mode', async () => {
    const shop = await openShop(server)
    const stranger = await openShop(server)
    const { body } = await upload(shop, await picture())
    const image = body.data.url
    for (const one of [stranger, { post: shop.live.post }]) {
      const reply = await one.post(`${PAGES}/create-pages`, { title: 'Mine', image })
      expect(reply.status).toBe(400)
    }
  })
})
