import type { testDatabase } from '../../../../test/harness.ts'
import { createBusiness } from '../../../business/account/bootstrap.ts'
import type { Tenant } from '../../../lib/caller.ts'

/** Opens a business with products that are only rows. */
export async function openShelf({
  db,
  ids,
  keyring,
  clock,
}: Awaited<ReturnType<typeof testDatabase>>) {
  const { businessId } = await db.transaction((tx) =>
    createBusiness(tx, { ids, keyring }, { name: 'Ada Ventures', now: clock.now() }),
  )
  const tenant: Tenant = { businessId, live: false }

  /**
   * Creates a product with the given stock; null means that it is not tracked. The product and its
   * stock item have the same id.
   */
  async function product(onHand: number | null, threshold: number | null = null) {
    const id = await ids.next()
    await db.transaction(async (tx) => {
      await tx.run`
        insert into products (business_id, live, id, reference, slug, name, price_minor, currency,
          type, status, created_at, updated_at)
        values (${businessId}, false, ${id}, ${`PRD_${id}`}, ${`product-${id}`}, ${`Shirt ${id}`},
          100000, 'NGN', 'physical', 'Active', ${clock.now()}, ${clock.now()})`
      await tx.run`
        insert into stock_items
          (business_id, live, id, product_id, tracked, on_hand, low_stock_threshold)
        values (${businessId}, false, ${id}, ${id}, ${onHand !== null}, ${onHand ?? 0},
          ${threshold})`
    })
    return id
  }

  const levelOf = (id: number) =>
    db.one<{ on_hand: number; reserved: number; sold: number }>`
      select on_hand, reserved, sold from stock_items
      where business_id = ${businessId} and not live and id = ${id}`

  const statusesOf = async (causeId: number) => {
    const rows = await db.many<{ status: string }>`
      select status from stock_reservations
      where business_id = ${businessId} and not live and cause_id = ${causeId} order by item_id`
    return rows.map(({ status }) => status)
  }

  const eventsOf = async (productId: number) => {
    const rows = await db.many<{ type: string; sequence: number }>`
      select type, sequence from events
      where business_id = ${businessId} and not live and object_id = ${productId} order by sequence`
    return rows.map(({ type, sequence }) => `${sequence} ${type}`)
  }

  return { tenant, product, levelOf, statusesOf, eventsOf }
}
