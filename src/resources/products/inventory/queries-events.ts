import { plainArray } from '../../../db/arrays.ts'
import type { Tx } from '../../../db/database.ts'
import type { Tenant } from '../../../lib/tenant.ts'

export interface CountedRow {
  id: number
  reference: string
  name: string
  sku: string | null
  status: string
  event_sequence: number
}

/** Counts so many events of each product, and holds them; in the order of their ids. */
export function countEvents(
  tx: Tx,
  { businessId, live }: Tenant,
  counts: readonly { productId: number; events: number }[],
) {
  return tx.many<CountedRow>`
    with counted as (
      select t.events, p.id
      from unnest(${plainArray(counts.map(({ productId }) => productId))}::bigint[],
          ${plainArray(counts.map(({ events }) => events))}::bigint[]) as t (id, events)
        join products p on p.id = t.id
      where p.business_id = ${businessId} and p.live = ${live}
      order by p.id for no key update of p
    )
    update products p set event_sequence = p.event_sequence + c.events
    from counted c
    where p.business_id = ${businessId} and p.live = ${live} and p.id = c.id
    returning p.id, p.reference, p.name, p.sku, p.status, p.event_sequence`
}
