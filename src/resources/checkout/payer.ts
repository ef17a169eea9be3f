import { createHmac } from 'node:crypto'
import type { Db, Tx } from '../../db/database.ts'
import { serverSecret } from '../../db/secrets.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { Holds } from '../products/inventory/stock.ts'
import { selectHolding } from './queries-payer.ts'

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

/** Open checkouts of one page with held stock, for one network. */
const HOLDING_MAX = 5

/**
 * How much stock a checkout of a payer holds: a part, or nothing while the payer's network has five
 * open ones on the page that do. The rest is taken when it is paid. The transaction holds the
 * counts of the page, so that those who begin at once are counted one after the other.
 */
export async function holdsOf(
  tx: Tx,
  tenant: Tenant,
  pageId: number,
  { network }: Payer,
): Promise<Holds> {
  const { holding } = await selectHolding(tx, tenant, pageId, network)
  return holding < HOLDING_MAX ? 'some' : 'nothing'
}
