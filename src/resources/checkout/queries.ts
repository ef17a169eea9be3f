import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { Channel } from '../../providers/provider.ts'
import type { FeeBearer } from '../transactions/sharing.ts'
import type { CheckoutState } from './states.ts'

export interface CheckoutRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  secret: string
  status: CheckoutState
  page_id: number | null
  order_id: number | null
  /** The newest attempt at paying, and once there is one, the one that paid it. */
  transaction_id: number | null
  split_page_id: number | null
  subaccount_id: number | null
  amount_minor: Minor
  currency: string
  /** Settled when it began; null only where nothing is to be paid. */
  fee_bearer: FeeBearer | null
  channels: Channel[]
  customer_email: string
  customer_name: string | null
  customer_phone: string | null
  callback_url: string | null
  /** JSON text: [{label, name, value}]. */
  answers: string
  /** JSON text. */
  metadata: string | null
  expires_at: Date
  paid_at: Date | null
  cancelled_by: 'payer' | 'business' | null
  /** A keyed hash of the network that the payer of a page came from. */
  payer_network: string | null
  /** False when it reserved nothing; null for one that no payer of a page began. */
  payer_reserves: boolean | null
  created_at: Date
  updated_at: Date
}

/** As `CheckoutRow` has them. */
const COLUMNS = sql`business_id, live, id, reference, secret, status, page_id, order_id,
  transaction_id, split_page_id, subaccount_id, amount_minor, currency, fee_bearer, channels,
  customer_email, customer_name, customer_phone, callback_url, answers, metadata, expires_at,
  paid_at, cancelled_by, payer_network, payer_reserves, created_at,
  updated_at`

/** Nothing comes back when another one has the reference. */
export function insertCheckout(tx: Tx, row: CheckoutRow) {
  return tx.maybe<CheckoutRow>`
    insert into checkouts (${COLUMNS})
    values (${row.business_id}, ${row.live}, ${row.id}, ${row.reference}, ${row.secret},
      ${row.status}, ${row.page_id}, ${row.order_id}, ${row.transaction_id}, ${row.split_page_id},
      ${row.subaccount_id}, ${row.amount_minor}, ${row.currency}, ${row.fee_bearer},
      ${row.channels}::text[], ${row.customer_email}, ${row.customer_name}, ${row.customer_phone},
      ${row.callback_url}, ${row.answers}, ${row.metadata}, ${row.expires_at}, ${row.paid_at},
      ${row.cancelled_by}, ${row.payer_network}, ${row.payer_reserves},
      ${row.created_at}, ${row.updated_at})
    on conflict on constraint checkouts_reference do nothing
    returning ${COLUMNS}`
}

export function selectCheckout(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<CheckoutRow>`
    select ${COLUMNS} from checkouts
    where business_id = ${businessId} and live = ${live} and reference = ${reference}`
}

export function selectCheckoutById(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<CheckoutRow>`
    select ${COLUMNS} from checkouts
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

/** Holds it until the transaction ends: all that happens to one checkout happens in turn. */
export function lockCheckout(tx: Tx, { businessId, live }: Tenant, id: number) {
  return tx.maybe<CheckoutRow>`
    select ${COLUMNS} from checkouts
    where business_id = ${businessId} and live = ${live} and id = ${id} for no key update`
}

interface Change {
  from: readonly CheckoutState[]
  to: CheckoutState
  now: Date
  /** The transaction that paid it. */
  paidBy?: number
  /** Only while it can be paid still. */
  inTime?: boolean
  cancelledBy?: 'payer' | 'business'
  /** When it is Open again: until then. */
  expiresAt?: Date
}

/** Moves it, if it is in one of the states it may leave. */
export function moveCheckout(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { from, to, now, paidBy, inTime = false, cancelledBy, expiresAt }: Change,
) {
  return tx.maybe<CheckoutRow>`
    update checkouts
    set status = ${to}, updated_at = ${now},
      paid_at = case when ${to}::text = 'Paid' then ${now}::timestamptz else paid_at end,
      transaction_id = coalesce(${paidBy ?? null}::bigint, transaction_id),
      cancelled_by = ${cancelledBy ?? null}::text,
      expires_at = coalesce(${expiresAt ?? null}::timestamptz, expires_at)
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and status = any(${from}::text[]) and (not ${inTime}::boolean or expires_at > ${now})
    returning ${COLUMNS}`
}

/** The attempt that stands for it now; it lives as long as that, if that is longer. */
export function updateAttempt(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { transactionId, expiresAt, now }: { transactionId: number; expiresAt: Date; now: Date },
) {
  return tx.one<CheckoutRow>`
    update checkouts
    set transaction_id = ${transactionId}, expires_at = greatest(expires_at, ${expiresAt}),
      updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
}

interface Due {
  business_id: number
  live: boolean
  id: number
}

/** Open checkouts whose time is over. `only` narrows it to the test data of one business. */
export function selectDue(db: Db, now: Date, only: number | null, limit: number) {
  return db.many<Due>`
    select business_id, live, id from checkouts
    where status = 'Open' and expires_at <= ${now}
      and (${only}::bigint is null or (business_id = ${only} and not live))
    order by expires_at limit ${limit}`
}
