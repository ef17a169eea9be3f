import { describe, expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { openShop, PATH, PLAIN, shirt } from './catalogue.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server
const shop = () => openShop(server)

describe('archive and delete', () => {
  test('200 archives once, and makes it active again', async () => {
    const { make, post, update, typesOf } = await shop()
    const { productId } = await make()
    const archive = async (body: object) =>
      (await post(`${PATH}/archive-product`, { productId, ...body })).body.data.status
    expect([await archive({}), await archive({ archived: true })]).toEqual(['Archived', 'Archived'])
    expect([await archive({ archived: false }), await archive({ archived: false })]).toEqual([
      'Active',
      'Active',
    ])
    expect((await update({ productId, status: 'Archived' })).body.data.status).toBe('Archived')
    expect(await typesOf(productId)).toEqual([
      ...['product.created', 'product.archived', 'product.updated', 'product.archived'],
    ])
    const wrong = await post(`${PATH}/archive-product`, { productId, archived: 'yes' })
    expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([400, ['archived']])
  })

  test('200 makes a draft active', async () => {
    const { make, post, typesOf } = await shop()
    const { productId } = await make({ status: 'Draft' })
    const { body } = await post(`${PATH}/archive-product`, { productId, archived: false })
    expect(body.data.status).toBe('Active')
    expect(await typesOf(productId)).toEqual(['product.created', 'product.updated'])
  })

  test('200 deletes it everywhere, frees its slug and keeps its row; then 404', async () => {
    const { make, post, get, details, typesOf, businessId } = await shop()
    const made = await make({ quantity: 2 })
    const { productId, slug } = made
    const deleted = await post(`${PATH}/delete-product`, { productId })
    expect(deleted.status).toBe(200)
    expect(deleted.body.data).toMatchObject({
      ...made,
      status: 'Deleted',
      updatedAt: expect.any(String),
    })

    const again = await post(`${PATH}/delete-product`, { productId })
    expect([again.status, again.body.errorCode]).toEqual([404, 'product_not_found'])
    expect((await details(`productId=${productId}`)).status).toBe(404)
    expect((await details(`slug=${slug}`)).status).toBe(404)
    for (const query of ['', '?search=ankara', '?status=Active', `?search=${made.reference}`]) {
      expect((await get(`${PATH}/get-products${query}`)).body.meta.total).toBe(0)
    }
    expect((await make()).slug).toBe(slug)
    expect(await typesOf(productId)).toEqual(['product.created', 'product.deleted'])
    expect(
      await db.one`
      select name from products where business_id = ${businessId} and id = ${Number(productId)}`,
    ).toEqual({ name: shirt.name })
  })

  test('404 for a deleted, unknown or another business’s product, wherever an id is accepted', async () => {
    const { make, post, put, get } = await shop()
    const { productId: gone } = await make()
    await post(`${PATH}/delete-product`, { productId: gone })
    const { productId: theirs } = await (await shop()).make()
    const { count, businessId } = await shop()
    for (const productId of [gone, theirs, '0', 99_999_999, '9007199254740991']) {
      const tried = [
        await put(`${PATH}/update-product-details`, { productId, name: 'Mine' }),
        await put(`${PATH}/update-product-details`, { productId, quantity: 1 }),
        await post(`${PATH}/archive-product`, { productId }),
        await post(`${PATH}/delete-product`, { productId }),
        await post(`${PLAIN}/duplicate-product`, { productId }),
        await get(`${PATH}/get-product-details?productId=${productId}`),
        await get(`${PLAIN}/get-product-inventory-details?productId=${productId}`),
      ]
      expect(tried.map(({ status, body }) => `${status} ${body.errorCode}`)).toEqual(
        tried.map(() => '404 product_not_found'),
      )
    }
    expect([await count(), businessId > 0]).toEqual([0, true])
  })

  test('200 for one of twenty deletions at once', async () => {
    const { make, post, typesOf } = await shop()
    const { productId } = await make()
    const all = await Promise.all(
      Array.from({ length: 20 }, () => post(`${PATH}/delete-product`, { productId })),
    )
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(all.filter(({ status }) => status === 404)).toHaveLength(19)
    expect(await typesOf(productId)).toEqual(['product.created', 'product.deleted'])
  })
})
