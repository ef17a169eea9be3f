import { describe, expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { COLOUR, type Option, openShop, PATH, SIZE } from './options.fixture.ts'

const EXTERNAL = '/api/payment-service/external/v1/products'

const server = await startServer({ jobs: false })
const shop = () => openShop(server)

describe('renaming', () => {
  test('200 an option and a value, even only in case; 409 for an existing name', async () => {
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
      ...['409 value', '400 value', '404 optionVariantId'],
    ])
    expect(await typesOf(productId)).toHaveLength(4)
    expect(await findings()).toEqual([])
  })
})

describe('stock of products with variants', () => {
  test('409 for its quantity; 200 for its threshold and for tracking all variants', async () => {
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
  test('404 for all operations in the external family', async () => {
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

    // Ids of the first product, with each of the others’ ids in turn.
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
  ])('409 for %s and %s, whichever is written second', async (first, second) => {
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
        productId,
        options: [{ name: second, values: ['One'] }],
      }),
      await post(`${PATH}/add-product-option-variant`, { ...ids, value: second }),
      await put(`${PATH}/update-product-option-details`, {
        productId,
        optionId: options[1]!.optionId,
        name: second,
      }),
      await put(`${PATH}/update-product-option-variant`, {
        ...ids,
        optionVariantId,
        value: second,
      }),
    ]
    expect(tried.map(({ status, body }) => `${status} ${body.errorCode}`)).toEqual(
      Array(6).fill('409 option_taken'),
    )
  })

  test('400 names a missing or invalid id', async () => {
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
