import { describe, expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { COLOUR, type Option, openShop, PATH, SIZE, shapeOf } from './options.fixture.ts'

const server = await startServer({ jobs: false })
const shop = () => openShop(server)

describe('deleting', () => {
  test('200 a value is deleted with its variants and their stock', async () => {
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

  test('200 after deleting an option, the first of equal variants stays with the stock of all', async () => {
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

  test('409 while buyers have reserved stock that would be deleted', async () => {
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

  test('200 or 4xx for simultaneous additions, deletions and quantities, and everything stays consistent', async () => {
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
