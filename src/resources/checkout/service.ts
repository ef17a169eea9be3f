import { timingSafeEqual } from 'node:crypto'
import type { Db } from '../../db/database.ts'
import { parseToken } from '../../lib/page-token.ts'
import { notFound } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { type CheckoutRow, selectCheckout, selectCheckoutById } from './queries.ts'
import { selectShown } from './queries-shown.ts'
import { checkoutRecord } from './record.ts'

export type { CheckoutRow } from './queries.ts'
export { accessCodeOf, urlOf } from './record.ts'

/** One checkout by its reference. Throws 404. */
export async function findCheckout(
  db: Db,
  tenant: Tenant,
  reference: string,
): Promise<CheckoutRow> {
  const row = await selectCheckout(db, tenant, reference)
  if (!row) throw notFound('checkout')
  return row
}

/** The one with this access code, whosever it is. Throws 404. */
export async function checkoutOfCode(db: Db, code: string): Promise<CheckoutRow> {
  const parsed = parseToken(code)
  const row = parsed && (await selectCheckoutById(db, parsed, parsed.id))
  if (!row || !isSame(row.secret, parsed.secret)) throw notFound('checkout')
  return row
}

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

/** The record of a checkout as it stands at a moment. */
export async function recordOf(
  db: Db,
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  row: CheckoutRow,
  now: Date,
) {
  const tenant = { businessId: row.business_id, live: row.live }
  return checkoutRecord(row, { publicUrl, now, ...(await selectShown(db, tenant, row.id)) })
}
