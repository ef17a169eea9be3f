import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import type { startServer } from '../../../../test/harness.ts'
import { filesOf } from '../../../files/files.fixture.ts'

export const PRODUCTS = '/api/payment-service/external/v1/products'
export const UPLOAD = `${PRODUCTS}/product-upload-media`

interface Part {
  bytes: Uint8Array | string
  name?: string
  type?: string
}

export const form = (fields: Record<string, string>, ...files: Part[]): FormData => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  for (const { bytes, name = 'a.png', type = 'image/png' } of files) {
    data.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>], { type }), name)
  }
  return data
}

export const picture = (width = 60, height = 40, colour = 'red') =>
  sharp({ create: { width, height, channels: 3, background: colour } })
export const png = (colour?: string) => picture(60, 40, colour).png().toBuffer()

/** Random pixels, so that no two images have the same content. */
export const noisy = (width = 50, height = 50) =>
  sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 1 })
    .toBuffer()

export function openMedia(server: Awaited<ReturnType<typeof startServer>>) {
  const { db, post } = server
  const filesIn = filesOf(server.directory)

  async function upload(
    data: FormData,
    { path = UPLOAD, key = server.business.keys.testSecret, headers = {} } = {},
  ) {
    const response = await fetch(server.url + path, {
      method: 'POST',
      body: data,
      headers: { authorization: `Bearer ${key}`, ...headers },
    })
    const { status, headers: answered } = response
    // biome-ignore lint/suspicious/noExplicitAny: a mistake shows as a failed expectation
    const answer = (await response.json()) as any
    return { status, body: answer, headers: answered }
  }

  const newProduct = async (more: object = {}) => {
    const { body } = await post(`${PRODUCTS}/create-product`, { name: 'Shirt', price: 5, ...more })
    return body.data
  }

  const fetchPicture = (address: string) =>
    fetch(server.url + new URL(address).pathname, { redirect: 'manual' })

  const rows = () =>
    db.one<{ media: number; blobs: number; garbage: number }>`
      select (select count(*) from product_media) as media, (select count(*) from blobs) as blobs,
        (select count(*) from blob_garbage) as garbage`

  const kept = async () => ({
    ...(await rows()),
    spool: await filesIn('spool'),
    files: await filesIn('files'),
  })

  return { upload, newProduct, fetchPicture, filesIn, kept }
}
