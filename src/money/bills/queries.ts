import type { Db, Tx } from '../../db/database.ts'
import { type Found, findPage } from '../../db/paginate.ts'
import { all, type Sql, sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import type { Page, Place, Range } from '../../lib/paging.ts'
import { askAgainAt, type Due, whereDue } from '../../provider-orders/orders.ts'
import { UTILITY_CATEGORIES } from '../../provider-orders/utilities.ts'
import { UTILITY_STATES, type UtilityState } from './states.ts'

export interface UtilityRow {
  id: number
  reference: string
  payment_reference: string
  fingerprint: Buffer
  status: UtilityState
  amount_minor: Minor
  fee_minor: Minor
  currency: string
  customer_id: string
  customer_name: string
  package_slug: string
  package_name: string
  biller_slug: string
  biller_name: string
  category: string
  channel: string | null
  phone_number: string | null
  email: string | null
  account_number: string | null
  provider: string
  message: string | null
  token_value: string | null
  token_units: string | null
  pins: string[]
  look_up_at: Date | null
  /** JSON text: a list of `{status, at, message}`. */
  timeline: string
  event_sequence: number
  completed_at: Date | null
  created_at: Date
  updated_at: Date
}

/** As `UtilityRow` has them. */
const COLUMNS = sql`id, reference, payment_reference, fingerprint, status, amount_minor,
  fee_minor, currency, customer_id, customer_name, package_slug, package_name, biller_slug,
  biller_name, category, channel, phone_number, email, account_number, provider, message,
  token_value, token_units, pins, look_up_at, timeline, event_sequence, completed_at, created_at,
  updated_at`

type NewUtilityRow = Omit<
  UtilityRow,
  | 'status'
  | 'message'
  | 'token_value'
  | 'token_units'
  | 'pins'
  | 'timeline'
  | 'event_sequence'
  | 'completed_at'
  | 'created_at'
  | 'updated_at'
> & { now: Date }

/** Nothing comes back when a payment that did not fail has its `payment_reference`. */
export function insertPayment(tx: Tx, { businessId, live }: Tenant, row: NewUtilityRow) {
  const { now } = row
  const timeline = JSON.stringify([{ status: 'Pending', at: now, message: null }])
  return tx.maybe<UtilityRow>`
    insert into utility_payments
      (business_id, live, id, reference, payment_reference, fingerprint, status, amount_minor,
       fee_minor, currency, customer_id, customer_name, package_slug, package_name, biller_slug,
       biller_name, category, channel, phone_number, email, account_number, provider, look_up_at,
       timeline, event_sequence, created_at, updated_at)
    values
      (${businessId}, ${live}, ${row.id}, ${row.reference}, ${row.payment_reference},
       ${row.fingerprint}, 'Pending', ${row.amount_minor}, ${row.fee_minor}, ${row.currency},
       ${row.customer_id}, ${row.customer_name}, ${row.package_slug}, ${row.package_name},
       ${row.biller_slug}, ${row.biller_name}, ${row.category}, ${row.channel},
       ${row.phone_number}, ${row.email}, ${row.account_number}, ${row.provider},
       ${row.look_up_at}, ${timeline}, 1, ${now}, ${now})
    on conflict (business_id, live, payment_reference) where status <> 'Failed' do nothing
    returning ${COLUMNS}`
}

/** The one that did not fail. */
export function selectStanding(db: Db, { businessId, live }: Tenant, paymentReference: string) {
  return db.maybe<UtilityRow>`
    select ${COLUMNS} from utility_payments
    where business_id = ${businessId} and live = ${live}
      and payment_reference = ${paymentReference} and status <> 'Failed'`
}

export function selectById(db: Db, { businessId, live }: Tenant, id: number) {
  return db.one<UtilityRow>`
    select ${COLUMNS} from utility_payments
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** As `selectById`, where the transaction that wrote it may not have been committed. */
export function selectIfStored(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<UtilityRow>`
    select ${COLUMNS} from utility_payments
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** By our reference alone, which is what the provider knows. */
export function selectByReference(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<UtilityRow>`
    select ${COLUMNS} from utility_payments
    where business_id = ${businessId} and live = ${live} and reference = ${reference}`
}

/** Of the attempts under a reference of the caller's, or ours, the one that counts: the newest. */
export function selectNewest(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<UtilityRow>`
    select ${COLUMNS} from utility_payments
    where business_id = ${businessId} and live = ${live}
      and (reference = ${reference} or payment_reference = ${reference})
    order by status = 'Failed', created_at desc, id desc limit 1`
}

interface Change {
  from: readonly UtilityState[]
  to: UtilityState
  message: string
  token: { value: string; units: string } | null
  pins: string[]
  now: Date
}

/**
 * Ends a payment, if it is in one of the states that it may leave. Of two ends at once exactly one
 * finds it there.
 */
export function updateMoved(tx: Tx, { businessId, live }: Tenant, id: number, change: Change) {
  const { from, to, message, token, pins, now } = change
  const entry = JSON.stringify({ status: to, at: now, message })
  return tx.maybe<UtilityRow>`
    update utility_payments
    set status = ${to}, message = ${message}, token_value = ${token?.value ?? null},
      token_units = ${token?.units ?? null}, pins = ${pins}::text[], look_up_at = null,
      completed_at = ${now}, timeline = left(timeline, -1) || ',' || ${entry}::text || ']',
      event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and status = any(${from}::text[])
    returning ${COLUMNS}`
}

type ClaimedRow = UtilityRow & { business_id: number; live: boolean }

/** Claims payments that are due to be asked about. */
export function claimDue(db: Db, due: Due) {
  return db.many<ClaimedRow>`
    with due as (
      select business_id, live, id from utility_payments ${whereDue(due)})
    update utility_payments p
    set look_up_at = ${askAgainAt(due.now, sql`p.status`, sql`p.created_at`)}
    from (select business_id, live, id as due_id from due) due
    where (p.business_id, p.live, p.id) = (due.business_id, due.live, due.due_id)
    returning p.business_id, p.live, ${COLUMNS}`
}

interface EnquiryRow {
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

export interface PaymentFilter {
  status: UtilityState | undefined
  category: string | undefined
  range: Range
  /** A whole reference, or how the number or the name of the customer begins. */
  text: string | undefined
}

/** One page and one row more, newest first, and how many match. */
export function findPayments(
  db: Db,
  { businessId, live }: Tenant,
  filter: PaymentFilter,
  page: Page,
): Promise<Found<UtilityRow>> {
  return findPage<UtilityRow>(
    db,
    {
      table: sql`utility_payments`,
      columns: COLUMNS,
      tenant: { businessId, live },
      parts: partsOf(filter),
      order: sql`created_at desc, id desc`,
      search: undefined,
      sought: filter.text === undefined ? undefined : isFound(filter.text),
    },
    page,
  )
}

/** Older than a place, newest first. */
export function selectOlder(
  db: Db,
  { businessId, live }: Tenant,
  filter: PaymentFilter,
  after: Place | undefined,
  limit: number,
) {
  const isOlder = after
    ? sql`(created_at, id) < (${after.created_at}::timestamptz, ${after.id}::bigint)`
    : sql`true`
  const parts = partsOf(filter)
  const isSought = filter.text === undefined ? sql`true` : isFound(filter.text)
  const each = (parts.length > 0 ? parts : [sql`true`]).map(
    (part) => sql`(
      select ${COLUMNS} from utility_payments
      where business_id = ${businessId} and live = ${live}
        and ${part} and ${isSought} and ${isOlder}
      order by created_at desc, id desc limit ${limit})`,
  )
  return db.many<UtilityRow>`
    select * from (${each.reduce((left, right) => sql`${left} union all ${right}`)}) parts
    order by created_at desc, id desc limit ${limit}`
}

/**
 * The index begins with state and category: one that is not asked for is each of its values. What
 * is searched for is found by indexes of its own, and dates alone by that of the list.
 */
function partsOf({ status, category, range: { from, until }, text }: PaymentFilter): Sql[] {
  const dated = all([from && sql`created_at >= ${from}`, until && sql`created_at < ${until}`])
  const isListed = status !== undefined || category !== undefined
  if (text !== undefined) {
    const wanted = [
      status && sql`status = ${status}`,
      category === undefined ? undefined : sql`category = ${category}`,
    ]
    return [all([dated, ...wanted])]
  }
  if (!isListed) return from || until ? [dated] : []
  const states = status === undefined ? UTILITY_STATES : [status]
  const categories = category === undefined ? UTILITY_CATEGORIES : [category]
  return states.flatMap((state) =>
    categories.map((one) => sql`status = ${state} and category = ${one} and ${dated}`),
  )
}

/** The last character that there is: all that begins with a text comes before it and this. */
const LAST = '\u{10ffff}'

function isFound(text: string): Sql {
  const begins = (column: Sql, with_: string) =>
    sql`(${column} ~>=~ lower(${with_}) and ${column} ~<~ lower(${with_ + LAST}))`
  return sql`(reference = ${text} or payment_reference = ${text}
    or (customer_id ~>=~ ${text} and customer_id ~<~ ${text + LAST})
    or ${begins(sql`lower(customer_name)`, text)})`
}
