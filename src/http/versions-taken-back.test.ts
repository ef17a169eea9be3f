import { describe, expect, test } from 'vitest'
import { times, untilDone } from '../../test/concurrency.ts'
import { startServer } from '../../test/harness.ts'

const server = await startServer({ jobs: false })
const { get, post, put, db } = server
const PRODUCTS = '/api/payment-service/external/v1/products'

interface Kind {
  noun: string
  /** How to change the record, and its current value. */
  make(): Promise<{
    change(value: unknown, headers?: Record<string, string>): Reply
    now(): Promise<unknown>
  }>
  first: unknown
  later: unknown
}
type Reply = ReturnType<typeof put>

const newProduct = async (): Promise<string> =>
  (await post(`${PRODUCTS}/create-product`, { name: 'Cap', price: 10 })).body.data.productId

/** For records that appear only in lists, the response to a change carries the tag. */
const KINDS: Kind[] = [
  {
    noun: 'discount code',
    make: async () => {
      const code = `C${crypto.randomUUID().slice(0, 8)}`
      const made = { code, type: 'percentage', value: 10 }
      const { id } = (await post(`${PRODUCTS}/add-discount-code`, made)).body.data
      const path = `${PRODUCTS}/update-discount-code-details`
      return {
        change: (status, headers) => put(path, { discountId: id, status }, headers),
        now: async () => {
          const { data } = (await get(`${PRODUCTS}/get-discount-codes?limit=100`)).body
          return data.find((one: { id: number }) => one.id === id).status
        },
      }
    },
    first: 'Inactive',
    later: 'Active',
  },
  {
    noun: 'delivery fee',
    make: async () => {
      const productId = await newProduct()
      const named = { productId, location: 'Lagos' }
      await post(`${PRODUCTS}/add-delivery-fees`, { ...named, fees: '5' })
      return {
        change: (fees, headers) =>
          put(`${PRODUCTS}/update-delivery-fees`, { ...named, fees }, headers),
        now: async () =>
          (await get(`${PRODUCTS}/get-delivery-fees?productId=${productId}`)).body.data[0].fees,
      }
    },
    first: '6.00',
    later: '7.00',
  },
  {
    noun: 'file',
    make: async () => {
      const productId = await newProduct()
      const body = new FormData()
      body.append('productId', productId)
      body.append('file', new Blob(['The first chapter.']), 'book.txt')
      const sent = await fetch(`${server.url}${PRODUCTS}/add-digital-download-files`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.business.keys.testSecret}` },
        body,
      })
      // biome-ignore lint/suspicious/noExplicitAny: a mistake shows as a failed expectation
      const { digitalDownloadFileId } = ((await sent.json()) as any).data
      const path = `${PRODUCTS}/rename-digital-download-files`
      return {
        change: (name, headers) => put(path, { productId, digitalDownloadFileId, name }, headers),
        now: async () => {
          const list = `${PRODUCTS}/get-digital-download-files?productId=${productId}`
          return (await get(list)).body.data[0].name
        },
      }
    },
    first: 'part-1.txt',
    later: 'chapter-1.txt',
  },
]

const match = (tag: string | null) => ({ 'if-match': tag! })

describe.each(KINDS)('If-Match of a $noun', ({ make, first, later }) => {
  test('200 undoes a change if the record is unchanged since', async () => {
    const { change, now } = await make()
    const before = await now()
    const tag = (await change(first)).headers.get('etag')
    expect(tag).toMatch(/^"[\w-]{22}"$/)
    expect((await change(before, match(tag))).status).toBe(200)
    expect(await now()).toBe(before)
  })

  test('412 for a record that someone changed since, which stays, without an event', async () => {
    const { change, now } = await make()
    const before = await now()
    const tag = (await change(first)).headers.get('etag')
    await change(later)
    const events = await db.many`select id from events order by id`
    expect((await change(before, match(tag))).status).toBe(412)
    expect(await now()).toBe(later)
    expect(await db.many`select id from events order by id`).toEqual(events)
    expect((await change(before)).status).toBe(200)
  })

  test('200 for one of twelve who saw the same version, 412 for the others', async () => {
    const { change, now } = await make()
    const tag = (await change(first)).headers.get('etag')
    const all = await times(12, () => untilDone(() => change(later, match(tag))))
    const statuses = all.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([200, ...Array.from({ length: 11 }, () => 412)])
    expect(await now()).toBe(later)
  })
})
