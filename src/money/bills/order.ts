import type { Tx } from '../../db/database.ts'
import type { Log } from '../../db/log.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { clearingOf, postHold, type Through, voidHold, walletOf } from '../../ledger/ledger.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { OrderKind } from '../../provider-orders/orders.ts'
import type { VendState } from '../../providers/connector/types.ts'
import { throughOf } from '../../providers/providers.ts'
import { walletDebited } from '../wallet/service.ts'
import { selectIfStored, type UtilityRow, updateMoved } from './queries.ts'
import { utilityEvent } from './record.ts'
import { type UtilityMove, utilityMachine } from './states.ts'

export const billOrders = ({
  ids,
  log,
}: Pick<Deps, 'ids'> & { log: Log }): OrderKind<VendState, UtilityRow> => ({
  kind: 'bill',
  async find(db, tenant, { subject_id }) {
    const row = await selectIfStored(db, tenant, subject_id)
    return row?.status === 'Successful' ? undefined : row
  },
  send: (provider, sending, row) =>
    provider.vend({
      ...sending,
      packageSlug: row.package_slug,
      customerId: row.customer_id,
      amount_minor: row.amount_minor,
      currency: row.currency,
    }),
  lookUp: (provider, tenant, reference) => provider.lookUpVend(tenant, reference),
  refused: (message) => ({ status: 'Failed', message }),
  async apply({ tenant, row, state: { status, ...said }, provider, now, note, commit }) {
    if (status === 'Pending') return note()
    const move = status === 'Successful' ? 'succeed' : 'fail'
    const through = throughOf(provider.connection, said.fee_minor)
    await commit((tx) => movePayment(tx, ids, tenant, row.id, move, { ...said, through, now }))
    if (status !== 'Successful' || row.status !== 'Failed') return
    const fields = { ...tenant, reference: row.reference }
    log.error(fields, 'the provider delivered a utility payment that it had refused')
  },
})

interface Delivery extends Pick<VendState, 'commission_minor'> {
  through: Through
  now: Date
}

/**
 * Ends a payment, moves its money and writes its events. Returns `undefined` if it has already
 * ended, for example because the report is repeated or late.
 */
export async function movePayment(
  tx: Tx,
  ids: Deps['ids'],
  { businessId, live }: Tenant,
  id: number,
  move: UtilityMove,
  { message, token, pins, ...how }: Omit<VendState, 'status'> & Delivery,
): Promise<UtilityRow | undefined> {
  const tenant = { businessId, live }
  const { from, to, event } = utilityMachine.moves[move]
  const said = { message, token: token ?? null, pins: pins ?? [] }
  const { now } = how
  const row = await updateMoved(tx, tenant, id, { from, to, ...said, now })
  if (!row) return undefined
  const walletEvents = await moveMoney(tx, ids, tenant, row, move, how)
  await appendEvents(tx, ids, [utilityEvent(event, row, tenant, now), ...walletEvents])
  return row
}

/** Moves the held money. Returns the resulting wallet events. */
async function moveMoney(
  tx: Tx,
  ids: Deps['ids'],
  tenant: Tenant,
  { id, reference, amount_minor, fee_minor, currency }: UtilityRow,
  move: UtilityMove,
  { commission_minor, through, now }: Delivery,
): Promise<NewEvent[]> {
  const cause = { type: 'utility_payment', id }
  if (utilityMachine.moves[move].ledger === 'void') {
    await voidHold(tx, ids, tenant, { cause, now })
    return []
  }
  const parts = [
    { amount_minor, kind: 'vend' },
    { to: { kind: 'fees', currency }, amount_minor: fee_minor, kind: 'fee' },
  ] as const
  const wallet = walletOf(currency)
  const debit = clearingOf(through.connectionId, currency)
  const moves = commission_minor
    ? [{ debit, credit: wallet, amount_minor: commission_minor, kind: 'commission' }]
    : []
  const payout = { cause, now, eventOn: wallet, through, parts, moves }
  const { event: account } = await postHold(tx, ids, tenant, payout)
  if (!account) throw new Error('The ledger did not count an event for the wallet')
  const source = { type: 'utility_payment', reference }
  const change = { account, amount_minor: amount_minor + fee_minor, currency, source }
  return [walletDebited(change, tenant, now)]
}
