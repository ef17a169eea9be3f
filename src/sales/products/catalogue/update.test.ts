import { describe, expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { allChecks } from '../../../audit.ts'
import { runAudit } from '../../../ledger/audit.ts'
import { openShop, PATH, shirt } from './catalogue.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server
const shop = () => openShop(server)

describe('update', () => {
  test('200 changes the given fields, finds it by its new name, with one event', async () => {
    const { make, update, get, typesOf, details } = await shop()
    const made = await make({ description: 'Old', sku: 'OLD', metadata: { a: 1 }, quantity: 5 })
    const change = { name: 'Straße', price: '12.50', type: 'service', slug: 'strasse' }
    const cleared = { description: null, sku: null, metadata: null }
    const changed = await update({ productId: Number(made.productId), ...change, ...cleared })
    expect(changed.status).toBe(200)
    expect(changed.body.data).toEqual({
      ...made,
      ...change,
      ...cleared,
      price: 12.5,
      priceMinor: 1250,
      updatedAt: expect.not.stringMatching(made.updatedAt),
    })
    expect((await details('slug=strasse')).body.data).toEqual(changed.body.data)
    const found = async (search: string) =>
      (await get(`${PATH}/get-products?search=${encodeURIComponent(search)}`)).body.meta.total
    expect([await found('STRASSE'), await found('Straß'), await found('ankara')]).toEqual([0, 1, 0])
    expect(await found('old')).toBe(0)
    expect(await typesOf(made.productId)).toEqual(['product.created', 'product.updated'])
  })

  test('200 for current values is no change and causes no event', async () => {
    const { make, update, typesOf } = await shop()
    const made = await make({ metadata: { a: 1, b: 2 }, quantity: 5 })
    const { productId, name, price, slug, quantity } = made
    const same = { productId, name, price, slug, quantity, metadata: { b: 2, a: 1 } }
    expect((await update(same)).body.data).toEqual(made)
    expect((await update({ productId })).body.data).toEqual(made)
    expect(await typesOf(productId)).toEqual(['product.created'])
  })

  test('200 a quantity turns tracking on; tracked:false turns it off', async () => {
    const { make, update } = await shop()
    const { productId } = await make()
    const stock = async (body: object) => {
      const { tracked, quantity, lowStockThreshold } = (await update({ productId, ...body })).body
        .data
      return [tracked, quantity, lowStockThreshold]
    }
    expect(await stock({ quantity: 7 })).toEqual([true, 7, null])
    expect(await stock({ tracked: false })).toEqual([false, 7, null])
    expect(await stock({ lowStockThreshold: 2 })).toEqual([false, 7, 2])
    expect(await stock({ tracked: true, lowStockThreshold: null })).toEqual([true, 7, null])
  })

  test('200 has one event each for low stock and no stock, and again after a restock', async () => {
    const { make, update, eventsOf } = await shop()
    const { productId, reference, slug } = await make({
      quantity: 5,
      lowStockThreshold: 2,
      sku: 'A',
    })
    for (const quantity of [3, 2, 1, 0, 9, 0]) {
      expect((await update({ productId, quantity })).status).toBe(200)
    }
    const events = await eventsOf(productId)
    expect(events.map(({ type }) => type.replace('product.', ''))).toEqual([
      ...['created', 'updated', 'updated', 'low_stock', 'updated', 'updated', 'out_of_stock'],
      ...['updated', 'updated', 'out_of_stock'],
    ])
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1))
    expect(JSON.parse(events[3]!.data)).toEqual({
      productId,
      variantId: null,
      reference,
      status: 'Active',
      name: shirt.name,
      sku: 'A',
      quantity: 2,
      reserved: 0,
      available: 2,
      lowStockThreshold: 2,
    })
    expect(slug).toBe('ankara-shirt')
  })

  test('409 for a quantity below the reserved one, and for turning tracking off', async () => {
    const { make, update, reserve, details } = await shop()
    const { productId } = await make({ quantity: 5 })
    await reserve(productId, 3)
    const refused = await update({ productId, quantity: 2, name: 'Not this' })
    expect([refused.status, refused.body.errorCode]).toEqual([409, 'stock_reserved'])
    expect(Object.keys(refused.body.errors)).toEqual(['quantity'])
    const ended = await update({ productId, tracked: false })
    expect([ended.status, Object.keys(ended.body.errors)]).toEqual([409, ['tracked']])
    const { data } = (await details(`productId=${productId}`)).body
    expect([data.name, data.quantity, data.available]).toEqual([shirt.name, 5, 2])
    expect((await update({ productId, quantity: 3 })).body.data.available).toBe(0)
  })

  test('409 for another product’s slug and for another currency', async () => {
    const { make, update } = await shop()
    await make({ slug: 'taken' })
    const { productId } = await make()
    const slug = await update({ productId, slug: 'taken' })
    expect([slug.status, slug.body.errorCode]).toEqual([409, 'slug_taken'])
    const currency = await update({ productId, currency: 'USD' })
    expect([currency.status, currency.body.errorCode]).toEqual([409, 'currency_fixed'])
    expect((await update({ productId, currency: 'NGN' })).status).toBe(200)
  })

  test('200 keeps the last of twenty simultaneous changes, each with an event', async () => {
    const { make, update, eventsOf, businessId } = await shop()
    const { productId } = await make({ quantity: 1 })
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        update({ productId, quantity: i + 2, ...(i % 2 && { price: i }) }),
      ),
    )
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
    const events = await eventsOf(productId)
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1))
    expect(events).toHaveLength(21)
    const found = await runAudit(db, allChecks)
    expect(found.filter((one) => one.businessId === businessId)).toEqual([])
  })

  test.each([
    [{ price: '1e3' }, 'price'],
    [{ price: true }, 'price'],
    [{ price: -0.01 }, 'price'],
    [{ price: 1.001 }, 'price'],
    [{ name: null }, 'name'],
    [{ name: '\u2066x' }, 'name'],
    [{ status: 'Gone' }, 'status'],
    [{ slug: 'a_b' }, 'slug'],
    [{ quantity: 0.5 }, 'quantity'],
    [{ quantity: -3 }, 'quantity'],
    [{ quantity: null }, 'quantity'],
    [{ productId: 'abc' }, 'productId'],
    [{ productId: 1.5 }, 'productId'],
    [{ productId: null }, 'productId'],
    [{ productId: undefined }, 'productId'],
  ])('400 for %j names the field and changes nothing', async (wrong, field) => {
    const { make, update, details } = await shop()
    const made = await make({ quantity: 5 })
    const refused = await update({ productId: made.productId, ...wrong })
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, [field]])
    expect((await details(`productId=${made.productId}`)).body.data).toEqual(made)
  })
})
