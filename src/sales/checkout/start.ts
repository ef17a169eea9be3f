import type pg from 'pg'
import { AGAIN, openBatch } from '../../db/batch.ts'
import type { Database, Db, Statement, Tx } from '../../db/database.ts'
import { openWriter, shortenLockTimeout } from '../../db/dedicated-connection.ts'
import {
  CLAIM_COLUMNS,
  type Claim,
  claimRows,
  claimValues,
  freshRows,
  NotBatchable,
  onceInBatch,
  type StoredResponse,
} from '../../db/idempotency.ts'
import type { Deps } from '../../deps.ts'
import { EVENT_ROW, type EventRow, insertingEventRows } from '../../events/append.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { conflict, invalid, Problem } from '../../lib/problem.ts'
import {
  ATTEMPT_COLUMNS,
  attemptValues,
  insertingAttempts,
  type NewAttempt,
  SHARE_COLUMNS,
  shareValues,
} from '../../payments/attempts/insert.ts'
import { releaseDiscount, reserveDiscount } from '../discounts/service.ts'
import {
  insertingOrders,
  LINE_COLUMNS,
  lineValues,
  NEW_ORDER_COLUMNS,
  type NewOrder,
  newOrderValues,
} from '../orders/service.ts'
import { releasePagePlace, reservePagePlace } from '../payment-pages/service.ts'
import {
  decidingStock,
  type NewReservations,
  type ReservedLevel,
  reservedEvents,
  STOCK_LINE,
  stockLineValues,
  takingStock,
} from '../products/stock/reserve.ts'
import { shortageError } from '../products/stock/service.ts'
import { isReserving, type Payer } from './cart.ts'
import { completeCheckout } from './close.ts'
import { CURRENCY, type Draft, draftOf, type Purchase, purchaseOf, type TenantAt } from './draft.ts'
import { tenantOf } from './payable.ts'
import {
  type CheckoutRow,
  type RelatedFields,
  readsIn,
  readsInBatches,
  selectCheckout,
  selectRelated,
} from './queries.ts'
import { statusOf } from './record.ts'
import type { NewCheckout } from './schemas.ts'

export type StartDeps = Pick<Deps, 'ids' | 'clock' | 'providers' | 'publicUrl' | 'nudge'>

/** Longer than any checkout lasts, so that a discount use ends together with its checkout. */
const DISCOUNT_MS = 24 * 3_600_000

interface StartedCheckout {
  row: CheckoutRow
  shown: RelatedFields
}

/**
 * Returns a function that creates checkouts. Requests that arrive while a statement is running are
 * read together, and then written together, by the next statement. For each request, it writes the
 * claim to its Idempotency-Key, the checkout with its order, attempt, reservations and events, and
 * the stored response. A checkout on a page, with a discount code or with nothing to pay gets its
 * own transaction, as in `startCheckout`, which also describes the errors.
 */
export function checkoutCreator(deps: StartDeps & { db: Database }, batch = checkoutBatch(deps)) {
  const { db, ids } = deps
  const reads = readsInBatches(db)

  return <Body>(
    caller: TenantAt,
    request: NewCheckout,
    claim: Claim | undefined,
    responseOf: (started: StartedCheckout) => StoredResponse<Body>,
  ): Promise<StoredResponse<Body>> =>
    onceInBatch(db, claim, {
      async write() {
        if (request.pageId !== undefined || request.discountCode !== undefined) {
          throw new NotBatchable('Places on pages and uses of codes are reserved one by one')
        }
        try {
          const purchase = await purchaseOf(reads, caller, request, false)
          const reserved = { id: await ids.next(db) }
          const { rows, shown } = await draftOf(reads, deps, caller, request, purchase, reserved)
          if (rows.attempt === undefined) throw new NotBatchable('It is Paid at once')
          const response = responseOf({ row: rows.row, shown })
          const outcome = await batch.add({ ...rows, claim, response: response.body })
          if (outcome === 'key_used') return undefined
          await requireWritten(db, rows, outcome)
          return response
        } catch (error) {
          throw await errorOf(error, db, caller, request)
        }
      },
      alone: async (tx) => responseOf(await startCheckoutForRecord(tx, deps, caller, request)),
    })
}

/**
 * Creates a checkout in the given transaction: computes the amount from the stored prices; writes
 * the order; reserves goods, a use of the discount and a place on the page; and creates a first
 * payment attempt, which no provider knows about yet. A checkout with nothing to pay is Paid
 * immediately.
 *
 * `payer` is set for a page’s form. In that case, the page’s required fields apply, and
 * reservations are limited. Throws 400 naming invalid fields, 404 for missing objects, and 409 for
 * unavailable objects or a reference that is already in use.
 */
export async function startCheckout(
  tx: Tx,
  deps: StartDeps,
  caller: TenantAt,
  request: NewCheckout,
  payer?: Payer,
): Promise<CheckoutRow> {
  return (await startCheckoutForRecord(tx, deps, caller, request, payer)).row
}

/** Like `startCheckout`, but also returns the related fields that the record needs. */
async function startCheckoutForRecord(
  tx: Tx,
  deps: StartDeps,
  caller: TenantAt,
  request: NewCheckout,
  payer?: Payer,
): Promise<StartedCheckout> {
  try {
    const { rows, shown } = await reservedDraft(tx, deps, caller, request, payer)
    await requireWritten(tx, rows, await insertCheckout(tx, deps.ids, rows))
    const { row, attempt } = rows
    return { row: attempt ? row : await completed(tx, deps, row, caller.now), shown }
  } catch (error) {
    throw await errorOf(error, tx, caller, request)
  }
}

/**
 * Reserves a use of the discount and a place on the page. Stock is reserved last, when the rows are
 * written, because its rows are the most contended.
 */
async function reservedDraft(
  tx: Tx,
  deps: StartDeps,
  { businessId, live, now }: TenantAt,
  request: NewCheckout,
  payer: Payer | undefined,
): Promise<Draft> {
  const tenant = { businessId, live }
  const reads = readsIn(tx)
  const purchase = await purchaseOf(reads, { ...tenant, now }, request, payer !== undefined)
  const { page } = purchase
  const id = await deps.ids.next(tx)
  const reserves = page && payer ? await isReserving(tx, tenant, page.id, payer) : true
  const discount = await discountOf(tx, { ...tenant, now }, id, request, purchase)
  // The reservation has shown that a use is available. The locks keep it available until the
  // transaction ends.
  if (discount && !reserves) await releaseDiscount(tx, tenant, { causeId: id, now })
  const draft = await draftOf(reads, deps, { ...tenant, now }, request, purchase, {
    id,
    discount,
    ...(page && payer && { payer: { ...payer, reserves } }),
  })
  if (page) await reservePagePlace(tx, tenant, page.id)
  if (page && !reserves) await releasePagePlace(tx, tenant, page.id)
  return draft
}

async function completed(tx: Tx, deps: StartDeps, row: CheckoutRow, now: Date) {
  const done = await completeCheckout(tx, deps, row, { transaction: null, now })
  if (!done) throw new Error('The items that were just reserved are no longer available')
  await done.tell()
  return done.row
}

async function requireWritten(
  db: Db,
  { row, stock }: NewCheckoutRows,
  outcome: Outcome,
): Promise<void> {
  if (outcome === 'written') return
  const tenant = { businessId: row.business_id, live: row.live }
  if (typeof outcome === 'string') throw await used(db, tenant, row.reference)
  throw await shortageError(db, tenant, stock.lines, outcome.shortItemIds)
}

/**
 * If the reference is already in use, this is reported instead of any other refusal. If the
 * database failed, the transaction can't be used to look it up, and if the outcome is unknown, it
 * could be this request that used the reference.
 */
async function errorOf(
  error: unknown,
  db: Db,
  { businessId, live }: Tenant,
  { reference }: NewCheckout,
): Promise<unknown> {
  const isRefusal =
    error instanceof Problem && error.kind !== 'internal' && error.kind !== 'unavailable'
  if (reference === undefined || !isRefusal || error.code === USED) return error
  const tenant = { businessId, live }
  return (await selectCheckout(db, tenant, reference)) ? used(db, tenant, reference) : error
}

const USED = 'checkout_reference_used'

async function used(db: Db, tenant: Tenant, reference: string) {
  const row = await selectCheckout(db, tenant, reference)
  const status = row ? statusOf(row, await selectRelated(db, tenant, row.id)) : 'gone'
  return conflict(USED, `This reference is already used by a checkout that is ${status}.`, {
    reference: [`is already used by a checkout that is ${status}`],
  })
}

async function discountOf(
  tx: Tx,
  { now, ...tenant }: TenantAt,
  causeId: number,
  { discountCode: code, customerEmail: email }: NewCheckout,
  { page, lines, subtotal_minor }: Purchase,
) {
  if (code === undefined) return undefined
  const field = 'discountCode'
  if (page && !page.allow_discount_codes)
    throw invalid({ [field]: ['cannot be used on this page'] })
  const bought = lines.map((line) => ({ productId: line.product_id, ...line }))
  const use = await reserveDiscount(tx, tenant, {
    causeId,
    code,
    lines: bought.length > 0 ? bought : [{ productId: null, amount_minor: subtotal_minor }],
    currency: CURRENCY,
    email,
    expiresAt: addMs(now, DISCOUNT_MS),
    now,
    field,
  })
  return { ...use, code: code.trim().toUpperCase() }
}

export interface NewCheckoutRows {
  row: CheckoutRow
  order: NewOrder | undefined
  attempt: NewAttempt | undefined
  events: readonly EventRow[]
  stock: NewReservations
  /** The claim and the response of the request, if this statement also writes them. */
  claim?: Claim | undefined
  response?: string
}

/**
 * `written`, or why nothing was written: the Idempotency-Key or the reference has been used before,
 * or too little is left of these stock items.
 */
export type Outcome = 'written' | 'key_used' | 'reference_used' | { shortItemIds: number[] }

/**
 * Opens a batch. Checkouts that arrive while a statement is running are written together by the
 * next one. They get stock in the order in which they arrived.
 */
export function checkoutBatch({ db, ids }: { db: Database; ids: Deps['ids'] }) {
  const writer = openWriter(db)
  return openBatch<NewCheckoutRows, Outcome>({
    db,
    businessOf: ({ row }) => row.business_id,
    write: async (checkouts) =>
      (await insertCheckouts((statement) => writer.query(statement), checkouts)) ??
      db.transaction(async (tx) => {
        await shortenLockTimeout(tx)
        return insertWithStockEvents(tx, ids, checkouts)
      }),
    bytesOf: ({ events }) => events.reduce((bytes, { data }) => bytes + data.length, 2_000),
  })
}

/** Writes one checkout in a transaction that also writes other things. */
async function insertCheckout(
  tx: Tx,
  ids: Deps['ids'],
  checkout: NewCheckoutRows,
): Promise<Outcome> {
  const [outcome] = await insertWithStockEvents(tx, ids, [checkout])
  if (outcome === AGAIN) throw new Error('Nothing comes before the only checkout')
  return outcome!
}

/** Also writes the events for stock that has run low, in further statements. */
async function insertWithStockEvents(
  tx: Tx,
  ids: Deps['ids'],
  checkouts: readonly NewCheckoutRows[],
): Promise<(Outcome | typeof AGAIN)[]> {
  const levels: Levels = []
  const outcomes = await insertCheckouts(tx.query, checkouts, levels)
  const byTenant = Map.groupBy(levels, ({ row }) => `${row.business_id} ${row.live}`)
  for (const own of byTenant.values()) {
    const { row } = own.at(-1)!
    const changes = own.flatMap((one) => one.changes)
    await reservedEvents(tx, ids, tenantOf(row), changes, row.created_at)
  }
  return outcomes!
}

type Levels = { row: CheckoutRow; changes: ReservedLevel[] }[]

interface Result {
  /** Nothing was written, because stock events must be written too. */
  needs_events: boolean
  is_fresh: boolean
  is_written: boolean
  is_short: boolean
  short_items: number[] | null
  changes: ReservedLevel[] | null
}

/**
 * Writes checkouts with their orders, attempts, reservations, events, claims and responses in one
 * statement. Returns their outcomes, in order. The outcome AGAIN means that a checkout could get
 * its stock once the others are written.
 *
 * Adds the stock levels that might require an event to `levels`. If there are any and `levels` is
 * absent, writes nothing and returns undefined.
 */
async function insertCheckouts(
  run: (statement: Statement) => Promise<pg.QueryResult>,
  checkouts: readonly NewCheckoutRows[],
  levels?: Levels,
): Promise<(Outcome | typeof AGAIN)[] | undefined> {
  const orders = checkouts.flatMap(({ order }) => order ?? [])
  const attempts = checkouts.flatMap(({ attempt }) => attempt ?? [])
  const { rows } = await run({
    name: 'insert_checkouts',
    text: STATEMENT,
    values: [
      JSON.stringify(checkouts.map(checkoutValues)),
      JSON.stringify(checkouts.flatMap(wantedOf)),
      JSON.stringify(orders.map(newOrderValues)),
      JSON.stringify(orders.flatMap(lineValues)),
      JSON.stringify(attempts.map(attemptValues)),
      JSON.stringify(attempts.flatMap(shareValues)),
      JSON.stringify(checkouts.flatMap(eventsOf)),
      levels !== undefined,
    ],
  })
  const results = rows as Result[]
  if (results.some(({ needs_events }) => needs_events)) return undefined
  return results.map((result, i) => {
    if (result.changes) levels?.push({ row: checkouts[i]!.row, changes: result.changes })
    return outcomeOf(result)
  })
}

function outcomeOf({ is_fresh, is_written, is_short, short_items }: Result) {
  if (!is_fresh) return 'key_used'
  if (is_written) return 'written'
  if (!is_short) return 'reference_used'
  return short_items ? { shortItemIds: short_items } : AGAIN
}

const COLUMNS = [
  'business_id bigint',
  'live boolean',
  'id bigint',
  'reference text',
  'secret text',
  'status text',
  'page_id bigint',
  'order_id bigint',
  'transaction_id bigint',
  'split_page_id bigint',
  'subaccount_id bigint',
  'amount_minor bigint',
  'currency text',
  'fee_bearer text',
  'channels text[]',
  'customer_email text',
  'customer_name text',
  'customer_phone text',
  'callback_url text',
  'answers text',
  'metadata text',
  'expires_at timestamptz',
  'payer_network text',
  'payer_reserves boolean',
  'created_at timestamptz',
  'updated_at timestamptz',
]
const NAMES = COLUMNS.map((column) => column.split(' ')[0]).join(', ')

const checkoutValues = ({ row, stock, claim, response }: NewCheckoutRows, place: number) => ({
  ...row,
  amount_minor: `${row.amount_minor}`,
  place,
  withheld: stock.withheld,
  stock_until: stock.expiresAt,
  ...claimValues(claim),
  response: claim && response,
})

const wantedOf = ({ row, stock }: NewCheckoutRows) =>
  stockLineValues(stock.lines).map((line) => ({ cause_id: row.id, ...line }))

const eventsOf = ({ row, events }: NewCheckoutRows) =>
  events.map((event) => ({ ...event, checkout_id: row.id }))

// First, `fresh` omits the checkouts with keys that have been used. Then the items are locked, and
// `served` omits the checkouts for which there is too little stock. Finally, `made` omits those
// with references that have been used, and only what is left is written.
const STATEMENT = `
with incoming as materialized (
  select * from json_to_recordset($1::json) as t (${COLUMNS.join(', ')}, place integer,
    withheld text, stock_until timestamptz, ${CLAIM_COLUMNS}, response text)
), fresh as materialized (${freshRows()}
), wanted as materialized (
  select f.business_id, f.live, f.place, f.withheld, f.stock_until, f.created_at, w.*
  from json_to_recordset($2::json) as w (${STOCK_LINE}) join fresh f on f.id = w.cause_id
), ${decidingStock('wanted')}, served as materialized (
  select f.* from fresh f
  where not exists (select from short_causes s where s.cause_id = f.id)
    and ($8::boolean or not exists (select from crossed_items))
), made as (
  insert into checkouts (${NAMES}) select ${NAMES} from served order by place
  on conflict on constraint checkouts_reference do nothing
  returning business_id, live, id
), ${takingStock('made')}, claimed as (${claimRows('served join made using (business_id, live, id)', '201', 'response')}
), new_orders as materialized (
  select o.* from json_to_recordset($3::json) as o (${NEW_ORDER_COLUMNS})
  join made m on m.id = o.checkout_id
), new_lines as materialized (
  select * from json_to_recordset($4::json) as l (${LINE_COLUMNS})
), ${insertingOrders('new_orders', 'new_lines')}, new_attempts as materialized (
  select a.* from json_to_recordset($5::json) as a (${ATTEMPT_COLUMNS})
  join made m on m.id = a.purpose_id
), new_shares as materialized (
  select * from json_to_recordset($6::json) as s (${SHARE_COLUMNS})
), ${insertingAttempts('new_attempts', 'new_shares')}, new_events as materialized (
  select * from json_to_recordset($7::json) as t (${EVENT_ROW}, checkout_id bigint)
  where checkout_id in (select id from made)
), ${insertingEventRows('new_events')}
select not $8::boolean and exists (select from crossed_items) as needs_events,
  f.id is not null as is_fresh, m.id is not null as is_written,
  r.cause_id is not null as is_short, r.short_items, r.changes
from incoming i
  left join fresh f on f.id = i.id
  left join made m on m.id = i.id
  left join stock_results r on r.cause_id = i.id
order by i.place`
