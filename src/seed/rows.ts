import type { Db, Tx } from '../db/database.ts'
import { plainArray, textArray, timeArray } from '../db/pg-arrays.ts'
import { dataDigest, eventDigest, newSalt } from '../events/digest.ts'
import type { Tenant } from '../lib/caller.ts'
import type { EventRow, Story } from './story.ts'

/**
 * The columns that are written, by table; the tenant’s two come before them. `json` is text that is
 * never null and full of quotes.
 */
const TABLES = {
  invoices: `id bigint, number bigint, number_prefix text, reference text, token text, status text,
    customer_email text, customer_name text, customer_phone text, amount_minor bigint,
    paid_minor bigint, currency text, note text, line_items text, due_date date,
    allow_partial_payment boolean, metadata text, email_status text, sent_at timestamptz,
    viewed_at timestamptz, paid_at timestamptz, voided_at timestamptz, reminded_at timestamptz,
    next_step smallint, next_step_at timestamptz, event_sequence bigint, created_at timestamptz,
    updated_at timestamptz`,
  invoice_texts_due: 'id bigint',
  transactions: `id bigint, reference text, purpose text, purpose_id bigint, status text,
    channel text, amount_minor bigint, fee_minor bigint, fee_bearer text, payable_minor bigint,
    paid_minor bigint, excess_minor bigint, refunded_minor bigint, currency text,
    customer_email text, customer_name text, customer_phone text, invoice_reference text,
    provider text, bank_code text, ussd_codes text, gateway_response text, message text,
    late boolean, dismissed_at timestamptz, paid_at timestamptz, expires_at timestamptz,
    timeline text, metadata text, event_sequence bigint, created_at timestamptz,
    updated_at timestamptz`,
  transaction_texts_due: 'id bigint',
  virtual_accounts: `id bigint, transaction_id bigint, status text, account_number text,
    account_name text, bank_code text, bank_name text, amount_minor bigint, currency text,
    event_sequence bigint, expires_at timestamptz, created_at timestamptz`,
  deposits: `id bigint, provider_reference text, virtual_account_id bigint, account_number text,
    amount_minor bigint, currency text, status text, reason text, created_at timestamptz`,
  mails: `id bigint, kind text, subject_type text, subject_id bigint, to_address text, data text,
    status text, attempts integer, due_at timestamptz, last_error text, created_at timestamptz`,
  events: `id bigint, reference text, type text, object_type text, object_id bigint,
    sequence bigint, data json, created_at timestamptz, salt text`,
} as const

export type Table = keyof typeof TABLES

/** Rows in one statement: a few megabytes. */
const ROWS_MAX = 4_000

/** Writes rows, whose keys are the names of the columns. */
async function insert(tx: Tx, tenant: Tenant, table: Table, rows: readonly object[]) {
  for (let from = 0; from < rows.length; from += ROWS_MAX) {
    const some = rows.slice(from, from + ROWS_MAX) as Record<string, never>[]
    const { text, columns } = statementOf(table)
    const arrays = columns.map(({ name, array }) => array(some.map((row) => row[name]!)))
    const values = [tenant.businessId, tenant.live, ...arrays]
    await tx.query({ name: `seed_${table}`, text, values })
  }
}

interface Prepared {
  text: string
  columns: { name: string; array: (values: never[]) => string }[]
}

const prepared = new Map<Table, Prepared>()

function statementOf(table: Table): Prepared {
  let statement = prepared.get(table)
  if (!statement) {
    const columns = TABLES[table].split(',').map((column) => column.trim().split(' '))
    const names = columns.map(([name]) => name).join(', ')
    const arrays = columns.map(([, type], i) => placeholder(type!, i + 3)).join(', ')
    statement = {
      text: `insert into ${table} (business_id, live, ${names})
        select $1::bigint, $2::boolean, * from unnest(${arrays})`,
      columns: columns.map(([name, type]) => ({ name: name!, array: arrayOf(type!) })),
    }
    prepared.set(table, statement)
  }
  return statement
}

// JSON has no control characters, so one of them parts the texts: escaping each quote for an array,
// and taking that back again costs more than all else about these texts.
const SEPARATOR = '\x1f'

const placeholder = (type: string, n: number): string =>
  type === 'json' ? `string_to_array($${n}::text, chr(31))` : `$${n}::${type}[]`

function arrayOf(type: string): (values: never[]) => string {
  if (type === 'json') return (values) => values.join(SEPARATOR)
  if (type === 'text' || type === 'date') return textArray
  return type === 'timestamptz' ? timeArray : plainArray
}

/** Writes whole stories but for their journals; answers how many rows of each table. */
export async function insertStories(tx: Tx, tenant: Tenant, stories: readonly Story[]) {
  const mails = stories.flatMap(({ mails }) =>
    mails.map((mail) => ({ ...mail, attempts: 1, due_at: mail.created_at })),
  )
  const transactions = stories.flatMap((story) => story.transactions)
  const named = transactions.filter((row) => (row.customer_email ?? row.customer_name) !== null)
  const rows: [Table, readonly object[]][] = [
    ['invoices', stories.map(({ invoice }) => invoice)],
    ['invoice_texts_due', stories.map(({ invoice }) => invoice)],
    ['transactions', transactions],
    ['transaction_texts_due', named],
    ['virtual_accounts', stories.flatMap(({ accounts }) => accounts)],
    ['deposits', stories.flatMap(({ deposits }) => deposits)],
    ['mails', mails],
  ]
  for (const [table, some] of rows) await insert(tx, tenant, table, some)
  await insertEvents(
    tx,
    tenant,
    stories.flatMap(({ events }) => events),
  )
}

/** With their digests, as the server writes them. */
export async function insertEvents(
  tx: Tx,
  tenant: Tenant,
  events: readonly EventRow[],
): Promise<void> {
  const salted = events.map((event) => ({ ...event, salt: newSalt() }))
  await insert(tx, tenant, 'events', salted)
  const { businessId, live } = tenant
  for (let from = 0; from < salted.length; from += DIGESTS_MAX) {
    const some = salted.slice(from, from + DIGESTS_MAX)
    await tx.run`
      insert into digests_unsealed (business_id, live, kind, ids, digests)
      select ${businessId}, ${live}, 'event', array_agg(id), array_agg(decode(digest, 'hex'))
      from unnest(${some.map(({ id }) => id)}::bigint[],
        ${some.map((event) => digestOf(tenant, event))}::text[]) as d (id, digest)`
  }
}

const DIGESTS_MAX = 500

const digestOf = (tenant: Tenant, event: EventRow & { salt: string }) =>
  eventDigest(
    {
      ...tenant,
      ...event,
      objectType: event.object_type,
      objectId: event.object_id,
      at: event.created_at,
    },
    dataDigest(event.salt, event.data),
  )

/** The metadata of an invoice by its reference, as JSON text. */
export function selectMetadata(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<{ metadata: string | null }>`
    select metadata from invoices
    where business_id = ${businessId} and live = ${live} and reference = ${reference}`
}

/** Those of the references that are there. */
export async function selectReferences(
  db: Db,
  { businessId, live }: Tenant,
  references: string[],
): Promise<Set<string>> {
  const rows = await db.many<{ reference: string }>`
    select reference from invoices
    where business_id = ${businessId} and live = ${live}
      and reference = any(${references}::text[])`
  return new Set(rows.map(({ reference }) => reference))
}

/** Whether anything but the making of keys was ever told of in live mode. */
export async function wasLive(db: Db, businessId: number): Promise<boolean> {
  const told = await db.maybe`
    select 1 from events
    where business_id = ${businessId} and live and object_type <> 'api_key' limit 1`
  return told !== undefined
}
