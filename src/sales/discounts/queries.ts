import type { Db, Tx } from '../../db/database.ts'
import { findFairly, keyCondition, takeDue } from '../../db/leases.ts'
import { paginate } from '../../db/paginate.ts'
import { plainArray } from '../../db/pg-arrays.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import type { Page } from '../../lib/paging.ts'

export interface DiscountRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  /** In upper case. */
  code: string
  type: 'percentage' | 'fixed'
  /** Basis points for a percentage, otherwise minor units. */
  value_minor: Minor
  currency: string
  /** Empty means every product. */
  product_ids: number[]
  min_spend_minor: Minor | null
  max_discount_minor: Minor | null
  starts_at: Date | null
  /** Exclusive. */
  ends_at: Date | null
  max_uses: number | null
  max_uses_per_customer: number | null
  /** Completed uses. `reserved_count` counts those that open checkouts have reserved. */
  used_count: number
  reserved_count: number
  status: 'Active' | 'Inactive'
  event_sequence: number
  created_at: Date
  updated_at: Date
}

const COLUMNS = sql`d.business_id, d.live, d.id, d.reference, d.code, d.type, d.value_minor,
  d.currency, d.product_ids::float8[] as product_ids, d.min_spend_minor, d.max_discount_minor,
  d.starts_at, d.ends_at, d.max_uses, d.max_uses_per_customer, d.used_count, d.reserved_count,
  d.status, d.event_sequence, d.created_at, d.updated_at`

/** Identifies a discount by its id or by its code in upper case. */
export type DiscountName = { id: number } | { code: string }

const named = ({ businessId, live }: Tenant, name: DiscountName): Sql =>
  'id' in name
    ? sql`d.business_id = ${businessId} and d.live = ${live} and d.id = ${name.id}`
    : sql`d.business_id = ${businessId} and d.live = ${live} and d.code = ${name.code}`

export function selectDiscount(db: Db, tenant: Tenant, name: DiscountName) {
  return db.maybe<DiscountRow>`select ${COLUMNS} from discounts d where ${named(tenant, name)}`
}

export function lockDiscount(tx: Tx, tenant: Tenant, name: DiscountName) {
  return tx.maybe<DiscountRow>`
    select ${COLUMNS} from discounts d where ${named(tenant, name)} for no key update`
}

/** Returns undefined if another discount already has the code. */
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

/** The columns that a caller can change. */
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

export const CODE_KEY = 'discounts_business_id_live_code_key'

/** The caller must have locked the discount. Adds one to its event sequence. */
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

/** Returns the products that exist among these ids, with their currencies. */
export function selectCurrencies(db: Db, { businessId, live }: Tenant, ids: readonly number[]) {
  return db.many<{ id: number; currency: string }>`
    select id, currency from products
    where business_id = ${businessId} and live = ${live} and deleted_at is null
      and id = any(${plainArray(ids)}::bigint[])`
}

type UseStatus = 'Reserved' | 'Used' | 'Released'

export async function selectCustomerUses(
  db: Db,
  { businessId, live }: Tenant,
  discountId: number,
  customer: string,
): Promise<number> {
  const found = await db.maybe<{ use_count: number }>`
    select use_count from discount_customers
    where business_id = ${businessId} and live = ${live} and discount_id = ${discountId}
      and customer = ${customer}`
  return found?.use_count ?? 0
}

interface UseRow {
  discount_id: number
  discount_minor: Minor
}

export function selectUse(db: Db, { businessId, live }: Tenant, causeId: number) {
  return db.maybe<UseRow>`
    select discount_id, discount_minor from discount_uses
    where business_id = ${businessId} and live = ${live} and cause_id = ${causeId}`
}

interface NewUse {
  causeId: number
  discountId: number
  customer: string
  discount_minor: Minor
  expiresAt: Date
}

/** The result of taking a use. The discount’s columns are null if the discount has been used up. */
type TakenRow = { is_new: boolean; is_customer_in: boolean } & (DiscountRow | { id: null })

/**
 * Reserves one use for a cause, within the limits of both the code and the customer. Does nothing
 * for a cause that already has a use. A code that is used up isn’t even locked, so that latecomers
 * do not wait for each other. If either limit is reached, the transaction must be rolled back.
 */
export function insertUse(tx: Tx, { businessId, live }: Tenant, use: NewUse, now: Date) {
  return tx.one<TakenRow>`
    with used as (
      insert into discount_uses
        (business_id, live, cause_id, discount_id, customer, discount_minor, status, expires_at,
         created_at, updated_at)
      values (${businessId}, ${live}, ${use.causeId}, ${use.discountId}, ${use.customer},
        ${use.discount_minor}, 'Reserved', ${use.expiresAt}, ${now}, ${now})
      on conflict (business_id, live, cause_id) do nothing
      returning discount_id
    ), held as materialized (
      select d.* from used u join discounts d on d.id = u.discount_id
      where d.business_id = ${businessId} and d.live = ${live}
        and (d.max_uses is null or d.used_count + d.reserved_count < d.max_uses)
      for no key update of d
    ), counted as (
      update discounts d set reserved_count = h.reserved_count + 1 from held h
      where d.business_id = ${businessId} and d.live = ${live} and d.id = h.id
    ), customers as (
      insert into discount_customers as c (business_id, live, discount_id, customer, use_count)
      select h.business_id, h.live, h.id, ${use.customer}::text, 1 from held h
      on conflict (business_id, live, discount_id, customer) do update
        set use_count = c.use_count + 1
      returning use_count
    )
    select exists (select from used) as is_new,
      exists (
        select from customers where use_count <= coalesce(d.max_uses_per_customer, use_count)
      ) as is_customer_in,
      ${COLUMNS}
    from (select) as one left join held d on true`
}

/** Updates a use, because the discount may have changed between being read and being locked. */
export function updateUse(
  tx: Tx,
  { businessId, live }: Tenant,
  causeId: number,
  discount_minor: Minor,
) {
  return tx.run`
    update discount_uses set discount_minor = ${discount_minor}
    where business_id = ${businessId} and live = ${live} and cause_id = ${causeId}`
}

export type LockedUse = DiscountRow & {
  customer: string | null
  discount_minor: Minor
  was: UseStatus
}

/** Locks a cause’s use, if it is in one of these states, and the discount. */
export function lockUse(
  tx: Tx,
  { businessId, live }: Tenant,
  causeId: number,
  from: readonly UseStatus[],
) {
  return tx.maybe<LockedUse>`
    with claimed as materialized (
      select discount_id, customer, discount_minor, status from discount_uses
      where business_id = ${businessId} and live = ${live} and cause_id = ${causeId}
        and status = any(${from}::text[])
      for no key update
    )
    select ${COLUMNS}, c.customer, c.discount_minor, c.status as was
    from claimed c join discounts d on d.id = c.discount_id
    where d.business_id = ${businessId} and d.live = ${live}
    for no key update of d`
}

interface UseMove {
  to: UseStatus
  used?: -1 | 0 | 1
  reserved?: -1 | 0 | 1
  customer?: -1 | 0 | 1
  /** The number of events to append. */
  events?: number
  expiresAt?: Date | undefined
}

/**
 * Moves a locked use to another state and updates the counts of its discount and customer. Returns
 * the discount.
 */
export function moveUse(
  tx: Tx,
  { businessId, live }: Tenant,
  causeId: number,
  { to, used = 0, reserved = 0, customer = 0, events = 0, expiresAt }: UseMove,
  now: Date,
) {
  return tx.one<DiscountRow>`
    with moved as (
      update discount_uses
      set status = ${to}, updated_at = ${now},
        expires_at = greatest(expires_at, ${expiresAt ?? null}::timestamptz)
      where business_id = ${businessId} and live = ${live} and cause_id = ${causeId}
      returning discount_id, customer
    ), customers as (
      update discount_customers c set use_count = c.use_count + ${customer}::integer
      from moved m
      where c.business_id = ${businessId} and c.live = ${live} and c.discount_id = m.discount_id
        and c.customer = m.customer
    )
    update discounts d
    set used_count = d.used_count + ${used}::integer,
      reserved_count = d.reserved_count + ${reserved}::integer,
      event_sequence = d.event_sequence + ${events}::integer
    from moved m
    where d.business_id = ${businessId} and d.live = ${live} and d.id = m.discount_id
    returning ${COLUMNS}`
}

/**
 * Releases up to `limit` expired uses and returns how many. Skips rows that another transaction has
 * locked. Because this is used for expiry, it covers all businesses; `only` limits it to one
 * business’s test data. Counts are computed after locking.
 */
export async function releaseExpiredUses(
  tx: Tx,
  db: Db,
  now: Date,
  only: number | null,
  limit: number,
): Promise<number> {
  const find = (isOther: Sql) => tx.many<UseKey>`
    select business_id, live, cause_id from discount_uses
    where status = 'Reserved' and expires_at <= ${now} and ${isOther}
      and (${only}::bigint is null or (business_id = ${only} and not live))
    order by expires_at limit ${limit}`
  const release = (keys: UseKey[]) => tx.many`
    with due as materialized (
      select business_id, live, cause_id, discount_id, customer from discount_uses
      where ${isUse(keys)} and status = 'Reserved' and expires_at <= ${now}
      for no key update skip locked
    ), held as materialized (
      select business_id, live, d.id, (d.reserved_count - g.uses)::integer as reserved_count
      from (
        select business_id, live, discount_id as id, count(*) as uses
        from due group by business_id, live, discount_id
      ) g join discounts d using (business_id, live, id)
      order by business_id, live, d.id for no key update of d
    ), customers as materialized (
      select c.business_id, c.live, c.discount_id, c.customer,
        (c.use_count - g.uses)::integer as use_count
      from held h
        join (
          select business_id, live, discount_id, customer, count(*) as uses
          from due group by business_id, live, discount_id, customer
        ) g on g.business_id = h.business_id and g.live = h.live and g.discount_id = h.id
        join discount_customers c on c.business_id = g.business_id and c.live = g.live
          and c.discount_id = g.discount_id and c.customer = g.customer
      for no key update of c
    ), counted as (
      update discounts d set reserved_count = h.reserved_count from held h
      where d.business_id = h.business_id and d.live = h.live and d.id = h.id
    ), given_back as (
      update discount_customers c set use_count = g.use_count from customers g
      where c.business_id = g.business_id and c.live = g.live and c.discount_id = g.discount_id
        and c.customer = g.customer
    ), moved as (
      update discount_uses u set status = 'Released', updated_at = ${now}
      from due d
      where u.business_id = d.business_id and u.live = d.live and u.cause_id = d.cause_id
    )
    select from due`
  return (await takeDue(tx, () => findFairly(db, 'discounts', limit, find), release)).length
}

interface UseKey {
  business_id: number
  live: boolean
  cause_id: number
}

const isUse = keyCondition<UseKey>({ cause_id: 'bigint' })

interface DiscountFilter {
  /** In upper case. */
  code: string | undefined
  productId: number | undefined
  isDescending: boolean
}

const LISTED = sql`business_id, live, id, reference, code, type, value_minor, currency,
  product_ids::float8[] as product_ids, min_spend_minor, max_discount_minor, starts_at, ends_at,
  max_uses, max_uses_per_customer, used_count, reserved_count, status, event_sequence, created_at,
  updated_at`

export const findDiscounts = (
  db: Db,
  tenant: Tenant,
  { code, productId, isDescending }: DiscountFilter,
  page: Page,
) =>
  paginate<DiscountRow>(
    db,
    {
      table: sql`discounts`,
      columns: LISTED,
      tenant,
      filters: [
        code === undefined ? undefined : sql`code = ${code}`,
        productId === undefined
          ? undefined
          : sql`product_ids @> ${plainArray([productId])}::bigint[]`,
      ],
      isDescending,
    },
    page,
  )
