import { sql } from '../../../db/sql.ts'
import type { AuditCheck } from '../../../ledger/audit.ts'

export const stockChecks: readonly AuditCheck[] = [
  {
    name: 'stock-reservations',
    what: 'an item’s reserved and sold counts match its reservations',
    table: 'stock_items',
    sql: sql`
      select business_id, live, id,
        format('it counts %s reserved and %s sold, but its reservations total %s and %s',
          reserved, sold, coalesce(r.put_aside, 0), coalesce(r.bought, 0)) as problem
      from stock_items s
      left join (
        select business_id, live, item_id as id,
          sum(coalesce(held, quantity)) filter (where status = 'Reserved') as put_aside,
          sum(quantity) filter (where status = 'Sold') as bought
        from stock_reservations
        group by business_id, live, item_id
      ) r using (business_id, live, id)
      where (s.reserved, s.sold)
        is distinct from (coalesce(r.put_aside, 0), coalesce(r.bought, 0))`,
  },
]
