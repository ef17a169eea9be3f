import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { post, voidHold } from '../../ledger/ledger.ts'
import type { Tenant } from '../../lib/caller.ts'
import { orderOrLookUp } from '../../provider-orders/orders.ts'
import type { VendOrder, VendState } from '../../provider-orders/provider.ts'
import { walletDebited } from '../wallet/service.ts'
import { type UtilityRow, updateMoved } from './queries.ts'
import { utilityEvent } from './record.ts'
import { type UtilityMove, utilityMachine } from './states.ts'

export type VendDeps = Pick<Deps, 'db' | 'ids' | 'providers'>

/**
 * Has the provider serve the customer of a payment that was committed, or asks what became of it if
 * it may have been told before, and acts on the answer. That may take a while, so `clock` is looked
 * at before and after.
 */
export async function vend(
  deps: VendDeps,
  tenant: Tenant,
  row: UtilityRow,
  { wasSent, clock }: { wasSent: boolean; clock(): Date },
): Promise<void> {
  const provider = deps.providers.of(tenant.live, 'UTILITY')
  const state = await orderOrLookUp<VendState>({
    wasSent,
    send: () => provider.vend(orderOf(tenant, row, clock())),
    lookUp: () => provider.lookUpVend(tenant, row.reference),
    refused: (message) => ({ status: 'Failed', message }),
  })
  if (state) await apply(deps, tenant, row, state, clock())
}

/** Brings a payment to where the provider says that it stands. */
export async function apply(
  { db, ids }: VendDeps,
  tenant: Tenant,
  { id }: UtilityRow,
  { status, ...said }: VendState,
  now: Date,
): Promise<void> {
  if (status === 'Pending') return
  const move = status === 'Successful' ? 'succeed' : 'fail'
  await db.transaction((tx) => movePayment(tx, ids, tenant, id, move, { ...said, now }))
}

const orderOf = (tenant: Tenant, row: UtilityRow, now: Date): VendOrder => ({
  tenant,
  reference: row.reference,
  packageSlug: row.package_slug,
  customerId: row.customer_id,
  amount_minor: row.amount_minor,
  currency: row.currency,
  now,
})

/**
 * Ends a payment with its money and its events, all of it or nothing. Answers undefined when it has
 * ended already, which is what repeated and late news find.
 */
export async function movePayment(
  tx: Tx,
  ids: Deps['ids'],
  { businessId, live }: Tenant,
  id: number,
  move: UtilityMove,
  { message, token, pins, now }: Omit<VendState, 'status'> & { now: Date },
): Promise<UtilityRow | undefined> {
  const tenant = { businessId, live }
  const { from, to, event } = utilityMachine.moves[move]
  const said = { message, token: token ?? null, pins: pins ?? [] }
  const row = await updateMoved(tx, tenant, id, { from, to, ...said, now })
  if (!row) return undefined
  const walletEvents = await moveMoney(tx, ids, tenant, row, move, now)
  await appendEvents(tx, ids, [utilityEvent(event, row, tenant, now), ...walletEvents])
  return row
}

/** What the move does to the money that was held; answers the wallet's events. */
async function moveMoney(
  tx: Tx,
  ids: Deps['ids'],
  tenant: Tenant,
  { id, reference, amount_minor, fee_minor, currency }: UtilityRow,
  move: UtilityMove,
  now: Date,
): Promise<NewEvent[]> {
  const cause = { type: 'utility_payment', id }
  if (utilityMachine.moves[move].ledger === 'void') {
    await voidHold(tx, ids, tenant, { cause, now })
    return []
  }
  const parts = [
    { to: { kind: 'provider_clearing', currency }, amount_minor, kind: 'vend' },
    { to: { kind: 'fees', currency }, amount_minor: fee_minor, kind: 'fee' },
  ] as const
  const eventOn = { kind: 'wallet_available', currency } as const
  const { event: account } = await post(tx, ids, tenant, { cause, now, eventOn, parts })
  if (!account) throw new Error('The ledger counted no event on the wallet')
  const source = { type: 'utility_payment', reference }
  const change = { account, amount_minor: amount_minor + fee_minor, currency, source }
  return [walletDebited(change, tenant, now)]
}
