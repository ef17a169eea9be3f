import type { Db, Tx } from '../../db/database.ts'
import { keyCondition, takeDue } from '../../db/leases.ts'
import type { List } from '../../db/paginate.ts'
import { type Sql, sql, startsWith, startsWithAnyCase } from '../../db/sql.ts'
import { timelineEntry, withEntry } from '../../db/timeline.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import type { Range } from '../../lib/paging.ts'
import { type NewOrder, newOrders } from '../../provider-orders/statements.ts'
import { UTILITY_CATEGORIES } from '../../providers/connector/utilities.ts'
import { BILL_STATES, type BillState } from './schemas.ts'

export interface BillRow {
  id: number
  reference: string
  payment_reference: string
  fingerprint: Buffer
  status: BillState
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
  /** JSON text: a list of `{status, at, message}`. */
  timeline: string
  event_sequence: number
  completed_at: Date | null
  created_at: Date
  updated_at: Date
}

/** In the same order as `BillRow`. */
const COLUMNS = sql`id, reference, payment_reference, fingerprint, status, amount_minor,
  fee_minor, currency, customer_id, customer_name, package_slug, package_name, biller_slug,
  biller_name, category, channel, phone_number, email, account_number, provider, message,
  token_value, token_units, pins, timeline, event_sequence, completed_at, created_at,
  updated_at`

type NewUtilityRow = Omit<
  BillRow,
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
> & {
  /** The order that the request sends after the commit. */
  order: NewOrder
  now: Date
}

/**
 * Returns nothing if this `payment_reference` already belongs to a payment that has not failed.
 */
export function insertPayment(tx: Tx, { businessId, live }: Tenant, row: NewUtilityRow) {
  const { now } = row
  const timeline = JSON.stringify([{ status: 'Pending', at: now, message: null }])
  const order = newOrders('bill', sql`inserted`, row.reference, row.order)
  return tx.maybe<BillRow>`
    with inserted as (
    insert into utility_payments
      (business_id, live, id, reference, payment_reference, fingerprint, status, amount_minor,
       fee_minor, currency, customer_id, customer_name, package_slug, package_name, biller_slug,
       biller_name, category, channel, phone_number, email, account_number, provider,
       timeline, event_sequence, created_at, updated_at)
    values
      (${businessId}, ${live}, ${row.id}, ${row.reference}, ${row.payment_reference},
       ${row.fingerprint}, 'Pending', ${row.amount_minor}, ${row.fee_minor}, ${row.currency},
       ${row.customer_id}, ${row.customer_name}, ${row.package_slug}, ${row.package_name},
       ${row.biller_slug}, ${row.biller_name}, ${row.category}, ${row.channel},
       ${row.phone_number}, ${row.email}, ${row.account_number}, ${row.provider},
       ${timeline}, 1, ${now}, ${now})
    on conflict (business_id, live, payment_reference) where status <> 'Failed' do nothing
    returning business_id, live, ${COLUMNS}
    ), ordered as (${order})
    select ${COLUMNS} from inserted`
}

/** Stores which provider serves the customer, after the provider order has moved. */
export function updateProvider(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { provider }: { provider: string },
) {
  return tx.one<BillRow>`
    update utility_payments set provider = ${provider}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
}

export function selectUnlessFailed(db: Db, { businessId, live }: Tenant, paymentReference: string) {
  return db.maybe<BillRow>`
    select ${COLUMNS} from utility_payments
    where business_id = ${businessId} and live = ${live}
      and payment_reference = ${paymentReference} and status <> 'Failed'`
}

export function selectById(db: Db, { businessId, live }: Tenant, id: number) {
  return db.one<BillRow>`
    select ${COLUMNS} from utility_payments
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** Like `selectById`, but for a payment whose transaction might not have committed. */
export function selectIfStored(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<BillRow>`
    select ${COLUMNS} from utility_payments
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/**
 * Selects a payment by the caller's reference or ours. If there were several attempts, selects the
 * newest.
 */
export function selectNewest(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<BillRow>`
    select ${COLUMNS} from utility_payments
    where business_id = ${businessId} and live = ${live}
      and (reference = ${reference} or payment_reference = ${reference})
    order by status = 'Failed', created_at desc, id desc limit 1`
}

interface Change {
  from: readonly BillState[]
  to: BillState
  message: string
  token: { value: string; units: string } | null
  pins: string[]
  now: Date
}

/** Ends a payment if its state allows it. Of two concurrent calls, exactly one succeeds. */
export function updateMoved(tx: Tx, { businessId, live }: Tenant, id: number, change: Change) {
  const { from, to, message, token, pins, now } = change
  return tx.maybe<BillRow>`
    update utility_payments
    set status = ${to}, message = ${message}, token_value = ${token?.value ?? null},
      token_units = ${token?.units ?? null}, pins = ${pins}::text[],
      completed_at = ${now},
      timeline = ${withEntry(sql`timeline`, timelineEntry(to, message, now))},
      event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and status = any(${from}::text[])
    returning ${COLUMNS}`
}

interface EnquiryRow {
  reference: string
  package_slug: string
  customer_id: string
  customer_name: string
  expires_at: Date
}

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

/** Returns nothing if there was no enquiry, or if it has expired. */
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

export async function deleteExpired(db: Db, now: Date, only: number | null, limit: number) {
  const find = () => db.many<EnquiryKey>`
    select business_id, live, package_slug, customer_id from utility_enquiries
    where expires_at <= ${now}
      and (${only}::bigint is null or (business_id = ${only} and not live))
    order by expires_at limit ${limit}`
  const remove = (keys: EnquiryKey[]) => db.many`
    delete from utility_enquiries where (business_id, live, package_slug, customer_id) in (
      select business_id, live, package_slug, customer_id from utility_enquiries
      where ${isEnquiry(keys)} and expires_at <= ${now} for update skip locked)
    returning live`
  return (await takeDue(db, find, remove)).length
}

interface EnquiryKey {
  business_id: number
  live: boolean
  package_slug: string
  customer_id: string
}

const isEnquiry = keyCondition<EnquiryKey>({ package_slug: 'text', customer_id: 'text' })

export interface PaymentFilter {
  status: BillState | undefined
  category: string | undefined
  range: Range
  /** Matches a complete reference, or the start of the customer's number or name. */
  text: string | undefined
}

/** Lists the newest first. Searches use their own indexes. */
export const paymentList = (
  tenant: Tenant,
  { status, category, range, text }: PaymentFilter,
): List => ({
  table: sql`utility_payments`,
  columns: COLUMNS,
  tenant,
  range,
  indexed: [
    [sql`status`, status, BILL_STATES],
    [sql`category`, category, UTILITY_CATEGORIES],
  ],
  lookup: text === undefined ? undefined : isFound(text),
})

const isFound = (text: string): Sql[] => [
  sql`reference = ${text}`,
  sql`payment_reference = ${text}`,
  startsWith(sql`customer_id`, text),
  startsWithAnyCase(sql`customer_name`, text),
]
