import type { testDatabase } from '../../../../test/harness.ts'
import { randomText } from '../../../lib/random.ts'
import type { Caller } from '../../../lib/tenant.ts'
import { createBusiness } from '../../businesses/create.ts'
import { createDiscount } from './create.ts'
import type { NewDiscount } from './schemas.ts'

/** A business with discounts, and nothing to sell. */
export async function openDiscounts(
  { db, ids }: Awaited<ReturnType<typeof testDatabase>>,
  now: Date,
) {
  const { businessId } = await db.transaction((tx) =>
    createBusiness(tx, ids, { name: 'Ada Ventures', now }),
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

  /** 10 % under a code of its own, unless the terms say otherwise. */
  const discount = (terms: Partial<NewDiscount>) =>
    db.transaction((tx) =>
      createDiscount(tx, ids, caller, {
        code: `D-${randomText(12)}`,
        type: 'percentage',
        value: 10,
        status: 'Active',
        ...terms,
      }),
    )

  /** What is counted of a discount, and of each customer by their address. */
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
