import type pg from 'pg'
import type { Statement } from '../../db/database.ts'
import type { Claim } from '../../db/idempotency.ts'
import { dataDigestIn, digested, eventDigestIn } from '../../events/digest.ts'
import { QUEUED, TOLD } from '../../events/queue.ts'
import { DIGITS_MIN, printNumber } from './number.ts'
import type { InvoiceRow } from './queries.ts'

/** One new invoice with all that is written beside it. */
export interface NewRow {
  invoice: InvoiceRow
  /** The record as JSON text, cut where its number goes: the answer, and what the events tell. */
  head: string
  tail: string
  claim: Claim | undefined
  createdId: number
  createdReference: string
  /** What the digest of the event covers before its data. */
  createdHead: string
  /** Of both events: their data is the same. */
  salt: string
  /** Null for a Draft, as are the next three. */
  sentId: number | null
  sentReference: string | null
  sentHead: string | null
  mailId: number | null
}

/** Around the record, the bytes of a 201; the statement below puts them around it too. */
export const ANSWER_START = '{"status":"success","message":"Invoice created.","data":'
export const ANSWER_END = '}'

type Run = (statement: Statement) => Promise<pg.QueryResult>

interface Written {
  id: string
  number: string
  number_prefix: string
}

/**
 * Writes many in one statement. Answers the number of each, in their order; undefined for an
 * invoice whose Idempotency-Key was used before, which is not written.
 */
export async function insertInvoices(
  run: Run,
  rows: readonly NewRow[],
): Promise<(string | undefined)[]> {
  const { rows: written } = await run({
    name: 'insert_invoices',
    text: STATEMENT,
    values: [JSON.stringify(rows.map(incomingOf))],
  })
  const numbers = new Map(
    (written as Written[]).map(({ id, number, number_prefix }) => [
      Number(id),
      printNumber(number_prefix, Number(number)),
    ]),
  )
  return rows.map(({ invoice }) => numbers.get(invoice.id))
}

/** What is written of each, by the names and types that `incoming` has for it. */
const INCOMING = `business_id bigint, live boolean, id bigint, reference text, token text,
  status text, customer_email text, customer_name text, customer_phone text, amount_minor bigint,
  currency text, note text, line_items text, due_date date, allow_partial_payment boolean,
  metadata text, next_step smallint, next_step_at timestamptz, created_at timestamptz,
  head text, tail text, key text, scope text, fingerprint bytea, expires_at timestamptz,
  created_id bigint, created_reference text, created_head text, sent_id bigint,
  sent_reference text, sent_head text, mail_id bigint, salt text`

/** As one JSON text they cost the server two thirds of what an array for each column does. */
function incomingOf({ invoice, head, tail, claim, ...ids }: NewRow) {
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
    head,
    tail,
    key: claim?.key,
    scope: claim?.scope,
    fingerprint: claim && `\\x${claim.fingerprint.toString('hex')}`,
    expires_at: claim?.expiresAt,
    created_id: ids.createdId,
    created_reference: ids.createdReference,
    created_head: ids.createdHead,
    sent_id: ids.sentId,
    sent_reference: ids.sentReference,
    sent_head: ids.sentHead,
    mail_id: ids.mailId,
    salt: ids.salt,
  }
}

// Only what is new goes on from `fresh`: an invoice whose key was used before takes no number. A
// process that uses one of these keys at this very moment makes the insert into `claimed` fail, and
// with it the whole statement, so that no number is lost. The record is sent once, and stored with
// its number where it is needed.
const STATEMENT = `
with incoming as materialized (
  select * from json_to_recordset($1::json) as t (${INCOMING})
), fresh as materialized (
  select i.*, row_number() over (partition by i.business_id, i.live order by i.id desc) as place
  from incoming i left join lateral (
    select true as is_used from idempotency_keys k
    where k.business_id = i.business_id and k.live = i.live and k.scope = i.scope and k.key = i.key
    limit 1) used on true
  where used.is_used is null
), series as (
  insert into invoice_series as s (business_id, live, next_number)
  select business_id, live, 1 + max(place) from fresh
  group by business_id, live order by business_id, live
  on conflict (business_id, live) do update
    set next_number = s.next_number + excluded.next_number - 1
  returning business_id, live, prefix, next_number
), numbered as materialized (
  select fresh.*, prefix, next_number - place as number, head || prefix
    || lpad((next_number - place)::text,
      greatest(${DIGITS_MIN}, length((next_number - place)::text)), '0') || tail as record
  from fresh join series using (business_id, live)
), claimed as (
  insert into idempotency_keys
    (business_id, live, scope, key, fingerprint, status, body, created_at, expires_at)
  select business_id, live, scope, key, fingerprint, 201,
    convert_to('${ANSWER_START}' || record || '${ANSWER_END}', 'UTF8'), created_at, expires_at
  from numbered where key is not null
), told as (
  insert into events
    (business_id, live, id, reference, type, object_type, object_id, sequence, data, created_at,
     salt)
  select business_id, live, created_id, created_reference, 'invoice.created', 'invoice', id, 1,
    record, created_at, salt
  from numbered
  union all
  select business_id, live, sent_id, sent_reference, 'invoice.sent', 'invoice', id, 2,
    record, created_at, salt
  from numbered where sent_id is not null
  returning ${TOLD}
), hashed as (
  select business_id, live, created_id, created_head, sent_id, sent_head,
    ${dataDigestIn('salt', 'record')} as data_digest
  from numbered
), ${QUEUED}, ${digested(`
  select business_id, live, created_id as id,
    ${eventDigestIn('created_head', 'data_digest')} as digest
  from hashed
  union all
  select business_id, live, sent_id, ${eventDigestIn('sent_head', 'data_digest')}
  from hashed where sent_id is not null`)}, mailed as (
  insert into mails
    (business_id, live, id, kind, subject_type, subject_id, to_address, due_at, created_at)
  select business_id, live, mail_id, 'invoice', 'invoice', id, customer_email, created_at,
    created_at
  from numbered where mail_id is not null
), searched as (
  insert into invoice_texts_due (business_id, live, id)
  select business_id, live, id from numbered
)
insert into invoices
  (business_id, live, id, number, number_prefix, reference, token, status, customer_email,
   customer_name, customer_phone, amount_minor, currency, note, line_items, due_date,
   allow_partial_payment, metadata, next_step, next_step_at, email_status, sent_at, event_sequence,
   created_at, updated_at)
select business_id, live, id, number, prefix, reference, token, status, customer_email,
  customer_name, customer_phone, amount_minor, currency, note, line_items, due_date,
  allow_partial_payment, metadata, next_step, next_step_at,
  case when sent_id is not null then 'Queued' end,
  case when sent_id is not null then created_at end,
  case when sent_id is not null then 2 else 1 end, created_at, created_at
from numbered
returning id, number, number_prefix`
