import type { Db } from '../db/database.ts'
import { ANEW, type Sql, sql } from '../db/sql.ts'
import { idsWithText } from '../db/texts.ts'
import type { Minor } from '../lib/money.ts'
import type { Tenant } from '../lib/tenant.ts'
import { INVOICE_TEXTS } from '../resources/invoices/search-index.ts'
import { KIND as ORDER } from '../resources/orders/service.ts'
import { KIND as PAGE } from '../resources/payment-pages/pages.ts'
import { KIND as PRODUCT } from '../resources/products/catalogue/search.ts'
import { KIND as SPLIT_PAGE } from '../resources/split-pages/service.ts'
import { KIND as SUBACCOUNT } from '../resources/subaccounts/service.ts'
import { candidates, of, type TextIndex } from '../resources/texts/search.ts'
import { TRANSACTION_TEXTS } from '../resources/transactions/search-index.ts'

/** How the records of a noun are found, and what stands of them in a line. */
interface Searched {
  table: Sql
  title: Sql
  /** In the answer as they are; null where the noun has none. */
  status: Sql
  amount: Sql
  currency: Sql
  /** Of the customer that it names. */
  email?: Sql
  isThere?: Sql
  /** By a part of its text; nouns without are found by their reference alone. */
  texts?: TextIndex | string
  /** By a part of this, among the newest alone: of what a business has few. */
  within?: Sql
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

/** By what events call them (screens.ts). */
const NOUNS: Record<string, Searched> = {
  transaction: { ...ofCustomer, table: sql`transactions`, texts: TRANSACTION_TEXTS },
  invoice: { ...ofCustomer, table: sql`invoices`, texts: INVOICE_TEXTS },
  order: { ...ofCustomer, table: sql`orders`, texts: ORDER },
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
  transfer: { ...priced, table: sql`transfers`, title: sql`coalesce(account_name, reference)` },
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
  status: string | null
  amount_minor: Minor | null
  currency: string | null
  email: string | null
  created_at: Date
}

/** Of those with the text, so many are looked at, and the newest few taken. */
const LOOKED_AT = 200
/** Without an index of texts, so many of the newest are read. */
const READ_OF_FEW = 1_000
const OF_EACH = 4

/** What has this reference, or the text in what it is found by; the newest few of each noun. */
export function search(db: Db, tenant: Tenant, nouns: readonly string[], text: string) {
  const parts = nouns.flatMap((noun) => partsOf(tenant, noun, text))
  return db.many<FoundRow>`${ANEW}
    select * from (${parts.reduce((left, right) => sql`${left} union all ${right}`)}) found
    order by created_at desc, id desc`
}

function partsOf(tenant: Tenant, noun: string, text: string): Sql[] {
  const { table, title, status, amount, currency, email, isThere, texts, within } = NOUNS[noun]!
  const columns = sql`${noun}::text as noun, id, reference, ${title} as title, ${status} as status,
    ${amount} as amount_minor, ${currency}::text as currency,
    ${email ?? nothing} as email, created_at`
  const wanted = isThere ?? sql`true`
  const exact = sql`(
    select ${columns} from ${table} where ${of(tenant)} and reference = ${text} and ${wanted})`
  if (within !== undefined) {
    return [
      exact,
      sql`(
      select ${columns} from (
        select * from ${table} where ${of(tenant)} order by id desc limit ${READ_OF_FEW}) r
      where position(lower(${text}) in lower(${within})) > 0 and ${wanted}
      order by created_at desc, id desc limit ${OF_EACH})`,
    ]
  }
  if (texts === undefined) return [exact]
  const ids =
    typeof texts === 'string'
      ? idsWithText(tenant, { kind: texts, text })
      : candidates(texts, tenant, { text, range: { from: undefined, until: undefined } })
  const byText = sql`(
    select ${columns} from (select id as found_id from (${ids} limit ${LOOKED_AT}) ids) ids
    cross join lateral (
      select * from ${table} where ${of(tenant)} and id = found_id offset 0) r
    where ${wanted}
    order by created_at desc, id desc limit ${OF_EACH})`
  return [exact, byText]
}
