import type { Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { type Move, postJournal } from '../../ledger/ledger.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { collectionFee } from '../businesses/fees.ts'
import { termsOf } from '../businesses/terms.ts'
import { walletFunded } from '../wallet/service.ts'
import { type Division, divide, type FeeOf, offeredOf } from './division.ts'
import { transactionEvent } from './events.ts'
import type { Purposes } from './purposes.ts'
import { moveTransaction, selectById, type TransactionRow, updateReceived } from './queries.ts'
import { closeAccount } from './queries-accounts.ts'
import { transactionMachine } from './states.ts'

export interface Settlement {
  tenant: Tenant
  transactionId: number
  /** What came in, compared with what was asked by whoever calls. */
  received_minor: Minor
  message: string | null
  now: Date
}

/**
 * Brings the money of a successful payment in, once: the transaction, what it paid for, the ledger
 * and the events move together. Answers undefined when it had ended before, which is what a
 * repeated or late notice finds.
 */
export async function settleTransaction(
  tx: Tx,
  ids: Ids,
  purposes: Purposes,
  { tenant, transactionId, received_minor, message, now }: Settlement,
): Promise<TransactionRow | undefined> {
  const found = await selectById(tx, tenant, transactionId)
  if (!found) return undefined
  const purpose = purposes[found.purpose]
  if (!purpose) throw new Error(`Nothing settles the purpose ${found.purpose}`)
  await purpose.lock(tx, tenant, found.purpose_id)

  const { from, to } = transactionMachine.moves.succeed
  const moved = await moveTransaction(tx, tenant, transactionId, { from, to, message, now })
  if (!moved) return undefined
  if (moved.channel === 'BANK_TRANSFER') await closeAccount(tx, tenant, moved.id, 'Paid')

  const feeOf = await feesOf(tx, tenant, moved)
  const offered_minor = offeredOf(moved, received_minor, feeOf)
  const receipt = { tenant, transaction: moved, amount_minor: offered_minor, now }
  const { kept_minor, events } = await purpose.receive(tx, receipt)
  const division = divide(moved, received_minor, offered_minor, kept_minor, feeOf)
  const settled = await updateReceived(tx, tenant, moved.id, {
    amount_minor: offered_minor,
    fee_minor: division.fee_minor,
    paid_minor: received_minor,
    excess_minor: division.excess_minor,
  })
  const funded = await bringIn(tx, ids, tenant, settled, division, now)

  await appendEvents(tx, ids, [
    transactionEvent('transaction.successful', settled, tenant, now),
    ...events,
    ...funded,
  ])
  return settled
}

/** What the operator takes of a payment of this kind, by the rules of now. */
export async function feesOf(
  tx: Tx,
  tenant: Tenant,
  { channel, currency }: Pick<TransactionRow, 'channel' | 'currency'>,
): Promise<FeeOf> {
  const { fee_rules } = await termsOf(tx, tenant)
  return (amount_minor) => collectionFee(fee_rules, channel, amount_minor, currency)
}

async function bringIn(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  { id, reference, currency }: TransactionRow,
  parts: Division,
  now: Date,
): Promise<NewEvent[]> {
  const wallet = { kind: 'wallet_available', currency } as const
  const { wallet_minor, fee_minor } = parts
  const moves = settlementMoves(currency, parts)
  const net_minor = wallet_minor - fee_minor
  const isFunded = net_minor > 0n
  const { event } = await postJournal(tx, ids, tenant, {
    cause: { type: 'transaction', id },
    verb: 'settle',
    now,
    moves,
    ...(isFunded && { eventOn: wallet }),
  })
  if (!event) return []
  const source = { type: 'transaction', reference }
  return [walletFunded({ account: event, amount_minor: net_minor, currency, source }, tenant, now)]
}

/** Provider → wallet, wallet → fees, and provider → refunds for what is owed back. */
export function settlementMoves(
  currency: string,
  {
    wallet_minor,
    fee_minor,
    excess_minor,
  }: Pick<Division, 'wallet_minor' | 'fee_minor' | 'excess_minor'>,
): Move[] {
  const provider = { kind: 'provider_clearing', currency } as const
  const wallet = { kind: 'wallet_available', currency } as const
  return [
    { debit: provider, credit: wallet, amount_minor: wallet_minor, kind: 'charge' },
    { debit: wallet, credit: { kind: 'fees', currency }, amount_minor: fee_minor, kind: 'fee' },
    {
      debit: provider,
      credit: { kind: 'refunds', currency },
      amount_minor: excess_minor,
      kind: 'overpayment',
    },
  ]
}

/** Ends a Pending transaction without money; answers whether it was Pending. */
export async function failTransaction(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  id: number,
  message: string,
  now: Date,
): Promise<boolean> {
  const { from, to } = transactionMachine.moves.fail
  const failed = await moveTransaction(tx, tenant, id, { from, to, message, now })
  if (!failed) return false
  await appendEvents(tx, ids, [transactionEvent('transaction.failed', failed, tenant, now)])
  return true
}
