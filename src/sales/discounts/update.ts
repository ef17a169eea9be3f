import type { Tx } from '../../db/database.ts'
import { isUniqueViolation } from '../../db/failures.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { type Minor, parseAmount } from '../../lib/money.ts'
import { conflict, invalid, notFound } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import {
  checkPeriod,
  codeTaken,
  currencyFor,
  discountValue,
  endOf,
  productIdsOf,
  startOf,
} from './create.ts'
import {
  CODE_KEY,
  type Content,
  type DiscountName,
  type DiscountRow,
  lockDiscount,
  updateDiscountRow,
} from './queries.ts'
import { type DiscountRecord, discountRecord } from './record.ts'
import type { UpdateDiscount } from './schemas.ts'
import { eventsOf, normaliseCode } from './service.ts'

/**
 * Changes the given fields; null clears a field. Giving a field its current value is not a change
 * and doesn’t send an event. Throws 404 for an unknown discount or product, and 409 for a code that
 * belongs to another discount or for a limit that is less than the number of uses.
 */
export async function updateDiscount(
  tx: Tx,
  ids: Deps['ids'],
  caller: Caller,
  request: UpdateDiscount,
): Promise<DiscountRecord> {
  const row = await lockDiscount(tx, caller, nameOf(request))
  if (!row) throw notFound('discount')
  if (request.currency !== undefined && request.currency !== row.currency) {
    const text = `A discount’s currency cannot change; this discount is in ${row.currency}.`
    throw conflict('currency_fixed', text, { currency: [`cannot change from ${row.currency}`] })
  }
  const product_ids = productIdsOf(request)
  if (product_ids) await currencyFor(tx, caller, request, row.currency)
  const content = contentOf(row, request, product_ids ?? row.product_ids, caller.timeZone)
  checkUses(row, content)
  if (isSame(row, content)) return discountRecord(row)

  const updated = await write(tx, caller, row, content)
  await appendEvents(tx, ids, eventsOf(updated, ['updated'], caller.now))
  return discountRecord(updated)
}

export async function lockRecord(
  tx: Tx,
  tenant: Tenant,
  request: Pick<UpdateDiscount, 'discountId' | 'code'>,
): Promise<DiscountRecord> {
  const row = await lockDiscount(tx, tenant, nameOf(request))
  if (!row) throw notFound('discount')
  return discountRecord(row)
}

/** Returns the part that an edit can change. The uses can change in the meantime. */
export function editablePartOf(discount: DiscountRecord) {
  const { usedCount: _kept, reservedCount: _held, updatedAt: _changed, ...content } = discount
  return content
}

function nameOf({ discountId, code }: Pick<UpdateDiscount, 'discountId' | 'code'>): DiscountName {
  if (discountId !== undefined) return { id: toId(discountId) }
  return { code: normaliseCode(code!) }
}

function contentOf(
  row: DiscountRow,
  request: UpdateDiscount,
  product_ids: number[],
  timeZone: string,
): Content {
  const given = <T>(value: T | undefined, had: T): T => (value === undefined ? had : value)
  const { minSpend, maxDiscount, startsAt, endsAt } = request
  const amount = (value: number | string, field: string, zero: boolean): Minor =>
    parseAmount(value, row.currency, { field, zero })
  const content = {
    code: request.code === undefined ? row.code : normaliseCode(request.code),
    ...changedWorth(row, request),
    product_ids,
    min_spend_minor: read(minSpend, row.min_spend_minor, (one) => amount(one, 'minSpend', true)),
    max_discount_minor: read(maxDiscount, row.max_discount_minor, (one) =>
      amount(one, 'maxDiscount', false),
    ),
    starts_at: read(startsAt, row.starts_at, (one) => startOf(one, timeZone)),
    ends_at: read(endsAt, row.ends_at, (one) => endOf(one, timeZone)),
    max_uses: given(request.maxUses, row.max_uses),
    max_uses_per_customer: given(request.maxUsesPerCustomer, row.max_uses_per_customer),
    status: given(request.status, row.status),
  }
  checkPeriod(content)
  return content
}

/**
 * Returns the new value of a column: the current value if the field is absent, and null if the
 * field is null.
 */
const read = <Sent, Kept>(sent: Sent | null | undefined, had: Kept, of: (sent: Sent) => Kept) =>
  sent === undefined ? had : sent === null ? null : of(sent)

/**
 * The stored value has a different meaning for each type, so changing the type requires a new
 * value.
 */
function changedWorth(row: DiscountRow, { type = row.type, value }: UpdateDiscount) {
  if (value !== undefined) return { type, value_minor: discountValue(type, value, row.currency) }
  if (type !== row.type) throw invalid({ value: ['is required when type changes'] })
  return { type, value_minor: row.value_minor }
}

function checkUses({ used_count, reserved_count }: DiscountRow, { max_uses }: Content): void {
  const uses = used_count + reserved_count
  if (max_uses === null || max_uses >= uses) return
  throw conflict('discount_used', `The discount has already been used ${uses} times.`, {
    maxUses: [`must be at least ${uses}, the number of uses so far`],
  })
}

const isSame = (row: DiscountRow, content: Content): boolean =>
  (Object.keys(content) as (keyof Content)[]).every(
    (column) => spelt(row[column]) === spelt(content[column]),
  )

const spelt = (value: Content[keyof Content]): string =>
  value instanceof Date ? value.toISOString() : String(value)

async function write(tx: Tx, caller: Caller, { id }: DiscountRow, content: Content) {
  try {
    return await updateDiscountRow(tx, caller, id, content, caller.now)
  } catch (error) {
    throw isUniqueViolation(error, CODE_KEY) ? codeTaken(content.code) : error
  }
}
