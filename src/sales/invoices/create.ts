import type pg from 'pg'
import type { Static } from 'typebox'
import { publicProfileOf } from '../../business/account/branding.ts'
import { openBatch } from '../../db/batch.ts'
import type { Db, Statement, Tx } from '../../db/database.ts'
import { openWriter } from '../../db/dedicated-connection.ts'
import {
  CLAIM_COLUMNS,
  type Claim,
  claimRows,
  claimValues,
  freshRows,
  once,
  onceInBatch,
  type StoredResponse,
} from '../../db/idempotency.ts'
import { textArray } from '../../db/pg-arrays.ts'
import type { Deps } from '../../deps.ts'
import { insertingEvents, newEventReference } from '../../events/append.ts'
import { dataDigestIn, eventDigestIn, eventHead, newSalt } from '../../events/digest.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { parseDay } from '../../lib/dates.ts'
import { DIGITS_MIN, printNumber } from '../../lib/invoice-number.ts'
import { isCurrency, type Minor, parseAmount, printMinor } from '../../lib/money.ts'
import { invalid } from '../../lib/problem.ts'
import { serializer } from '../../lib/serializer.ts'
import { newReference, newTokenSecret } from '../../lib/tokens.ts'
import { MAIL_JOB } from '../../mail/queue.ts'
import { isSupportedCurrency } from '../../providers/routing.ts'
import type { InvoiceRow } from './queries.ts'
import { invoiceRecord, type Line, printLines } from './record.ts'
import { firstStep } from './reminders.ts'
import { InvoiceRecord, type NewInvoice, type OneInvoice } from './schemas.ts'

type CreateDeps = Pick<Deps, 'db' | 'ids' | 'publicUrl' | 'providers' | 'nudge'>

/** The bytes of a response, built exactly as the schema would serialise it. */
type Created = StoredResponse<Static<typeof OneInvoice>>

/**
 * Creates invoices. An invoice is sent immediately, unless it is meant to stay a Draft; a job sends
 * its email.
 *
 * Requests that arrive while a statement is running are written together by the next one. For each
 * request, this statement writes the claim to its Idempotency-Key, the invoice, events, email and
 * stored response, all of which are durable before any request gets a response. Every value in a
 * response except the number is known before it is written, so the statement returns only the
 * numbers that it assigned and which keys were new.
 */
export function invoiceCreator(deps: CreateDeps, write = batchedWrite(deps)) {
  const { db } = deps

  return async (caller: Caller, request: NewInvoice, claim?: Claim): Promise<Created> => {
    const row = await rowOf(deps, caller, request, claim)
    const answer = await (isSupportedCurrency(request.currency)
      ? batched(row, claim)
      : checked(caller, row, claim))
    if (!answer.replayed) deps.nudge(MAIL_JOB)
    return answer
  }

  function batched(row: NewRow, claim?: Claim): Promise<Created> {
    return onceInBatch(db, claim, {
      write: async () => {
        const number = await write(row)
        return number === undefined ? undefined : answerOf(row, number)
      },
      alone: (tx) => addAlone(tx, row),
    })
  }

  /**
   * Runs outside the batch, because whether the business accepts the currency has to be checked
   * after the claim.
   */
  function checked(caller: Caller, row: NewRow, claim?: Claim): Promise<Created> {
    return once(db, claim, async (tx) => {
      await requirePayable(tx, caller, row.invoice.currency)
      return addAlone(tx, row)
    })
  }
}

async function addAlone(tx: Tx, row: NewRow): Promise<Created> {
  const [number] = await insertInvoices(
    (statement) => tx.query(statement),
    [{ ...row, claim: undefined }],
  )
  return answerOf(row, number)
}

const answerOf = ({ head, tail }: NewRow, number: string | undefined): Created => ({
  status: 201,
  body: ANSWER_START + head + number + tail + ANSWER_END,
})

/** Returns the invoice number, or undefined if the Idempotency-Key has been used before. */
type Write = (row: NewRow) => Promise<string | undefined>

function batchedWrite({ db }: CreateDeps): Write {
  const writer = openWriter(db)
  const batch = openBatch<NewRow, string | undefined>({
    db,
    businessOf: ({ invoice }) => invoice.business_id,
    write: (rows) => insertInvoices((statement) => writer.query(statement), rows),
    bytesOf: ({ head, tail }) => head.length + tail.length,
  })
  return batch.add
}

const toJson = serializer(InvoiceRecord)

/** Builds everything that is written for one request. Throws 400 naming conflicting fields. */
async function rowOf(
  { ids, publicUrl, providers }: CreateDeps,
  caller: Caller,
  request: NewInvoice,
  claim: Claim | undefined,
): Promise<NewRow> {
  const id = ids.take() ?? (await ids.next())
  const invoice = newInvoice(id, caller, request)
  const { timeZone, now } = caller
  const isSent = invoice.status === 'Sent'
  const channels = await providers.channels(caller)
  const record = invoiceRecord(invoice, { publicUrl, channels, timeZone, now, payments: [] })
  const head = (type: string, sequence: number, eventId: number, reference: string) =>
    eventHead({
      businessId: invoice.business_id,
      live: invoice.live,
      id: eventId,
      reference,
      type,
      objectType: 'invoice',
      objectId: id,
      sequence,
      at: now,
    })
  const createdId = ids.take() ?? (await ids.next())
  const createdReference = newEventReference(now)
  const sentId = isSent ? (ids.take() ?? (await ids.next())) : null
  const sentReference = isSent ? newEventReference(now) : null
  return {
    invoice,
    ...cut(toJson({ ...record, invoiceNumber: '' })),
    claim,
    salt: newSalt(),
    createdId,
    createdReference,
    createdHead: head('invoice.created', 1, createdId, createdReference),
    sentId,
    sentReference,
    sentHead: sentId && sentReference ? head('invoice.sent', 2, sentId, sentReference) : null,
    mailId: isSent ? (ids.take() ?? (await ids.next())) : null,
  }
}

const NUMBER_FIELD = '"invoiceNumber":"'

/** Only text from the caller could contain a second match, and it all comes after the number. */
function cut(json: string): Pick<NewRow, 'head' | 'tail'> {
  const at = json.indexOf(NUMBER_FIELD) + NUMBER_FIELD.length
  return { head: json.slice(0, at), tail: json.slice(at) }
}

export function newInvoice(id: number, caller: Caller, request: NewInvoice): InvoiceRow {
  const { currency, sendImmediately, lineItems } = request
  if (!isCurrency(currency)) throw invalid({ currency: ['must be an ISO 4217 currency code'] })
  const dueDate =
    request.dueDate === undefined
      ? undefined
      : parseDay(request.dueDate, caller.timeZone, 'dueDate')
  const amount_minor = parseAmount(request.amount, currency)
  const lines = lineItems && linesOf(lineItems, currency, amount_minor)
  return {
    business_id: caller.businessId,
    live: caller.live,
    id,
    // The statement that inserts the row assigns the number.
    number: null,
    number_prefix: null,
    reference: newReference('INV'),
    token: newTokenSecret(),
    status: sendImmediately ? 'Sent' : 'Draft',
    customer_email: request.customerEmail,
    customer_name: request.customerName ?? null,
    customer_phone: request.customerPhone ?? null,
    amount_minor,
    paid_minor: 0n,
    currency,
    note: request.note ?? null,
    line_items: lines ? printLines(lines) : null,
    due_date: dueDate ?? null,
    allow_partial_payment: request.allowPartialPayment,
    metadata: request.metadata === undefined ? null : JSON.stringify(request.metadata),
    email_status: sendImmediately ? 'Queued' : null,
    sent_at: sendImmediately ? caller.now : null,
    viewed_at: null,
    paid_at: null,
    voided_at: null,
    reminded_at: null,
    ...stepOf(caller, { sendImmediately, dueDate }),
    event_sequence: sendImmediately ? 2 : 1,
    created_at: caller.now,
    updated_at: caller.now,
  }
}

type Stepped = { sendImmediately: boolean; dueDate: string | undefined }

/** A Draft has no schedule, because it has not been sent yet. */
const stepOf = ({ timeZone, now }: Caller, { sendImmediately, dueDate }: Stepped) =>
  firstStep({ dueDate: sendImmediately && dueDate ? dueDate : null, timeZone }, now)

function linesOf(
  items: NonNullable<NewInvoice['lineItems']>,
  currency: string,
  amount_minor: Minor,
): Line[] {
  const lines = items.map(({ name, quantity, unitAmount }, i) => {
    const field = `lineItems.${i}.unitAmount`
    const unit_minor = parseAmount(unitAmount, currency, { field, zero: true })
    return { name, quantity, unit_minor, amount_minor: unit_minor * BigInt(quantity) }
  })
  const sum_minor = lines.reduce((sum, line) => sum + line.amount_minor, 0n)
  if (sum_minor !== amount_minor) {
    const sum = printMinor(sum_minor, currency)
    throw invalid({ lineItems: [`add up to ${sum}, but must equal amount`] })
  }
  return lines
}

interface NewRow {
  invoice: InvoiceRow
  /**
   * The record as JSON text, split at its number. Used in the response and in the data of both
   * events.
   */
  head: string
  tail: string
  claim: Claim | undefined
  createdId: number
  createdReference: string
  /** The part of the digest’s input before the data. */
  createdHead: string
  /** Shared by both events, because their data is the same. */
  salt: string
  /** Null for a Draft, as are the next three. */
  sentId: number | null
  sentReference: string | null
  sentHead: string | null
  mailId: number | null
}

/** The bytes around the record in a 201 response. The statement below also stores them. */
const ANSWER_START = '{"status":"success","message":"Invoice created.","data":'
const ANSWER_END = '}'

type Run = (statement: Statement) => Promise<pg.QueryResult>

interface Written {
  id: number
  number: number
  number_prefix: string
}

/**
 * Writes many invoices in one statement. Returns their numbers in order. An undefined number means
 * that the Idempotency-Key has been used before and the invoice was not written.
 */
async function insertInvoices(run: Run, rows: readonly NewRow[]): Promise<(string | undefined)[]> {
  const { rows: written } = await run({
    name: 'insert_invoices',
    text: STATEMENT,
    values: [JSON.stringify(rows.map(incomingOf)), textArray(rows.map(({ tail }) => tail))],
  })
  const numbers = new Map(
    (written as Written[]).map(({ id, number, number_prefix }) => [
      id,
      printNumber(number_prefix, number),
    ]),
  )
  return rows.map(({ invoice }) => numbers.get(invoice.id))
}

/** The names and types of the values in each row; `n` is its place in the batch, from 1. */
const INCOMING = `n integer, business_id bigint, live boolean, id bigint, reference text,
  token text, status text, customer_email text, customer_name text, customer_phone text,
  amount_minor bigint, currency text, note text, line_items text, due_date date,
  allow_partial_payment boolean, metadata text, next_step smallint, next_step_at timestamptz,
  created_at timestamptz, head text, ${CLAIM_COLUMNS},
  created_id bigint, created_reference text, created_head text, sent_id bigint,
  sent_reference text, sent_head text, mail_id bigint, salt text`

/**
 * Passing one JSON string costs the database server a third less than one array per column. Only
 * `tail` has its own array, because escaping JSON inside JSON would take a quarter longer.
 */
function incomingOf({ invoice, head, claim, ...ids }: NewRow, i: number) {
  return {
    n: i + 1,
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
    ...claimValues(claim),
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

// After `fresh`, only new requests continue: if a key has been used before, its invoice doesn’t use
// up a number. If another process is using one of these keys at the same time, the insert into
// `claimed` fails, and with it the whole statement, so no number is lost. The record is sent once,
// and its number is inserted wherever the record is stored.
const STATEMENT = `
with incoming as materialized (
  select *, ($2::text[])[n] as tail from json_to_recordset($1::json) as t (${INCOMING})
), fresh as materialized (${freshRows(
  'i.*, row_number() over (partition by i.business_id, i.live order by i.id desc) as place',
)}
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
), claimed as (${claimRows('numbered', '201', `'${ANSWER_START}' || record || '${ANSWER_END}'`)}
), hashed as (
  select business_id, live, created_id, created_head, sent_id, sent_head,
    ${dataDigestIn('salt', 'record')} as data_digest
  from numbered
), ${insertingEvents(
  `select business_id, live, created_id, created_reference, 'invoice.created', 'invoice', id, 1,
    record, created_at, salt
  from numbered
  union all
  select business_id, live, sent_id, sent_reference, 'invoice.sent', 'invoice', id, 2,
    record, created_at, salt
  from numbered where sent_id is not null`,
  `select business_id, live, created_id as id,
    ${eventDigestIn('created_head', 'data_digest')} as digest
  from hashed
  union all
  select business_id, live, sent_id, ${eventDigestIn('sent_head', 'data_digest')}
  from hashed where sent_id is not null`,
)}, mailed as (
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

/**
 * Throws 400 naming `currency`, unless a channel can accept the currency or the business has set up
 * instructions for direct payment (`manualPayment`).
 */
export async function requirePayable(db: Db, tenant: Tenant, currency: string): Promise<void> {
  if (isSupportedCurrency(currency)) return
  const { manualPayment } = await publicProfileOf(db, tenant)
  if (manualPayment) return
  throw invalid({
    currency: [
      `must be NGN: no channel can take ${currency}, and the business has not set manualPayment`,
    ],
  })
}
