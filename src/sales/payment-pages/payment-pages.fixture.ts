import { expect } from 'vitest'
import type { startServer } from '../../../test/harness.ts'
import { productOf } from '../products/catalogue/catalogue.fixture.ts'

export const SERVICE = '/api/payment-service/external/v1'
export const PAGES = `${SERVICE}/payment-pages`
export const CREATE = `${PAGES}/create-pages`
export const UPDATE = `${PAGES}/update-page-details`
export const STATUS = `${PAGES}/update-page-status`
export const DELETE = `${PAGES}/delete-page`
export const DETAILS = `${PAGES}/get-page-details`
export const LIST = `${PAGES}/get-pages`
export const ADD = `${PAGES}/payment-page-add-product`
export const REMOVE = `${PAGES}/payment-page-delete-product`
export const OF_PAGE = `${PAGES}/payment-page-get-product`

let titles = 0
/** Links are made from titles and are unique on the server, so each test needs different titles. */
export const newTitle = () => `Page Number ${++titles}`

export async function openPages(server: Awaited<ReturnType<typeof startServer>>) {
  const { db } = server
  const { keys, businessId } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const live = server.as(keys.liveSecret)
  const make = async (body: object = {}, by = caller) => {
    const made = await by.post(CREATE, { title: newTitle(), ...body })
    expect([made.status, made.text]).toEqual([200, made.text])
    return made.body.data
  }
  const product = (body: object = {}, by = caller) => productOf(db, by, { price: 900, ...body })
  const splitPage = async (
    { currency = 'NGN', ...body }: { currency?: string; [field: string]: unknown } = {},
    by = caller,
  ): Promise<number> => {
    const path = '/api/transaction-service/external/v1/split-page'
    const { id } = (await by.post(path, { name: newTitle(), ...body })).body.data
    // Older versions accepted any currency.
    if (currency !== 'NGN') {
      await db.transaction(
        (tx) => tx.run`update split_pages set currency = ${currency} where id = ${id}`,
      )
    }
    return id
  }
  const seen = async (id: number) => (await caller.get(`${DETAILS}?pageId=${id}`)).body.data
  const eventsOf = async (id: number) => {
    const events = await db.many<{ type: string; sequence: number; data: string }>`
      select type, sequence, data::text as data from events
      where business_id = ${businessId} and object_id = ${id} order by sequence`
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1))
    return events.map(({ type, data }) => ({ type, data: JSON.parse(data) }))
  }
  const typesOf = async (id: number) =>
    (await eventsOf(id)).map(({ type }) => type.replace('payment_page.', ''))
  const count = async () =>
    (
      await db.one<{ n: number }>`
      select count(*) as n from payment_pages where business_id = ${businessId}`
    ).n
  const tenant = { businessId, live: false }
  return {
    ...caller,
    live,
    tenant,
    businessId,
    make,
    product,
    splitPage,
    seen,
    eventsOf,
    typesOf,
    count,
  }
}
