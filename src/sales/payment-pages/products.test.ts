import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { ADD, OF_PAGE, openPages, REMOVE, SERVICE } from './payment-pages.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server

async function shop() {
  const own = await openPages(server)
  const productsOf = async (id: number): Promise<string[]> =>
    (await own.seen(id)).products.map((part: { productId: string }) => part.productId)
  const products = async (count: number): Promise<string[]> => {
    const made: string[] = []
    for (let i = 0; i < count; i++) made.push(await own.product({ name: `Product ${i}` }))
    return made
  }
  return { ...own, productsOf, products }
}

describe('add', () => {
  test('200 returns exactly a message and adds each product once, in order', async () => {
    const { make, post, products, productsOf, typesOf, businessId } = await shop()
    const { id } = await make()
    const [one, two, three] = await products(3)
    const first = await post(ADD, { pageId: id, productIds: `${two}, ${one},${two}`, businessId })
    expect([first.status, first.body]).toEqual([
      200,
      { message: 'Products added to the payment page.' },
    ])
    expect(await productsOf(id)).toEqual([two, one])
    const again = await post(ADD, { pageId: String(id), productIds: `${one},${three}` })
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(await productsOf(id)).toEqual([two, one, three])
    expect((await post(ADD, { pageId: id, productIds: [three] })).status).toBe(200)
    expect(await typesOf(id)).toEqual(['created', 'updated', 'updated'])
  })

  test('200 for any amountType, and for products not on sale', async () => {
    const { make, post, product, productsOf } = await shop()
    const draft = await product({ status: 'Draft' })
    for (const page of [{ amount: 5 }, {}, { amountType: 'minimum', amount: 5 }]) {
      const { id } = await make(page)
      expect((await post(ADD, { pageId: id, productIds: draft })).status).toBe(200)
      expect(await productsOf(id)).toEqual([draft])
    }
  })

  test('400 names an id that is unknown, of another business or mode, and adds none', async () => {
    const { make, post, product, productsOf, live, typesOf } = await shop()
    const other = await shop()
    const { id } = await make()
    const own = await product()
    const deleted = await product()
    await post(`${SERVICE}/products/delete-product`, { productId: deleted })
    const foreign = [999, await other.product(), await product({}, live), deleted, id]
    for (const bad of foreign) {
      const { status, body } = await post(ADD, { pageId: id, productIds: `${own},${bad}` })
      expect([status, Object.keys(body)[0], body.error]).toEqual([
        400,
        'error',
        `productIds must be products of this business; not found: ${bad}`,
      ])
    }
    const usd = await product({ currency: 'USD' })
    const { status, body } = await post(ADD, { pageId: id, productIds: `${own},${usd}` })
    expect([status, body.error]).toEqual([
      400,
      `productIds must be in NGN, like the page; product ${usd} is in USD`,
    ])
    expect(await productsOf(id)).toEqual([])
    expect(await typesOf(id)).toEqual(['created'])
  })

  test('400 for a page that is unknown, of another business or mode', async () => {
    const { make, post, product, live } = await shop()
    const other = await shop()
    const productIds = await product()
    const foreign = [1, (await other.make()).id, (await make({}, live)).id]
    for (const pageId of foreign) {
      const { status, body } = await post(ADD, { pageId, productIds })
      expect([status, body.error]).toEqual([
        400,
        'pageId must be the id of a payment page of this business',
      ])
    }
  })

  test.each([
    ['pageId', { productIds: '1' }],
    ['productIds', { pageId: 1 }],
    ['pageId', { pageId: 'x', productIds: '1' }],
    ['pageId', { pageId: 1.5, productIds: '1' }],
    ['businessId', { pageId: 1, productIds: '1', businessId: 1 }],
    ['productIds', { pageId: 1, productIds: '' }],
    ['productIds', { pageId: 1, productIds: [] }],
    ['productIds', { pageId: 1, productIds: 7 }],
    ['productIds', { pageId: 1, productIds: '1;2' }],
    ['productIds', { pageId: 1, productIds: '1,-2' }],
    ['productIds', { pageId: 1, productIds: '99999999999999999999' }],
    ['productIds.0', { pageId: 1, productIds: ['x'] }],
  ])('400 names %s: %j', async (field, body) => {
    const { post } = await shop()
    const wrong = await post(ADD, body)
    expect([wrong.status, wrong.body.error.split(' ')[0]]).toEqual([400, field])
  })

  test('400 for the 51st', async () => {
    const { make, post, products, productsOf } = await shop()
    const all = await products(51)
    const { id } = await make({ productIds: all.slice(0, 49) })
    const wrong = await post(ADD, { pageId: id, productIds: all.slice(48).join() })
    expect([wrong.status, wrong.body.error]).toEqual([
      400,
      'productIds must be at most 50 per page',
    ])
    const right = await post(ADD, { pageId: id, productIds: all.slice(40, 50).join() })
    expect(right.status).toBe(200)
    expect(await productsOf(id)).toEqual(all.slice(0, 50))
  })

  test('200 for simultaneous requests: each product once, and events without a gap', async () => {
    const { make, post, products, productsOf, typesOf } = await shop()
    const all = await products(8)
    const { id } = await make()
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, i) =>
        post(ADD, { pageId: id, productIds: `${all[i % 8]},${all[(i * 3 + 1) % 8]}` }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(32).fill(200))
    expect((await productsOf(id)).sort()).toEqual([...all].sort())
    const positions = await db.many<{ position: number }>`
      select distinct position from payment_page_products where page_id = ${id}`
    expect(positions).toHaveLength(8)
    expect((await typesOf(id)).length).toBeLessThanOrEqual(9)
  })
})

describe('list', () => {
  test('200 shows the records of the products in order, without deleted ones', async () => {
    const { make, get, post, products } = await shop()
    const [one, two, three] = await products(3)
    const { id } = await make({ productIds: `${three},${one},${two}` })
    await post(`${SERVICE}/products/delete-product`, { productId: one })
    const { status, body } = await get(`${OF_PAGE}?pageId=${id}`)
    const shown = async (productId: string) =>
      (await get(`${SERVICE}/products/get-product-details?productId=${productId}`)).body.data
    expect([status, body]).toEqual([
      200,
      {
        status: 'success',
        message: 'Products of the payment page retrieved.',
        meta: expect.objectContaining({ total: 2, page: 1, limit: 100, hasNext: false }),
        data: [await shown(three!), await shown(two!)],
      },
    ])
    const { id: empty } = await make()
    expect((await get(`${OF_PAGE}?pageId=${empty}`)).body.data).toEqual([])
  })

  test('404 for a page of another business or mode; 400 without an id', async () => {
    const { make, get, live } = await shop()
    const { id } = await make()
    for (const caller of [live, await shop()]) {
      const { status, body } = await caller.get(`${OF_PAGE}?pageId=${id}`)
      expect([status, body.errorCode]).toEqual([404, 'payment_page_not_found'])
    }
    expect((await get(OF_PAGE)).body.error).toBe('pageId is required')
    expect((await get(`${OF_PAGE}?pageId=x`)).status).toBe(400)
  })
})

describe('remove', () => {
  test('200 removes one or several and returns the page', async () => {
    const { make, post, products, seen, typesOf } = await shop()
    const [one, two, three, four] = await products(4)
    const { id } = await make({ productIds: [one, two, three, four] })
    const first = await post(REMOVE, { pageId: id, productId: one })
    expect([first.status, first.body.status, first.body.data]).toEqual([
      200,
      'success',
      await seen(id),
    ])
    const second = await post(REMOVE, { pageId: id, productIds: `${four},${two},${two}` })
    expect(second.body.data.products).toMatchObject([{ productId: three }])
    expect(await typesOf(id)).toEqual(['created', 'updated', 'updated'])
  })

  test('404 names products that are not on the page, and removes none', async () => {
    const { make, post, products, productsOf } = await shop()
    const [one, two] = await products(2)
    const { id } = await make({ productIds: one })
    for (const bad of [two, '999', await (await shop()).product()]) {
      const { status, body } = await post(REMOVE, { pageId: id, productIds: `${one},${bad}` })
      expect([status, body.errorCode, body.error]).toEqual([
        404,
        'product_not_found',
        `No such product: ${bad} (productIds).`,
      ])
    }
    expect(await productsOf(id)).toEqual([one])
  })

  test('200 for one of two simultaneous requests, 404 for the other', async () => {
    const { make, post, products, productsOf } = await shop()
    const [one, two] = await products(2)
    const { id } = await make({ productIds: [one, two] })
    const both = await Promise.all([1, 2].map(() => post(REMOVE, { pageId: id, productId: one })))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 404])
    expect(await productsOf(id)).toEqual([two])
  })

  test('200 for one of two requests that remove the last two at once, as the page stays Published', async () => {
    const { make, post, products, productsOf } = await shop()
    const both = await products(2)
    for (let i = 0; i < 5; i++) {
      const { id } = await make({ amountType: 'fixed', productIds: both })
      const answers = await Promise.all(
        both.map((productId) => post(REMOVE, { pageId: id, productId })),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
      expect(await productsOf(id)).toHaveLength(1)
    }
  })

  test.each([
    ['pageId', { productId: 1 }],
    ['productId', { pageId: 1 }],
    ['productId', { pageId: 1, productId: 1, productIds: '1' }],
    ['productId', { pageId: 1, productId: 'x' }],
    ['productIds', { pageId: 1, productIds: 'x' }],
  ])('400 names %s: %j', async (field, body) => {
    const { post } = await shop()
    const wrong = await post(REMOVE, body)
    expect([wrong.status, wrong.body.error.split(' ')[0]]).toEqual([400, field])
  })
})

test('200 for the plain family and with a trailing slash', async () => {
  const { make, post, get, product } = await shop()
  const plain = (path: string) => path.replace('external/', '')
  const { id } = await make()
  const productId = await product()
  for (const of of [plain, (path: string) => `${path}/`]) {
    expect((await post(of(ADD), { pageId: id, productIds: productId })).status).toBe(200)
    expect((await get(`${of(OF_PAGE)}?pageId=${id}`)).body.data).toHaveLength(1)
    expect((await post(of(REMOVE), { pageId: id, productId })).status).toBe(200)
  }
})
