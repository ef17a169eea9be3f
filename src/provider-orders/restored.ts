import type { Tx } from '../db/database.ts'
import type { Tenant } from '../lib/caller.ts'
import { updateAssumedSent } from './queries.ts'

/**
 * After a backup was restored, an order that it contains as unsent may have been sent since. It is
 * therefore looked up before it is sent. Returns the number of these orders.
 */
export const assumeSent = (tx: Tx, tenant: Tenant, madeAt: Date): Promise<number> =>
  updateAssumedSent(tx, tenant, madeAt)
