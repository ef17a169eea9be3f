import { collectionFee } from '../../business/account/fees.ts'
import { type Terms, termsOf } from '../../business/account/payment-settings.ts'
import { type Batch, openBatch } from '../../db/batch.ts'
import type { Database, Db, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { type Posted, postJournal, postJournals } from '../../ledger/ledger.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addDays, dayIn, startOfDay } from '../../lib/dates.ts'
import { type Minor, toAmount } from '../../lib/money.ts'
import { notFound } from '../../lib/problem.ts'
import { walletFunded } from '../../money/wallet/service.ts'
import type { DepositNotice } from '../../provider-orders/provider.ts'
import {
  bearFee,
  cutShares,
  type Division,
  divide,
  type Entered,
  entered,
  type FeeOf,
  insertEntries,
  offeredOf,
  type ShareEntry,
  type ShareRow,
  sharesOfAll,
  sharesOfOne,
  sumOf,
  updateShares,
} from './allocation.ts'
import {
  closeAccount,
  countAccountEvent,
  type DepositRefusal,
  insertDeposit,
  lockAccount,
  type MovedRow,
  moveTransaction,
  selectByAccount,
  selectById,
  selectDeposit,
  succeedAll,
  type TransactionRow,
  updateReceived,
  type VirtualAccountRow,
} from './queries.ts'
import { transactionEvent, virtualAccountEvent } from './record.ts'
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
const feesOf =
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
async function entriesOf(
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
function fundedEvents(
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

/** Answers undefined to whoever settles what had ended before, or is settled here by another. */
type SettlementBatch = Batch<Settlement, TransactionRow | undefined>

/**
 * Settles payments that came in full, many in one transaction: what arrives while one is under way
 * goes together into the next. For those alone that keep all that was paid and lock nothing else;
 * all others go through `settleTransaction`, which does the same to one.
 *
 * Of 32 payments into one wallet at once, each in a transaction of its own, 31 wait for a commit;
 * here its balance is written once for all of them (`npm run bench settle`).
 */
export function openSettlements({ db, ids }: { db: Database; ids: Ids }): SettlementBatch {
  const lanes = Array.from({ length: LANES }, () =>
    openBatch<Settlement, TransactionRow | undefined>((settlements) =>
      db.transaction((tx) => settleAll(tx, ids, settlements)),
    ),
  )
  let turn = 0
  return { add: (settlement) => lanes[turn++ % LANES]!.add(settlement) }
}

/**
 * How many batches are under way. While one waits for its commit the other writes all but the
 * accounts: a third more than with one on two cores, and a third lane adds nothing.
 */
const LANES = 2

async function settleAll(
  tx: Tx,
  ids: Ids,
  settlements: readonly Settlement[],
): Promise<(TransactionRow | undefined)[]> {
  const first = new Map(settlements.toReversed().map((one) => [one.transactionId, one]))
  const wanted = [...first.values()].sort((a, b) => a.transactionId - b.transactionId)
  const moved = await succeedAll(tx, wanted)
  const isShared = (row: MovedRow) => row.split_page_id !== null || row.subaccount_id !== null
  const shares = await sharesOfAll(tx, moved.filter(isShared))
  const paid = moved.map((row) => paidOf(row, shares.get(row.id) ?? []))

  // The accounts come last: whoever else moves them waits from here to the commit.
  const entries: ShareEntry[] = []
  const told: NewEvent[] = []
  for (const { row, what, shares } of paid) {
    const { tenant, now } = what.journal
    entries.push(...(await entriesOf(tx, ids, row, what, row.time_zone)))
    told.push(transactionEvent('transaction.successful', row, tenant, now, shares))
  }
  await insertEntries(tx, entries)
  await appendEvents(tx, ids, told)
  const journals = paid.map(({ what }) => what.journal)
  const posted = await postJournals(tx, ids, journals)
  const funded = paid.flatMap(({ row, what }, i) => {
    if (!posted[i]) throw new Error(`Transaction ${row.id} was settled, and was not`)
    return fundedEvents(row, what, posted[i].event)
  })
  await appendEvents(tx, ids, funded)

  const rows = new Map(moved.map((row) => [row.id, row]))
  return settlements.map((one) =>
    first.get(one.transactionId) === one ? rows.get(one.transactionId) : undefined,
  )
}

interface Paid {
  row: MovedRow
  what: Entered
  shares: ShareRow[]
}

/** All that was asked came in and is kept. */
function paidOf(row: MovedRow, shares: ShareRow[]): Paid {
  const tenant = { businessId: row.business_id, live: row.live }
  const { amount_minor, fee_minor, payable_minor, paid_at } = row
  const division = divide(row, payable_minor, amount_minor, amount_minor, () => fee_minor)
  return { row, what: entered(tenant, row, division, shares, paid_at!), shares }
}

/** A payment that came in, told to what it was for. */
export interface Receipt {
  tenant: Tenant
  transaction: TransactionRow
  /** Without a fee that the payer paid on top. */
  amount_minor: Minor
  now: Date
}

export interface Received {
  /** How much of it was due. The rest is kept as an overpayment, owed back to the payer. */
  kept_minor: Minor
  /** What to tell, after `transaction.successful`. */
  events: NewEvent[]
  /** What is to follow in the same transaction, once the money is in the books. */
  afterwards?(tx: Tx): Promise<void>
}

/** A payment of which some was given back, told to what it was for. */
export interface GivenBack {
  tenant: Tenant
  transaction: TransactionRow
  /** Nothing of the payment is left. */
  isFull: boolean
  now: Date
}

/**
 * What a transaction can pay for. `transactions/` knows no purpose: the slices that take payments
 * put theirs in the table of `src/app/shared.ts`, since they create transactions and would
 * otherwise import each other in a circle.
 */
export interface Purpose {
  /**
   * Locks what is paid for until the transaction ends. Everybody who touches a transaction and what
   * it pays for locks in this order: the purpose, the transaction, its account, the ledger.
   */
  lock(tx: Tx, tenant: Tenant, purposeId: number): Promise<void>
  receive(tx: Tx, receipt: Receipt): Promise<Received>
  /**
   * Too little is sent back whatever the business's policy is: what is sold is sold whole, and
   * shares of a part could not be made up for by the rest.
   */
  isSoldWhole?: true
  /** Where payments that came in full need neither of the two: many are settled at once. */
  settlements?: SettlementBatch
  /** Told in the transaction that posts a refund; answers what to tell of it. */
  refunded?(tx: Tx, refund: GivenBack): Promise<NewEvent[]>
  /** The reference of the transaction that stands for what a reference of its own names. */
  transactionOf?(db: Db, tenant: Tenant, reference: string): Promise<string | undefined>
}
export type Purposes = Readonly<Record<string, Purpose>>

/** What a payment is for that was begun through the API: nothing that we would know of. */
export const CHARGE_PURPOSE = 'charge'

/** All that was offered is kept, and nothing else has to be locked: so many settle at once. */
export const chargePurpose = (deps: Pick<Deps, 'db' | 'ids'>): Purpose => ({
  lock: async () => {},
  receive: async (_tx, { amount_minor }) => ({ kept_minor: amount_minor, events: [] }),
  settlements: openSettlements(deps),
})

interface DepositResult {
  accepted: boolean
  reason: DepositRefusal | null
}

/**
 * Takes money that arrived on a virtual account, or has it sent back, as the business's policy
 * says; either way it is on record. A notice that comes twice gets the first answer. Throws
 * `not_found` for a number that is no account of the business.
 */
export async function receiveDeposit(
  tx: Tx,
  { ids, purposes }: Pick<Deps, 'ids'> & { purposes: Purposes },
  notice: DepositNotice,
  now: Date,
): Promise<DepositResult> {
  const { tenant, amount_minor, currency, accountNumber, depositReference } = notice
  const transaction = await selectByAccount(tx, tenant, accountNumber)
  if (!transaction) throw notFound('virtual_account')
  await purposes[transaction.purpose]?.lock(tx, tenant, transaction.purpose_id)
  const account = await lockAccount(tx, tenant, accountNumber)
  const earlier = await selectDeposit(tx, tenant, depositReference)
  if (earlier) return { accepted: earlier.status === 'Accepted', reason: earlier.reason }

  const reason = await decide()
  await insertDeposit(tx, tenant, {
    id: await ids.next(tx),
    provider_reference: depositReference,
    virtual_account_id: account.id,
    account_number: accountNumber,
    amount_minor,
    currency,
    status: reason ? 'Rejected' : 'Accepted',
    reason,
    created_at: now,
  })
  if (reason) await tellRejected(tx, ids, notice, account, transaction.reference, reason, now)
  return { accepted: reason === null, reason }

  async function decide(): Promise<DepositRefusal | null> {
    const terms = await termsOf(tx, tenant)
    const isSoldWhole = purposes[transaction!.purpose]?.isSoldWhole ?? false
    const refusal = refusalOf(account, notice, { ...terms, isSoldWhole }, now)
    if (refusal) return refusal
    const feeOf = feesOf(terms, transaction!)
    if (offeredOf(transaction!, amount_minor, feeOf) === 0n) return 'amount_too_low'
    const settled = await settleTransaction(tx, ids, purposes, {
      tenant,
      transactionId: account.transaction_id,
      received_minor: amount_minor,
      message: 'Transfer received',
      now,
    })
    return settled ? null : 'already_paid'
  }
}

async function tellRejected(
  tx: Tx,
  ids: Ids,
  { tenant, amount_minor, currency, depositReference, sender }: DepositNotice,
  { id }: VirtualAccountRow,
  reference: string,
  reason: DepositRefusal,
  now: Date,
): Promise<void> {
  const counted = await countAccountEvent(tx, tenant, id)
  const received = {
    receivedAmount: toAmount(amount_minor, currency),
    receivedAmountMinor: Number(amount_minor),
    receivedCurrency: currency,
    reason,
    depositReference,
    sender: sender ?? null,
  }
  await appendEvents(tx, ids, [
    virtualAccountEvent('bank.transfer.rejected', counted, reference, tenant, now, received),
  ])
}

/** Too little, too much, too late and twice, by the policy; null when it is to be taken. */
function refusalOf(
  account: VirtualAccountRow,
  { amount_minor, currency }: DepositNotice,
  { virtual_account_policy: policy, isSoldWhole }: Terms & { isSoldWhole: boolean },
  now: Date,
): DepositRefusal | null {
  if (account.status === 'Paid') return 'already_paid'
  if (account.status === 'Expired' || account.expires_at <= now) return 'account_expired'
  if (currency !== account.currency) return 'wrong_currency'
  const takesParts = policy === 'accept_partial' && !isSoldWhole
  if (amount_minor < account.amount_minor && !takesParts) return 'amount_too_low'
  if (amount_minor > account.amount_minor && policy !== 'accept_over') return 'amount_too_high'
  return null
}
