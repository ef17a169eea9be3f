import type { Db, Tx } from '../../db/database.ts'
import type { Tenant } from '../../lib/tenant.ts'

export interface EnquiryRow {
  reference: string
  package_slug: string
  customer_id: string
  customer_name: string
  expires_at: Date
}

/** Asking again renews it. */
export function upsertEnquiry(
  tx: Tx,
  { businessId, live }: Tenant,
  row: EnquiryRow & { now: Date },
): Promise<number> {
  return tx.run`
    insert into utility_enquiries
      (business_id, live, package_slug, customer_id, reference, customer_name, expires_at,
       created_at)
    values
      (${businessId}, ${live}, ${row.package_slug}, ${row.customer_id}, ${row.reference},
       ${row.customer_name}, ${row.expires_at}, ${row.now})
    on conflict (business_id, live, package_slug, customer_id) do update
    set reference = excluded.reference, customer_name = excluded.customer_name,
      expires_at = excluded.expires_at, created_at = excluded.created_at`
}

/** Nothing when nobody asked, or too long ago. */
export function selectEnquiry(
  db: Db,
  { businessId, live }: Tenant,
  { packageSlug, customerId }: { packageSlug: string; customerId: string },
  now: Date,
) {
  return db.maybe<EnquiryRow>`
    select reference, package_slug, customer_id, customer_name, expires_at
    from utility_enquiries
    where business_id = ${businessId} and live = ${live} and package_slug = ${packageSlug}
      and customer_id = ${customerId} and expires_at > ${now}`
}

/** Who was asked about is forgotten when it is of no more use; answers how many were. */
export function deleteExpired(db: Db, now: Date, only: number | null, limit: number) {
  return db.run`
    delete from utility_enquiries where (business_id, live, package_slug, customer_id) in (
      select business_id, live, package_slug, customer_id from utility_enquiries
      where expires_at <= ${now}
        and (${only}::bigint is null or (business_id = ${only} and not live))
      order by expires_at limit ${limit} for update skip locked)`
}
