import { randomBytes } from 'node:crypto'
import type { startServer } from '../../../../test/harness.ts'
import { filesOf } from '../../../files/files.fixture.ts'
import { grantDownloads } from './grants.ts'

export const PRODUCTS = '/api/payment-service/external/v1/products'
export const UPLOAD = `${PRODUCTS}/add-digital-download-files`
export const EXPIRY = `${PRODUCTS}/set-download-link-expiry`
export const MINUTE_MS = 60_000

export function openDownloads(server: Awaited<ReturnType<typeof startServer>>) {
  const { db, ids, post, clock, business } = server
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

  async function newFile(bytes: Uint8Array = randomBytes(1_000), name = 'book.pdf') {
    const productId = await newProduct()
    const { body } = await upload(productId, [{ bytes, name }])
    const fileId = body.data.digitalDownloadFileId as string
    return { productId, fileId, bytes, file: body.data }
  }

  let orders = 1_000_000_000
  const nextOrder = () => ++orders
  /** Grants the files of an order, as the checkout does once it is paid. */
  const buy = async (productIds: string[], causeId = nextOrder()) =>
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

  const filesIn = filesOf(server.directory)
  const looks = { pathOf, download, grantOf, eventsOf, filesIn }
  return { upload, newProduct, newFile, nextOrder, buy, ...looks }
}
