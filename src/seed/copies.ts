import type { Db, Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import { sql } from '../db/sql.ts'
import { newEventReference } from '../events/append.ts'
import { EVENT_DIGEST } from '../events/digest.ts'
import { type Move, postJournals, type TenantJournal } from '../ledger/ledger.ts'
import type { Tenant } from '../lib/caller.ts'
import { invoiceNumber } from '../lib/invoice-number.ts'
import type { Minor } from '../lib/money.ts'
import { newReference, newTokenSecret, printToken } from '../lib/tokens.ts'
import { walletFunded } from '../money/wallet/service.ts'
import { INVOICE_PURPOSE, type InvoiceRow } from '../sales/invoices/service.ts'
import type { Customer } from './cast.ts'

/**
 * Copies invoices with all their related records, by the hundred thousand. Rows that the services
 * have written are read as JSON, and everything that must differ in a copy is replaced in the JSON
 * text: ids, references, secrets and the customer. All dates are moved by the same number of days.
 * A copy is therefore as correct as its original, and new columns and fields need no change here.
 */

const DAY_MS = 24 * 3_600_000

/** The order in which the tables refer to each other. */
const TABLES = ['invoices', 'transactions', 'virtual_accounts', 'deposits', 'mails'] as const
type Table = (typeof TABLES)[number] | 'events'

/** A settled invoice that is ready to be copied. */
export interface Original {
  createdMs: number
  /** When it last changed. */
  endMs: number
  /** The number of ids that a copy needs. */
  idCount: number
  slots: Slot[]
  texts: { table: Table; strings: string[]; places: number[] }[]
  payments: Payment[]
}

/** Returns what replaces a slot, given the replacements for the previous slots. */
type Slot = (copy: Copy, before: readonly string[]) => string

interface Payment {
  id: number
  reference: number
  settledMs: number
  currency: string
  funded_minor: Minor
  moves: Move[]
}

export interface Copy {
  original: Original
  days: number
  number: number
  prefix: string
  customer: Customer
  /** As many new ids as the original uses. */
  ids: readonly number[]
}

interface Row {
  id: number
  invoice_id: number
  table: Table
  text: string
}

/** Finds the originals among the invoices with these numbers. */
export async function readOriginals(
  db: Db,
  tenant: Tenant,
  { from, to }: { from: number; to: number },
): Promise<Original[]> {
  const { businessId, live } = tenant
  const rows = await db.many<Row>`
    with i as (
      select * from invoices
      where business_id = ${businessId} and live = ${live}
        and number >= ${from} and number < ${to} and next_step_at is null and metadata is null
    ), t as (
      select t.*, i.id as invoice_id from i
      join transactions t on t.business_id = ${businessId} and t.live = ${live}
        and t.purpose = ${INVOICE_PURPOSE} and t.purpose_id = i.id
    ), v as (
      select v.*, t.invoice_id from t
      join virtual_accounts v on v.business_id = ${businessId} and v.live = ${live}
        and v.transaction_id = t.id
    ), object as (
      select id, id as invoice_id from i union all
      select id, invoice_id from t union all
      select id, invoice_id from v
    )
    select id, id as invoice_id, 'invoices' as table, to_jsonb(i)::text as text from i
    union all
    select id, invoice_id, 'transactions', (to_jsonb(t) - 'invoice_id')::text from t
    union all
    select id, invoice_id, 'virtual_accounts', (to_jsonb(v) - 'invoice_id')::text from v
    union all
    select d.id, v.invoice_id, 'deposits', to_jsonb(d)::text from v
    join deposits d on d.business_id = ${businessId} and d.live = ${live}
      and d.virtual_account_id = v.id
    union all
    select m.id, o.invoice_id, 'mails', to_jsonb(m)::text from object o
    join mails m on m.business_id = ${businessId} and m.live = ${live} and m.subject_id = o.id
    union all
    select e.id, o.invoice_id, 'events', to_jsonb(e)::text from object o
    join events e on e.business_id = ${businessId} and e.live = ${live} and e.object_id = o.id`
  const payments = rows.filter(({ table }) => table === 'transactions')
  const settled = await selectSettled(
    db,
    tenant,
    payments.map(({ id }) => id),
  )
  return [...Map.groupBy(rows, ({ invoice_id }) => invoice_id).values()]
    .map((some) => originalOf(tenant, some, settled))
    .sort((a, b) => a.createdMs - b.createdMs)
}

interface Settled {
  id: number
  created_at: Date
  currency: string
  debit: Move['debit']['kind']
  debit_subject: number
  credit: Move['credit']['kind']
  credit_subject: number
  amount_minor: Minor
  kind: string
}

/** Selects each payment's journal, by the payment's id. */
async function selectSettled(
  db: Db,
  { businessId, live }: Tenant,
  payments: readonly number[],
): Promise<Map<number, Settled[]>> {
  const moves = await db.many<Settled>`
    select j.cause_id as id, j.created_at, t.currency, t.amount_minor,
      t.kind, d.kind as debit, d.subject_id as debit_subject, c.kind as credit,
      c.subject_id as credit_subject
    from ledger_journals j
    join ledger_transfers t
      on (t.business_id, t.live, t.journal_id) = (j.business_id, j.live, j.id)
    join ledger_accounts d
      on (d.business_id, d.live, d.id) = (t.business_id, t.live, t.debit_account_id)
    join ledger_accounts c
      on (c.business_id, c.live, c.id) = (t.business_id, t.live, t.credit_account_id)
    where j.business_id = ${businessId} and j.live = ${live} and j.cause_type = 'transaction'
      and j.verb = 'settle' and j.cause_id = any(${payments}::bigint[])
    order by t.id`
  return Map.groupBy(moves, ({ id }) => id)
}

/** The columns to inspect, in any of the tables. */
interface Stored {
  id: number
  reference?: string
  provider_reference?: string
  account_number?: string
  created_at: string
}

function originalOf(tenant: Tenant, rows: Row[], settled: Map<number, Settled[]>): Original {
  const stored = rows.map(({ table, text }) => ({ table, text, row: JSON.parse(text) as Stored }))
  const invoice = stored.find(({ table }) => table === 'invoices')!.row as unknown as InvoiceRow
  const slots: Slot[] = []
  const slotOf = new Map<string, number>()
  const replace = (what: string | null, slot: Slot) => {
    if (what === null || slotOf.has(what)) return
    slotOf.set(what, slots.push(slot) - 1)
  }
  const idTexts: string[] = []
  const replaceId = (id: number) => {
    const i = idTexts.push(String(id)) - 1
    replace(String(id), ({ ids }) => String(ids[i]))
  }
  const { id, token: secret, customer_email, customer_name, customer_phone } = invoice
  // These two are part of the page's URL.
  replaceId(id)
  replace(secret, () => newTokenSecret())
  replace(printToken({ ...tenant, id, secret }), (_copy, [id, secret]) =>
    printToken({ ...tenant, id: Number(id), secret: secret! }),
  )
  replace(`"number": ${invoice.number}`, ({ number }) => `"number": ${number}`)
  replace(invoiceNumber(invoice), ({ number, prefix }) =>
    invoiceNumber({ id: 0, number, number_prefix: prefix }),
  )
  replace(customer_email, ({ customer }) => customer.email)
  replace(customer_name, ({ customer }) => customer.name)
  replace(customer_phone, ({ customer }) => customer.phone)
  let endMs = 0
  for (const { table, row } of stored) {
    if (row.id !== id) replaceId(row.id)
    if (table === 'virtual_accounts') {
      const i = idTexts.length - 1
      replace(row.account_number!, ({ ids }) => `99${String(ids[i]! % 1e8).padStart(8, '0')}`)
    }
    const ms = Date.parse(row.created_at)
    endMs = Math.max(endMs, ms)
    for (const reference of [row.reference, row.provider_reference]) {
      if (!reference) continue
      if (table === 'events') {
        replace(reference, ({ days }) => newEventReference(new Date(ms + days * DAY_MS)))
      } else replace(reference, () => newReference(reference.split('_')[0]!))
    }
  }
  const whole = rows.map(({ text }) => text).join()
  for (const [day] of whole.matchAll(DAY)) {
    const ms = Date.parse(day)
    replace(day, ({ days }) => new Date(ms + days * DAY_MS).toISOString().slice(0, 10))
  }
  const found = patternOf(idTexts, [...slotOf.keys()])
  const payments = stored
    .filter(({ table, row }) => table === 'transactions' && settled.has(row.id))
    .map(({ row }) => ({
      id: slotOf.get(String(row.id))!,
      reference: slotOf.get(row.reference!)!,
      ...paymentOf(settled.get(row.id)!),
    }))
  return {
    createdMs: Date.parse(invoice.created_at as unknown as string),
    endMs,
    idCount: idTexts.length,
    slots,
    texts: rows.map(({ table, text }) => ({ table, ...parted(text, found, slotOf) })),
    payments,
  }
}

const DAY = /\b\d{4}-\d\d-\d\d(?=[T"\\])/g

/** Numbers count as ids only under certain keys, because an amount can have the same value. */
function patternOf(ids: string[], texts: string[]): RegExp {
  const others = texts.filter((text) => !ids.includes(text) && !/^\d{4}-/.test(text))
  const longestFirst = others.sort((a, b) => b.length - a.length)
  const literal = longestFirst.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  return new RegExp(
    `(?<=(?<!Pa)[iI]d\\\\?": ?)(?:${ids.join('|')})(?=[,}])|${literal}|${DAY.source}`,
    'g',
  )
}

/** Returns the text around the slots. */
function parted(text: string, found: RegExp, slotOf: Map<string, number>) {
  const matches = [...text.matchAll(found)]
  const strings = matches.map(({ index }, i) => {
    const before = matches[i - 1]
    return text.slice(before ? before.index + before[0].length : 0, index)
  })
  const last = matches.at(-1)!
  strings.push(text.slice(last.index + last[0].length))
  return { strings, places: matches.map(([what]) => slotOf.get(what)!) }
}

function paymentOf(moves: Settled[]): Omit<Payment, 'id' | 'reference'> {
  const [{ created_at, currency }] = moves as [Settled]
  const net = (kind: string) =>
    moves.reduce((sum, { debit, credit, amount_minor }) => {
      if (credit === kind) return sum + amount_minor
      return debit === kind ? sum - amount_minor : sum
    }, 0n)
  return {
    settledMs: created_at.getTime(),
    currency,
    funded_minor: net('wallet_available'),
    moves: moves.map(({ debit, debit_subject, credit, credit_subject, amount_minor, kind }) => ({
      debit: { kind: debit, subjectId: debit_subject, currency },
      credit: { kind: credit, subjectId: credit_subject, currency },
      amount_minor,
      kind,
    })),
  }
}

/** Writes the copies and all their related records. */
export async function insertCopies(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  copies: readonly Copy[],
): Promise<void> {
  const rows = new Map<Table, string[]>()
  const journals: { journal: TenantJournal; payment: Payment; reference: string }[] = []
  for (const copy of copies) {
    const { slots, texts, payments } = copy.original
    const made: string[] = []
    for (const slot of slots) made.push(slot(copy, made))
    for (const { table, strings, places } of texts) {
      let text = strings[0]!
      for (const [i, place] of places.entries()) text += made[place]! + strings[i + 1]!
      const some = rows.get(table)
      if (some) some.push(text)
      else rows.set(table, [text])
    }
    for (const payment of payments) {
      const now = new Date(payment.settledMs + copy.days * DAY_MS)
      const cause = { type: 'transaction', id: Number(made[payment.id]) }
      const { currency, moves, funded_minor } = payment
      const eventOn = funded_minor > 0n && {
        eventOn: { kind: 'wallet_available', currency } as const,
      }
      const journal = { tenant, cause, verb: 'settle', now, moves, ...eventOn }
      journals.push({ journal, payment, reference: made[payment.reference]! })
    }
  }
  for (const table of TABLES) await insertRows(tx, table, rows.get(table) ?? [])
  await insertEvents(tx, rows.get('events') ?? [])
  // This comes last because, from here on, other payments into this wallet have to wait.
  await settle(tx, ids, tenant, journals)
}

const array = (rows: readonly string[]): string => `[${rows.join()}]`

async function insertRows(tx: Tx, table: (typeof TABLES)[number], rows: string[]): Promise<void> {
  const indexed = table === 'invoices' || table === 'transactions'
  const text = `
    with made as (
      insert into ${table} select * from json_populate_recordset(null::${table}, $1::json)
      returning *
    ) ${indexed ? `, due as (${textDue(table)})` : ''} select from made limit 1`
  await tx.query({ text, values: [array(rows)] })
}

const textDue = (table: 'invoices' | 'transactions') => `
  insert into ${table.slice(0, -1)}_texts_due (business_id, live, id)
  select business_id, live, id from made
  where coalesce(customer_email, customer_name) is not null`

/** Writes events with their digests, as the server does, but no deliveries. */
async function insertEvents(tx: Tx, rows: readonly string[]): Promise<void> {
  await tx.run`
    with told as (
      insert into events select * from json_populate_recordset(null::events, ${array(rows)}::json)
      returning *
    )
    insert into digests_unsealed (business_id, live, kind, ids, digests)
    select business_id, live, 'event', array_agg(id), array_agg(digest)
    from (
      select business_id, live, id, ${EVENT_DIGEST} as digest,
        (row_number() over () - 1) / ${DIGESTS_MAX}::int as part
      from told e
    ) as d
    group by business_id, live, part`
}

const DIGESTS_MAX = 500

/** Settles in chronological order, because the wallet numbers its events in this order. */
async function settle(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  settled: { journal: TenantJournal; payment: Payment; reference: string }[],
): Promise<void> {
  const inOrder = settled.sort((a, b) => a.journal.now.getTime() - b.journal.now.getTime())
  const posted = await postJournals(
    tx,
    ids,
    inOrder.map(({ journal }) => journal),
  )
  const events: string[] = []
  for (const [i, { journal, payment, reference }] of inOrder.entries()) {
    const account = posted[i]?.event
    if (!account) continue
    const { funded_minor: amount_minor, currency } = payment
    const source = { type: journal.cause.type, reference }
    const { at, ...event } = walletFunded(
      { account, amount_minor, currency, source },
      tenant,
      journal.now,
    )
    events.push(
      JSON.stringify({
        business_id: event.businessId,
        live: event.live,
        id: await ids.next(tx),
        reference: newEventReference(at),
        type: event.type,
        object_type: event.objectType,
        object_id: event.objectId,
        sequence: event.sequence,
        data: JSON.stringify(event.data),
        created_at: at,
        salt: newTokenSecret(),
      }),
    )
  }
  await insertEvents(tx, events)
}

/** Moves a time past the end of any demo. */
const HELD = sql`interval '1000000 hours'`

/**
 * Puts off the emails that a business has queued itself, so that the demo's mail job does not
 * mark them as sent. Leaves out those that a server is sending right now. Returns their ids for
 * `releaseMails`.
 */
export async function holdMails(
  db: Db,
  { businessId, live }: Tenant,
  now: Date,
): Promise<number[]> {
  const held = await db.many<{ id: number }>`
    update mails set due_at = due_at + ${HELD}
    where business_id = ${businessId} and live = ${live} and status = 'Queued'
      and (leased_until is null or leased_until <= ${now})
    returning id`
  return held.map(({ id }) => id)
}

export const releaseMails = (db: Db, { businessId, live }: Tenant, ids: readonly number[]) =>
  db.run`
    update mails set due_at = due_at - ${HELD}
    where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`

/**
 * Removes queued deliveries to the business's endpoints and queued emails to its people, if their
 * ids are `from` or later. Nothing else has ids and times in this range.
 */
export async function deleteUnsent(
  db: Db,
  { businessId, live }: Tenant,
  { from, now }: { from: number; now: Date },
): Promise<void> {
  await db.run`
    delete from webhook_deliveries d using webhooks w
    where d.business_id = ${businessId} and d.live = ${live} and d.status = 'Pending'
      and d.event_id >= ${from} and d.event_at <= ${now} and w.status = 'Active'
      and (w.business_id, w.live, w.id) = (d.business_id, d.live, d.webhook_id)`
  await db.run`
    update mails set status = 'Dropped', settled_at = ${now}
    where business_id = ${businessId} and status = 'Queued' and subject_type = 'person'
      and id >= ${from} and created_at <= ${now}`
}
