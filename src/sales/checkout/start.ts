import type { Database, Db, Tx } from '../../db/database.ts'
import { type Claim, NotBatchable, onceInBatch, type StoredResponse } from '../../db/idempotency.ts'
import type { Deps } from '../../deps.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { conflict, invalid, Problem } from '../../lib/problem.ts'
import { releaseDiscount, reserveDiscount } from '../discounts/redemptions.ts'
import { releasePagePlace, reservePagePlace } from '../payment-pages/paying.ts'
import { shortageError } from '../products/stock/service.ts'
import { isReserving, type Payer } from './cart.ts'
import { completeCheckout } from './close.ts'
import { CURRENCY, type Draft, draftOf, type Purchase, purchaseOf, type TenantAt } from './draft.ts'
import { checkoutBatch, insertCheckout, type NewCheckoutRows, type Outcome } from './insert.ts'
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

export interface StartedCheckout {
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
