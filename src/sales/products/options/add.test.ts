import { describe, expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { COLOUR, openShop, PATH, SIZE, shapeOf, type Variant } from './options.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server
const shop = () => openShop(server)

describe('creating with options', () => {
  test('200 creates a variant for each combination; the first one gets the stock', async () => {
    const { make, details, inventory, findings } = await shop()
    const made = await make({ options: [SIZE, COLOUR], lowStockThreshold: 1 })
    expect(made.options).toEqual([
      {
        optionId: expect.any(Number),
        name: 'Size',
        values: ['S', 'M'].map((value) => ({ optionVariantId: expect.any(Number), value })),
      },
      {
        optionId: expect.any(Number),
        name: 'Colour',
        values: ['Red', 'Blue', 'Green'].map((value) => ({
          optionVariantId: expect.any(Number),
          value,
        })),
      },
    ])
    expect(made.variants[0]).toEqual({
      variantId: expect.any(Number),
      optionValues: { Size: 'S', Colour: 'Red' },
      sku: null,
      price: 10,
      priceMinor: 1000,
      tracked: true,
      quantity: 7,
      reserved: 0,
      available: 7,
      media: [],
      active: true,
    })
    expect(shapeOf(made)).toEqual([
      ...[
        ['S Red', 7],
        ['S Blue', 0],
        ['S Green', 0],
        ['M Red', 0],
        ['M Blue', 0],
        ['M Green', 0],
      ],
    ])
    expect(await details(made.productId)).toEqual(made)
    const { variants, ...stock } = await inventory(made.productId)
    expect(stock).toMatchObject({ onHand: 7, available: 7, lowStock: true, inStock: true })
    expect(variants[1]).toEqual({
      variantId: made.variants[1]!.variantId,
      sku: null,
      tracked: true,
      onHand: 0,
      optionValues: { Size: 'S', Colour: 'Blue' },
      reserved: 0,
      available: 0,
      sold: 0,
      lowStockThreshold: 1,
      lowStock: true,
      inStock: false,
    })
    expect(await findings()).toEqual([])
  })

  test.each([
    ['a 4th option', ['A', 'B', 'C', 'D'].map((name) => ({ name, values: ['x'] })), 'options'],
    ['51 values', [{ name: 'A', values: many(51) }], 'options.0.values'],
    [
      '252 variants',
      [
        { name: 'A', values: many(42) },
        { name: 'B', values: many(6) },
      ],
      'options',
    ],
    ['an option without values', [{ name: 'A', values: [] }], 'options.0.values'],
    ...[' InStock', 'isLive', 'BusinessID'].map((name): [string, object, string] => [
      `the reserved name ${name}`,
      [{ name, values: ['x'] }],
      'options.0.name',
    ]),
    ['a name with a direction mark', [{ name: 'A\u202e', values: ['x'] }], 'options.0.name'],
    ['a value with a NUL character', [{ name: 'A', values: ['x\u0000'] }], 'options.0.values.0'],
    ['a value that is a number', [{ name: 'A', values: [1] }], 'options.0.values.0'],
    ['an object instead of a list', { name: 'A', values: ['x'] }, 'options'],
  ])('400 for %s names it and stores nothing', async (_what, options, field) => {
    const { post, businessId } = await shop()
    const refused = await post(`${PATH}/create-product`, { name: 'A', price: 1, options })
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, [field]])
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from products where business_id = ${businessId}`
    expect(n).toBe(0)
  })

  test('409 for names and values that differ only in case', async () => {
    const { post } = await shop()
    const create = async (options: object) => {
      const { status, body } = await post(`${PATH}/create-product`, {
        name: 'A',
        price: 1,
        options,
      })
      return [status, body.errorCode, Object.keys(body.errors)]
    }
    expect(await create([SIZE, { name: 'sIZE ', values: ['x'] }])).toEqual([
      ...[409, 'option_taken', ['options.1.name']],
    ])
    expect(await create([{ name: 'Size', values: ['S', 'M', ' s'] }])).toEqual([
      ...[409, 'option_taken', ['options.0.values.2']],
    ])
  })

  test('200 for 250 variants, and for unusual names', async () => {
    const { make, details } = await shop()
    const options = [
      { name: '__proto__', values: many(50) },
      { name: 'a "b", {c}\\', values: ['NULL', '{}', '"', '\\', 'é,'] },
    ]
    const made = await make({ options })
    expect(made.variants).toHaveLength(250)
    expect(Object.keys(made.variants[0]!.optionValues)).toEqual(['__proto__', 'a "b", {c}\\'])
    expect(await details(made.productId)).toEqual(made)
  })
})

describe('adding', () => {
  test('200 an option leaves the stock with its first value', async () => {
    const { make, addOptions, put, findings, typesOf, details } = await shop()
    const { productId } = await make()
    const sized = await addOptions(productId, [SIZE])
    expect([sized.status, shapeOf(sized.body.data)]).toEqual([
      200,
      [
        ['S', 7],
        ['M', 0],
      ],
    ])
    const [small, medium] = sized.body.data.variants as Variant[]
    const own = { productId, variantId: medium!.variantId, quantity: 3, price: 12, sku: 'M-1' }
    expect((await put(`${PATH}/update-product-variant-details`, own)).status).toBe(200)
    const coloured = await addOptions(productId, [COLOUR])
    const { variants } = coloured.body.data as { variants: Variant[] }
    expect(shapeOf({ variants })).toEqual([
      ...[
        ['S Red', 7],
        ['S Blue', 0],
        ['S Green', 0],
        ['M Red', 3],
        ['M Blue', 0],
        ['M Green', 0],
      ],
    ])
    expect([variants[0]!.variantId, variants[3]!.variantId]).toEqual([
      small!.variantId,
      medium!.variantId,
    ])
    expect(variants.map(({ price, sku }) => [price, sku])).toEqual([
      ...[
        [10, null],
        [10, null],
        [10, null],
        [12, 'M-1'],
        [12, null],
        [12, null],
      ],
    ])
    expect(await details(productId)).toEqual(coloured.body.data)
    expect(coloured.body.data.quantity).toBe(10)
    expect(await typesOf(productId)).toEqual([
      'product.created',
      ...Array.from({ length: 3 }, () => 'product.updated'),
    ])
    expect(await findings()).toEqual([])
  })

  test('200 several options at once, for a product that has one', async () => {
    const { make, addOptions, findings } = await shop()
    const { productId } = await make({ options: [{ name: 'Fit', values: ['Slim'] }] })
    const { body } = await addOptions(productId, [SIZE, COLOUR])
    expect(shapeOf(body.data).slice(0, 2)).toEqual([
      ['Slim S Red', 7],
      ['Slim S Blue', 0],
    ])
    expect(body.data.variants).toHaveLength(6)
    expect(await findings()).toEqual([])
  })

  test('200 a value adds its variants without stock', async () => {
    const { make, post, findings } = await shop()
    const { productId, options } = await make({ options: [SIZE, { ...COLOUR, values: ['Red'] }] })
    const value = { productId, optionId: options[0]!.optionId, value: ' L ' }
    const { status, body } = await post(`${PATH}/add-product-option-variant/`, value)
    expect(status).toBe(200)
    expect(shapeOf(body.data)).toEqual([
      ['S Red', 7],
      ['M Red', 0],
      ['L Red', 0],
    ])
    expect(await findings()).toEqual([])
  })

  test('400 for limits and 409 for existing names; nothing changes', async () => {
    const { make, addOptions, post, details, typesOf } = await shop()
    const made = await make({ options: [SIZE, { name: 'Number', values: many(50) }] })
    const { productId, options } = made
    const add = (optionId: number, value: string) =>
      post(`${PATH}/add-product-option-variant`, { productId, optionId, value })
    const [size, number] = options.map(({ optionId }) => optionId) as [number, number]
    const tried = [
      await addOptions(productId, [COLOUR]),
      await addOptions(productId, [COLOUR, { name: 'Fit', values: ['x'] }]),
      await addOptions(productId, [{ name: 'size', values: ['x'] }]),
      await add(number, 'v50'),
      await add(size, 's'),
      await add(number, 'V7'),
      await add(size, 'a\nb'),
    ]
    const told = tried.map(({ status, body }) => `${status} ${Object.keys(body.errors)}`)
    expect(told).toEqual([
      ...['400 options', '400 options', '409 options.0.name', '400 value'],
      ...['409 value', '409 value', '400 value'],
    ])
    expect(tried[0]!.body.errors.options[0]).toContain('300 variants')
    expect(tried[1]!.body.errors.options[0]).toContain('4 options')
    expect(tried[3]!.body.errors.value[0]).toContain('51 values')
    expect(await details(productId)).toEqual(made)
    expect(await typesOf(productId)).toEqual(['product.created'])
  })

  test('409 while buyers have reserved a product without variants', async () => {
    const { make, addOptions, reserve, details } = await shop()
    const { productId } = await make()
    await reserve(productId, 1)
    const { status, body } = await addOptions(productId, [SIZE])
    expect([status, body.errorCode]).toEqual([409, 'stock_reserved'])
    expect((await details(productId)).options).toEqual([])
  })

  test('200 for one of two simultaneous options that would create too many variants', async () => {
    const { make, addOptions, details, findings } = await shop()
    const { productId } = await make()
    const statuses = await Promise.all(
      ['A', 'B', 'C', 'D'].map(
        async (name) => (await addOptions(productId, [{ name, values: many(20) }])).status,
      ),
    )
    expect(statuses.sort()).toEqual([200, 400, 400, 400])
    expect((await details(productId)).variants).toHaveLength(20)
    expect(await findings()).toEqual([])
  })

  test('200 for simultaneous values up to the limit of variants', async () => {
    const { make, post, details, findings } = await shop()
    const { productId, options } = await make({ options: [{ name: 'A', values: many(45) }] })
    const { optionId } = options[0]!
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        post(`${PATH}/add-product-option-variant`, { productId, optionId, value: `w${i}` }),
      ),
    )
    expect(all.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(all.filter(({ status }) => status === 400)).toHaveLength(15)
    expect((await details(productId)).variants).toHaveLength(50)
    expect(await findings()).toEqual([])
  })

  test('200 for one of twenty simultaneous requests that add the same value', async () => {
    const { make, post, findings } = await shop()
    const { productId, options } = await make({ options: [SIZE] })
    const value = { productId, optionId: options[0]!.optionId, value: 'L' }
    const all = await Promise.all(
      Array.from({ length: 20 }, () => post(`${PATH}/add-product-option-variant`, value)),
    )
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
    expect(await findings()).toEqual([])
  })
})

function many(count: number) {
  return Array.from({ length: count }, (_, i) => `v${i}`)
}
