import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'

export const AMOUNT_TYPES = ['fixed', 'variable', 'minimum'] as const
export const PAGE_STATUSES = ['Published', 'Unpublished'] as const
export const FEE_BEARERS = ['business', 'customer', 'subaccounts'] as const
export const CHANNELS = ['BANK_TRANSFER', 'USSD'] as const
export const FIELD_TYPES = ['text', 'number', 'select', 'date', 'phone'] as const

/** What the payer is asked beside who they are. */
export interface CustomField {
  label: string
  name: string
  type: (typeof FIELD_TYPES)[number]
  required: boolean
  /** Of a select; empty for all others. */
  options: string[]
}

export interface PageRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  title: string
  description: string | null
  status: (typeof PAGE_STATUSES)[number]
  custom_link: string
  amount_type: (typeof AMOUNT_TYPES)[number]
  /** The amount, or the least; null where the payer is free, or where there are products only. */
  amount_minor: Minor | null
  currency: string
  suggested_minor: Minor[]
  /** An address, or `/media/…` of this server. */
  image: string | null
  /** `#0b7a4b` */
  color: string | null
  custom_fields: CustomField[]
  collect_phone: boolean
  collect_address: boolean
  allow_discount_codes: boolean
  max_payments: number | null
  expires_at: Date | null
  redirect_url: string | null
  success_message: string | null
  split_page_id: number | null
  /** Null follows the business. */
  fee_bearer: (typeof FEE_BEARERS)[number] | null
  /** Empty for all there are. */
  channels: (typeof CHANNELS)[number][]
  /** JSON text. */
  metadata: string | null
  deleted_at: Date | null
  event_sequence: number
  created_at: Date
  updated_at: Date
}

/** What a caller can change. */
export type Content = Pick<
  PageRow,
  | 'title'
  | 'description'
  | 'status'
  | 'custom_link'
  | 'amount_type'
  | 'amount_minor'
  | 'suggested_minor'
  | 'image'
  | 'color'
  | 'custom_fields'
  | 'collect_phone'
  | 'collect_address'
  | 'allow_discount_codes'
  | 'max_payments'
  | 'expires_at'
  | 'redirect_url'
  | 'success_message'
  | 'split_page_id'
  | 'fee_bearer'
  | 'channels'
  | 'metadata'
>

/** What happens on a page. */
export interface CountsRow {
  page_id: number
  views: number
  checkouts: number
  open_checkouts: number
  payments: number
  amount_minor: Minor
}

/** As pg hands it over: int8[] and JSON as text. */
export type Stored = Omit<PageRow, 'suggested_minor' | 'custom_fields'> & {
  suggested: string[]
  custom_fields: string
}

/** As `Stored` has them. */
export const COLUMNS = sql`business_id, live, id, reference, title, description, status,
  custom_link, amount_type, amount_minor, currency, suggested_minor::text[] as suggested, image,
  color, custom_fields, collect_phone, collect_address, allow_discount_codes, max_payments,
  expires_at, redirect_url, success_message, split_page_id, fee_bearer, channels, metadata,
  deleted_at, event_sequence, created_at, updated_at`

export const read = <Row extends Stored>({ suggested, custom_fields, ...row }: Row) => ({
  ...row,
  suggested_minor: suggested.map(BigInt),
  custom_fields: JSON.parse(custom_fields) as CustomField[],
})

/** Undefined for one that was deleted. */
export async function selectPage(db: Db, { businessId, live }: Tenant, id: number) {
  const row = await db.maybe<Stored>`
    select ${COLUMNS} from payment_pages
    where business_id = ${businessId} and live = ${live} and id = ${id} and deleted_at is null`
  return row && read(row)
}

/** Undefined for one that was deleted, and for a link of another tenant's. */
export async function selectPageByLink(db: Db, { businessId, live }: Tenant, link: string) {
  const row = await db.maybe<Stored>`
    select ${COLUMNS} from payment_pages
    where business_id = ${businessId} and live = ${live} and deleted_at is null
      and id = (
        select page_id from page_links
        where link = ${link} and business_id = ${businessId} and live = ${live}
      )`
  return row && read(row)
}

/** Whoever changes a page or its products holds its row, so that both are read as they stay. */
export async function lockPage(tx: Tx, { businessId, live }: Tenant, id: number) {
  const row = await tx.maybe<Stored>`
    select ${COLUMNS} from payment_pages
    where business_id = ${businessId} and live = ${live} and id = ${id} and deleted_at is null
    for update`
  return row && read(row)
}

/** A page with nothing counted yet. */
export async function insertPage(tx: Tx, row: PageRow): Promise<PageRow> {
  const stored = await tx.one<Stored>`
    with counted as (
      insert into payment_page_counts (business_id, live, page_id)
      values (${row.business_id}, ${row.live}, ${row.id})
    )
    insert into payment_pages (business_id, live, id, reference, title, description, status,
      custom_link, amount_type, amount_minor, currency, suggested_minor, image, color,
      custom_fields, collect_phone, collect_address, allow_discount_codes, max_payments,
      expires_at, redirect_url, success_message, split_page_id, fee_bearer, channels, metadata,
      event_sequence, created_at, updated_at)
    values (${row.business_id}, ${row.live}, ${row.id}, ${row.reference}, ${row.title},
      ${row.description}, ${row.status}, ${row.custom_link}, ${row.amount_type},
      ${row.amount_minor}, ${row.currency}, ${row.suggested_minor.map(String)}::bigint[],
      ${row.image}, ${row.color}, ${JSON.stringify(row.custom_fields)}, ${row.collect_phone},
      ${row.collect_address}, ${row.allow_discount_codes}, ${row.max_payments},
      ${row.expires_at}, ${row.redirect_url}, ${row.success_message}, ${row.split_page_id},
      ${row.fee_bearer}, ${row.channels}::text[], ${row.metadata}, ${row.event_sequence},
      ${row.created_at}, ${row.updated_at})
    returning ${COLUMNS}`
  return read(stored)
}

/** Of a page that the transaction holds; counts so many events of it. */
export async function updateContent(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  content: Content,
  { events, now }: { events: number; now: Date },
): Promise<PageRow> {
  const stored = await tx.one<Stored>`
    update payment_pages
    set title = ${content.title}, description = ${content.description},
      status = ${content.status}, custom_link = ${content.custom_link},
      amount_type = ${content.amount_type}, amount_minor = ${content.amount_minor},
      suggested_minor = ${content.suggested_minor.map(String)}::bigint[],
      image = ${content.image}, color = ${content.color},
      custom_fields = ${JSON.stringify(content.custom_fields)},
      collect_phone = ${content.collect_phone}, collect_address = ${content.collect_address},
      allow_discount_codes = ${content.allow_discount_codes},
      max_payments = ${content.max_payments}, expires_at = ${content.expires_at},
      redirect_url = ${content.redirect_url}, success_message = ${content.success_message},
      split_page_id = ${content.split_page_id}, fee_bearer = ${content.fee_bearer},
      channels = ${content.channels}::text[], metadata = ${content.metadata},
      event_sequence = event_sequence + ${events}, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
  return read(stored)
}

/** Counts one event of a page that the transaction holds. */
export async function updateTouched(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  now: Date,
): Promise<PageRow> {
  const stored = await tx.one<Stored>`
    update payment_pages set event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
  return read(stored)
}

/** Takes it out of every list and search. Its link stays, so that nobody else gets it. */
export async function updateDeleted(tx: Tx, { businessId, live }: Tenant, id: number, now: Date) {
  const row = await tx.maybe<Stored>`
    with found_no_more as (
      delete from search_texts
      where business_id = ${businessId} and live = ${live} and id = ${id}
    )
    update payment_pages
    set deleted_at = ${now}, event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id} and deleted_at is null
    returning ${COLUMNS}`
  return row && read(row)
}
