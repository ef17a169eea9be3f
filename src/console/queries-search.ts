import type { Db } from '../db/database.ts'
import { ANEW, type Sql, sql } from '../db/sql.ts'
import { idsWithText } from '../db/texts.ts'
import type { Minor } from '../lib/money.ts'
import type { Tenant } from '../lib/tenant.ts'
import { DEFAULT_PREFIX, DIGITS_MIN } from '../resources/invoices/number.ts'
import { INVOICE_TEXTS } from '../resources/invoices/search-index.ts'
import { INVOICE_PURPOSE } from '../resources/invoices/service.ts'
import { KIND as ORDER } from '../resources/orders/service.ts'
import { KIND as PAGE } from '../resources/payment-pages/pages.ts'
import { KIND as PRODUCT } from '../resources/products/catalogue/search.ts'
import { KIND as SPLIT_PAGE } from '../resources/split-pages/service.ts'
import { KIND as SUBACCOUNT } from '../resources/subaccounts/service.ts'
import { candidates, of, type TextIndex } from '../resources/texts/search.ts'
import { TRANSACTION_TEXTS } from '../resources/transactions/search-index.ts'
import { KIND as TRANSFER } from '../resources/transfers/texts.ts'

/** How the records of a noun are found, and what stands of them in a line. */
interface Searched {
  table: Sql
  title: Sql
  /** In the answer as they are; null where the noun has none. */
  status: Sql
  amount: Sql
  currency: Sql
  /** What people call it, where that is not its reference: the number of an invoice. */
  called?: Sql
  /** Of the customer that it names. */
  email?: Sql
  isThere?: Sql
  /** By a part of its text; nouns without are found by their reference alone. */
  texts?: TextIndex | string
  /** By a part of this, among the newest only: of what a business has few. */
  within?: Sql
  /** By digits in this, such as a phone number, among the newest only. */
  digits?: Sql
}

const nothing = sql`null::text`
const noAmount = sql`null::bigint`
const priced = { status: sql`status`, amount: sql`amount_minor`, currency: sql`currency` }
const plain = { status: sql`status`, amount: noAmount, currency: nothing }
const ofCustomer = {
  ...priced,
  title: sql`coalesce(customer_name, customer_email, reference)`,
  email: sql`lower(customer_email)`,
}

/** As `invoiceNumber` of the record writes it. */
export const INVOICE_NUMBER = sql`coalesce(number_prefix, ${DEFAULT_PREFIX}) || lpad(
  coalesce(number, id)::text, greatest(${DIGITS_MIN}, length(coalesce(number, id)::text)), '0')`

/** Digits alone are an id as well. */
const isInvoice = ({ prefix, number }: NonNullable<Sought['number']>): Sql =>
  prefix === undefined
    ? sql`(number = ${number} or id = ${number})`
    : sql`((number = ${number} and lower(number_prefix) = ${prefix})
        or (id = ${number} and number is null and lower(${DEFAULT_PREFIX}) = ${prefix}))`

/** As the dashboard writes it: the end of the reference. */
const ORDER_NUMBER = sql`'#' || upper(right(reference, 6))`

/** By what events call them (screens.ts). */
const NOUNS: Record<string, Searched> = {
  transaction: {
    ...ofCustomer,
    table: sql`transactions`,
    texts: TRANSACTION_TEXTS,
    digits: sql`customer_phone`,
  },
  invoice: {
    ...ofCustomer,
    table: sql`invoices`,
    texts: INVOICE_TEXTS,
    called: INVOICE_NUMBER,
    digits: sql`customer_phone`,
  },
  order: {
    ...ofCustomer,
    table: sql`orders`,
    texts: ORDER,
    called: ORDER_NUMBER,
    within: ORDER_NUMBER,
    digits: sql`customer_phone`,
  },
  checkout: {
    ...ofCustomer,
    table: sql`checkouts`,
    within: sql`concat_ws(' ', customer_name, customer_email)`,
  },
  payment_page: {
    ...priced,
    table: sql`payment_pages`,
    title: sql`title`,
    isThere: sql`deleted_at is null`,
    texts: PAGE,
  },
  product: {
    ...priced,
    amount: sql`price_minor`,
    table: sql`products`,
    title: sql`name`,
    isThere: sql`deleted_at is null`,
    texts: PRODUCT,
  },
  subaccount: {
    ...plain,
    table: sql`subaccounts`,
    title: sql`business_name`,
    texts: SUBACCOUNT,
  },
  split_page: {
    ...plain,
    status: nothing,
    table: sql`split_pages`,
    title: sql`name`,
    texts: SPLIT_PAGE,
  },
  transfer: {
    ...priced,
    table: sql`transfers`,
    title: sql`coalesce(account_name, account_number)`,
    called: sql`bank_name || ' ' || account_number`,
    texts: TRANSFER,
    digits: sql`account_number`,
  },
  refund: { ...priced, table: sql`refunds`, title: sql`reference` },
  settlement: { ...priced, table: sql`settlements`, title: sql`reference` },
  utility_payment: { ...priced, table: sql`utility_payments`, title: sql`reference` },
  discount: {
    ...plain,
    table: sql`discounts`,
    title: sql`code`,
    within: sql`code`,
  },
  webhook: {
    ...plain,
    table: sql`webhooks`,
    title: sql`url`,
    isThere: sql`status <> 'Deleted'`,
    within: sql`url || ' ' || coalesce(description, '')`,
  },
  api_key: {
    ...plain,
    status: sql`type`,
    table: sql`api_keys`,
    title: sql`coalesce(label, hint)`,
    isThere: sql`revoked_at is null`,
    within: sql`coalesce(label, '') || ' ' || hint`,
  },
}

/** What can be found. */
export const SEARCHED = Object.keys(NOUNS)

export interface FoundRow {
  noun: string
  id: number
  reference: string
  title: string
  called: string | null
  status: string | null
  amount_minor: Minor | null
  currency: string | null
  email: string | null
  created_at: Date
}

/** What somebody looks for, read in each way that it can be meant. */
export interface Sought {
  text: string
  /** A reference, or how one begins. */
  reference: string | undefined
  /** The number of an invoice. */
  number: { prefix: string | undefined; number: number } | undefined
  /** The end of a phone number, or a part of an account number. */
  digits: string | undefined
  amount: { minor: Minor; currency: string } | undefined
}

/** Of those with the text, so many are looked at, and the newest few taken. */
const LOOKED_AT = 200
/** Without an index of texts, so many of the newest are read. */
const READ_OF_FEW = 2_000
const OF_EACH = 4
/** In every collation, whatever begins with a reference sorts before it with so many of these. */
const LAST = 'z'.repeat(40)

/** What has this reference, number, amount or text; the newest few of each noun. */
export function search(db: Db, tenant: Tenant, nouns: readonly string[], sought: Sought) {
  const parts = nouns.flatMap((noun) => partsOf(tenant, noun, nouns, sought))
  return db.many<FoundRow>`${ANEW}
    select * from (${parts.reduce((left, right) => sql`${left} union all ${right}`)}) found
    order by created_at desc, id desc`
}

function partsOf(tenant: Tenant, noun: string, nouns: readonly string[], sought: Sought): Sql[] {
  const { table, title, called, status, amount, currency, email, isThere } = NOUNS[noun]!
  const columns = sql`${noun}::text as noun, id, reference, ${title} as title,
    ${called ?? nothing} as called, ${status} as status, ${amount} as amount_minor,
    ${currency}::text as currency, ${email ?? nothing} as email, created_at`
  const few = sql`${isThere ?? sql`true`} order by created_at desc, id desc limit ${OF_EACH}`
  const newest = amongNewest(NOUNS[noun]!, sought)
  const found = foundByText(tenant, NOUNS[noun]!, sought)
  return [
    sql`(select ${columns} from ${table} where ${of(tenant)} and ${named(sought)} and ${few})`,
    noun === 'invoice' && sought.number !== undefined
      ? sql`(select ${columns} from ${table}
          where ${of(tenant)} and ${isInvoice(sought.number)} and ${few})`
      : undefined,
    noun === 'transaction' && nouns.length === 1 && sought.number !== undefined
      ? sql`(select ${columns} from ${table}
          where ${of(tenant)} and purpose = ${INVOICE_PURPOSE} and purpose_id in (
            select id from invoices where ${of(tenant)} and ${isInvoice(sought.number)})
          and ${few})`
      : undefined,
    newest.length > 0
      ? sql`(select ${columns} from (
          select * from ${table} where ${of(tenant)} order by id desc limit ${READ_OF_FEW}) r
          where (${newest.reduce((left, right) => sql`${left} or ${right}`)}) and ${few})`
      : undefined,
    found &&
      sql`(select ${columns} from (select id as found_id from (${found} limit ${LOOKED_AT}) ids) ids
        cross join lateral (
          select * from ${table} where ${of(tenant)} and id = found_id offset 0) r
        where ${few})`,
  ].filter((part) => part !== undefined)
}

/** By the whole reference, or by its beginning, as lists show it. */
const named = ({ text, reference }: Sought): Sql =>
  reference === undefined
    ? sql`reference = ${text}`
    : sql`reference between ${reference} and ${reference + LAST}
        and starts_with(reference, ${reference})`

function amongNewest({ within, digits, amount, currency }: Searched, sought: Sought): Sql[] {
  return [
    within && sql`position(lower(${sought.text}) in lower(${within})) > 0`,
    digits && sought.digits !== undefined
      ? sql`position(${sought.digits} in regexp_replace(${digits}, '[^0-9]', '', 'g')) > 0`
      : undefined,
    amount !== noAmount && sought.amount
      ? sql`(${amount} = ${sought.amount.minor} and ${currency} = ${sought.amount.currency})`
      : undefined,
  ].filter((part) => part !== undefined)
}

function foundByText(tenant: Tenant, { texts }: Searched, { text }: Sought): Sql | undefined {
  if (texts === undefined) return undefined
  return typeof texts === 'string'
    ? idsWithText(tenant, { kind: texts, text })
    : candidates(texts, tenant, { text, range: { from: undefined, until: undefined } })
}
