import { expect } from 'vitest'
import type { startServer } from '../../../test/harness.ts'

export const SERVICE = '/api/transaction-service/external/v1'
export const PATH = `${SERVICE}/split-page`

/** Each test has its own business. */
export async function openShop(server: Awaited<ReturnType<typeof startServer>>) {
  const { db } = server
  const { keys, businessId } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const subaccount = async ({ currency = 'NGN', ...more }: Record<string, unknown> = {}) => {
    const fields = { business_name: 'Ngozi', account_number: '0123456789', percentage_charge: 5 }
    const { body } = await caller.post(`${SERVICE}/subaccounts`, { ...fields, ...more })
    // Earlier versions allowed any currency.
    await db.transaction(
      (tx) => tx.run`update subaccounts set currency = ${currency} where id = ${body.id}`,
    )
    return body.subaccount_code as string
  }
  const make = async (body: object = { name: 'Choir Dues' }) => {
    const made = await caller.post(PATH, body)
    expect([made.status, made.text]).toEqual([201, made.text])
    return made.body.data
  }
  const seen = async (id: number) => (await caller.get(`${PATH}/${id}`)).body.data
  const eventsOf = (id: number) => db.many<{ type: string; sequence: number; data: string }>`
    select type, sequence, data::text as data from events
    where business_id = ${businessId} and object_id = ${id} order by sequence`
  const count = async () =>
    (
      await db.one<{ n: number }>`
      select count(*) as n from split_pages where business_id = ${businessId}`
    ).n
  const live = server.as(keys.liveSecret)
  return { ...caller, live, businessId, subaccount, make, seen, eventsOf, count }
}

let names = 0
/** Page URLs are unique across the server, and so across all tests. */
export const newName = () => `Page Number ${++names}`
