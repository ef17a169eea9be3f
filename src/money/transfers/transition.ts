import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { clearingOf, postHold, postJournal, type Through, voidHold } from '../../ledger/ledger.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { conflict } from '../../lib/problem.ts'
import { cancelUnsent, endOrders, releaseOrder, reorder } from '../../provider-orders/statements.ts'
import { payoutsStopOf } from '../../providers/pauses.ts'
import { walletDebited, walletFunded } from '../wallet/service.ts'
import { protectedTransfers } from './audit.ts'
import { type TransferRow, updateMoved } from './queries.ts'
import { type Transfer, transferRecord, withNumber } from './record.ts'
import { type TransferMove, transferMachine } from './schemas.ts'

export type MoveDeps = Pick<Deps, 'ids' | 'keyring'>

interface Reason {
  now: Date
  /** A human-readable message: the reason given by the provider or a person. */
  message: string | null
  /**
   * Moves the transfer only if this is the current attempt, because a report about a previous
   * attempt must not affect a later one.
   */
  attempt?: number
  /** The previous attempt that was paid after all and becomes the current one. */
  paidBy?: number | undefined
  approver?: Actor | undefined
  /** Who paid it out. Required for moves that post or return the money. */
  through?: Through | undefined
}

/**
 * Moves a transfer to a new state, together with its money and events. Returns `undefined` if its
 * current state does not allow the move, for example because the report is repeated or late.
 */
export async function moveTransfer(
  tx: Tx,
  { ids, keyring }: MoveDeps,
  { businessId, live }: Tenant,
  id: number,
  move: TransferMove,
  { now, message, attempt, paidBy, approver, through }: Reason,
): Promise<Transfer | undefined> {
  const tenant = { businessId, live }
  const { from, to, event } = transferMachine.moves[move]
  const moved = await updateMoved(tx, tenant, id, {
    from,
    to,
    attempt: attempt ?? null,
    paid_by: paidBy ?? null,
    isRetry: move === 'retry',
    isReturn: move === 'return',
    message,
    failure_reason: REASONED.includes(move) ? message : null,
    approver: approver ?? null,
    now,
  })
  if (!moved) return undefined
  const row = await withNumber(tx, keyring, tenant, moved)
  if (approver !== undefined) await writeRowNote(tx, protectedTransfers, tenant, id)
  await moveOrder(tx, tenant, row, move, now)
  const walletEvents = await moveMoney(tx, ids, tenant, row, move, { now, through })
  await appendEvents(tx, ids, [transferEvent(event, row, tenant, now), ...walletEvents])
  return row
}

/**
 * Cancels a transfer that no provider has. Returns `undefined` if one may have it, or if the
 * transfer has ended.
 */
export async function cancelUnsentTransfer(
  tx: Tx,
  deps: MoveDeps,
  tenant: Tenant,
  id: number,
  reason: Pick<Reason, 'now' | 'message'>,
): Promise<Transfer | undefined> {
  const { now } = reason
  // A process that claims the order to send it also locks the order first.
  if (!(await cancelUnsent(tx, tenant, { kind: 'transfer', id, now }))) return undefined
  const row = await moveTransfer(tx, deps, tenant, id, 'cancel', reason)
  if (!row) throw new Error(`The transfer ${id} has an open order, but has ended`)
  return row
}

/** The moves whose reason is shown in the record. */
const REASONED: readonly TransferMove[] = ['reject', 'cancel', 'fail', 'block', 'refuse', 'return']

/**
 * Updates the order after a person's decision. A provider's decision is stored together with its
 * report.
 */
async function moveOrder(
  tx: Tx,
  tenant: Tenant,
  row: TransferRow,
  move: TransferMove,
  now: Date,
): Promise<void> {
  const order = { kind: 'transfer', id: row.id, now } as const
  if (move === 'approve') await releaseOrder(tx, tenant, order)
  else if (move === 'reject') {
    if (await cancelUnsent(tx, tenant, order)) return
    // After a restore, it may have been approved and sent since the backup. Payouts are stopped
    // until the operator has compared the books with the provider's.
    if (await payoutsStopOf(tx, tenant)) throw transferSent('rejected')
    await endOrders(tx, tenant, order)
  } else if (move === 'retry') await reorder(tx, tenant, order, row)
}

export const transferSent = (done: 'cancelled' | 'rejected') =>
  conflict(
    'transfer_sent',
    `A provider may already have this transfer, so it can no longer be ${done}.`,
  )

/** Moves the held money. Returns the resulting wallet events. */
async function moveMoney(
  tx: Tx,
  ids: Deps['ids'],
  tenant: Tenant,
  { id, reference, amount_minor, fee_minor, currency }: TransferRow,
  move: TransferMove,
  { now, through }: Pick<Reason, 'now' | 'through'>,
): Promise<NewEvent[]> {
  const { ledger } = transferMachine.moves[move]
  if (ledger === 'none') return []
  const cause = { type: 'transfer', id }
  if (ledger === 'void') {
    await voidHold(tx, ids, tenant, { cause, now })
    return []
  }
  if (!through) throw new Error(`Nobody paid out the transfer ${reference}`)
  const clearing = clearingOf(through.connectionId, currency)
  const fees = { kind: 'fees', currency } as const
  const wallet = { kind: 'wallet_available', currency } as const
  const parts = [
    { amount_minor, kind: 'payout' },
    { to: fees, amount_minor: fee_minor, kind: 'fee' },
  ]
  const moves = [
    { debit: clearing, credit: wallet, amount_minor, kind: 'return' },
    { debit: fees, credit: wallet, amount_minor: fee_minor, kind: 'fee' },
  ]
  const end = { cause, now, eventOn: wallet }
  const { event: account } =
    ledger === 'post'
      ? await postHold(tx, ids, tenant, { ...end, through, parts })
      : await postJournal(tx, ids, tenant, { ...end, verb: 'return', moves })
  if (!account) throw new Error('The ledger did not count an event for the wallet')
  const source = { type: 'transfer', reference }
  const change = { account, amount_minor: amount_minor + fee_minor, currency, source }
  return [(ledger === 'post' ? walletDebited : walletFunded)(change, tenant, now)]
}

export const transferEvent = (
  type: string,
  row: Transfer,
  { businessId, live }: Tenant,
  at: Date,
): NewEvent => ({
  businessId,
  live,
  type,
  objectType: 'transfer',
  objectId: row.id,
  sequence: row.event_sequence,
  data: transferRecord(row, { businessId, live }),
  at,
})

/** Who created or approved a transfer. For a key, this is the person who created the key. */
export interface Actor {
  with: 'person' | 'key' | 'partner'
  name: string
  personId: number | null
}

export function actorOf({ person, partner, key }: Caller): Actor {
  if (person) return { with: 'person', name: person.name, personId: person.id }
  if (partner !== undefined) return { with: 'partner', name: partner, personId: null }
  return { with: 'key', name: key?.name ?? 'API key', personId: key?.madeBy ?? null }
}
