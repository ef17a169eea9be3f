import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import { clearingOf, postHold, type Through, voidHold, walletOf } from '../../ledger/ledger.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { OrderKind } from '../../provider-orders/orders.ts'
import type { VendState } from '../../providers/connector/types.ts'
import { throughOf } from '../../providers/providers.ts'
import { walletDebited } from '../wallet/service.ts'
import { billQuery } from './catalogue.ts'
import {
  type BillRow,
  deleteExpired,
  selectIfStored,
  updateMoved,
  updateProvider,
} from './queries.ts'
import { utilityEvent } from './record.ts'
import { billMachine, type UtilityMove } from './schemas.ts'

export const billOrders = ({ ids }: Pick<Deps, 'ids'>): OrderKind<VendState, BillRow> => ({
  kind: 'bill',
  find: (db, tenant, { subject_id }) => selectIfStored(db, tenant, subject_id),
  send: (provider, { about, reference }, row) =>
    provider.vend(about, {
      reference,
      packageSlug: row.package_slug,
      customerId: row.customer_id,
      amount_minor: row.amount_minor,
      currency: row.currency,
    }),
  lookUp: (provider, about, sent) => provider.lookUpVend(about, sent),
  refused: (message) => ({ status: 'Failed', message }),
  routing: ({ amount_minor, reference }) => ({ ...billQuery(amount_minor), key: reference }),
  moved: (tx, tenant, { id }, to) => updateProvider(tx, tenant, id, to),
  async apply({ tenant, row, state, provider, now, note, commit, contradict }) {
    const { status, ...said } = state
    if (status === 'Pending') return note()
    const move = status === 'Successful' ? 'succeed' : 'fail'
    const through = throughOf(provider.connection, said.fee_minor)
    await commit(async (tx) => {
      if (await moveBill(tx, ids, tenant, row.id, move, { ...said, through, now })) return
      const ended = await selectIfStored(tx, tenant, row.id)
      if (ended && ended.status !== status) await contradict(tx, ended.status)
    })
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
export async function moveBill(
  tx: Tx,
  ids: Deps['ids'],
  { businessId, live }: Tenant,
  id: number,
  move: UtilityMove,
  { message, token, pins, ...how }: Omit<VendState, 'status'> & Delivery,
): Promise<BillRow | undefined> {
  const tenant = { businessId, live }
  const { from, to, event } = billMachine.moves[move]
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
  { id, reference, amount_minor, fee_minor, currency }: BillRow,
  move: UtilityMove,
  { commission_minor, through, now }: Delivery,
): Promise<NewEvent[]> {
  const cause = { type: 'utility_payment', id }
  if (billMachine.moves[move].ledger === 'void') {
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

export const enquiryJob: Job = {
  name: 'utility-enquiries',
  everyMs: 60_000,
  run: (db, now, only) => deleteExpired(db, now, only ?? null, JOB_ROWS_MAX),
}
