import type pg from 'pg'
import { type Searchable, textOf } from '../src/db/text-search.ts'
import { INVOICES } from '../src/sales/invoices/list.ts'
import type { Filling } from './lists-asking.ts'

export const FIRST =
  `Ada Bola Chidi Amaka Emeka Funmi Gbenga Hauwa Ibrahim Jumoke Kelechi Lola Musa Ngozi
  Obinna Peter Queen Rasheed Sade Tunde Uche Victor Wale Yusuf Zainab Blessing Chinedu Damilola
  Esther Fatima`.split(/\s+/)
export const LAST =
  `Okeke Balogun Adeyemi Eze Okafor Bello Danjuma Nwosu Ojo Lawal Abiodun Usman Ikenna
  Salami Obi Ogunleye Afolabi Mohammed Effiong Igwe Olawale Umar Chukwu Adebayo Nnamdi Sule
  Akpan Oladipo Garba Onyeka`.split(/\s+/)
export const DOMAINS = [
  'gmail.com',
  'gmail.com',
  'gmail.com',
  'yahoo.com',
  'outlook.com',
  'example.ng',
]

const array = (values: string[]) => `'{${values.join(',')}}'::text[]`
export const pick = (values: string[], n: string) =>
  `(${array(values)})[1 + ((${n})::bigint % ${values.length})]`

/** An invoice needs ids for itself, its events, its email and its payment. */
export const IDS_EACH = 6

/** Invoices from two years, most of them paid, with their payments and search text. */
export async function fillInvoices(client: pg.Client, filling: Filling): Promise<void> {
  await client.query(invoicesOf(filling))
  await client.query(paymentsOf(filling.businessId))
  await fillTexts(client, filling.businessId, INVOICES)
}

// Terms such as n * 7919 % 10007 spread values in the same way in each run.
const invoicesOf = ({ businessId, rows, firstId }: Filling) => `
  insert into invoices
    (business_id, live, id, reference, token, status, customer_email, customer_name,
     amount_minor, paid_minor, currency, note, due_date, allow_partial_payment, email_status,
     sent_at, paid_at, voided_at, next_step, next_step_at, event_sequence, created_at, updated_at)
  select ${businessId}, false, ${firstId} + n * ${IDS_EACH}, 'INV_' || md5(n::text),
    left(md5('t' || n), 22),
    status,
    lower(first) || '.' || lower(last) || (n * 31 % 9973) || '@' || ${pick(DOMAINS, 'n * 13 / 7')},
    first || ' ' || last, amount,
    case status when 'Paid' then amount when 'PartiallyPaid' then amount / 2 else 0 end,
    'NGN', 'Goods and delivery', due, false, 'Sent', created,
    case when status = 'Paid' then created + interval '3 days' end,
    case when status = 'Void' then created + interval '3 days' end,
    case when status in ('Sent', 'PartiallyPaid') then step end,
    case when status in ('Sent', 'PartiallyPaid') and step < 5 then now() + interval '1 day' end,
    2, created, created
  from (
    select n, ${pick(FIRST, 'n * 7919 % 10007')} as first,
      ${pick(LAST, 'n * 104729 % 10009')} as last,
      100000 + n * 7 % 9000000 as amount, created, created::date + 14 as due,
      case when created::date + 14 < current_date then 5 else 0 end as step,
      case when r < 70 then 'Paid' when r < 85 then 'Sent' when r < 88 then 'PartiallyPaid'
        when r < 93 then 'Void' else 'Draft' end as status
    from (
      select n, n * 48271 % 100 as r,
        date_trunc('milliseconds', now() - interval '730 days' * (${rows} - n) / ${rows}) as created
      from generate_series(1::bigint, ${rows}) n
    ) numbered
  ) described`

const paymentsOf = (businessId: number) => `
  insert into transactions
    (business_id, live, id, reference, purpose, purpose_id, status, channel, amount_minor,
     fee_minor, fee_bearer, payable_minor, paid_minor, currency, invoice_reference, provider,
     paid_at, expires_at, event_sequence, created_at, updated_at)
  select business_id, live, id + 1, 'TRX_' || reference, 'invoice', id, 'Successful',
    'BANK_TRANSFER', paid_minor, 0, 'business', paid_minor, paid_minor, 'NGN', reference,
    'simulator', created_at, created_at, 2, created_at, created_at
  from invoices where business_id = ${businessId} and paid_minor > 0`

/** Works like the job, but in larger batches. */
export async function fillTexts(
  client: pg.Client,
  businessId: number,
  searchable: Searchable,
): Promise<void> {
  const { kind, table, fields, marks = [], isQueued } = searchable
  const tenant = { businessId, live: false }
  const columns = [...fields.map((field) => `lower(${field}) as ${field}`), ...marks]
  const select = `
    select id::float8 as id, created_at, ${columns} from ${table} where business_id = ${businessId}`
  const [texts, extra, value] = isQueued
    ? [`${kind}_texts`, 'created_at', 'created_at']
    : ['search_texts', 'kind', `'${kind}'`]
  await inBatches(client, select, (rows) => {
    const indexed = rows.map((row) => textOf(tenant, searchable, row))
    return client.query(
      `insert into ${texts} (business_id, live, id, ${extra}, text, pieces)
       select ${businessId}, false, id, ${value}, text, pieces::integer[]
       from unnest($1::bigint[], $2::timestamptz[], $3::text[], $4::text[])
         as t (id, created_at, text, pieces)`,
      [
        rows.map(({ id }) => id),
        rows.map(({ created_at }) => created_at),
        indexed.map(({ text }) => text),
        indexed.map(({ ngrams }) => `{${ngrams}}`),
      ],
    )
  })
}

const BATCH_ROWS = 20_000

/** Yields the rows of a statement in batches, because a million rows are too many at once. */
export async function inBatches(
  client: pg.Client,
  select: string,
  // biome-ignore lint/suspicious/noExplicitAny: as pg returns them
  write: (rows: any[]) => Promise<unknown>,
): Promise<void> {
  await client.query(`declare found no scroll cursor with hold for ${select}`)
  for (;;) {
    const { rows } = await client.query(`fetch ${BATCH_ROWS} from found`)
    if (rows.length === 0) break
    await write(rows)
  }
  await client.query('close found')
}
