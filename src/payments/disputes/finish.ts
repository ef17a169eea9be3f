import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import {
  clearingOf,
  type Move,
  postHold,
  postJournal,
  voidHold,
  walletOf,
} from '../../ledger/ledger.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import { RECOVERY_JOB } from '../../money/wallet/jobs.ts'
import { walletDebited } from '../../money/wallet/service.ts'
import { sharesOfOne } from '../attempts/allocation.ts'
import { findTransaction } from '../attempts/read.ts'
import { transactionEvent } from '../attempts/record.ts'
import { transactionMachine } from '../attempts/schemas.ts'
import { lockWithPayable } from '../attempts/settle.ts'
import type { DisputeDeps } from './apply-report.ts'
import { addReversed, type DisputeRow, moveDispute, type PaymentRow } from './queries.ts'
import { disputeEvent, emailDispute } from './record.ts'
import { disputeMachine } from './schemas.ts'
import { partsOf } from './service.ts'

interface Decision {
  status: 'Won' | 'Lost' | 'Accepted'
  /** What the provider takes; 0 if the dispute was won. */
  lost_minor: Minor
  now: Date
}

const ENDINGS = {
  Won: { move: disputeMachine.moves.win, event: 'dispute.won', mail: 'won' },
  Lost: { move: disputeMachine.moves.lose, event: 'dispute.lost', mail: 'lost' },
  Accepted: { move: disputeMachine.moves.accept, event: 'dispute.accepted', mail: undefined },
} as const

/**
 * Ends a dispute as the provider has decided, exactly once: the dispute, its payment, the payable,
 * the ledger and the events change together. Returns whether the dispute had not ended before.
 */
export async function endDispute(
  tx: Tx,
  deps: DisputeDeps,
  { id, transaction_id, business_id: businessId, live }: DisputeRow,
  { status, lost_minor, now }: Decision,
): Promise<boolean> {
  const tenant = { businessId, live }
  const payment = await lockWithPayable(tx, deps.payables, tenant, transaction_id)
  const { move, event, mail } = ENDINGS[status]
  const row = await moveDispute(tx, tenant, id, { ...move, message: null, lost_minor, now })
  if (!row) return false
  const { amount_minor } = row
  const gone_minor = payment.refunded_minor + payment.reversed_minor + lost_minor
  const { from } = transactionMachine.moves.reverse
  const isReversed =
    lost_minor > 0n &&
    gone_minor >= payment.paid_minor! &&
    (from as readonly string[]).includes(payment.status)
  const decided = { id: payment.id, amount_minor, lost_minor, isReversed, now }
  await addReversed(tx, tenant, decided)
  const notified = isReversed ? await reversalEvents(tx, deps, tenant, payment, now) : []
  const wallet = await release(tx, deps.ids, row, lost_minor, now)
  await appendEvents(tx, deps.ids, [
    disputeEvent(event, row, await partsOf(tx, row), now),
    ...notified,
    ...wallet,
  ])
  if (mail) await emailDispute(tx, deps, row, payment, mail)
  if (lost_minor > 0n) tx.after(() => deps.nudge(RECOVERY_JOB))
  return true
}

async function reversalEvents(
  tx: Tx,
  { payables }: Pick<DisputeDeps, 'payables'>,
  tenant: Tenant,
  { purpose, reference }: PaymentRow,
  now: Date,
): Promise<NewEvent[]> {
  const transaction = await findTransaction(tx, tenant, reference)
  if (!transaction) throw new Error(`The disputed transaction ${reference} does not exist`)
  const shares = await sharesOfOne(tx, tenant, transaction)
  const refund = { tenant, transaction, isFull: true, cause: 'dispute', now } as const
  return [
    transactionEvent('transaction.reversed', transaction, tenant, now, shares),
    ...((await payables[purpose]?.refunded?.(tx, refund)) ?? []),
  ]
}

/**
 * Pays what the provider took out of the hold, and returns the rest of the hold. The business owes
 * what was not on hold.
 */
async function release(
  tx: Tx,
  ids: Deps['ids'],
  row: DisputeRow,
  lost_minor: Minor,
  now: Date,
): Promise<NewEvent[]> {
  const { id, business_id: businessId, live, connection_id: connectionId, currency } = row
  const { excess_minor, held_minor, reference } = row
  const tenant = { businessId, live }
  const end = { cause: { type: 'dispute', id }, now }
  const isHeld = excess_minor + held_minor > 0n
  if (lost_minor === 0n) {
    if (isHeld) await voidHold(tx, ids, tenant, end)
    return []
  }
  const ofExcess_minor = least(lost_minor, excess_minor)
  const own_minor = least(lost_minor - ofExcess_minor, held_minor)
  const owed: Move = {
    debit: { kind: 'receivable', currency },
    credit: clearingOf(connectionId, currency),
    amount_minor: lost_minor - ofExcess_minor - own_minor,
    kind: 'dispute',
  }
  if (!isHeld) {
    await postJournal(tx, ids, tenant, { ...end, verb: 'post', moves: [owed] })
    return []
  }
  const refunds = { kind: 'refunds', currency } as const
  const wallet = walletOf(currency)
  const { event: account } = await postHold(tx, ids, tenant, {
    ...end,
    through: { connectionId },
    parts: [
      { amount_minor: ofExcess_minor + own_minor, kind: 'dispute' },
      { to: refunds, amount_minor: excess_minor - ofExcess_minor, kind: 'void' },
      { to: wallet, amount_minor: held_minor - own_minor, kind: 'void' },
    ],
    moves: [owed],
    ...(own_minor > 0n && { eventOn: wallet }),
  })
  if (!account) return []
  const source = { type: 'dispute', reference }
  return [walletDebited({ account, amount_minor: own_minor, currency, source }, tenant, now)]
}

const least = (a: Minor, b: Minor): Minor => (a < b ? a : b)
