import type { Db, Tx } from '../../db/database.ts'
import { paginate } from '../../db/paginate.ts'
import { plainArray } from '../../db/pg-arrays.ts'
import { sql } from '../../db/sql.ts'
import type { SearchQuery } from '../../db/text-search.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import type { Page, Range } from '../../lib/paging.ts'
import type { OrderState } from './schemas.ts'

export interface OrderRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  status: OrderState
  checkout_id: number
  page_id: number | null
  transaction_id: number | null
  customer_email: string
  customer_name: string | null
  customer_phone: string | null
  subtotal_minor: Minor
  discount_id: number | null
  discount_code: string | null
  discount_minor: Minor
  delivery_fee_minor: Minor
  amount_minor: Minor
  currency: string
  delivery_location: string | null
  delivery_address: string | null
  event_sequence: number
  paid_at: Date | null
  created_at: Date
  updated_at: Date
}

const COLUMNS = sql`business_id, live, id, reference, status, checkout_id, page_id,
  transaction_id, customer_email, customer_name, customer_phone, subtotal_minor, discount_id,
  discount_code, discount_minor, delivery_fee_minor, amount_minor, currency, delivery_location,
  delivery_address, event_sequence, paid_at, created_at, updated_at`

export interface OrderLineRow {
  order_id: number
  product_id: number
  variant_id: number | null
  /** As they were at the time of the order. */
  name: string
  quantity: number
  unit_price_minor: Minor
  amount_minor: Minor
}

export function selectOrder(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<OrderRow>`
    select ${COLUMNS} from orders
    where business_id = ${businessId} and live = ${live} and reference = ${reference}`
}

/** Replaces the customer of some orders by a pseudonym, and returns the orders. */
export function eraseCustomers(
  tx: Tx,
  { businessId, live }: Tenant,
  ids: readonly number[],
  pseudonym: string,
) {
  return tx.many<OrderRow>`
    update orders set customer_email = ${pseudonym}, customer_name = null, customer_phone = null,
      delivery_address = null
    where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])
    returning ${COLUMNS}`
}

export function selectOrderById(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<OrderRow>`
    select ${COLUMNS} from orders
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** Returns the lines of several orders, sorted within each order. */
export function selectLines(db: Db, { businessId, live }: Tenant, orderIds: readonly number[]) {
  return db.many<OrderLineRow>`
    select order_id, product_id, variant_id, name, quantity, unit_price_minor, amount_minor
    from order_lines
    where business_id = ${businessId} and live = ${live}
      and order_id = any(${plainArray(orderIds)}::bigint[])
    order by order_id, position`
}

/** Returns the fields of these checkouts that their orders show. */
export function selectOrderedBy(db: Db, { businessId, live }: Tenant, ids: readonly number[]) {
  return db.many<{ id: number; reference: string; answers: string }>`
    select id, reference, answers from checkouts
    where business_id = ${businessId} and live = ${live}
      and id = any(${plainArray(ids)}::bigint[])`
}

export function updateAttempt(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  transactionId: number,
) {
  return tx.run`
    update orders set transaction_id = ${transactionId}
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** Sets the delivery address of an unpaid order. Returns whether the order was unpaid. */
export async function updateAddress(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { address, now }: { address: string; now: Date },
): Promise<boolean> {
  const count = await tx.run`
    update orders set delivery_address = ${address}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id} and status = 'Pending'`
  return count === 1
}

interface Change {
  from: readonly OrderState[]
  to: OrderState
  now: Date
  /** The number of events to append. */
  events: number
  transactionId?: number | null
}

/** Changes the state, if the current state allows it. */
export function moveOrder(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { from, to, now, events, transactionId }: Change,
) {
  return tx.maybe<OrderRow>`
    update orders
    set status = ${to}, updated_at = ${now}, event_sequence = event_sequence + ${events},
      paid_at = case when ${to}::text = 'Paid' then ${now}::timestamptz else paid_at end,
      transaction_id = coalesce(${transactionId ?? null}::bigint, transaction_id)
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and status = any(${from}::text[])
    returning ${COLUMNS}`
}

interface OrderFilter {
  search: SearchQuery | undefined
  id: number | undefined
  status: OrderState | undefined
  range: Range
  isDescending: boolean
}

export const findOrders = (
  db: Db,
  tenant: Tenant,
  { id, status, ...filter }: OrderFilter,
  page: Page,
) =>
  paginate<OrderRow>(
    db,
    {
      ...filter,
      table: sql`orders`,
      columns: COLUMNS,
      tenant,
      filters: [id === undefined ? undefined : sql`id = ${id}`, status && sql`status = ${status}`],
    },
    page,
  )

export interface DownloadRow {
  id: number
  order_id: number
  file_id: number
  product_id: number
  secret: string
  name: string
  bytes: number
  downloads: number
  max_downloads: number | null
  expires_at: Date | null
  revoked_at: Date | null
}

/** Returns the downloads of several orders, sorted by file within each order. */
export function selectDownloads(db: Db, { businessId, live }: Tenant, orderIds: readonly number[]) {
  return db.many<DownloadRow>`
    select g.id, g.cause_id as order_id, g.file_id, f.product_id, g.secret, f.name, f.bytes,
      g.downloads, g.max_downloads, g.expires_at, g.revoked_at
    from download_grants g
      join digital_files f
        on (f.business_id, f.live, f.id) = (g.business_id, g.live, g.file_id)
    where g.business_id = ${businessId} and g.live = ${live}
      and g.cause_id = any(${plainArray(orderIds)}::bigint[])
    order by g.cause_id, g.file_id`
}

export interface NoteRow {
  id: number
  text: string
  author_id: number
  author_name: string
  created_at: Date
}

/** Returns undefined if the order does not exist. */
export const insertNote = (
  tx: Tx,
  { businessId, live }: Tenant,
  reference: string,
  { id, text, author_id, author_name, created_at }: NoteRow,
) =>
  tx.maybe<NoteRow>`
    insert into order_notes
      (business_id, live, order_id, id, text, author_id, author_name, created_at)
    select business_id, live, orders.id, ${id}::bigint, ${text}::text, ${author_id}::bigint,
      ${author_name}::text, ${created_at}::timestamptz
    from orders
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
    returning id, text, author_id, author_name, created_at`

/** Returns the notes, newest first. Returns undefined if the order does not exist. */
export async function selectNotes(
  db: Db,
  { businessId, live }: Tenant,
  reference: string,
  most: number,
): Promise<NoteRow[] | undefined> {
  const rows = await db.many<{ [Name in keyof NoteRow]: NoteRow[Name] | null }>`
    select n.id, n.text, n.author_id, n.author_name, n.created_at
    from orders o left join order_notes n
      on n.business_id = ${businessId} and n.live = ${live} and n.order_id = o.id
    where o.business_id = ${businessId} and o.live = ${live} and o.reference = ${reference}
    order by n.id desc limit ${most}`
  if (rows.length === 0) return undefined
  return rows.filter((row): row is NoteRow => row.id !== null)
}
