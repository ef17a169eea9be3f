import type { Tx } from '../../../db/database.ts'
import { appendEvents } from '../../../events/append.ts'
import { parseAmount } from '../../../lib/money.ts'
import { newReference } from '../../../lib/random.ts'
import type { Caller } from '../../../lib/tenant.ts'
import type { Deps } from '../../deps.ts'
import {
  checkPeriod,
  codeTaken,
  currencyFor,
  endOf,
  productIdsOf,
  startOf,
  worthOf,
} from './content.ts'
import { type DiscountRow, insertDiscount } from './queries.ts'
import { type DiscountRecord, discountRecord } from './record.ts'
import type { NewDiscount } from './schemas.ts'
import { asCode, eventsOf } from './service.ts'

/** Throws 400 naming what is wrong, 404 for an unknown product, 409 for a code that is taken. */
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
    code: asCode(request.code),
    type,
    value_minor: worthOf(type, request.value, currency),
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
