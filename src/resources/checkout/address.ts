import type { Tx } from '../../db/database.ts'
import { notFound } from '../../lib/problem.ts'
import { updateOrderAddress } from '../orders/service.ts'
import { refuseEnded } from './pay.ts'
import { lockCheckout } from './queries.ts'
import type { At } from './start.ts'

/** As long as the API takes one. */
const ADDRESS_MAX = 1000
/** Nobody types these: controls, except tabs and line breaks, and what reverses a text. */
const UNSEEN = /[^\P{Cc}\t\n\r]|[\u202a-\u202e\u2066-\u2069]/gu

/** The address in a form; undefined for none, or for one that is too long. */
export function typedAddress(given: unknown): string | undefined {
  const address = typeof given === 'string' ? given.replace(UNSEEN, '').trim() : ''
  return address.length > 0 && address.length <= ADDRESS_MAX ? address : undefined
}

/** Keeps where the goods of an open checkout are delivered. Throws 409 once it is not open. */
export async function setAddress(
  tx: Tx,
  { businessId, live, now }: At,
  id: number,
  address: string,
): Promise<void> {
  const tenant = { businessId, live }
  const row = await lockCheckout(tx, tenant, id)
  if (!row) throw notFound('checkout')
  refuseEnded(row, now)
  if (row.order_id !== null) await updateOrderAddress(tx, tenant, row.order_id, { address, now })
}
