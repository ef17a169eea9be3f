import type { Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { type Move, postJournal } from '../../ledger/ledger.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { collectionFee } from '../businesses/fees.ts'
import { termsOf } from '../businesses/terms.ts'
import { walletFunded } from '../wallet/service.ts'
import { transactionEvent } from './events.ts'
import type { Purposes } from './purposes.ts'
import { moveTransaction, type TransactionRow, updateReceived } from './queries.ts'
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
  const { from, to } = transactionMachine.moves.succeed
  const moved = await moveTransaction(tx, tenant, transactionId, { from, to, message, now })
  if (!moved) return undefined
  if (moved.channel === 'BANK_TRANSFER') await closeAccount(tx, tenant, moved.id, 'Paid')

  const purpose = purposes[moved.purpose]
  if (!purpose) throw new Error(`Nothing settles the purpose ${moved.purpose}`)
  const onTop_minor = moved.payable_minor - moved.amount_minor
  const offered_minor = max(0n, min(received_minor - onTop_minor, moved.amount_minor))
  const received = await purpose(tx, {
    tenant,
    transaction: moved,
    amount_minor: offered_minor,
    now,
  })
  const parts = await partsOf(tx, tenant, moved, received_minor, received.kept_minor, offered_minor)
  const settled = await updateReceived(tx, tenant, moved.id, parts)
  const funded = await bringIn(tx, ids, tenant, settled, parts, now)

  await appendEvents(tx, ids, [
    transactionEvent('transaction.successful', settled, tenant, now),
    ...received.events,
    ...funded,
  ])
  return settled
}

const min = (a: Minor, b: Minor): Minor => (a < b ? a : b)
const max = (a: Minor, b: Minor): Minor => (a > b ? a : b)

interface Parts {
  /** All that came in: wallet and excess. */
  paid_minor: Minor
  amount_minor: Minor
  fee_minor: Minor
  /** Into the wallet, before the fee is taken from it. */
  wallet_minor: Minor
  excess_minor: Minor
}

/** What was received, divided: due and kept, fee, and owed back. The parts are all of it. */
async function partsOf(
  tx: Tx,
  tenant: Tenant,
  row: TransactionRow,
  received_minor: Minor,
  kept_minor: Minor,
  offered_minor: Minor,
): Promise<Parts> {
  const isWhole = kept_minor === row.amount_minor
  const fee_minor = isWhole
    ? row.fee_minor
    : collectionFee((await termsOf(tx, tenant)).fee_rules, row.channel, kept_minor, row.currency)
  const onTop_minor = row.fee_bearer === 'customer' ? fee_minor : 0n
  const wallet_minor = min(kept_minor + onTop_minor, received_minor)
  return {
    amount_minor: offered_minor > 0n ? offered_minor : row.amount_minor,
    fee_minor,
    paid_minor: received_minor,
    wallet_minor,
    excess_minor: received_minor - wallet_minor,
  }
}

async function bringIn(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  { id, reference, currency }: TransactionRow,
  parts: Parts,
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
  }: Pick<Parts, 'wallet_minor' | 'fee_minor' | 'excess_minor'>,
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
