import { expect } from 'vitest'
import type { startServer, testDatabase } from '../../../test/harness.ts'
import { createBusiness } from '../../business/account/bootstrap.ts'
import type { Caller } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { randomText } from '../../lib/tokens.ts'
import { productOf } from '../products/catalogue/catalogue.fixture.ts'
import { createDiscount } from './create.ts'
import type { NewDiscount } from './schemas.ts'
import { redeemDiscount, reserveDiscount } from './service.ts'

export const PATH = '/api/payment-service/external/v1/products'
export const PLAIN = '/api/payment-service/v1/products'
export const save10 = { code: 'SAVE-10', type: 'percentage', value: 10 }

/** Opens a business with discounts but no products. */
export async function openDiscounts(
  { db, ids, keyring }: Awaited<ReturnType<typeof testDatabase>>,
  now: Date,
) {
  const { businessId } = await db.transaction((tx) =>
    createBusiness(tx, { ids, keyring }, { name: 'Ada Ventures', now }),
  )
  const tenant = { businessId, live: false }
  const caller: Caller = {
    ...tenant,
    keyId: 0,
    scopes: null,
    expiresAt: null,
    timeZone: 'Africa/Lagos',
    now,
  }

  /** Creates a discount of 10 % under a unique code, unless the terms say otherwise. */
  const discount = ({ currency = 'NGN', ...terms }: Partial<NewDiscount>) =>
    db.transaction(async (tx) => {
      const made = await createDiscount(tx, ids, caller, {
        code: `D-${randomText(12)}`,
        type: 'percentage',
        value: 10,
        status: 'Active',
        ...terms,
      })
      // Older versions accepted any currency.
      await tx.run`update discounts set currency = ${currency} where id = ${made.id}`
      return made
    })

  /** Returns the counts of a discount, and of each customer by email address. */
  async function countsOf(id: number): Promise<Record<string, number>> {
    const counts = await db.one<{ used: number; reserved: number }>`
      select used_count as used, reserved_count as reserved from discounts where id = ${id}`
    const customers = await db.many<{ customer: string; use_count: number }>`
      select customer, use_count from discount_customers where discount_id = ${id}`
    const own = customers.map(({ customer, use_count }) => [customer, use_count])
    return { ...counts, ...Object.fromEntries(own) }
  }

  const usesOf = async (causeId: number) =>
    (
      await db.maybe<{ status: string }>`
        select status from discount_uses
        where business_id = ${businessId} and cause_id = ${causeId}`
    )?.status

  const eventsOf = async (id: number) => {
    const rows = await db.many<{ type: string; sequence: number }>`
      select type, sequence from events where object_id = ${id} order by sequence`
    return rows.map(({ type, sequence }) => `${sequence} ${type}`)
  }

  return { tenant, discount, countsOf, usesOf, eventsOf }
}

export async function openShop(server: Awaited<ReturnType<typeof startServer>>) {
  const { db, ids, clock } = server
  const { keys, businessId } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const tenant = { businessId, live: false }
  const product = (body: object = {}) => productOf(db, caller, { price: 1500, ...body })
  const add = (body: object = {}) =>
    caller.post(`${PATH}/add-discount-code`, { ...save10, ...body })
  const make = async (body: object = {}) => {
    const made = await add(body)
    expect([made.status, made.text]).toEqual([200, made.text])
    return made.body.data
  }
  const list = async (query = '') => (await caller.get(`${PATH}/get-discount-codes${query}`)).body
  const codes = async (query = ''): Promise<string[]> =>
    (await list(query)).data.map(({ code }: { code: string }) => code)
  const update = (body: object) => caller.put(`${PATH}/update-discount-code-details`, body)
  const verify = (body: object = {}) =>
    caller.post(`${PATH}/verify-discount-code`, { code: 'save-10', amount: 1000, ...body })
  const reserve = async (code: string, email = 'ada@example.com') => {
    const causeId = await ids.next()
    const now = clock.now()
    await db.transaction((tx) =>
      reserveDiscount(tx, tenant, {
        causeId,
        code,
        lines: [{ productId: null, amount_minor: 100_000n }],
        currency: 'NGN',
        email,
        expiresAt: addMs(now, 900_000),
        now,
      }),
    )
    return causeId
  }
  const keep = (causeId: number) =>
    db.transaction((tx) => redeemDiscount(tx, ids, tenant, { causeId, now: clock.now() }))
  const eventsOf = async (id: number) => {
    const rows = await db.many<{ type: string; data: string }>`
      select type, data::text as data from events
      where business_id = ${businessId} and object_id = ${id} order by sequence`
    return rows.map(({ type, data }) => ({ type, data: JSON.parse(data) }))
  }
  const live = server.as(keys.liveSecret)
  const calls = { product, add, make, list, codes, update, verify, reserve, keep, eventsOf }
  return { ...caller, live, businessId, ...calls }
}
