import { plainArray, textArray } from '../../../db/arrays.ts'
import type { Db, Tx } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { Tenant } from '../../../lib/tenant.ts'

/** What belongs to a product beside its options and variants, by ids. */
export interface Owned {
  media: number[]
  files: number[]
  fees: number[]
}

export async function selectOwned(
  db: Db,
  { businessId, live }: Tenant,
  productId: number,
): Promise<Owned> {
  const own = sql`
    business_id = ${businessId} and live = ${live} and product_id = ${productId}`
  const rows = await db.many<{ kind: keyof Owned; id: number }>`
    select 'media' as kind, id from product_media where ${own}
    union all select 'files', id from digital_files where ${own} and status = 'Active'
    union all select 'fees', id from delivery_fees where ${own}`
  const idsOf = (wanted: keyof Owned) =>
    rows.filter(({ kind }) => kind === wanted).map(({ id }) => id)
  return { media: idsOf('media'), files: idsOf('files'), fees: idsOf('fees') }
}

/** A row and the id of its copy, with the reference of that where it has one. */
export interface Pair {
  from: number
  to: number
  reference: string
}

interface Products {
  from: number
  to: number
}

const pairsOf = (pairs: readonly Pair[]) => sql`
  unnest(${plainArray(pairs.map(({ from }) => from))}::bigint[],
    ${plainArray(pairs.map(({ to }) => to))}::bigint[],
    ${textArray(pairs.map(({ reference }) => reference))}::text[]) as c (from_id, to_id, ref)`

/** Pictures; of variants those whose copies are named. What is still to be made is made twice. */
export function copyMedia(
  tx: Tx,
  { businessId, live }: Tenant,
  { from, to }: Products,
  pairs: readonly Pair[],
  variants: readonly (readonly [number, number])[],
  now: Date,
) {
  return tx.run`
    insert into product_media
      (business_id, live, id, reference, product_id, variant_id, original_sha256,
       picture_sha256, thumbnail_sha256, status, content_type, width, height, bytes, is_primary,
       position, due_at, created_at)
    select m.business_id, m.live, c.to_id, c.ref, ${to}::bigint, v.to_id, m.original_sha256,
      m.picture_sha256, m.thumbnail_sha256, m.status, m.content_type, m.width, m.height, m.bytes,
      m.is_primary, m.position, m.due_at, ${now}::timestamptz
    from product_media m
      join ${pairsOf(pairs)} on c.from_id = m.id
      left join unnest(${plainArray(variants.map(([old]) => old))}::bigint[],
        ${plainArray(variants.map(([, copy]) => copy))}::bigint[]
      ) as v (from_id, to_id) on v.from_id = m.variant_id
    where m.business_id = ${businessId} and m.live = ${live} and m.product_id = ${from}
      and (m.variant_id is null or v.to_id is not null)`
}

/** Files to download, with their limits; nobody has downloaded the copies yet. */
export function copyFiles(
  tx: Tx,
  { businessId, live }: Tenant,
  { from, to }: Products,
  pairs: readonly Pair[],
  now: Date,
) {
  return tx.run`
    insert into digital_files
      (business_id, live, id, reference, product_id, name, content_type, bytes, sha256,
       link_expiry, link_expiry_unit, max_downloads, has_own_limits, status, created_at, updated_at)
    select f.business_id, f.live, c.to_id, c.ref, ${to}::bigint, f.name, f.content_type, f.bytes,
      f.sha256, f.link_expiry, f.link_expiry_unit, f.max_downloads, f.has_own_limits, f.status,
      ${now}::timestamptz, ${now}::timestamptz
    from digital_files f join ${pairsOf(pairs)} on c.from_id = f.id
    where f.business_id = ${businessId} and f.live = ${live} and f.product_id = ${from}`
}

export function copyFees(
  tx: Tx,
  { businessId, live }: Tenant,
  { from, to }: Products,
  pairs: readonly Pair[],
  now: Date,
) {
  return tx.run`
    insert into delivery_fees
      (business_id, live, id, product_id, location, fee_minor, currency, created_at, updated_at)
    select d.business_id, d.live, c.to_id, ${to}::bigint, d.location, d.fee_minor, d.currency,
      ${now}::timestamptz, ${now}::timestamptz
    from delivery_fees d join ${pairsOf(pairs)} on c.from_id = d.id
    where d.business_id = ${businessId} and d.live = ${live} and d.product_id = ${from}`
}
