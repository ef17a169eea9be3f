import type pg from 'pg'
import { plainArray, textArray, timeArray } from '../../db/arrays.ts'
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
  const result = await run({ name: 'insert_invoices', text: STATEMENT, values: valuesOf(rows) })
  if (result.rows.length === rows.length) return rows.map(() => true)
  const written = new Set(result.rows.map(({ id }: { id: string }) => Number(id)))
  return rows.map(({ invoice }) => written.has(invoice.id))
}

/** The columns of `incoming` with their types, in the order of the values. */
const COLUMNS = [
  'business_id bigint',
  'live boolean',
  'id bigint',
  'reference text',
  'token text',
  'status text',
  'customer_email text',
  'customer_name text',
  'customer_phone text',
  'amount_minor bigint',
  'currency text',
  'note text',
  'line_items text',
  'due_date date',
  'allow_partial_payment boolean',
  'metadata text',
  'next_step smallint',
  'next_step_at timestamptz',
  'created_at timestamptz',
  'record text',
  'key text',
  'scope text',
  'fingerprint bytea',
  'expires_at timestamptz',
  'created_id bigint',
  'created_reference text',
  'sent_id bigint',
  'sent_reference text',
  'mail_id bigint',
].map((column) => column.split(' ') as [name: string, type: string])

function valuesOf(rows: readonly NewRow[]): string[] {
  const plain = (pick: (row: NewRow) => number | bigint | boolean | null) =>
    plainArray(rows.map(pick))
  const text = (pick: (row: NewRow) => string | null) => textArray(rows.map(pick))
  const time = (pick: (row: NewRow) => Date | null) => timeArray(rows.map(pick))
  return [
    plain(({ invoice }) => invoice.business_id),
    plain(({ invoice }) => invoice.live),
    plain(({ invoice }) => invoice.id),
    text(({ invoice }) => invoice.reference),
    text(({ invoice }) => invoice.token),
    text(({ invoice }) => invoice.status),
    text(({ invoice }) => invoice.customer_email),
    text(({ invoice }) => invoice.customer_name),
    text(({ invoice }) => invoice.customer_phone),
    plain(({ invoice }) => invoice.amount_minor),
    text(({ invoice }) => invoice.currency),
    text(({ invoice }) => invoice.note),
    text(({ invoice }) => invoice.line_items),
    text(({ invoice }) => invoice.due_date),
    plain(({ invoice }) => invoice.allow_partial_payment),
    text(({ invoice }) => invoice.metadata),
    plain(({ invoice }) => invoice.next_step),
    time(({ invoice }) => invoice.next_step_at),
    time(({ invoice }) => invoice.created_at),
    text(({ record }) => record),
    text(({ claim }) => claim?.key ?? null),
    text(({ claim }) => claim?.scope ?? null),
    text(({ claim }) => (claim ? `\\x${claim.fingerprint.toString('hex')}` : null)),
    time(({ claim }) => claim?.expiresAt ?? null),
    plain(({ createdId }) => createdId),
    text(({ createdReference }) => createdReference),
    plain(({ sentId }) => sentId),
    text(({ sentReference }) => sentReference),
    plain(({ mailId }) => mailId),
  ]
}

// Only what is new goes on from `fresh`: a key that was used before takes its invoice, events and
// mail out of the statement. The record is sent once and stored where it is needed.
const STATEMENT = `
with incoming as materialized (
  select * from unnest(${COLUMNS.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ')})
    as t (${COLUMNS.map(([name]) => name).join(', ')})
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
