import sharp from 'sharp'
import { expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { openShop } from '../checkout/testing.ts'

const server = await startServer({ sweepers: false })
const UPLOAD = '/api/payment-service/external/v1/products/product-upload-media'

test('200 shows phones the picture small, and wide screens all of it', async () => {
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

  await server.sweep('media')
  const { url, thumbnailUrl } = await mediaOf()
  const html = await look()
  expect(html).toContain(`<img class="banner" src="${pathOf(thumbnailUrl)}"`)
  expect(html).toContain(`<source media="(min-width: 48rem)" srcset="${pathOf(url)}"`)
  const shown = await fetch(server.url + pathOf(thumbnailUrl))
  const { width } = await sharp(await shown.arrayBuffer()).metadata()
  expect(width).toBe(400)
})
