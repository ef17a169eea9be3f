import { collectionFee, type FeeRules, readFees } from '../../business/account/payment-settings.ts'
import { type Batch, openBatch } from '../../db/batch.ts'
import type { Database, Db, Tx } from '../../db/database.ts'
import { shortenLockTimeout } from '../../db/dedicated-connection.ts'
import type { Ids } from '../../db/ids.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import {
  AlreadyPosted,
  type PostedJournal,
  postJournals,
  type TenantJournal,
  type Through,
} from '../../ledger/ledger.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addDays, dayIn, startOfDay } from '../../lib/dates.ts'
import type { Minor } from '../../lib/money.ts'
import { walletFunded } from '../../money/wallet/service.ts'
import type { IncomingPayment } from '../../providers/connector/types.ts'
import {
  type Allocation,
  allocate,
  allocatedAmount,
  chargeFee,
  type FeeOf,
  insertEntries,
  type PaymentJournal,
  paymentJournal,
  reduceShares,
  type ShareEntry,
  type ShareRow,
  sharesOfAll,
  sumOf,
  updateShares,
} from './allocation.ts'
import {
  closeAccount,
  lockById,
  markSuccessful,
  type SuccessfulRow,
  selectById,
  type TransactionRow,
  updateReceived,
} from './queries.ts'
import { transactionEvent } from './record.ts'

export {
  countAccountEvent,
  lockAccountOf,
  lockById as lockTransaction,
  selectAccountByNumber as findAccount,
  type TransactionRow,
  type VirtualAccountRow,
} from './queries.ts'

export interface PaymentToSettle {
  tenant: Tenant
  transactionId: number
  /** The number of the order that was paid. */
  attempt: number
  /** The received amount. The caller has compared it with the amount requested. */
  received_minor: Minor
  through: Through
  message: string | null
  now: Date
  /** A journal to post together with the payment's, so that all accounts are locked in order. */
  alongside?: TenantJournal
}

/**
 * Locks one payment's payable, then settles the payment like `settleAll`. Returns `undefined` if
 * the payment has already ended, for example because a notification is repeated or late.
 */
export async function settleTransaction(
  tx: Tx,
  ids: Ids,
  payables: Payables,
  payment: PaymentToSettle,
): Promise<TransactionRow | undefined> {
  const { tenant, transactionId } = payment
  const found = await selectById(tx, tenant, transactionId)
  if (!found) return undefined
  await payableOf(payables, found).lock(tx, tenant, found.purpose_id)
  const [settled] = await settleAll(tx, ids, payables, [payment])
  return settled
}

/**
 * Locks a transaction and what it pays for. All code must lock in this order: the payable, the
 * transaction, its refunds and disputes, the ledger.
 */
export async function lockWithPayable(
  tx: Tx,
  payables: Payables,
  tenant: Tenant,
  id: number,
): Promise<TransactionRow> {
  const found = await selectById(tx, tenant, id)
  if (found) await payables[found.purpose]?.lock(tx, tenant, found.purpose_id)
  return lockById(tx, tenant, id)
}

function payableOf(payables: Payables, { purpose }: Pick<TransactionRow, 'purpose'>): Payable {
  const payable = payables[purpose]
  if (!payable) throw new Error(`There is no handler for the purpose ${purpose}`)
  return payable
}

/**
 * Books successful payments, each exactly once: the payments, their payables, the ledger and the
 * events change together. The caller must have locked the payables. Returns the results in the same
 * order as the payments; `undefined` for a payment that has already ended or is listed twice.
 */
async function settleAll(
  tx: Tx,
  ids: Ids,
  payables: Payables,
  payments: readonly PaymentToSettle[],
): Promise<(TransactionRow | undefined)[]> {
  const first = new Map(payments.toReversed().map((one) => [one.transactionId, one]))
  const wanted = [...first.values()].sort((a, b) => a.transactionId - b.transactionId)
  const moved = await markSuccessful(tx, wanted)
  const isShared = (row: SuccessfulRow) => row.split_page_id !== null || row.subaccount_id !== null
  const shares = await sharesOfAll(tx, moved.filter(isShared))
  const settled: Settled[] = []
  for (const row of moved) {
    const { through } = first.get(row.id)!
    const frozen = shares.get(row.id) ?? []
    settled.push(await applyPayment(tx, payableOf(payables, row), row, frozen, through))
  }

  // The accounts come last because, from here until the commit, all other movements in them have to
  // wait.
  const entries: ShareEntry[] = []
  const events: NewEvent[] = []
  for (const { row, booking, shares, application } of settled) {
    const { tenant, now } = booking.journal
    entries.push(...(await entriesOf(tx, ids, row, booking)))
    events.push(transactionEvent('transaction.successful', row, tenant, now, shares))
    events.push(...application.events)
  }
  await insertEntries(tx, entries)
  await appendEvents(tx, ids, events)
  const journals = settled.map(({ booking }) => booking.journal)
  const alongside = settled.flatMap(({ row }) => first.get(row.id)!.alongside ?? [])
  const posted = await postJournals(tx, ids, [...journals, ...alongside])
  const funded = settled.flatMap(({ row, booking }, i) => {
    if (!posted[i]) throw new AlreadyPosted(booking.journal)
    return fundedEvents(row, booking, posted[i].event)
  })
  await appendEvents(tx, ids, funded)
  for (const { application } of settled) await application.afterwards?.(tx)

  const rows = new Map(settled.map(({ row }) => [row.id, row]))
  return payments.map((one) =>
    first.get(one.transactionId) === one ? rows.get(one.transactionId) : undefined,
  )
}

interface Settled {
  row: SuccessfulRow
  booking: PaymentJournal
  shares: readonly ShareRow[]
  application: PaymentApplication
}

/**
 * Applies a payment to its payable. Corrects the transaction if the amounts differ from those
 * agreed.
 */
async function applyPayment(
  tx: Tx,
  payable: Payable,
  moved: SuccessfulRow,
  frozen: ShareRow[],
  through: Through,
): Promise<Settled> {
  const tenant = { businessId: moved.business_id, live: moved.live }
  const now = moved.paid_at!
  if (moved.channel === 'BANK_TRANSFER') await closeAccount(tx, tenant, moved.id, 'Paid')
  const received_minor = moved.paid_minor!
  const feeOf = feesOf(readFees(moved.fees), moved)
  const amount_minor = allocatedAmount(moved, received_minor, feeOf)
  const application = await payable.receive(tx, { tenant, transaction: moved, amount_minor, now })
  const division = allocate(moved, received_minor, amount_minor, application.applied_minor, feeOf)
  const { fee_minor, excess_minor } = division
  const isAsAsked =
    amount_minor === moved.amount_minor && fee_minor === moved.fee_minor && excess_minor === 0n
  const row = isAsAsked
    ? moved
    : { ...moved, ...(await updateReceived(tx, tenant, moved.id, { amount_minor, ...division })) }
  const shares = await cutToApplied(tx, tenant, moved, division, frozen)
  const booking = paymentJournal(tenant, row, division, shares, { through, now })
  return { row, booking, shares, application }
}

/** Returns the operator's fee for a payment through one channel under the current rules. */
export const feesOf =
  (rules: FeeRules, { channel, currency }: Pick<TransactionRow, 'channel' | 'currency'>): FeeOf =>
  (amount_minor) =>
    collectionFee(rules, channel, amount_minor, currency)

/** Returns the fixed shares, which are reduced if only part of the payment was applied. */
async function cutToApplied(
  tx: Tx,
  tenant: Tenant,
  { amount_minor, fee_bearer }: TransactionRow,
  { applied_minor, fee_minor }: Allocation,
  frozen: ShareRow[],
): Promise<ShareRow[]> {
  if (frozen.length === 0 || applied_minor === amount_minor) return frozen
  const cut = reduceShares(frozen, applied_minor, amount_minor)
  const own_minor = applied_minor - sumOf(cut.map((share) => share.amount_minor))
  const shares = chargeFee(fee_bearer, fee_minor, cut, own_minor)
  await updateShares(tx, tenant, shares)
  return shares
}

/**
 * Returns a payment's entries in the subaccounts' balances, which can be settled from the next
 * midnight.
 */
async function entriesOf(
  tx: Tx,
  ids: Ids,
  { id: transactionId, currency, time_zone: timeZone }: SuccessfulRow,
  { journal: { tenant, now }, shared }: PaymentJournal,
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

/** Returns no event if the business doesn't get any of the money. */
function fundedEvents(
  { reference, currency }: Pick<TransactionRow, 'reference' | 'currency'>,
  { journal: { tenant, now }, funded_minor: amount_minor }: PaymentJournal,
  account: PostedJournal['event'],
): NewEvent[] {
  if (!account) return []
  const source = { type: 'transaction', reference }
  return [walletFunded({ account, amount_minor, currency, source }, tenant, now)]
}

/**
 * The result is `undefined` for a payment that has already ended, or that another call in this
 * process is settling.
 */
type SettleBatch = Batch<PaymentToSettle, TransactionRow | undefined>

/**
 * Settles payments that have no payable of their own, many at a time. All payments that arrive
 * during one transaction are settled together in the next.
 *
 * With one transaction per payment, 31 of 32 concurrent payments into one wallet would wait for a
 * commit. Here, the wallet's balance is written once for all of them (`npm run bench settle`).
 */
export function openSettleBatch({ db, ids }: { db: Database; ids: Ids }): SettleBatch {
  const payables = { [CHARGE_PURPOSE]: CHARGE }
  const lanes = Array.from({ length: LANES }, () =>
    openBatch<PaymentToSettle, TransactionRow | undefined>({
      db,
      businessOf: ({ tenant }) => tenant.businessId,
      write: (payments) =>
        db.transaction(async (tx) => {
          await shortenLockTimeout(tx, LANE_LOCK_MS)
          return settleAll(tx, ids, payables, payments)
        }),
      groupOf: ({ tenant: { businessId, live } }) => `${businessId} ${live}`,
    }),
  )
  let turn = 0
  return { add: (payment) => lanes[turn++ % LANES]!.add(payment) }
}

/**
 * The number of concurrent batches. While one waits for its commit, the other writes everything but
 * the accounts. On two cores, throughput is a third higher than with a single batch. A third batch
 * gains nothing more.
 */
const LANES = 2

/**
 * How long a batch waits for a lock, such as the one on a wallet. The other batch holds its locks
 * for several round trips.
 */
const LANE_LOCK_MS = 500

/** Notifies a payable of a received payment. */
export interface ReceivedPayment {
  tenant: Tenant
  transaction: TransactionRow
  /** Excludes any fee that the payer paid on top. */
  amount_minor: Minor
  now: Date
}

export interface PaymentApplication {
  /**
   * The part of the payment that was still due. The rest is an overpayment, which is returned to
   * the payer.
   */
  applied_minor: Minor
  /** Appended after `transaction.successful`. */
  events: NewEvent[]
  /** Runs in the same transaction, after the money has been booked. */
  afterwards?(tx: Tx): Promise<void>
}

/** Notifies a payable that the payer has got back all or part of a payment. */
export interface RefundedPayment {
  tenant: Tenant
  transaction: TransactionRow
  /** Whether nothing of the payment is left. */
  isFull: boolean
  /** Whether the business returned it, or the payer's bank took it. */
  cause: 'refund' | 'dispute'
  now: Date
}

/**
 * The subject of a payment, such as an invoice or a checkout. This folder does not depend on them.
 * `src/app/shared.ts` lists them all, by the purpose stored in the transaction's row.
 */
export interface Payable {
  /**
   * Locks the payable until the database transaction ends. All code that locks a payment and its
   * payable must use this order: the payable, the payment, its account, the ledger.
   */
  lock(tx: Tx, tenant: Tenant, purposeId: number): Promise<void>
  receive(tx: Tx, payment: ReceivedPayment): Promise<PaymentApplication>
  /**
   * Insufficient deposits are returned, regardless of the business's policy, because goods are only
   * sold whole, and a second payment could not complete the shares of a partial payment.
   */
  isSoldWhole?: true
  /** Set if full payments need no lock, so that many can be settled at once. */
  settleBatch?: SettleBatch
  /**
   * Runs in the transaction that posts a refund, or the loss of a dispute. Returns the events for
   * its changes.
   */
  refunded?(tx: Tx, refund: RefundedPayment): Promise<NewEvent[]>
  /** Returns the transaction's reference, given one of the payable's own references. */
  transactionOf?(db: Db, tenant: Tenant, reference: string): Promise<string | undefined>
  /** Returns the URL of the page on which payers pay for it. */
  pageUrl?(db: Db, tenant: Tenant, purposeId: number): Promise<string | undefined>
}
export type Payables = Readonly<Record<string, Payable>>

/** The purpose of a payment started through the API, which has no separate payable. */
export const CHARGE_PURPOSE = 'charge'

/** The whole payment is applied and needs no lock, so many can be settled at once. */
const CHARGE: Payable = {
  lock: async () => {},
  receive: async (_tx, { amount_minor }) => ({ applied_minor: amount_minor, events: [] }),
}
export const chargePayable = (deps: Pick<Deps, 'db' | 'ids'>): Payable => ({
  ...CHARGE,
  settleBatch: openSettleBatch(deps),
})

/** A charge's order for which a provider has listed payments. */
export interface PaidOrder {
  tenant: Tenant
  transaction: TransactionRow
  attempt: number
  through: Through
  now: Date
}

/** What happens to the payments that providers list. The folder of deposits decides. */
export interface IncomingPayments {
  /** Receives those that are not known yet. */
  receive(paid: PaidOrder, payments: readonly IncomingPayment[]): Promise<void>
  /** Books those that the provider kept and has now sent back by itself. */
  takeBack(tx: Tx, paid: PaidOrder, payments: readonly IncomingPayment[]): Promise<void>
}
