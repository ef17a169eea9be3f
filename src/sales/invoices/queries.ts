import { readInBatches } from '../../db/batch.ts'
import type { Db, Tx } from '../../db/database.ts'
import { findFairly, isOneOf, type RowKey, takeDue } from '../../db/leases.ts'
import { plainArray, textArray } from '../../db/pg-arrays.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/caller.ts'
import { DEFAULT_PREFIX } from '../../lib/invoice-number.ts'
import type { Minor } from '../../lib/money.ts'
import { type ReceivedJson, receivedColumn } from '../../payments/attempts/read.ts'
import type { DueStep, Step } from './reminders.ts'
import type { InvoiceState } from './schemas.ts'

export interface InvoiceRow {
  business_id: number
  live: boolean
  id: number
  /** Both are null if the number is the id (lib/invoice-number.ts). */
  number: number | null
  number_prefix: string | null
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
  /** `YYYY-MM-DD`, a day in the business’s time zone. */
  due_date: string | null
  allow_partial_payment: boolean
  metadata: string | null
  email_status: 'Queued' | 'Sent' | 'Failed' | 'Captured' | null
  sent_at: Date | null
  viewed_at: Date | null
  paid_at: Date | null
  voided_at: Date | null
  /** When the last reminder was sent, whether manually or by the schedule. */
  reminded_at: Date | null
  /** The position in the schedule (reminders.ts). */
  next_step: number | null
  next_step_at: Date | null
  event_sequence: number
  created_at: Date
  updated_at: Date
}

export const COLUMNS = sql`business_id, live, id, number, number_prefix, reference, token, status,
  customer_email, customer_name, customer_phone, amount_minor, paid_minor, currency, note,
  line_items, due_date, allow_partial_payment, metadata, email_status, sent_at,
  viewed_at, paid_at, voided_at, reminded_at, next_step, next_step_at, event_sequence, created_at,
  updated_at`

export const INVOICE_PURPOSE = 'invoice'

export type WholeRow = InvoiceRow & { received: ReceivedJson[] | null }

/**
 * The columns of `WholeRow`, from a table or subquery named `table`. Doesn’t look for the payments
 * of a Draft or a Sent invoice, which has none. A Void one may have received a late payment.
 */
export const wholeColumns = (table: Sql): Sql => sql`${COLUMNS},
  case when ${table}.status not in ('Draft', 'Sent')
    then ${receivedColumn(INVOICE_PURPOSE, table)} end as received`

export function selectInvoice(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<WholeRow>`
    select ${wholeColumns(sql`invoices`)} from invoices
    where business_id = ${businessId} and live = ${live} and reference = ${reference}`
}

/** Like `selectInvoice`, but simultaneous calls share one statement. */
export const invoicesByReference = readInBatches<{ tenant: Tenant; reference: string }, WholeRow>(
  ({ tenant }) => tenant.businessId,
  (db, items) => db.many`
    select n, ${wholeColumns(sql`invoices`)}
    from unnest(
      ${plainArray(items.map(({ tenant }) => tenant.businessId))}::bigint[],
      ${plainArray(items.map(({ tenant }) => tenant.live))}::boolean[],
      ${textArray(items.map(({ reference }) => reference))}::text[]
    ) with ordinality as i (business_id, live, reference, n)
    join invoices using (business_id, live, reference)`,
)

export function selectInvoiceById(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<InvoiceRow>`
    select ${COLUMNS} from invoices
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** Makes a Draft Sent. An invoice that was already sent keeps its state, and is emailed again. */
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
    set status = 'Void', voided_at = ${now}, next_step_at = null,
      event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
      and status = any(${from}::text[])
    returning ${COLUMNS}`
}

export function updateStep(tx: Tx, { businessId, live }: Tenant, id: number, step: Step) {
  return tx.run`
    update invoices set next_step = ${step.next_step}, next_step_at = ${step.next_step_at}
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** Records a manual reminder, unless there has been one since `before`. */
export function updateReminded(
  tx: Tx,
  { businessId, live }: Tenant,
  reference: string,
  { from, now, before }: { from: readonly InvoiceState[]; now: Date; before: Date },
) {
  return tx.maybe<InvoiceRow>`
    update invoices set reminded_at = ${now}
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
      and status = any(${from}::text[]) and (reminded_at is null or reminded_at <= ${before})
    returning ${COLUMNS}`
}

/** Records the payer’s first view. Returns undefined for later views. */
export function updateViewed(tx: Tx, { businessId, live }: Tenant, id: number, now: Date) {
  return tx.maybe<InvoiceRow>`
    update invoices
    set viewed_at = ${now}, event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id} and viewed_at is null
    returning ${COLUMNS}`
}

interface Paid {
  amount_minor: Minor
  from: readonly InvoiceState[]
  now: Date
  /** When the invoice was paid, if that was before now. */
  paidAt?: Date
}

/**
 * Adds a received amount, up to the amount due, and returns how much of it was added. Returns
 * undefined if nothing is due: if two payments arrive at once, the second finds the invoice Paid.
 */
export function updatePaid(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { amount_minor, from, now, paidAt = now }: Paid,
) {
  return tx.maybe<InvoiceRow & { applied_minor: Minor }>`
    update invoices i
    set paid_minor = least(i.amount_minor, i.paid_minor + ${amount_minor}::bigint),
      status = case when i.paid_minor + ${amount_minor}::bigint >= i.amount_minor then 'Paid'
        else 'PartiallyPaid' end,
      paid_at = case when i.paid_minor + ${amount_minor}::bigint >= i.amount_minor
        then ${paidAt}::timestamptz end,
      next_step_at = case when i.paid_minor + ${amount_minor}::bigint < i.amount_minor
        then i.next_step_at end,
      event_sequence = i.event_sequence + 1, updated_at = ${now}
    from (
      select id as old_id, paid_minor as before_minor from invoices
      where business_id = ${businessId} and live = ${live} and id = ${id}
        and status = any(${from}::text[])
      for update
    ) old
    where i.business_id = ${businessId} and i.live = ${live} and i.id = old.old_id
    returning ${COLUMNS}, i.paid_minor - old.before_minor as applied_minor`
}

/** Locks an open invoice, provided that the amount paid so far is still the same. */
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
    for no key update`
  return locked !== undefined
}

export function lockInvoice(tx: Tx, { businessId, live }: Tenant, reference: string) {
  return tx.maybe<InvoiceRow>`
    select ${COLUMNS} from invoices
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
    for update`
}

export async function lockById(tx: Tx, { businessId, live }: Tenant, id: number): Promise<void> {
  await tx.run`
    select 1 from invoices where business_id = ${businessId} and live = ${live} and id = ${id}
    for update`
}

/** The columns that an update can change. */
export type Content = Pick<
  InvoiceRow,
  | 'customer_email'
  | 'customer_name'
  | 'customer_phone'
  | 'amount_minor'
  | 'currency'
  | 'note'
  | 'line_items'
  | 'due_date'
  | 'allow_partial_payment'
  | 'metadata'
>

/** The caller must have locked the invoice with `lockInvoice`. */
export function updateContent(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  content: Content & Step,
  now: Date,
) {
  return tx.one<InvoiceRow>`
    update invoices
    set customer_email = ${content.customer_email}, customer_name = ${content.customer_name},
      customer_phone = ${content.customer_phone}, amount_minor = ${content.amount_minor},
      currency = ${content.currency}, note = ${content.note}, line_items = ${content.line_items},
      due_date = ${content.due_date}::date, metadata = ${content.metadata},
      allow_partial_payment = ${content.allow_partial_payment},
      next_step = ${content.next_step}, next_step_at = ${content.next_step_at},
      updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
}

/** Finds an invoice by its number. `prefix` must be in lower case. */
export function selectIdOfNumber(
  db: Db,
  { businessId, live }: Tenant,
  { prefix, number }: { prefix: string; number: number },
) {
  return db.maybe<{ id: number }>`
    select id from invoices
    where business_id = ${businessId} and live = ${live} and number = ${number}
      and lower(number_prefix) = ${prefix}
    union all
    select id from invoices
    where business_id = ${businessId} and live = ${live} and id = ${number} and number is null
      and ${prefix} = lower(${DEFAULT_PREFIX})
    limit 1`
}

/** Claims the invoices that have a step due, and returns the time zone of each one’s business. */
export function claimDue(tx: Tx, db: Db, now: Date, only: number | null, limit: number) {
  const find = (isOther: Sql) => tx.many<RowKey>`
    select business_id, live, id from invoices
    where next_step_at <= ${now} and ${isOther}
      and (${only}::bigint is null or (business_id = ${only} and not live))
    order by next_step_at limit ${limit}`
  const claim = (keys: RowKey[]) => tx.many<InvoiceRow & { time_zone: string }>`
    select ${COLUMNS}, (
        select time_zone from business_settings s
        where s.business_id = invoices.business_id and s.live = invoices.live) as time_zone
    from invoices
    where ${isOneOf(keys)} and next_step_at <= ${now}
    order by next_step_at for update skip locked`
  return takeDue(tx, () => findFairly(db, 'invoices', limit, find), claim)
}

/**
 * Returns the updated invoices, in no particular order. The caller must have claimed them with
 * `claimDue`.
 */
export function updateDueSteps(
  tx: Tx,
  invoices: readonly { row: InvoiceRow; taken: DueStep }[],
  now: Date,
) {
  const rows = invoices.map(({ row }) => row)
  const steps = invoices.map(({ taken }) => taken)
  return tx.many<InvoiceRow>`
    update invoices
    set next_step = step, next_step_at = step_at,
      reminded_at = case when remind then ${now}::timestamptz else reminded_at end,
      event_sequence = event_sequence + overdue::integer,
      updated_at = case when overdue then ${now}::timestamptz else updated_at end
    from unnest(
      ${rows.map((row) => row.business_id)}::bigint[],
      ${rows.map((row) => row.live)}::boolean[],
      ${rows.map((row) => row.id)}::bigint[],
      ${steps.map((taken) => taken.next_step)}::smallint[],
      ${steps.map((taken) => taken.next_step_at)}::timestamptz[],
      ${steps.map((taken) => taken.remind)}::boolean[],
      ${steps.map((taken) => taken.overdue)}::boolean[]
    ) as taken (of_business, of_live, of_id, step, step_at, remind, overdue)
    where business_id = of_business and live = of_live and id = of_id
    returning ${COLUMNS}`
}

interface EmailStatus extends Tenant {
  subjectId: number
  status: string | null
}

/** Locks invoices, always in the same order to prevent deadlocks. */
export function lockInvoices(
  tx: Tx,
  mails: readonly { business_id: number; live: boolean; subject_id: number }[],
) {
  return tx.run`
    select 1 from invoices
    where (business_id, live, id) in (select * from unnest(
      ${mails.map((mail) => mail.business_id)}::bigint[],
      ${mails.map((mail) => mail.live)}::boolean[],
      ${mails.map((mail) => mail.subject_id)}::bigint[]))
    order by business_id, live, id for update`
}

export function updateEmailStatus(tx: Tx, standings: readonly EmailStatus[]) {
  return tx.run`
    update invoices i set email_status = s.status
    from unnest(
      ${standings.map(({ businessId }) => businessId)}::bigint[],
      ${standings.map(({ live }) => live)}::boolean[],
      ${standings.map(({ subjectId }) => subjectId)}::bigint[],
      ${standings.map(({ status }) => status)}::text[]
    ) as s (business_id, live, id, status)
    where i.business_id = s.business_id and i.live = s.live and i.id = s.id
      and i.email_status is distinct from s.status`
}
