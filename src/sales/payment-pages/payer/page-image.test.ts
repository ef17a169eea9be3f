import sharp from 'sharp'
import { expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { openShop } from '../../checkout/checkout.fixture.ts'

const server = await startServer({ jobs: false })
const UPLOAD = '/api/payment-service/external/v1/products/product-upload-media'

test('200 serves a small image to phones and the full one to wide screens', async () => {
  const { keys, product, page, get } = await openShop(server)
  const picture = sharp({ create: { width: 1600, height: 900, channels: 3, background: 'teal' } })
  const data = new FormData()
  const productId = await product()
  data.append('productId', productId)
  data.append('file', new Blob([new Uint8Array(await picture.png().toBuffer())]), 'cover.png')
  const headers = { authorization: `Bearer ${keys.testSecret}` }
  const sent = await fetch(server.url + UPLOAD, { method: 'POST', body: data, headers })
  expect(sent.status).toBeLessThan(300)
  const mediaOf = async () => {
    const path = `/api/payment-service/external/v1/products/get-product-details?productId=${productId}`
    return (await get(path)).body.data.media[0]
  }
  const first = await mediaOf()
  const customLink = 'with-cover'
  await page({ customLink, image: first.url })
  const look = async () => (await fetch(`${server.url}/pay/${customLink}`)).text()
  const pathOf = (address: string) => new URL(address).pathname
  expect(await look()).toContain(`<img class="banner" src="${pathOf(first.url)}"`)

  await server.runJob('media')
  const { url, thumbnailUrl } = await mediaOf()
  const html = await look()
  expect(html).toContain(`<img class="banner" src="${pathOf(thumbnailUrl)}"`)
  expect(html).toContain(`<source media="(min-width: 48rem)" srcset="${pathOf(url)}"`)
  const shown = await fetch(server.url + pathOf(thumbnailUrl))
  const { width } = await sharp(await shown.arrayBuffer()).metadata()
  expect(width).toBe(400)
})

test('200 shows all images of a product, starting with those of the chosen variant', async () => {
  const shop = await openShop(server)
  const { get, post, product, page } = shop
  const PLAIN = '/api/payment-service/v1/products'
  const lookOf = async (values: string[], customLink: string) => {
    const productId = await product({ options: [{ name: 'Size', values }] })
    const details = async () => {
      const path = `/api/payment-service/external/v1/products/get-product-details?productId=${productId}`
      return (await get(path)).body.data
    }
    const { variants } = await details()
    const { variantId } = variants[0]
    const picture = sharp({ create: { width: 90, height: 90, channels: 3, background: 'teal' } })
    const base64 = (await picture.png().toBuffer()).toString('base64')
    const path = `${PLAIN}/add-product-variant-media`
    expect((await post(path, { productId, variantId, base64 })).status).toBe(200)
    await server.runJob('media')
    await page({ customLink, productIds: [productId], amount: undefined })
    const [shown] = (await details()).variants[0].media
    const html = await (await fetch(`${server.url}/pay/${customLink}`)).text()
    return { html, productId, variantId, small: new URL(shown.thumbnailUrl).pathname }
  }
  const { html, small, productId } = await lookOf(['M', 'L'], 'kinds-in-pictures')
  const strip = new RegExp(`id="strip-${productId}".*?<img src="([^"]+)"`).exec(html)
  expect(strip?.[1]).toBe(small)
  expect(html).toContain('aria-label="Images of Shirt"')
  expect(html).toContain('&quot;picture&quot;:0')
})
