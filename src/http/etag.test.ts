import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { untilDone } from '../../test/concurrency.ts'
import { startServer } from '../../test/harness.ts'

const server = await startServer({ jobs: false })
const { get, post, put, db } = server
const INVOICES = '/api/payment-service/external/v1/invoices'
const PAGES = '/api/payment-service/external/v1/payment-pages'
const PRODUCTS = '/api/payment-service/external/v1/products'
const WEBHOOKS = '/api/user-service/external/v1/webhooks'
const SUBACCOUNTS = '/api/transaction-service/external/v1/subaccounts'
const SPLITS = '/api/transaction-service/external/v1/split-page'

interface Kind {
  noun: string
  /** The URL to read the record from, and how to change it. */
  make(): Promise<{ at: string; change(body: object, headers?: Record<string, string>): Reply }>
  /** A change, and a change of another field. */
  one: object
  other: object
}
type Reply = ReturnType<typeof put>

const KINDS: Kind[] = [
  {
    noun: 'invoice',
    make: async () => {
      const made = { customerEmail: 'ada@example.com', amount: 10, sendImmediately: false }
      const { reference } = (await post(INVOICES, made)).body.data
      const at = `${INVOICES}/${reference}`
      return { at, change: (body, headers) => put(at, body, headers) }
    },
    one: { note: 'One' },
    other: { customerName: 'Ada Obi' },
  },
  {
    noun: 'payment page',
    make: async () => {
      const { id } = (await post(`${PAGES}/create-pages`, { title: 'Fair' })).body.data
      return {
        at: `${PAGES}/get-page-details?pageId=${id}`,
        change: (body, headers) =>
          put(`${PAGES}/update-page-details`, { pageId: id, ...body }, headers),
      }
    },
    one: { title: 'One' },
    other: { description: 'Another' },
  },
  {
    noun: 'product',
    make: async () => {
      const made = { name: 'Shirt', price: 10, quantity: 3 }
      const { productId } = (await post(`${PRODUCTS}/create-product`, made)).body.data
      return {
        at: `${PRODUCTS}/get-product-details?productId=${productId}`,
        change: (body, headers) =>
          put(`${PRODUCTS}/update-product-details`, { productId, ...body }, headers),
      }
    },
    one: { name: 'One' },
    other: { quantity: 7 },
  },
  {
    noun: 'webhook',
    make: async () => {
      const url = `https://hooks.example.com/${randomUUID()}`
      const made = { url, events: ['invoice.paid'] }
      const { reference } = (await post(WEBHOOKS, made)).body.data
      const at = `${WEBHOOKS}/${reference}`
      return { at, change: (body, headers) => put(at, body, headers) }
    },
    one: { description: 'One' },
    other: { status: 'Disabled' },
  },
  {
    noun: 'subaccount',
    make: async () => {
      const account = { business_name: 'Bola Foods', account_number: '0123456789' }
      const made = { ...account, percentage_charge: 5 }
      const { reference } = (await post(SUBACCOUNTS, made)).body.data
      const at = `${SUBACCOUNTS}/${reference}`
      return { at, change: (body, headers) => put(at, body, headers) }
    },
    one: { business_name: 'One' },
    other: { active: false },
  },
  {
    noun: 'split page',
    make: async () => {
      const { id } = (await post(SPLITS, { name: 'Fair' })).body.data
      const at = `${SPLITS}/${id}`
      return { at, change: (body, headers) => put(at, body, headers) }
    },
    one: { name: 'One' },
    other: { status: false },
  },
]

const tagAt = async (at: string) => (await get(at)).headers.get('etag')!
const match = (tag: string) => ({ 'if-match': tag })

describe.each(KINDS)('If-Match of a $noun', ({ make, one, other }) => {
  test('200 changes a record unchanged since it was read, and returns its new tag', async () => {
    const { at, change } = await make()
    const tag = await tagAt(at)
    expect(tag).toMatch(/^"[\w-]{22}"$/)
    expect(await tagAt(at)).toBe(tag)
    const changed = await change(one, match(tag))
    expect(changed.status).toBe(200)
    expect(changed.headers.get('etag')).not.toBe(tag)
    expect(changed.headers.get('etag')).toBe(await tagAt(at))
  })

  test('412 for a record that someone changed since, which keeps their change', async () => {
    const { at, change } = await make()
    const tag = await tagAt(at)
    expect((await change(one)).status).toBe(200)
    const before = (await get(at)).text
    const events = await db.many`select id from events order by id`
    const refused = await change(other, match(tag))
    expect(refused.status).toBe(412)
    expect(refused.text).toContain('changed since you read it')
    expect((await get(at)).text).toBe(before)
    expect(await db.many`select id from events order by id`).toEqual(events)
    const now = await tagAt(at)
    expect((await change(other, match(`"older", ${now}`))).status).toBe(200)
  })

  test('200 for any version, and without the header', async () => {
    const { change } = await make()
    expect((await change(one, match('*'))).status).toBe(200)
    expect((await change(other)).status).toBe(200)
  })

  test('200 for one of twenty who read the same version, 412 for the others', async () => {
    const { at, change } = await make()
    const headers = match(await tagAt(at))
    const [field = ''] = Object.keys(one)
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        untilDone(() => change({ [field]: `By ${i}` }, headers)),
      ),
    )
    const statuses = all.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 412)])
    const won = all.find(({ status }) => status === 200)!
    expect((await get(at)).body.data[field]).toBe(won.body.data[field])
  })

  test('200 for a tag that a compressing proxy made weak, 412 for an older one', async () => {
    const { at, change } = await make()
    const weak = match(`W/${await tagAt(at)}`)
    expect((await change(one, weak)).status).toBe(200)
    expect((await change(other, weak)).status).toBe(412)
  })

  test('200 again for a repeat with its key; 412 does not store the key', async () => {
    const { at, change } = await make()
    const tag = await tagAt(at)
    const headers = { ...match(tag), 'idempotency-key': crypto.randomUUID() }
    const first = await change(one, headers)
    const repeat = await change(one, headers)
    expect(repeat.text).toBe(first.text)
    expect(repeat.headers.get('etag')).toBe(first.headers.get('etag'))
    const later = { 'idempotency-key': crypto.randomUUID() }
    expect((await change(other, { ...later, ...match(tag) })).status).toBe(412)
    expect((await change(other, { ...later, ...match(await tagAt(at)) })).status).toBe(200)
  })
})

describe('fields that change by themselves', () => {
  test('200 keeps the tag of a page while people view it', async () => {
    const { customLink, id } = (await post(`${PAGES}/create-pages`, { title: 'Fete' })).body.data
    const at = `${PAGES}/get-page-details?pageId=${id}`
    const tag = await tagAt(at)
    await fetch(`${server.url}/pay/${customLink}`)
    expect(await tagAt(at)).toBe(tag)
    const status = { pageId: id, status: 'Unpublished' }
    const path = `${PAGES}/update-page-status`
    expect((await put(path, status, match('"older"'))).status).toBe(412)
    expect((await put(path, status, match(tag))).status).toBe(200)
  })

  test('412 for archiving a product that changed, 404 for one that does not exist', async () => {
    const made = { name: 'Cap', price: 10 }
    const { productId } = (await post(`${PRODUCTS}/create-product`, made)).body.data
    const path = `${PRODUCTS}/archive-product`
    const archive = { productId, archived: true }
    expect((await post(path, archive, match('"older"'))).status).toBe(412)
    const missing = { ...archive, productId: '999999999' }
    expect((await post(path, missing, match('"older"'))).status).toBe(404)
    expect((await post(path, archive)).status).toBe(200)
  })
})
