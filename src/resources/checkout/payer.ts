import { createHmac } from 'node:crypto'
import type { Db, Tx } from '../../db/database.ts'
import { serverSecret } from '../../db/secrets.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { selectReserving } from './queries-payer.ts'

/** An anonymous payer of a payment page. */
export interface Payer {
  /** A keyed hash of the network they come from: equal for equal networks, and no address. */
  network: string
}

export async function payerOf(db: Db, network: string): Promise<Payer> {
  const secret = await serverSecret(db, 'people')
  const hash = createHmac('sha256', secret).update(`payer ${network}`).digest('base64url')
  return { network: hash.slice(0, 22) }
}

/** Open checkouts of one page that reserve something, for one network. */
const RESERVING_MAX = 5

/**
 * Whether a checkout of a payer reserves a part of the stock, a place of the page and a use of a
 * code. One that does not, because the payer's network has five open ones on the page that do,
 * takes them when it is paid.
 */
export async function isReserving(
  tx: Tx,
  tenant: Tenant,
  pageId: number,
  { network }: Payer,
): Promise<boolean> {
  return (await selectReserving(tx, tenant, pageId, network)) < RESERVING_MAX
}
