import { plainArray } from '../../../db/arrays.ts'
import type { Db, Tx } from '../../../db/database.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import type { Minor } from '../../../lib/money.ts'
import type { Tenant } from '../../../lib/tenant.ts'

export interface DiscountRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  /** In upper case. */
  code: string
  type: 'percentage' | 'fixed'
  /** Basis points of a percentage, or minor units. */
  value_minor: Minor
  currency: string
  /** Empty for every product. */
  product_ids: number[]
  min_spend_minor: Minor | null
  max_discount_minor: Minor | null
  starts_at: Date | null
  /** Exclusive. */
  ends_at: Date | null
  max_uses: number | null
  max_uses_per_customer: number | null
  /** Kept uses, and those that are put aside by checkouts under way. */
  used_count: number
  reserved_count: number
  status: 'Active' | 'Inactive'
  event_sequence: number
  created_at: Date
  updated_at: Date
}

/** As `DiscountRow` has them, of discounts `d`. */
export const COLUMNS = sql`d.business_id, d.live, d.id, d.reference, d.code, d.type, d.value_minor,
  d.currency, d.product_ids::float8[] as product_ids, d.min_spend_minor, d.max_discount_minor,
  d.starts_at, d.ends_at, d.max_uses, d.max_uses_per_customer, d.used_count, d.reserved_count,
  d.status, d.event_sequence, d.created_at, d.updated_at`

/** A discount by its id or by its code, in upper case. */
export type DiscountName = { id: number } | { code: string }

const named = ({ businessId, live }: Tenant, name: DiscountName): Sql =>
  'id' in name
    ? sql`d.business_id = ${businessId} and d.live = ${live} and d.id = ${name.id}`
    : sql`d.business_id = ${businessId} and d.live = ${live} and d.code = ${name.code}`

export function selectDiscount(db: Db, tenant: Tenant, name: DiscountName) {
  return db.maybe<DiscountRow>`select ${COLUMNS} from discounts d where ${named(tenant, name)}`
}

/** Held until the transaction ends: for changes that depend on how it stands. */
export function lockDiscount(tx: Tx, tenant: Tenant, name: DiscountName) {
  return tx.maybe<DiscountRow>`
    select ${COLUMNS} from discounts d where ${named(tenant, name)} for no key update`
}

/** Nothing comes back when another one has the code. */
export function insertDiscount(tx: Tx, row: DiscountRow) {
  return tx.maybe<DiscountRow>`
    insert into discounts as d
      (business_id, live, id, reference, code, type, value_minor, currency, product_ids,
       min_spend_minor, max_discount_minor, starts_at, ends_at, max_uses, max_uses_per_customer,
       status, event_sequence, created_at, updated_at)
    values (${row.business_id}, ${row.live}, ${row.id}, ${row.reference}, ${row.code},
      ${row.type}, ${row.value_minor}, ${row.currency}, ${plainArray(row.product_ids)}::bigint[],
      ${row.min_spend_minor}, ${row.max_discount_minor}, ${row.starts_at}, ${row.ends_at},
      ${row.max_uses}, ${row.max_uses_per_customer}, ${row.status}, 1, ${row.created_at},
      ${row.updated_at})
    on conflict (business_id, live, code) do nothing
    returning ${COLUMNS}`
}

/** What a caller can change. */
export type Content = Pick<
  DiscountRow,
  | 'code'
  | 'type'
  | 'value_minor'
  | 'product_ids'
  | 'min_spend_minor'
  | 'max_discount_minor'
  | 'starts_at'
  | 'ends_at'
  | 'max_uses'
  | 'max_uses_per_customer'
  | 'status'
>

/** The name of the constraint of codes, which an update may run into. */
export const CODE_KEY = 'discounts_business_id_live_code_key'

/** Counts one event of a discount that the transaction holds. */
export function updateDiscountRow(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  content: Content,
  now: Date,
) {
  return tx.one<DiscountRow>`
    update discounts d
    set code = ${content.code}, type = ${content.type}, value_minor = ${content.value_minor},
      product_ids = ${plainArray(content.product_ids)}::bigint[],
      min_spend_minor = ${content.min_spend_minor},
      max_discount_minor = ${content.max_discount_minor}, starts_at = ${content.starts_at},
      ends_at = ${content.ends_at}, max_uses = ${content.max_uses},
      max_uses_per_customer = ${content.max_uses_per_customer}, status = ${content.status},
      event_sequence = event_sequence + 1, updated_at = ${now}
    where d.business_id = ${businessId} and d.live = ${live} and d.id = ${id}
    returning ${COLUMNS}`
}

/** Those of these products that there are, with their currencies. */
export function selectCurrencies(db: Db, { businessId, live }: Tenant, ids: readonly number[]) {
  return db.many<{ id: number; currency: string }>`
    select id, currency from products
    where business_id = ${businessId} and live = ${live} and deleted_at is null
      and id = any(${plainArray(ids)}::bigint[])`
}
