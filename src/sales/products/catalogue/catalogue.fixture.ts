import { expect } from 'vitest'
import type { startServer } from '../../../../test/harness.ts'

export const PATH = '/api/payment-service/external/v1/products'
export const PLAIN = '/api/payment-service/v1/products'
export const shirt = { name: 'Ankara shirt', price: 1500.5 }

type Server = Awaited<ReturnType<typeof startServer>>

/** Creates a product with any currency, as older versions did. */
export async function productOf(
  db: Server['db'],
  by: Pick<Server, 'post'>,
  { currency = 'NGN', ...body }: { currency?: string; [field: string]: unknown },
): Promise<string> {
  const made = await by.post(`${PATH}/create-product`, { name: 'Shirt', ...body })
  expect([made.status, made.text]).toEqual([200, made.text])
  const { productId } = made.body.data
  await db.transaction(
    (tx) => tx.run`update products set currency = ${currency} where id = ${Number(productId)}`,
  )
  return productId
}

export async function openShop(server: Server) {
  const { db } = server
  const { keys, businessId } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const make = async (body: object = {}) => {
    const made = await caller.post(`${PATH}/create-product`, { ...shirt, ...body })
    expect([made.status, made.text]).toEqual([200, made.text])
    return made.body.data
  }
  const update = (body: object) => caller.put(`${PATH}/update-product-details`, body)
  const details = (query: string) => caller.get(`${PATH}/get-product-details?${query}`)
  const eventsOf = (productId: string) => db.many<{ type: string; sequence: number; data: string }>`
    select type, sequence, data::text as data from events
    where business_id = ${businessId} and object_id = ${Number(productId)} order by sequence`
  const typesOf = async (productId: string) => (await eventsOf(productId)).map(({ type }) => type)
  const count = async () =>
    (
      await db.one<{ n: number }>`
      select count(*) as n from products where business_id = ${businessId}`
    ).n
  const reserve = (itemId: string | number, quantity: number) => db.run`
    update stock_items set reserved = ${quantity} where id = ${Number(itemId)}`
  const live = server.as(keys.liveSecret)
  const calls = { make, update, details, eventsOf, typesOf, count, reserve }
  return { ...caller, live, businessId, ...calls }
}
