import type { Db } from '../db/database.ts'
import { ANEW, all, type Sql, sql } from '../db/sql.ts'
import { idsWithText } from '../db/texts.ts'
import type { Minor } from '../lib/money.ts'
import type { Tenant } from '../lib/tenant.ts'
import { INVOICE_TEXTS } from '../resources/invoices/search-index.ts'
import { KIND as ORDER } from '../resources/orders/service.ts'
import { candidates, of, recordOf, type TextIndex } from '../resources/texts/search.ts'
import { TRANSACTION_TEXTS } from '../resources/transactions/search-index.ts'
import { INVOICE_NUMBER } from './queries-search.ts'

/** Of which nouns a customer may be known; by what the role reads. */
export interface Known {
  payments: boolean
  invoices: boolean
  orders: boolean
}

const anyTime = { from: undefined, until: undefined }

/** The newest so many of a table, or of those of its records that have the text. */
function rowsOf(tenant: Tenant, index: TextIndex, text: string | undefined, most: number): Sql {
  if (text === undefined) {
    return sql`(select * from ${index.records} where ${of(tenant)}
      order by created_at desc, id desc limit ${most})`
  }
  const found = candidates(index, tenant, { text, range: anyTime })
  return sql`(select r.* from (${found} limit ${most}) found
    cross join ${recordOf(index, tenant, sql`found.id`)} r)`
}

function ordersOf(tenant: Tenant, text: string | undefined, most: number): Sql {
  if (text === undefined) {
    return sql`(select * from orders where ${of(tenant)}
      order by created_at desc, id desc limit ${most})`
  }
  const found = idsWithText(tenant, { kind: ORDER, text })
  return sql`(select r.* from (${found} limit ${most}) found
    cross join lateral (select * from orders where ${of(tenant)} and id = found.id offset 0) r)`
}

const PAID = sql`('Successful', 'PartiallyRefunded', 'Refunded', 'Reversed')`

/** What is known of whoever paid, was billed or ordered, a line for each time. */
function times(tenant: Tenant, known: Known, text: string | undefined, most: number): Sql {
  const parts = [
    known.payments &&
      sql`select 'payment' as what, lower(customer_email) as email, customer_name as name,
            customer_phone as phone, created_at,
            case when status in ${PAID} then amount_minor end as paid, currency
          from ${rowsOf(tenant, TRANSACTION_TEXTS, text, most)} t`,
    known.invoices &&
      sql`select 'invoice', lower(customer_email), customer_name, customer_phone, created_at,
            null::bigint, currency
          from ${rowsOf(tenant, INVOICE_TEXTS, text, most)} i`,
    known.orders &&
      sql`select 'order', lower(customer_email), customer_name, customer_phone, created_at,
            null::bigint, currency
          from ${ordersOf(tenant, text, most)} o`,
  ].filter((part) => part !== false)
  return parts.reduce((left, right) => sql`${left} union all ${right}`)
}

/** Somebody who only opened a checkout is no customer yet. */
const HAS_DONE = sql`having count(*) filter (where what <> 'payment' or paid is not null) > 0`

export interface CustomerRow {
  email: string
  name: string | null
  phone: string | null
  payments: number
  invoices: number
  orders: number
  /** Of the currency asked for. */
  paid: Minor
  first_at: Date
  last_at: Date
  /** How many customers there are in what was looked through. */
  total: number
}

interface Wanted {
  known: Known
  text?: string | undefined
  /** One customer alone. */
  email?: string
  currency: string
  /** How many records of each kind are looked through at most. */
  most: number
  offset: number
  take: number
}

/** Customers, who was last first. */
export async function selectCustomers(db: Db, tenant: Tenant, wanted: Wanted) {
  const { known, text, email, currency, most, offset, take } = wanted
  const isWanted = all([
    sql`email is not null`,
    email === undefined ? undefined : sql`email = ${email}`,
  ])
  const isOne = email !== undefined
  type Row = Omit<CustomerRow, 'paid'> & { paid: string }
  const rows = await db.many<Row>`${ANEW}
    select email, name, phone, payments, invoices, orders, paid::text, first_at, last_at, total
    from (
      select email,
        (array_agg(name order by created_at desc) filter (where name is not null))[1] as name,
        (array_agg(phone order by created_at desc) filter (where phone is not null))[1]
          as phone,
        count(*) filter (where what = 'payment' and paid is not null) as payments,
        count(*) filter (where what = 'invoice') as invoices,
        count(*) filter (where what = 'order') as orders,
        coalesce(sum(paid) filter (where currency = ${currency}), 0) as paid,
        min(created_at) as first_at, max(created_at) as last_at, count(*) over () as total
      from (${times(tenant, known, text, most)}) times
      where ${isWanted}
      group by email
      ${isOne ? sql`` : HAS_DONE}
    ) customers
    order by last_at desc, email offset ${offset} limit ${take}`
  return rows.map((row): CustomerRow => ({ ...row, paid: BigInt(row.paid) }))
}

export interface DoneRow {
  reference: string
  /** Of an invoice. */
  number: string | null
  status: string
  channel: string | null
  amount_minor: Minor
  currency: string
  created_at: Date
}

/** The newest payments, invoices or orders of one address. */
export function selectDone(
  db: Db,
  tenant: Tenant,
  what: keyof Known,
  { email, most, take }: { email: string; most: number; take: number },
) {
  const rows = {
    payments: () => rowsOf(tenant, TRANSACTION_TEXTS, email, most),
    invoices: () => rowsOf(tenant, INVOICE_TEXTS, email, most),
    orders: () => ordersOf(tenant, email, most),
  }[what]()
  return db.many<DoneRow>`${ANEW}
    select reference, ${what === 'invoices' ? INVOICE_NUMBER : sql`null`} as number, status,
      ${what === 'payments' ? sql`channel` : sql`null as channel`},
      amount_minor, currency, created_at
    from ${rows} done where lower(customer_email) = ${email}
    order by created_at desc, id desc limit ${take}`
}
