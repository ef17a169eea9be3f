import { sql } from '../../db/sql.ts'
import type { AuditCheck } from '../../ledger/audit.ts'

export const discountChecks: readonly AuditCheck[] = [
  {
    name: 'discount-uses',
    what: 'a discount’s counts match its actual and reserved uses',
    table: 'discounts',
    sql: sql`
      select business_id, live, id,
        format('it counts %s used and %s reserved, but there are %s and %s', used_count,
          reserved_count, coalesce(u.used, 0), coalesce(u.put_aside, 0)) as problem
      from discounts d
      left join (
        select business_id, live, discount_id as id,
          count(*) filter (where status = 'Used') as used,
          count(*) filter (where status = 'Reserved') as put_aside
        from discount_uses
        group by business_id, live, discount_id
      ) u using (business_id, live, id)
      where (d.used_count, d.reserved_count)
        is distinct from (coalesce(u.used, 0), coalesce(u.put_aside, 0))`,
  },
  {
    name: 'discount-customers',
    what: 'a customer’s use count matches their uses of the discount',
    table: 'discount_customers',
    sql: sql`
      select business_id, live, discount_id as id,
        format('it counts %s uses by a customer, but there are %s (limit: %s)',
          coalesce(c.use_count, 0), coalesce(u.uses, 0),
          coalesce(d.max_uses_per_customer::text, 'none')) as problem
      from discount_customers c
      full join (
        select business_id, live, discount_id, customer, count(*) as uses
        from discount_uses
        where status <> 'Released' and customer is not null
        group by business_id, live, discount_id, customer
      ) u using (business_id, live, discount_id, customer)
      join discounts d using (business_id, live)
      where d.id = discount_id and coalesce(c.use_count, 0) <> coalesce(u.uses, 0)`,
  },
]
