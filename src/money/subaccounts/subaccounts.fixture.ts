import { expect } from 'vitest'
import type { startServer } from '../../../test/harness.ts'

export const PATH = '/api/transaction-service/external/v1/subaccounts'
export const fields = {
  business_name: 'Ngozi Cakes',
  account_number: '0123456789',
  percentage_charge: 5,
}
export const withBank = { ...fields, bank: 58 }

/** Each test has its own business. */
export async function openShop(server: Awaited<ReturnType<typeof startServer>>) {
  const { db } = server
  const { keys, businessId } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const make = async (body: object = fields) => {
    const made = await caller.post(PATH, body)
    expect([made.status, made.text]).toEqual([200, made.text])
    return made.body.data
  }
  const eventsOf = (id: number) => db.many<{ type: string; sequence: number; data: string }>`
    select type, sequence, data::text as data from events
    where business_id = ${businessId} and object_id = ${id} order by sequence`
  const count = async () =>
    (
      await db.one<{ n: number }>`
      select count(*) as n from subaccounts where business_id = ${businessId}`
    ).n
  return { ...caller, live: server.as(keys.liveSecret), keys, businessId, make, eventsOf, count }
}
