import type pg from 'pg'
import type { Statement } from '../../db/database.ts'
import type { Claim } from '../../db/idempotency.ts'
import { QUEUED, TOLD } from '../../events/queue.ts'
import type { InvoiceRow } from './queries.ts'

/** One new invoice with all that is written beside it. */
export interface NewRow {
  invoice: InvoiceRow
  /** The record as JSON text: what is answered, what is repeated and what events tell. */
  record: string
  claim: Claim | undefined
  createdId: number
  createdReference: string
  /** Null for a Draft, as are the next two. */
  sentId: number | null
  sentReference: string | null
  mailId: number | null
}

/** Around the record, the bytes of a 201; the statement below puts them around it too. */
export const ANSWER_START = '{"status":"success","message":"Invoice created.","data":'
export const ANSWER_END = '}'

type Run = (statement: Statement) => Promise<pg.QueryResult>

/**
 * Writes many in one statement. Answers for each, in their order, whether it was written: one whose
 * Idempotency-Key was used before is not.
 */
export async function insertInvoices(run: Run, rows: readonly NewRow[]): Promise<boolean[]> {
  const result = await run({
    name: 'insert_invoices',
    text: STATEMENT,
    values: [JSON.stringify(rows.map(incomingOf))],
  })
  if (result.rows.length === rows.length) return rows.map(() => true)
  const written = new Set(result.rows.map(({ id }: { id: string }) => Number(id)))
  return rows.map(({ invoice }) => written.has(invoice.id))
}

/** What is written of each, by the names and types that `incoming` has for it. */
const INCOMING = `business_id bigint, live boolean, id bigint, reference text, token text,
  status text, customer_email text, customer_name text, customer_phone text, amount_minor bigint,
  currency text, note text, line_items text, due_date date, allow_partial_payment boolean,
  metadata text, next_step smallint, next_step_at timestamptz, created_at timestamptz, record text,
  key text, scope text, fingerprint bytea, expires_at timestamptz, created_id bigint,
  created_reference text, sent_id bigint, sent_reference text, mail_id bigint`

/** As one JSON text they cost the server two thirds of what an array for each column does. */
function incomingOf({ invoice, record, claim, ...ids }: NewRow) {
  return {
    business_id: invoice.business_id,
    live: invoice.live,
    id: invoice.id,
    reference: invoice.reference,
    token: invoice.token,
    status: invoice.status,
    customer_email: invoice.customer_email,
    customer_name: invoice.customer_name,
    customer_phone: invoice.customer_phone,
    amount_minor: `${invoice.amount_minor}`,
    currency: invoice.currency,
    note: invoice.note,
    line_items: invoice.line_items,
    due_date: invoice.due_date,
    allow_partial_payment: invoice.allow_partial_payment,
    metadata: invoice.metadata,
    next_step: invoice.next_step,
    next_step_at: invoice.next_step_at,
    created_at: invoice.created_at,
    record,
    key: claim?.key,
    scope: claim?.scope,
    fingerprint: claim && `\\x${claim.fingerprint.toString('hex')}`,
    expires_at: claim?.expiresAt,
    created_id: ids.createdId,
    created_reference: ids.createdReference,
    sent_id: ids.sentId,
    sent_reference: ids.sentReference,
    mail_id: ids.mailId,
  }
}

// Only what is new goes on from `fresh`: a key that was used before takes its invoice, events and
// mail out of the statement. The record is sent once and stored where it is needed.
const STATEMENT = `
with incoming as materialized (
  select * from json_to_recordset($1::json) as t (${INCOMING})
), claimed as (
  insert into idempotency_keys
    (business_id, live, scope, key, fingerprint, status, body, created_at, expires_at)
  select business_id, live, scope, key, fingerprint, 201,
    convert_to('${ANSWER_START}' || record || '${ANSWER_END}', 'UTF8'), created_at, expires_at
  from incoming where key is not null
  on conflict do nothing
  returning business_id, live, scope, key
), fresh as (
  select i.* from incoming i
    left join claimed c using (business_id, live, scope, key)
  where i.key is null or c.key is not null
), told as (
  insert into events
    (business_id, live, id, reference, type, object_type, object_id, sequence, data, created_at)
  select business_id, live, created_id, created_reference, 'invoice.created', 'invoice', id, 1,
    record, created_at
  from fresh
  union all
  select business_id, live, sent_id, sent_reference, 'invoice.sent', 'invoice', id, 2,
    record, created_at
  from fresh where sent_id is not null
  returning ${TOLD}
), ${QUEUED}, mailed as (
  insert into mails
    (business_id, live, id, kind, subject_type, subject_id, to_address, due_at, created_at)
  select business_id, live, mail_id, 'invoice', 'invoice', id, customer_email, created_at,
    created_at
  from fresh where mail_id is not null
), searched as (
  insert into invoice_texts_due (business_id, live, id)
  select business_id, live, id from fresh
)
insert into invoices
  (business_id, live, id, reference, token, status, customer_email, customer_name,
   customer_phone, amount_minor, currency, note, line_items, due_date, allow_partial_payment,
   metadata, next_step, next_step_at, email_status, sent_at, event_sequence, created_at,
   updated_at)
select business_id, live, id, reference, token, status, customer_email, customer_name,
  customer_phone, amount_minor, currency, note, line_items, due_date, allow_partial_payment,
  metadata, next_step, next_step_at, case when sent_id is not null then 'Queued' end,
  case when sent_id is not null then created_at end,
  case when sent_id is not null then 2 else 1 end, created_at, created_at
from fresh
returning id`
