import type { Db, Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { isDay, parseTimestamp } from '../../lib/dates.ts'
import { type Minor, parseAmount, parsePercentage } from '../../lib/money.ts'
import { conflict, invalid, notFound } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import { newReference } from '../../lib/tokens.ts'
import { requireSupportedCurrency } from '../../providers/routing.ts'
import { type DiscountRow, insertDiscount, selectCurrencies } from './queries.ts'
import { type DiscountRecord, discountRecord } from './record.ts'
import type { NewDiscount } from './schemas.ts'
import { eventsOf, normaliseCode } from './service.ts'

/**
 * Creates a discount. Throws 400 naming invalid fields, 404 for an unknown product, and 409 for a
 * code that is already taken.
 */
export async function createDiscount(
  tx: Tx,
  ids: Deps['ids'],
  caller: Caller,
  request: NewDiscount,
): Promise<DiscountRecord> {
  const wanted = await rowOf(tx, ids, caller, request)
  const row = await insertDiscount(tx, wanted)
  if (!row) throw codeTaken(wanted.code)
  await appendEvents(tx, ids, eventsOf(row, ['created'], caller.now))
  return discountRecord(row)
}

async function rowOf(
  tx: Tx,
  ids: Deps['ids'],
  caller: Caller,
  request: NewDiscount,
): Promise<DiscountRow> {
  const product_ids = productIdsOf(request) ?? []
  if (request.currency !== undefined) requireSupportedCurrency(request.currency)
  const currency = await currencyFor(tx, caller, request, request.currency)
  const { type, minSpend, maxDiscount, startsAt, endsAt } = request
  const period = {
    starts_at: startsAt === undefined ? null : startOf(startsAt, caller.timeZone),
    ends_at: endsAt === undefined ? null : endOf(endsAt, caller.timeZone),
  }
  checkPeriod(period)
  return {
    business_id: caller.businessId,
    live: caller.live,
    id: await ids.next(tx),
    reference: newReference('DSC'),
    code: normaliseCode(request.code),
    type,
    value_minor: discountValue(type, request.value, currency),
    currency,
    product_ids,
    min_spend_minor:
      minSpend === undefined
        ? null
        : parseAmount(minSpend, currency, { field: 'minSpend', zero: true }),
    max_discount_minor:
      maxDiscount === undefined
        ? null
        : parseAmount(maxDiscount, currency, { field: 'maxDiscount' }),
    ...period,
    max_uses: request.maxUses ?? null,
    max_uses_per_customer: request.maxUsesPerCustomer ?? null,
    used_count: 0,
    reserved_count: 0,
    status: request.status,
    event_sequence: 1,
    created_at: caller.now,
    updated_at: caller.now,
  }
}

/**
 * Returns minor units for a fixed discount and basis points for a percentage; never 0. Throws 400
 * naming the field.
 */
export function discountValue(
  type: DiscountRow['type'],
  value: number | string,
  currency: string,
): Minor {
  if (type === 'fixed') return parseAmount(value, currency, { field: 'value' })
  const points = parsePercentage(value, 'value')
  if (points === 0) throw invalid({ value: ['must be more than 0'] })
  return BigInt(points)
}

interface Period {
  starts_at: Date | null
  ends_at: Date | null
}

/** Throws 400 for an empty period, in which the discount could never be used. */
export function checkPeriod({ starts_at, ends_at }: Period): void {
  if (starts_at && ends_at && starts_at >= ends_at) {
    throw invalid({ startsAt: ['must be before endsAt'] })
  }
}

export const startOf = (text: string, timeZone: string): Date =>
  parseTimestamp(text, timeZone, 'startsAt')

/** Returns the exact end. A date includes the whole day, and an instant is the end itself. */
export const endOf = (text: string, timeZone: string): Date =>
  parseTimestamp(text, timeZone, 'endsAt', isDay(text))

interface ProductsNamed {
  productId?: number | string | null | undefined
  productIds?: readonly (number | string)[] | null | undefined
}

/** Returns each id once; undefined if the request names no products. Null means every product. */
export function productIdsOf({ productId, productIds }: ProductsNamed): number[] | undefined {
  if (productId !== undefined && productIds !== undefined) {
    throw invalid({ productId: ['cannot be combined with productIds'] })
  }
  if (productId !== undefined) return productId === null ? [] : [toId(productId)]
  return productIds === undefined ? undefined : [...new Set((productIds ?? []).map(toId))]
}

/**
 * Returns the currency for a discount on these products: the given one, otherwise the products'
 * currency, or NGN if there are no products. Throws 404 for a missing product, and 409 for a
 * product in a different currency.
 */
export async function currencyFor(
  db: Db,
  tenant: Tenant,
  named: ProductsNamed,
  given: string | undefined,
): Promise<string> {
  const productIds = productIdsOf(named) ?? []
  const products = productIds.length > 0 ? await selectCurrencies(db, tenant, productIds) : []
  if (products.length < productIds.length) {
    throw notFound('product', fieldsWithout(named, new Set(products.map(({ id }) => id))))
  }
  const currency = given ?? products[0]?.currency ?? 'NGN'
  const other = products.find((product) => product.currency !== currency)
  if (other) {
    const text = `Product ${other.id} is sold in ${other.currency}, but the discount is in ${currency}.`
    throw conflict('currency_mismatch', text, {
      currency: [`must be the currency of product ${other.id}`],
    })
  }
  return currency
}

/** Returns the request fields that name unknown products. */
function fieldsWithout({ productIds }: ProductsNamed, found: ReadonlySet<number>): string[] {
  if (!productIds) return ['productId']
  return productIds.flatMap((id, i) => (found.has(toId(id)) ? [] : [`productIds.${i}`]))
}

export const codeTaken = (code: string) =>
  conflict('discount_code_taken', `Another discount already has the code ${code}.`, {
    code: ['is already used by another discount'],
  })
