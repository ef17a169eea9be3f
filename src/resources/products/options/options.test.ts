import { describe, expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { allChecks } from '../../../audit.ts'
import { runAudit } from '../../../ledger/audit.ts'

const PATH = '/api/payment-service/v1/products'
const EXTERNAL = '/api/payment-service/external/v1/products'

const server = await startServer({ sweepers: false })
const { db } = server

interface Variant {
  variantId: number
  optionValues: Record<string, string>
  quantity: number
  price: number
  active: boolean
  sku: string | null
}

interface Option {
  optionId: number
  name: string
  values: { optionVariantId: number; value: string }[]
}

const SIZE = { name: 'Size', values: ['S', 'M'] }
const COLOUR = { name: 'Colour', values: ['Red', 'Blue', 'Green'] }

async function shop() {
  const { keys, businessId } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const { get, post, put } = caller
  const make = async (body: object = {}) =>
    (await post(`${PATH}/create-product`, { name: 'Shirt', price: 10, quantity: 7, ...body })).body
      .data as { productId: string; options: Option[]; variants: Variant[] }
  const details = async (productId: string) =>
    (await get(`${PATH}/get-product-details?productId=${productId}`)).body.data
  const inventory = async (productId: string) =>
    (await get(`${PATH}/get-product-inventory-details?productId=${productId}`)).body.data
  const addOptions = (productId: string, options: object[]) =>
    post(`${PATH}/add-product-options`, { productId, options })
  const reserve = (itemId: string | number, quantity: number) => db.run`
    update stock_items set reserved = ${quantity} where id = ${Number(itemId)}`
  const typesOf = async (productId: string) =>
    (
      await db.many<{ type: string }>`
      select type from events where business_id = ${businessId}
        and object_id = ${Number(productId)} order by sequence`
    ).map(({ type }) => type)
  const findings = async () =>
    (await runAudit(db, allChecks)).filter((one) => one.businessId === businessId)
  return {
    ...{ get, post, put, live: server.as(keys.liveSecret), businessId, make, details, inventory },
    ...{ addOptions, reserve, typesOf, findings },
  }
}

const shapeOf = ({ variants }: { variants: Variant[] }) =>
  variants.map(({ optionValues, quantity }) => [Object.values(optionValues).join(' '), quantity])

describe('creating with options', () => {
  test('200 makes a variant of each combination; what there is, is of the first', async () => {
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
      ...{ variantId: expect.any(Number), optionValues: { Size: 'S', Colour: 'Red' }, sku: null },
      ...{ price: 10, priceMinor: 1000, tracked: true, quantity: 7, reserved: 0, available: 7 },
      ...{ media: [], active: true },
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
      ...{ variantId: made.variants[1]!.variantId, sku: null, tracked: true, onHand: 0 },
      ...{ optionValues: { Size: 'S', Colour: 'Blue' }, reserved: 0, available: 0, sold: 0 },
      ...{ lowStockThreshold: 1, lowStock: true, inStock: false },
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
    ['a name of the filter', [{ name: ' InStock', values: ['x'] }], 'options.0.name'],
    ['a name that turns text', [{ name: 'A\u202e', values: ['x'] }], 'options.0.name'],
    ['a value with NUL', [{ name: 'A', values: ['x\u0000'] }], 'options.0.values.0'],
    ['a value that is a number', [{ name: 'A', values: [1] }], 'options.0.values.0'],
    ['no list', { name: 'A', values: ['x'] }, 'options'],
  ])('400 for %s names it; nothing is stored', async (_what, options, field) => {
    const { post, businessId } = await shop()
    const refused = await post(`${PATH}/create-product`, { name: 'A', price: 1, options })
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, [field]])
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from products where business_id = ${businessId}`
    expect(n).toBe(0)
  })

  test('409 for names and values that differ in case only', async () => {
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

  test('200 for 250 variants, and names as odd as texts can be', async () => {
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

function many(count: number) {
  return Array.from({ length: count }, (_, i) => `v${i}`)
}

describe('adding', () => {
  test('200 an option leaves what there is with its first value', async () => {
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

  test('200 several options at once, to a product that has one', async () => {
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

  test('200 a value adds the variants with it, of which there is nothing', async () => {
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

  test('400 and 409 for too much and what is there already; nothing changes', async () => {
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

  test('409 while buyers have some of a product without variants put aside', async () => {
    const { make, addOptions, reserve, details } = await shop()
    const { productId } = await make()
    await reserve(productId, 1)
    const { status, body } = await addOptions(productId, [SIZE])
    expect([status, body.errorCode]).toEqual([409, 'stock_reserved'])
    expect((await details(productId)).options).toEqual([])
  })

  test('200 for one of two options at once that would make too many variants', async () => {
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

  test('200 for as many values at once as there may be variants', async () => {
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

  test('200 for one of twenty at once that add one value', async () => {
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

describe('renaming', () => {
  test('200 an option and a value, also in case only; 409 for one that is there', async () => {
    const { make, put, typesOf, findings } = await shop()
    const { productId, options, variants } = await make({ options: [SIZE, COLOUR] })
    const [{ optionId, values }, colour] = options as [Option, Option]
    const { optionVariantId } = values[0]!
    const name = (wanted: unknown, id: unknown = optionId) =>
      put(`${PATH}/update-product-option-details`, { productId, optionId: id, name: wanted })
    const value = (wanted: unknown, id: unknown = optionVariantId) => {
      const body = { productId, optionId, optionVariantId: id, value: wanted }
      return put(`${PATH}/update-product-option-variant`, body)
    }
    expect((await name('SIZE')).body.data.options[0].name).toBe('SIZE')
    expect((await name('Grösse', String(optionId))).status).toBe(200)
    const renamed = await value('s')
    expect(renamed.body.data.variants[0].optionValues).toEqual({ Grösse: 's', Colour: 'Red' })
    expect(renamed.body.data.variants[0].variantId).toBe(variants[0]!.variantId)
    const refused = [
      ...[
        await name('colour'),
        await name('limit'),
        await name(5),
        await name('x', colour.values[0]!),
      ],
      ...[await value('m'), await value(''), await value('x', colour.values[0]!.optionVariantId)],
    ]
    expect(refused.map(({ status, body }) => `${status} ${Object.keys(body.errors)}`)).toEqual([
      ...['409 name', '400 name', '400 name', '400 optionId'],
      ...['409 value', '400 value', '404 '],
    ])
    expect(await typesOf(productId)).toHaveLength(4)
    expect(await findings()).toEqual([])
  })
})

describe('deleting', () => {
  test('200 a value takes its variants and what there was of them', async () => {
    const { make, post, put, details, findings } = await shop()
    const { productId, options, variants } = await make({ options: [SIZE, COLOUR] })
    const own = { productId, variantId: variants[4]!.variantId, quantity: 2 }
    await put(`${PATH}/update-product-variant-details`, own)
    const { optionId, values } = options[0]!
    const body = { productId, optionId, optionVariantId: values[0]!.optionVariantId }
    const left = await post(`${PATH}/delete-product-option-variant`, body)
    expect([left.status, shapeOf(left.body.data)]).toEqual([
      200,
      [
        ['M Red', 0],
        ['M Blue', 2],
        ['M Green', 0],
      ],
    ])
    expect(left.body.data.quantity).toBe(2)
    expect(await details(productId)).toEqual(left.body.data)
    expect((await post(`${PATH}/delete-product-option-variant`, body)).status).toBe(404)
    const last = { ...body, optionVariantId: values[1]!.optionVariantId }
    const refused = await post(`${PATH}/delete-product-option-variant`, last)
    expect([refused.status, refused.body.errorCode]).toEqual([409, 'last_option_value'])
    expect(await findings()).toEqual([])
  })

  test('200 an option leaves the first of what is alike, with what there was of all', async () => {
    const { make, post, put, details, typesOf, findings } = await shop()
    const { productId, options, variants } = await make({ options: [SIZE, COLOUR] })
    const own = { productId, variantId: variants[2]!.variantId, quantity: 2, price: 99 }
    await put(`${PATH}/update-product-variant-details`, own)
    const remove = (optionId: unknown) =>
      post(`${PATH}/delete-product-options`, { productId, optionId })
    const [size, colour] = options as [Option, Option]
    const sized = await remove(String(colour.optionId))
    expect([sized.status, shapeOf(sized.body.data)]).toEqual([
      200,
      [
        ['S', 9],
        ['M', 0],
      ],
    ])
    expect(sized.body.data.variants[0].variantId).toBe(variants[0]!.variantId)
    expect((await remove(colour.optionId)).status).toBe(404)
    const whole = await remove(size.optionId)
    expect(whole.body.data).toMatchObject({ options: [], variants: [], quantity: 9, tracked: true })
    expect(await details(productId)).toEqual(whole.body.data)
    expect(await typesOf(productId)).toHaveLength(4)
    expect(await findings()).toEqual([])
    const again = await put(`${PATH}/update-product-details`, { productId, quantity: 1 })
    expect(again.body.data.quantity).toBe(1)
  })

  test('409 while buyers have some of what would go put aside', async () => {
    const { make, post, reserve, details, put } = await shop()
    const { productId, options, variants } = await make({ options: [SIZE] })
    const { optionId, values } = options[0]!
    const medium = variants[1]!.variantId
    await put(`${PATH}/update-product-variant-details`, {
      productId,
      variantId: medium,
      quantity: 5,
    })
    await reserve(medium, 5)
    const value = { productId, optionId, optionVariantId: values[1]!.optionVariantId }
    const tried = [
      await post(`${PATH}/delete-product-option-variant`, value),
      await post(`${PATH}/delete-product-options`, { productId, optionId }),
      await put(`${PATH}/update-product-variant-details`, {
        productId,
        variantId: medium,
        quantity: 4,
      }),
    ]
    expect(tried.map(({ status, body }) => `${status} ${body.errorCode}`)).toEqual(
      tried.map(() => '409 stock_reserved'),
    )
    expect((await details(productId)).variants).toHaveLength(2)
    const first = { ...value, optionVariantId: values[0]!.optionVariantId }
    expect((await post(`${PATH}/delete-product-option-variant`, first)).status).toBe(200)
  })

  test('200 or 4xx for additions, deletions and quantities at once, and it all still fits', async () => {
    const { make, post, put, addOptions, details, findings, inventory } = await shop()
    const { productId, options, variants } = await make({ options: [SIZE] })
    const { optionId, values } = options[0]!
    const value = (i: number) =>
      post(`${PATH}/add-product-option-variant`, { productId, optionId, value: `x${i}` })
    const quantity = (i: number) => {
      const { variantId } = variants[i % 2]!
      return put(`${PATH}/update-product-variant-details`, { productId, variantId, quantity: i })
    }
    const remove = () => {
      const { optionVariantId } = values[1]!
      return post(`${PATH}/delete-product-option-variant`, { productId, optionId, optionVariantId })
    }
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, i) => [
        ...[value(i), quantity(i), remove(), addOptions(productId, [COLOUR])],
        ...[put(`${PATH}/update-product-details`, { productId, lowStockThreshold: i })],
      ]).flat(),
    )
    expect(all.filter(({ status }) => status >= 500)).toEqual([])
    const { variants: left } = await details(productId)
    expect(left).toHaveLength((2 + 8 - 1) * 3)
    expect((await inventory(productId)).variants).toHaveLength(left.length)
    expect(await findings()).toEqual([])
  })
})

describe('stock of what is sold in variants', () => {
  test('409 for its quantity; 200 for its threshold and for counting, of all of them', async () => {
    const { make, put, inventory } = await shop()
    const { productId } = await make({ options: [SIZE] })
    const update = (body: object) => put(`${PATH}/update-product-details`, { productId, ...body })
    const refused = await update({ quantity: 4 })
    expect([refused.status, refused.body.errorCode]).toEqual([409, 'product_has_variants'])
    expect((await update({ lowStockThreshold: 4 })).body.data.lowStockThreshold).toBe(4)
    const { variants } = await inventory(productId)
    expect(variants.map((one: { lowStockThreshold: number }) => one.lowStockThreshold)).toEqual([
      4, 4,
    ])
    expect((await update({ tracked: false })).body.data.tracked).toBe(false)
    const free = await inventory(productId)
    expect(free.variants.every((one: { inStock: boolean }) => one.inStock)).toBe(true)
  })
})

describe('families and ids', () => {
  test('404 for all of it in the external family', async () => {
    const { call } = server.as((await server.newBusiness()).keys.testSecret)
    const addresses = [
      ...['POST add-product-options', 'PUT update-product-option-details'],
      ...['POST delete-product-options', 'POST add-product-option-variant'],
      ...['PUT update-product-option-variant', 'POST delete-product-option-variant'],
      ...['PUT update-product-variant-details', 'GET filter-for-products-variant'],
    ]
    for (const address of addresses) {
      const [method = '', path] = address.split(' ')
      const body = method === 'GET' ? undefined : {}
      const { status, body: answer } = await call(method, `${EXTERNAL}/${path}`, body)
      expect([path, status, answer.errorCode]).toEqual([path, 404, 'route_not_found'])
    }
  })

  test('404 for ids of another business or mode, and for those of another product', async () => {
    const other = await (await shop()).make({ options: [SIZE, COLOUR] })
    const mine = await shop()
    const { post, put, get, live } = mine
    const own = await mine.make({ options: [SIZE] })
    const second = await mine.make({ options: [SIZE] })
    const idsOf = ({ productId, options, variants }: typeof own) => ({
      productId,
      optionId: options[0]!.optionId,
      optionVariantId: options[0]!.values[0]!.optionVariantId,
      variantId: variants[0]!.variantId,
    })
    const ask = async (ids: ReturnType<typeof idsOf>, { post, put, get }: typeof live) => {
      const { productId } = ids
      const all = [
        await post(`${PATH}/add-product-options`, { productId, options: [COLOUR] }),
        await put(`${PATH}/update-product-option-details`, { ...ids, name: 'New' }),
        await post(`${PATH}/delete-product-options`, ids),
        await post(`${PATH}/add-product-option-variant`, { ...ids, value: 'New' }),
        await put(`${PATH}/update-product-option-variant`, { ...ids, value: 'New' }),
        await post(`${PATH}/delete-product-option-variant`, ids),
        await put(`${PATH}/update-product-variant-details`, { ...ids, quantity: 1 }),
        await get(`${PATH}/filter-for-products-variant?productId=${productId}`),
      ]
      return all.map(({ status, body }) => `${status} ${body.errorCode}`)
    }
    const none = Array.from({ length: 8 }, () => '404 product_not_found')
    expect(await ask(idsOf(other), { post, put, get } as typeof live)).toEqual(none)
    expect(await ask(idsOf(own), live)).toEqual(none)

    // Of mine, with each of the others' ids in turn.
    const wrong = [idsOf(other), idsOf(second)]
    for (const { optionId, optionVariantId, variantId } of wrong) {
      const ids = idsOf(own)
      const option = { ...ids, optionId }
      const value = { ...ids, optionVariantId }
      const tried = [
        await put(`${PATH}/update-product-option-details`, { ...option, name: 'New' }),
        await post(`${PATH}/delete-product-options`, option),
        await post(`${PATH}/add-product-option-variant`, { ...option, value: 'New' }),
        await put(`${PATH}/update-product-option-variant`, { ...option, value: 'New' }),
        await post(`${PATH}/delete-product-option-variant`, option),
        await put(`${PATH}/update-product-option-variant`, { ...value, value: 'New' }),
        await post(`${PATH}/delete-product-option-variant`, value),
        await put(`${PATH}/update-product-variant-details`, { ...ids, variantId, quantity: 1 }),
      ]
      expect(tried.map(({ status, body }) => `${status} ${body.errorCode}`)).toEqual([
        ...Array(5).fill('404 product_option_not_found'),
        ...Array(2).fill('404 option_variant_not_found'),
        '404 product_variant_not_found',
      ])
    }
    expect(await mine.details(own.productId)).toEqual(own)
  })

  test.each([
    ['ΟΔΟΣ', 'οδοσ'],
    ['École', 'école'.normalize('NFD')],
  ])('409 for %s and %s, whichever writes the second', async (first, second) => {
    const { make, post, put } = await shop()
    const option = { name: first, values: [first, 'Other'] }
    const product = await make({ options: [option, { name: 'Third', values: ['One'] }] })
    const { productId, options } = product
    const ids = { productId, optionId: options[0]!.optionId }
    const { optionVariantId } = options[0]!.values[1]!
    const create = (more: object[]) =>
      post(`${PATH}/create-product`, { name: 'Shirt', price: 10, options: more })
    const tried = [
      await create([option, { name: second, values: ['One'] }]),
      await create([{ name: 'Size', values: [first, second] }]),
      await post(`${PATH}/add-product-options`, {
        ...{ productId, options: [{ name: second, values: ['One'] }] },
      }),
      await post(`${PATH}/add-product-option-variant`, { ...ids, value: second }),
      await put(`${PATH}/update-product-option-details`, {
        ...{ productId, optionId: options[1]!.optionId, name: second },
      }),
      await put(`${PATH}/update-product-option-variant`, {
        ...{ ...ids, optionVariantId, value: second },
      }),
    ]
    expect(tried.map(({ status, body }) => `${status} ${body.errorCode}`)).toEqual(
      Array(6).fill('409 option_taken'),
    )
  })

  test('400 for a missing or wrong id names it', async () => {
    const { post, put, make } = await shop()
    const { productId, options } = await make({ options: [SIZE] })
    const { optionId } = options[0]!
    const tried = [
      await post(`${PATH}/add-product-options`, { options: [SIZE] }),
      await post(`${PATH}/add-product-options`, { productId }),
      await post(`${PATH}/delete-product-options`, { productId }),
      await post(`${PATH}/delete-product-options`, { productId, optionId: '1.0' }),
      await post(`${PATH}/delete-product-option-variant`, { productId, optionId }),
      await put(`${PATH}/update-product-variant-details`, { productId, quantity: 1 }),
      await put(`${PATH}/update-product-variant-details`, { productId: true, variantId: 1 }),
    ]
    expect(tried.map(({ status, body }) => `${status} ${Object.keys(body.errors)}`)).toEqual([
      ...['400 productId', '400 options', '400 optionId', '400 optionId'],
      ...['400 optionVariantId', '400 variantId', '400 productId'],
    ])
  })
})
