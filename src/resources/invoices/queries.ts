import type { Db, Tx } from '../../db/database.ts'
import { all, containing, type Sql, sql } from '../../db/sql.ts'
import type { Minor } from '../../lib/money.ts'
import { type Page, type Range, TOTAL_MAX, windowOf } from '../../lib/paging.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { InvoiceState } from './states.ts'

export interface InvoiceRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  token: string
  status: InvoiceState
  customer_email: string
  customer_name: string | null
  customer_phone: string | null
  amount_minor: Minor
  paid_minor: Minor
  currency: string
  note: string | null
  /** JSON text; see `printLines`. */
  line_items: string | null
  /** `YYYY-MM-DD`, a day in the business's time zone. */
  due_date: string | null
  allow_partial_payment: boolean
  metadata: string | null
  email_status: 'Queued' | 'Sent' | 'Failed' | 'Captured' | null
  sent_at: Date | null
  viewed_at: Date | null
  paid_at: Date | null
  voided_at: Date | null
  event_sequence: number
  created_at: Date
  updated_at: Date
}

const COLUMNS = sql`business_id, live, id, reference, token, status, customer_email, customer_name,
  customer_phone, amount_minor, paid_minor, currency, note, line_items, due_date::text as due_date,
  allow_partial_payment, metadata, email_status, sent_at, viewed_at, paid_at, voided_at,
  event_sequence, created_at, updated_at`

export function insertInvoice(tx: Tx, row: InvoiceRow) {
  return tx.run`
    insert into invoices
      (business_id, live, id, reference, token, status, customer_email, customer_name,
       customer_phone, amount_minor, paid_minor, currency, note, line_items, due_date,
       allow_partial_payment, metadata, email_status, sent_at, event_sequence, created_at,
       updated_at)
    values
      (${row.business_id}, ${row.live}, ${row.id}, ${row.reference}, ${row.token}, ${row.status},
       ${row.customer_email}, ${row.customer_name}, ${row.customer_phone}, ${row.amount_minor},
       ${row.paid_minor}, ${row.currency}, ${row.note}, ${row.line_items}, ${row.due_date}::date,
       ${row.allow_partial_payment}, ${row.metadata}, ${row.email_status}, ${row.sent_at},
       ${row.event_sequence}, ${row.created_at}, ${row.updated_at})`
}

export function selectInvoice(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<InvoiceRow>`
    select ${COLUMNS} from invoices
    where business_id = ${businessId} and live = ${live} and reference = ${reference}`
}

export function selectInvoiceById(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<InvoiceRow>`
    select ${COLUMNS} from invoices
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** Draft becomes Sent; an invoice that is out already stays as it is and is mailed again. */
export function updateSent(
  tx: Tx,
  { businessId, live }: Tenant,
  reference: string,
  from: readonly InvoiceState[],
  now: Date,
) {
  return tx.maybe<InvoiceRow>`
    update invoices
    set status = case when status = 'Draft' then 'Sent' else status end,
      sent_at = ${now}, email_status = 'Queued', event_sequence = event_sequence + 1,
      updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
      and status = any(${from}::text[])
    returning ${COLUMNS}`
}

export function updateVoid(
  tx: Tx,
  { businessId, live }: Tenant,
  reference: string,
  from: readonly InvoiceState[],
  now: Date,
) {
  return tx.maybe<InvoiceRow>`
    update invoices
    set status = 'Void', voided_at = ${now}, event_sequence = event_sequence + 1,
      updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
      and status = any(${from}::text[])
    returning ${COLUMNS}`
}

/** The first look of a payer; nothing comes back for a later one. */
export function updateViewed(tx: Tx, { businessId, live }: Tenant, id: number, now: Date) {
  return tx.maybe<InvoiceRow>`
    update invoices
    set viewed_at = ${now}, event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id} and viewed_at is null
    returning ${COLUMNS}`
}

/**
 * Adds what was received, as far as it is due, and answers how much that was. Nothing comes back
 * when nothing is due any more: of two payments at once the second finds the invoice Paid.
 */
export function updatePaid(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { amount_minor, from, now }: { amount_minor: Minor; from: readonly InvoiceState[]; now: Date },
) {
  return tx.maybe<InvoiceRow & { kept_minor: Minor }>`
    update invoices i
    set paid_minor = least(i.amount_minor, i.paid_minor + ${amount_minor}::bigint),
      status = case when i.paid_minor + ${amount_minor}::bigint >= i.amount_minor then 'Paid'
        else 'PartiallyPaid' end,
      paid_at = case when i.paid_minor + ${amount_minor}::bigint >= i.amount_minor
        then ${now}::timestamptz end,
      event_sequence = i.event_sequence + 1, updated_at = ${now}
    from (
      select id as old_id, paid_minor as before_minor from invoices
      where business_id = ${businessId} and live = ${live} and id = ${id}
        and status = any(${from}::text[])
      for update
    ) old
    where i.business_id = ${businessId} and i.live = ${live} and i.id = old.old_id
    returning ${COLUMNS}, i.paid_minor - old.before_minor as kept_minor`
}

export interface InvoiceFilter {
  status: InvoiceState | undefined
  /** Invoices that are out and were due before this day. */
  overdueOn: string | undefined
  search: { id: number } | { text: string } | undefined
  range: Range
  descending: boolean
  page: Page
}

/** One page and one row more, newest (or oldest) first. */
export function selectInvoices(db: Db, tenant: Tenant, filter: InvoiceFilter) {
  const { offset, take } = windowOf(filter.page)
  const order = filter.descending ? sql`created_at desc, id desc` : sql`created_at, id`
  return db.many<InvoiceRow>`
    select ${COLUMNS} from invoices where ${matching(tenant, filter)}
    order by ${order} limit ${take} offset ${offset}`
}

/** How many match, counted no further than one past what is told exactly. */
export async function countInvoices(db: Db, tenant: Tenant, filter: InvoiceFilter) {
  const { n } = await db.one<{ n: number }>`
    select count(*)::bigint as n from (
      select 1 from invoices where ${matching(tenant, filter)} limit ${TOTAL_MAX + 1}) matches`
  return n
}

function matching({ businessId, live }: Tenant, filter: InvoiceFilter): Sql {
  const { status, overdueOn, search, range } = filter
  return all([
    sql`business_id = ${businessId} and live = ${live}`,
    status && sql`status = ${status}`,
    overdueOn === undefined
      ? undefined
      : sql`status in ('Sent', 'PartiallyPaid') and due_date < ${overdueOn}::date`,
    range.from && sql`created_at >= ${range.from}`,
    range.until && sql`created_at < ${range.until}`,
    search && searched(search),
  ])
}

function searched(search: { id: number } | { text: string }): Sql {
  if ('id' in search) return sql`id = ${search.id}`
  const pattern = containing(search.text.toLowerCase())
  return sql`(lower(customer_email) like ${pattern} or lower(customer_name) like ${pattern})`
}

/** Holds an invoice that is open, and of which so much was paid, until the transaction ends. */
export async function lockPayable(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  paid_minor: Minor,
): Promise<boolean> {
  const locked = await tx.maybe`
    select 1 from invoices
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and status in ('Sent', 'PartiallyPaid') and paid_minor = ${paid_minor}
    for share`
  return locked !== undefined
}
