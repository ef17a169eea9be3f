import { findings as findAll } from '../../../../test/corruption/findings.ts'
import type { startServer } from '../../../../test/harness.ts'

export const PATH = '/api/payment-service/v1/products'

export interface Variant {
  variantId: number
  optionValues: Record<string, string>
  quantity: number
  price: number
  active: boolean
  sku: string | null
}

export interface Option {
  optionId: number
  name: string
  values: { optionVariantId: number; value: string }[]
}

export const SIZE = { name: 'Size', values: ['S', 'M'] }
export const COLOUR = { name: 'Colour', values: ['Red', 'Blue', 'Green'] }

export async function openShop(server: Awaited<ReturnType<typeof startServer>>) {
  const { db } = server
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
    (await findAll(server)).filter((one) => one.businessId === businessId)
  return {
    get,
    post,
    put,
    live: server.as(keys.liveSecret),
    businessId,
    make,
    details,
    inventory,
    addOptions,
    reserve,
    typesOf,
    findings,
  }
}

export const shapeOf = ({ variants }: { variants: Variant[] }) =>
  variants.map(({ optionValues, quantity }) => [Object.values(optionValues).join(' '), quantity])
