import type { Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { type Posted, postJournal } from '../../ledger/ledger.ts'
import { addDays, dayIn, startOfDay } from '../../lib/dates.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { collectionFee } from '../businesses/fees.ts'
import { type Terms, termsOf } from '../businesses/terms.ts'
import { walletFunded } from '../wallet/service.ts'
import { type Entered, entered } from './books.ts'
import { type Division, divide, type FeeOf, offeredOf } from './division.ts'
import { transactionEvent } from './events.ts'
import type { Purposes } from './purposes.ts'
import { moveTransaction, selectById, type TransactionRow, updateReceived } from './queries.ts'
import { closeAccount } from './queries-accounts.ts'
import {
  insertEntries,
  type ShareEntry,
  type ShareRow,
  sharesOfOne,
  updateShares,
} from './queries-shares.ts'
import { bearFee, cutShares, sumOf } from './sharing.ts'
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

  const terms = await termsOf(tx, tenant)
  const feeOf = feesOf(terms, moved)
  const offered_minor = offeredOf(moved, received_minor, feeOf)
  const receipt = { tenant, transaction: moved, amount_minor: offered_minor, now }
  const { kept_minor, events, afterwards } = await purpose.receive(tx, receipt)
  const division = divide(moved, received_minor, offered_minor, kept_minor, feeOf)
  const settled = await updateReceived(tx, tenant, moved.id, {
    amount_minor: offered_minor,
    fee_minor: division.fee_minor,
    paid_minor: received_minor,
    excess_minor: division.excess_minor,
  })
  const shares = await takeShares(tx, tenant, moved, division)
  const what = entered(tenant, settled, division, shares, now)
  const { event } = await postJournal(tx, ids, tenant, what.journal)
  await insertEntries(tx, await entriesOf(tx, ids, settled, what, terms.time_zone))

  await appendEvents(tx, ids, [
    transactionEvent('transaction.successful', settled, tenant, now, shares),
    ...events,
    ...fundedEvents(settled, what, event),
  ])
  await afterwards?.(tx)
  return settled
}

/** What the operator takes of a payment of this kind, by the rules of now. */
export const feesOf =
  (
    { fee_rules }: Pick<Terms, 'fee_rules'>,
    { channel, currency }: Pick<TransactionRow, 'channel' | 'currency'>,
  ): FeeOf =>
  (amount_minor) =>
    collectionFee(fee_rules, channel, amount_minor, currency)

/** The shares as they were frozen; of a part that was kept, their parts. */
async function takeShares(
  tx: Tx,
  tenant: Tenant,
  asked: TransactionRow,
  { kept_minor, fee_minor }: Division,
): Promise<ShareRow[]> {
  const frozen = await sharesOfOne(tx, tenant, asked)
  if (frozen.length === 0 || kept_minor === asked.amount_minor) return frozen
  const cut = cutShares(frozen, kept_minor, asked.amount_minor)
  const own_minor = kept_minor - sumOf(cut.map(({ amount_minor }) => amount_minor))
  const taken = bearFee(asked.fee_bearer, fee_minor, cut, own_minor)
  await updateShares(tx, tenant, taken)
  return taken
}

/** What a payment adds to the balances of subaccounts: settled from the next midnight on. */
export async function entriesOf(
  tx: Tx,
  ids: Ids,
  { id: transactionId, currency }: Pick<TransactionRow, 'id' | 'currency'>,
  { journal: { tenant, now }, shared }: Entered,
  timeZone: string,
): Promise<ShareEntry[]> {
  const settleAt = startOfDay(addDays(dayIn(timeZone, now), 1), timeZone)
  const { businessId, live } = tenant
  const entries: ShareEntry[] = []
  for (const share of shared) {
    const id = await ids.next(tx)
    entries.push({ businessId, live, id, transactionId, ...share, currency, settleAt, now })
  }
  return entries
}

/** Nothing when none of it was the business's. */
export function fundedEvents(
  { reference, currency }: Pick<TransactionRow, 'reference' | 'currency'>,
  { journal: { tenant, now }, funded_minor: amount_minor }: Entered,
  account: Posted['event'],
): NewEvent[] {
  if (!account) return []
  const source = { type: 'transaction', reference }
  return [walletFunded({ account, amount_minor, currency, source }, tenant, now)]
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
  const shares = await sharesOfOne(tx, tenant, failed)
  const event = transactionEvent('transaction.failed', failed, tenant, now, shares)
  await appendEvents(tx, ids, [event])
  return true
}
