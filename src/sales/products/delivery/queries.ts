import type { Db, Tx } from '../../../db/database.ts'
import { plainArray } from '../../../db/pg-arrays.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import type { Tenant } from '../../../lib/caller.ts'
import type { FeeRow } from '../record/parts.ts'
import { labelOf } from '../record/schemas.ts'
import { type CopiedIds, type CopiedRow, copiedRowsTable } from '../record/service.ts'

const COLUMNS = sql`id, product_id, location, fee_minor, currency`

/** Returns the fee of each product for the first of these locations that has one. */
export function selectFeesFor(
  db: Db,
  { businessId, live }: Tenant,
  productIds: readonly number[],
  [wanted, fallback]: readonly [string, string],
) {
  const own = labelOf(wanted)
  return db.many<FeeRow>`
    select distinct on (product_id) ${COLUMNS} from delivery_fees
    where business_id = ${businessId} and live = ${live}
      and product_id = any(${plainArray(productIds)}::bigint[])
      and lower(location) in (lower(${own}), lower(${fallback}))
    order by product_id, lower(location) = lower(${own}) desc`
}

/** Identifies a fee by its id, by its location (ignoring case), or by both. */
export interface FeeName {
  id: number | undefined
  location: string | undefined
}

function named({ businessId, live }: Tenant, productId: number, name: FeeName): Sql {
  const id = name.id ?? null
  const location = labelOf(name.location) ?? null
  return sql`business_id = ${businessId} and live = ${live} and product_id = ${productId}
    and (${id}::bigint is null or id = ${id})
    and (${location}::text is null or lower(location) = lower(${location}))`
}

export function selectFee(tx: Tx, tenant: Tenant, productId: number, name: FeeName) {
  return tx.maybe<FeeRow>`
    select ${COLUMNS} from delivery_fees where ${named(tenant, productId, name)}`
}

/**
 * Sets the fee for a location. The caller must have locked the product. Returns undefined if the
 * fee is unchanged, or if there would be more than `most` locations.
 */
export function upsertFee(
  tx: Tx,
  { businessId, live }: Tenant,
  row: FeeRow,
  { most, now }: { most: number; now: Date },
) {
  const location = labelOf(row.location)
  return tx.maybe<FeeRow>`
    insert into delivery_fees as d
      (business_id, live, id, product_id, location, fee_minor, currency, created_at, updated_at)
    select ${businessId}::bigint, ${live}::boolean, ${row.id}::bigint, ${row.product_id}::bigint,
      ${location}::text, ${row.fee_minor}::bigint, ${row.currency}::char(3),
      ${now}::timestamptz, ${now}::timestamptz
    where (
      select count(*) from delivery_fees
      where business_id = ${businessId} and live = ${live} and product_id = ${row.product_id}
        and lower(location) <> lower(${location})
    ) < ${most}
    on conflict (business_id, live, product_id, lower(location)) do update
      set location = excluded.location, fee_minor = excluded.fee_minor,
        updated_at = excluded.updated_at
      where (d.location, d.fee_minor) is distinct from (excluded.location, excluded.fee_minor)
    returning ${COLUMNS}`
}

export function updateFee(
  tx: Tx,
  { businessId, live }: Tenant,
  { id, fee_minor }: FeeRow,
  now: Date,
) {
  return tx.one<FeeRow>`
    update delivery_fees set fee_minor = ${fee_minor}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
}

export function deleteFee(tx: Tx, tenant: Tenant, productId: number, name: FeeName) {
  return tx.maybe<FeeRow>`
    delete from delivery_fees where ${named(tenant, productId, name)} returning ${COLUMNS}`
}

export function insertFeeCopies(
  tx: Tx,
  { businessId, live }: Tenant,
  { from, to }: CopiedIds,
  pairs: readonly CopiedRow[],
  now: Date,
) {
  return tx.run`
    insert into delivery_fees
      (business_id, live, id, product_id, location, fee_minor, currency, created_at, updated_at)
    select d.business_id, d.live, c.to_id, ${to}::bigint, d.location, d.fee_minor, d.currency,
      ${now}::timestamptz, ${now}::timestamptz
    from delivery_fees d join ${copiedRowsTable(pairs)} on c.from_id = d.id
    where d.business_id = ${businessId} and d.live = ${live} and d.product_id = ${from}`
}
