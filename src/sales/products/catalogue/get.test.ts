import { describe, expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { openShop, PATH, PLAIN } from './catalogue.fixture.ts'

const server = await startServer({ jobs: false })
const shop = () => openShop(server)

describe('details', () => {
  test('200 by id as a string of digits, or by slug', async () => {
    const { make, details } = await shop()
    const made = await make()
    const byId = await details(`productId=${made.productId}`)
    expect(byId.body).toEqual({ status: 'success', message: 'Product retrieved.', data: made })
    expect((await details(`slug=${made.slug}`)).body).toEqual(byId.body)
  })

  test('400 for both, neither, duplicates, or an invalid id', async () => {
    const { make, details } = await shop()
    const { productId, slug } = await make()
    const queries = ['', `productId=${productId}&slug=${slug}`, 'productId=x', 'productId=1e3']
    for (const query of [...queries, 'productId=', 'productId=1&productId=2', 'productId=-1']) {
      const refused = await details(query)
      expect([query, refused.status, Object.keys(refused.body.errors)]).toEqual([
        query,
        400,
        ['productId'],
      ])
    }
  })
})

describe('slugExist', () => {
  test('200 says whether the slug is taken, and then suggests free ones', async () => {
    const { make, post, live } = await shop()
    const ask = async (slug: unknown) => (await post(`${PATH}/slugExist`, { slug })).body.data
    expect(await ask('ankara-shirt')).toEqual({ exists: false, available: true, suggestions: [] })
    const { productId } = await make()
    await make({ slug: 'ankara-shirt-2' })
    expect(await ask('ankara-shirt')).toEqual({
      exists: true,
      available: false,
      suggestions: ['ankara-shirt-3', 'ankara-shirt-4', 'ankara-shirt-5'],
    })
    expect(await ask('Ankara Shirt')).toMatchObject({
      exists: false,
      available: false,
      suggestions: ['ankara-shirt-3', 'ankara-shirt-4', 'ankara-shirt-5'],
    })
    const elsewhere = await live.post(`${PLAIN}/slugExist/`, { slug: 'ankara-shirt' })
    expect(elsewhere.body.data.available).toBe(true)
    await post(`${PATH}/delete-product`, { productId })
    expect((await ask('ankara-shirt')).available).toBe(true)
  })

  test('400 without one, or with no text', async () => {
    const { post } = await shop()
    for (const body of [{}, { slug: 5 }, { slug: '' }, { slug: 'a\u0000b' }]) {
      const refused = await post(`${PATH}/slugExist`, body)
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, ['slug']])
    }
  })
})

describe('inventory', () => {
  test('200 in both families, with reserved and low stock', async () => {
    const { make, get, reserve } = await shop()
    const { productId, reference } = await make({ quantity: 5, lowStockThreshold: 2, sku: 'A' })
    await reserve(productId, 3)
    for (const family of [PATH, PLAIN]) {
      const { status, body } = await get(
        `${family}/get-product-inventory-details?productId=${productId}`,
      )
      expect([status, body.data]).toEqual([
        200,
        {
          productId,
          reference,
          status: 'Active',
          sku: 'A',
          tracked: true,
          onHand: 5,
          reserved: 3,
          available: 2,
          sold: 0,
          lowStockThreshold: 2,
          lowStock: true,
          inStock: true,
          variants: [],
        },
      ])
    }
    const free = await make()
    const { data } = (
      await get(`${PATH}/get-product-inventory-details?productId=${free.productId}`)
    ).body
    expect([data.tracked, data.inStock, data.lowStock]).toEqual([false, true, false])
  })

  test('400 without productId', async () => {
    const { get } = await shop()
    const { status, body } = await get(`${PATH}/get-product-inventory-details`)
    expect([status, Object.keys(body.errors)]).toEqual([400, ['productId']])
  })
})
