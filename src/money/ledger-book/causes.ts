import type { Db } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/caller.ts'

interface Named {
  /** The table, aliased as `r`, and the tables needed for the name. */
  from: Sql
  /** The payer, the recipient or the product. */
  name: Sql
}

/** Causes that have names, which people recognise more easily than references. */
const NAMED: Record<string, Named> = {
  transaction: {
    from: sql`transactions r`,
    name: sql`coalesce(r.customer_name, r.customer_email)`,
  },
  deposit: { from: sql`deposits r`, name: sql`r.sender ->> 'accountName'` },
  refund: {
    from: sql`refunds r
      join transactions t
        on (t.business_id, t.live, t.id) = (r.business_id, r.live, r.transaction_id)`,
    name: sql`coalesce(t.customer_name, t.customer_email)`,
  },
  dispute: {
    from: sql`disputes r
      join transactions t
        on (t.business_id, t.live, t.id) = (r.business_id, r.live, r.transaction_id)`,
    name: sql`coalesce(t.customer_name, t.customer_email)`,
  },
  transfer: {
    from: sql`transfers r`,
    name: sql`coalesce(r.account_name, '•••• ' || r.account_last4)`,
  },
  settlement: {
    from: sql`settlements r
      join subaccounts s
        on (s.business_id, s.live, s.id) = (r.business_id, r.live, r.subaccount_id)`,
    name: sql`s.business_name`,
  },
  utility_payment: { from: sql`utility_payments r`, name: sql`r.package_name` },
  funding: { from: sql`funding_payments r`, name: sql`r.sender ->> 'name'` },
}

/** Selects the names of causes of one type, by id. Leaves out causes without a name. */
export async function selectNames(
  db: Db,
  { businessId, live }: Tenant,
  type: string,
  ids: readonly number[],
): Promise<{ id: number; name: string | null }[]> {
  const named = NAMED[type]
  if (!named) return []
  return db.many<{ id: number; name: string | null }>`
    select r.id, ${named.name} as name from ${named.from}
    where r.business_id = ${businessId} and r.live = ${live}
      and r.id = any(${ids}::bigint[])`
}
