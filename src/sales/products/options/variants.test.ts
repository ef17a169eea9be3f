import { describe, expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'

const PATH = '/api/payment-service/v1/products'

const server = await startServer({ jobs: false })
const { db } = server

const OPTIONS = [
  { name: 'Size', values: ['S', 'M', 'Extra large'] },
  { name: 'Colour', values: ['Red', 'Blue'] },
]

async function shop() {
  const { keys, businessId } = await server.newBusiness()
  const { get, post, put } = server.as(keys.testSecret)
  const made = await post(`${PATH}/create-product`, {
    name: 'Shirt',
    price: 10,
    quantity: 7,
    lowStockThreshold: 2,
    options: OPTIONS,
  })
  const { productId, reference, variants } = made.body.data
  const filter = (query = '') =>
    get(`${PATH}/filter-for-products-variant?productId=${productId}${query}`)
  const found = async (query: string) => {
    const { status, body } = await filter(query)
    expect([query, status]).toEqual([query, 200])
    return body.data.map(({ optionValues }: { optionValues: object }) =>
      Object.values(optionValues).join(' '),
    )
  }
  const update = (body: object, variantId: unknown = variants[0].variantId) =>
    put(`${PATH}/update-product-variant-details`, { productId, variantId, ...body })
  const details = async () =>
    (await get(`${PATH}/get-product-details?productId=${productId}`)).body.data
  const events = () => db.many<{ type: string; sequence: number; data: string }>`
    select type, sequence, data::text as data from events
    where business_id = ${businessId} and object_id = ${Number(productId)} order by sequence`
  return {
    get,
    post,
    put,
    productId,
    reference,
    variants,
    filter,
    found,
    update,
    details,
    events,
  }
}

describe('filter', () => {
  test('200 returns all, or those with these values, ignoring case in both', async () => {
    const { found, filter, productId, reference, variants } = await shop()
    expect(await found('')).toEqual([
      ...['S Red', 'S Blue', 'M Red', 'M Blue', 'Extra large Red', 'Extra large Blue'],
    ])
    expect(await found('&Size=M')).toEqual(['M Red', 'M Blue'])
    expect(await found('&size=extra%20LARGE&COLOUR=blue')).toEqual(['Extra large Blue'])
    expect(await found('&Size=XXL')).toEqual([])
    const { body } = await filter('&Size=S&Colour=Red')
    expect(body).toEqual({
      status: 'success',
      message: 'Variants retrieved.',
      data: [{ productId, reference, status: 'Active', ...variants[0], currency: 'NGN' }],
    })
  })

  test('200 filters by availability', async () => {
    const { found, update, variants } = await shop()
    await update({ quantity: 1 }, variants[3].variantId)
    expect(await found('&inStock=true')).toEqual(['S Red', 'M Blue'])
    expect(await found('&inStock=1&Size=M')).toEqual(['M Blue'])
    expect(await found('&inStock=false&Size=M')).toEqual(['M Red'])
    await update({ active: false }, variants[3].variantId)
    expect(await found('&inStock=true')).toEqual(['S Red'])
  })

  test('200 returns a page if one is requested', async () => {
    const { filter } = await shop()
    const { body } = await filter('&page=2&limit=4')
    expect([body.data.length, body.meta.total, body.meta.hasPrevious]).toEqual([2, 6, true])
  })

  test('200 for names that need URL encoding', async () => {
    const { post, get } = await shop()
    const options = [{ name: 'Größe & "x"', values: ['a=b&c', '50%'] }]
    const made = await post(`${PATH}/create-product`, { name: 'Odd', price: 1, options })
    const query = new URLSearchParams({
      productId: made.body.data.productId,
      'GRÖßE & "X"': 'A=B&C',
    })
    const { status, body } = await get(`${PATH}/filter-for-products-variant?${query}`)
    expect([status, body.data.length]).toEqual([200, 1])
  })

  test('400 names an unknown option and lists the existing ones', async () => {
    const { filter, get, post } = await shop()
    const { status, body } = await filter('&Fit=Slim&Size=M')
    expect([status, body.errors]).toEqual([
      400,
      { Fit: ['is not an option of the product, which has Size, Colour'] },
    ])
    const plain = await post(`${PATH}/create-product`, { name: 'Plain', price: 1 })
    const { productId } = plain.body.data
    const none = await get(`${PATH}/filter-for-products-variant?productId=${productId}&Size=M`)
    expect([none.status, Object.keys(none.body.errors)]).toEqual([400, ['Size']])
    const all = await get(`${PATH}/filter-for-products-variant/?productId=${productId}`)
    expect([all.status, all.body.data]).toEqual([200, []])
  })

  test.each([
    ['&inStock=maybe', 'inStock'],
    ['&Size=M&Size=S', 'Size'],
    ['&page=0', 'page'],
    ['&limit=101', 'limit'],
  ])('400 for %s', async (query, field) => {
    const { filter } = await shop()
    const { status, body } = await filter(query)
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })

  test('400 for a value with a NUL character', async () => {
    const { filter } = await shop()
    expect((await filter('&Size=M%00')).status).toBe(400)
  })

  test('400 without a product', async () => {
    const { get } = await shop()
    const { status, body } = await get(`${PATH}/filter-for-products-variant?Size=M`)
    expect([status, Object.keys(body.errors)]).toEqual([400, ['productId']])
  })
})

describe('update', () => {
  test('200 sets a separate price, quantity and SKU; null follows the product again', async () => {
    const { update, details, productId, reference, variants, put } = await shop()
    const { variantId } = variants[1]
    const own = { price: '12.5', quantity: 3, sku: 'S-BLUE', active: false }
    const changed = await update(own, String(variantId))
    expect(changed.body).toEqual({
      status: 'success',
      message: 'Variant updated.',
      data: {
        productId,
        reference,
        status: 'Inactive',
        ...variants[1],
        currency: 'NGN',
        price: 12.5,
        priceMinor: 1250,
        quantity: 3,
        available: 3,
        sku: 'S-BLUE',
        active: false,
      },
    })
    const { variants: all, quantity } = await details()
    expect([all[1].price, all[0].price, quantity]).toEqual([12.5, 10, 10])
    await put(`${PATH}/update-product-details`, { productId, price: 20 })
    expect((await details()).variants.map(({ price }: { price: number }) => price)).toEqual([
      20, 12.5, 20, 20, 20, 20,
    ])
    const cleared = await update({ price: null, sku: null, active: true }, variantId)
    expect(cleared.body.data).toMatchObject({ price: 20, sku: null, status: 'Active' })
    expect((await update({ price: 0 }, variantId)).body.data.price).toBe(0)
  })

  test('200 each change has an event, as do low stock and no stock; a repeated value has none', async () => {
    const { update, events, variants, productId } = await shop()
    await update({ quantity: 7 })
    for (const quantity of [2, 0]) await update({ quantity })
    const told = await events()
    expect(told.map(({ type, sequence }) => `${sequence} ${type}`)).toEqual([
      ...['1 product.created', '2 product.updated', '3 product.low_stock'],
      ...['4 product.updated', '5 product.out_of_stock'],
    ])
    expect(JSON.parse(told[4]!.data)).toMatchObject({
      productId,
      variantId: variants[0].variantId,
      available: 0,
      lowStockThreshold: 2,
    })
  })

  test('200 tracks every variant once one is tracked, so others cannot be bought without stock', async () => {
    const { keys } = await server.newBusiness()
    const { get, post, put } = server.as(keys.testSecret)
    const made = await post(`${PATH}/create-product`, {
      name: 'Shirt',
      price: 10,
      options: [{ name: 'Size', values: ['S', 'M', 'L'] }],
    })
    const { productId, variants } = made.body.data
    const buy = (variantId: number, quantity: number) =>
      post('/api/payment-service/external/v1/initialize-checkout', {
        customerEmail: 'ada@example.com',
        products: [{ productId, variantId, quantity }],
      })
    expect((await buy(variants[1].variantId, 3)).status).toBe(201)

    await put(`${PATH}/update-product-variant-details`, {
      productId,
      variantId: variants[0].variantId,
      quantity: 2,
    })
    const none = { tracked: true, available: 0, inStock: false }
    const inventory = await get(`${PATH}/get-product-inventory-details?productId=${productId}`)
    expect(inventory.body.data).toMatchObject({
      tracked: true,
      onHand: 5,
      reserved: 3,
      available: 2,
      inStock: true,
      variants: [
        { tracked: true, onHand: 2, reserved: 0, available: 2, inStock: true },
        { ...none, onHand: 3, reserved: 3 },
        { ...none, onHand: 0, reserved: 0 },
      ],
    })
    for (const [i, quantity, status] of [
      ...[[0, 3, 409] as const, [0, 2, 201] as const],
      ...[[1, 1, 409] as const, [2, 1, 409] as const],
    ]) {
      const { status: got, body } = await buy(variants[i].variantId, quantity)
      expect([i, got, body.errorCode]).toEqual([
        i,
        status,
        status === 409 ? 'out_of_stock' : undefined,
      ])
    }
    const details = await get(`${PATH}/get-product-details?productId=${productId}`)
    expect(details.body.data).toMatchObject({ tracked: true, available: 0, reserved: 5 })
    const another = await post(`${PATH}/add-product-option-variant`, {
      productId,
      optionId: details.body.data.options[0].optionId,
      value: 'XL',
    })
    expect(another.body.data.variants[3]).toMatchObject({ tracked: true, available: 0 })
  })

  test('200 for quantities set at once, with events without gaps', async () => {
    const { update, events, variants, details } = await shop()
    const all = await Promise.all(
      Array.from({ length: 24 }, (_, i) => update({ quantity: i + 10 }, variants[i % 6].variantId)),
    )
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
    const told = await events()
    expect(told.map(({ sequence }) => sequence)).toEqual(told.map((_, i) => i + 1))
    const quantities = (await details()).variants.map(
      ({ quantity }: { quantity: number }) => quantity,
    )
    expect(quantities.every((quantity: number, i: number) => quantity % 6 === (i + 4) % 6)).toBe(
      true,
    )
  })

  test.each([
    [{ quantity: -1 }, 'quantity'],
    [{ quantity: 2.5 }, 'quantity'],
    [{ quantity: '2' }, 'quantity'],
    [{ quantity: null }, 'quantity'],
    [{ price: 1.001 }, 'price'],
    [{ price: -1 }, 'price'],
    [{ price: 100_000_000_000.01 }, 'price'],
    [{ sku: 'a\u0007' }, 'sku'],
    [{ active: 1 }, 'active'],
  ])('400 for %j names it and changes nothing', async (wrong, field) => {
    const { update, details } = await shop()
    const before = await details()
    const { status, body } = await update(wrong)
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
    expect(await details()).toEqual(before)
  })
})
