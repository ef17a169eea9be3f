import { collectionFee } from '../../business/account/fees.ts'
import type { Terms } from '../../business/account/payment-settings.ts'
import { shownTermsOf } from '../../business/account/public-profile.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import type { Minor } from '../../lib/money.ts'
import { Problem, unavailable } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import type {
  Channel,
  ChargeRequest,
  Provider,
  VirtualAccount,
} from '../../provider-orders/provider.ts'
import {
  bearFee,
  cutShares,
  type FeeBearer,
  insertShares,
  type Share,
  type ShareRow,
  sharesOfOne,
  sumOf,
  updateShares,
} from './allocation.ts'
import { abandonTransaction } from './jobs.ts'
import {
  insertTransaction,
  insertVirtualAccount,
  type NewTransaction,
  resumeOpen,
  selectAccountOf,
  selectAttempts,
  type TransactionRow,
  UNTOLD,
  updateUntold,
  updateUssdCodes,
} from './queries.ts'
import { transactionEvent, virtualAccountEvent } from './record.ts'
import { failTransaction } from './settle.ts'

/**
 * How long the payer has: a code is dialled at once, a transfer may take a trip to the bank app.
 */
export const OPEN_MS: Record<Channel, number> = {
  USSD: 10 * 60_000,
  BANK_TRANSFER: 30 * 60_000,
}

/** When the provider is first asked what became of a charge that no notice told of. */
export const LOOK_UP_AFTER_MS = 60_000

/** What is to be paid, by whom and how. */
interface Order {
  tenant: Tenant
  purpose: string
  purposeId: number
  invoiceReference: string | null
  amount_minor: Minor
  currency: string
  channel: Channel
  bankCode: string | null
  customer: { email: string | null; name: string | null; phone: string | null }
  now: Date
}

/**
 * Opens a way to pay: a virtual account or a USSD code. The one that is open already is given
 * again.
 *
 * `check` runs in the transaction that creates the row, and throws when nothing is to be paid. The
 * Pending row commits before the provider is called and its answer after, so that a crash or a
 * time-out in between leaves a transaction that a later look-up decides.
 */
export async function startTransaction(
  { db, ids, providers }: Pick<Deps, 'db' | 'ids' | 'providers'>,
  order: Order,
  check: (tx: Tx) => Promise<void>,
): Promise<TransactionRow> {
  const { tenant, channel } = order
  const provider = providers.of(tenant.live, channel)
  const terms = await shownTermsOf(db, tenant)
  const row = await db.transaction(async (tx) => {
    await check(tx)
    return insertOrResume(tx, ids, order, terms, provider.name)
  })
  await askProvider({ db, ids, providers }, tenant, row, { now: order.now, name: terms.name })
  return row
}

/**
 * Has the provider open a way to pay, and commits what it answers; nothing when it was opened
 * before. It may be run again, since the provider knows the reference. Throws 409 when it refuses.
 */
export async function askProvider(
  { db, ids, providers }: Pick<Deps, 'db' | 'ids' | 'providers'>,
  tenant: Tenant,
  row: TransactionRow,
  { now, name }: { now: Date; name: string },
): Promise<void> {
  if (row.ussd_codes || (await selectAccountOf(db, tenant, row.id))) return
  const provider = providers.of(tenant.live, row.channel as Channel)
  const request: ChargeRequest = {
    tenant,
    reference: row.reference,
    amount_minor: row.payable_minor,
    currency: row.currency,
    expiresAt: row.expires_at,
    now,
  }
  if (row.channel === 'USSD') await askUssd(db, ids, provider, row, request)
  else await askAccount(db, ids, provider, row, request, name)
}

/** How often an attempt may end between finding it open and taking it up again. */
const TRIES_MAX = 5

/** The open attempt if it still fits, else a new one in its place. */
async function insertOrResume(
  tx: Tx,
  ids: Deps['ids'],
  order: Order,
  terms: Terms,
  provider: string,
): Promise<TransactionRow> {
  const { tenant, channel, amount_minor, now } = order
  const key = { purpose: order.purpose, purpose_id: order.purposeId, channel }
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const inserted = await insertTransaction(
      tx,
      tenant,
      await rowOf(tx, ids, order, terms, provider),
    )
    if (inserted) {
      await appendEvents(tx, ids, [
        transactionEvent('transaction.pending', inserted, tenant, now, []),
      ])
      return inserted
    }
    const open = await resumeOpen(tx, tenant, key, order.bankCode)
    if (!open) continue
    if (open.amount_minor === amount_minor && open.expires_at > now) return open
    // Another amount is due by now, or its time is over: it makes way for a new one.
    await abandonTransaction(tx, ids, tenant, open.id, now)
  }
  throw unavailable('payment_just_ended', 'The payment just changed; look again.')
}

async function rowOf(
  tx: Tx,
  ids: Deps['ids'],
  { tenant: _, channel, amount_minor, currency, customer, now, ...order }: Order,
  terms: Terms,
  provider: string,
): Promise<NewTransaction> {
  const fee_minor = collectionFee(terms.fee_rules, channel, amount_minor, currency)
  return {
    id: await ids.next(tx),
    reference: newReference('TRX'),
    purpose: order.purpose,
    purpose_id: order.purposeId,
    status: 'Pending',
    channel,
    amount_minor,
    fee_minor,
    fee_bearer: terms.fee_bearer,
    payable_minor: terms.fee_bearer === 'customer' ? amount_minor + fee_minor : amount_minor,
    currency,
    customer_email: customer.email,
    customer_name: customer.name,
    customer_phone: customer.phone,
    invoice_reference: order.invoiceReference,
    provider,
    bank_code: order.bankCode,
    message: null,
    paid_at: null,
    expires_at: addMs(now, OPEN_MS[channel]),
    look_up_at: channel === 'USSD' ? addMs(now, LOOK_UP_AFTER_MS) : null,
    now,
  }
}

/** Commits the codes that the provider gives; throws 409 when it refuses, having said so too. */
export async function askUssd(
  db: Database,
  ids: Deps['ids'],
  provider: Provider,
  row: TransactionRow,
  request: ChargeRequest,
): Promise<void> {
  const outcome = await provider.startUssd(request)
  if (outcome.kind === 'unknown') return
  await db.transaction(async (tx) => {
    if (outcome.kind === 'done') {
      await updateUssdCodes(tx, request.tenant, row.id, JSON.stringify(outcome.value))
    } else {
      await failTransaction(tx, ids, request.tenant, row.id, outcome.message, request.now)
    }
  })
  if (outcome.kind === 'refused') throw refused(outcome.message)
}

async function askAccount(
  db: Database,
  ids: Deps['ids'],
  provider: Provider,
  row: TransactionRow,
  request: ChargeRequest,
  /** As payers know the business, so that the account bears the name that they see. */
  accountName: string,
): Promise<void> {
  const outcome = await provider.openVirtualAccount({ ...request, accountName })
  if (outcome.kind === 'unknown') return
  await db.transaction(async (tx) => {
    if (outcome.kind === 'refused') {
      await failTransaction(tx, ids, request.tenant, row.id, outcome.message, request.now)
      return
    }
    const event = await storeAccount(tx, ids, row, request, outcome.value)
    if (event) await appendEvents(tx, ids, [event])
  })
  if (outcome.kind === 'refused') throw refused(outcome.message)
}

export const refused = (message: string) =>
  new Problem('conflict', 'provider_refused', `The payment could not be started: ${message}`)

/** Two requests for one account at once store it once. */
async function storeAccount(
  tx: Tx,
  ids: Deps['ids'],
  row: TransactionRow,
  { tenant, now, expiresAt }: ChargeRequest,
  account: VirtualAccount,
): Promise<NewEvent | undefined> {
  const stored = await insertVirtualAccount(tx, tenant, {
    id: await ids.next(tx),
    transaction_id: row.id,
    account_number: account.accountNumber,
    account_name: account.accountName,
    bank_code: account.bankCode,
    bank_name: account.bankName,
    amount_minor: row.payable_minor,
    currency: row.currency,
    expires_at: expiresAt,
    created_at: now,
  })
  return (
    stored && virtualAccountEvent('virtual_account.created', stored, row.reference, tenant, now)
  )
}

type AttemptDeps = Pick<Deps, 'ids' | 'providers'>

/** What is paid for by several attempts, one channel each, until one of them succeeds. */
export interface PaidFor {
  tenant: Tenant
  purpose: string
  purposeId: number
  /** What is still to be paid of it. */
  amount_minor: Minor
  currency: string
  fee_bearer: FeeBearer
  customer: { email: string | null; name: string | null; phone: string | null }
  pageId: number | null
  splitPageId: number | null
  subaccountId: number | null
  orderId: number | null
  /** JSON text. */
  metadata: string | null
  now: Date
}

/** How it is to be paid, and until when. */
interface Way {
  channel: Channel
  bankCode: string | null
  expiresAt: Date
}

/** What a payer is asked for by a channel. */
export function costOf(
  { fee_rules }: Pick<Terms, 'fee_rules'>,
  { amount_minor, currency, fee_bearer }: Pick<PaidFor, 'amount_minor' | 'currency' | 'fee_bearer'>,
  channel: Channel,
): { fee_minor: Minor; payable_minor: Minor } {
  const fee_minor = collectionFee(fee_rules, channel, amount_minor, currency)
  const onTop_minor = fee_bearer === 'customer' ? fee_minor : 0n
  return { fee_minor, payable_minor: amount_minor + onTop_minor }
}

/**
 * Begins the first attempt, of which no provider is told before the payer has chosen a way: until
 * then its channel may change. Freezes what subaccounts get, `shares` less their parts of the fee.
 */
export function beginAttempt(
  tx: Tx,
  terms: Terms,
  paidFor: PaidFor,
  way: Way & { id: number; shares: readonly Share[] },
): Promise<Begun> {
  return insertAttempt(tx, terms, paidFor, { ...way, provider: UNTOLD })
}

/** An attempt, and what is to be told of it by whoever begins it. */
interface Begun {
  row: TransactionRow
  event: NewEvent
}

/**
 * The attempt by which it is paid this way now: the one that is open and fits, else the one of
 * which no provider was told, else another beside those that are open. Whoever calls holds what is
 * paid for, and has the provider asked after the commit (`askProvider`).
 */
export async function chooseWay(
  tx: Tx,
  deps: AttemptDeps,
  terms: Terms,
  paidFor: PaidFor,
  way: Way,
): Promise<TransactionRow> {
  const { ids, providers } = deps
  const { tenant, purpose, purposeId, amount_minor, now } = paidFor
  const { channel, bankCode, expiresAt } = way
  const provider = providers.of(tenant.live, channel).name
  const key = { purpose, purpose_id: purposeId, channel }
  const open = await resumeOpen(tx, tenant, key, bankCode)
  if (open) {
    const isFit = open.amount_minor === amount_minor && open.expires_at > now
    if (isFit && open.provider !== UNTOLD) return open
    if (!isFit) await abandonTransaction(tx, ids, tenant, open.id, now)
  }
  const cost = costOf(terms, paidFor, channel)
  const asked = { ...key, amount_minor }
  const told = await updateUntold(tx, tenant, asked, {
    ...cost,
    channel,
    provider,
    bank_code: bankCode,
    expires_at: expiresAt,
    look_up_at: lookUpAt(way, now),
  })
  if (told) return withFee(tx, tenant, told)
  const shares = await frozenShares(tx, paidFor)
  const id = await ids.next(tx)
  const begun = await insertAttempt(tx, terms, paidFor, { ...way, id, provider, shares })
  await appendEvents(tx, ids, [begun.event])
  return begun.row
}

const lookUpAt = ({ channel }: Way, now: Date) =>
  channel === 'USSD' ? addMs(now, LOOK_UP_AFTER_MS) : null

/** The shares of an attempt whose fee has changed with its channel. */
async function withFee(tx: Tx, tenant: Tenant, row: TransactionRow): Promise<TransactionRow> {
  const shares = await sharesOfOne(tx, tenant, row)
  if (shares.length === 0) return row
  await updateShares(tx, tenant, borne(row, shares))
  return row
}

/** Each with its part of the fee. */
function borne<T extends { amount_minor: Minor }>(
  {
    amount_minor,
    fee_minor,
    fee_bearer,
  }: Pick<TransactionRow, 'amount_minor' | 'fee_minor' | 'fee_bearer'>,
  shares: readonly T[],
): (T & { fee_minor: Minor })[] {
  const own_minor = amount_minor - sumOf(shares.map((share) => share.amount_minor))
  return bearFee(fee_bearer, fee_minor, shares, own_minor)
}

/**
 * What subaccounts get of what is still to be paid, as it was frozen when the first attempt began:
 * in proportion where that was about another amount.
 */
async function frozenShares(tx: Tx, { tenant, ...paidFor }: PaidFor): Promise<Share[]> {
  const { purpose, purposeId, amount_minor } = paidFor
  const [earlier] = await selectAttempts(tx, tenant, purpose, purposeId)
  if (!earlier) return []
  const shares: ShareRow[] = await sharesOfOne(tx, tenant, earlier)
  return cutShares(shares, amount_minor, earlier.amount_minor).map((share) => ({
    subaccountId: share.subaccount_id,
    share: share.share,
    amount_minor: share.amount_minor,
    fee_minor: 0n,
  }))
}

async function insertAttempt(
  tx: Tx,
  terms: Terms,
  paidFor: PaidFor,
  way: Way & { id: number; provider: string; shares: readonly Share[] },
): Promise<Begun> {
  const { tenant, customer, now } = paidFor
  const { id, channel, provider, shares } = way
  const row = await insertTransaction(tx, tenant, {
    id,
    reference: newReference('TRX'),
    purpose: paidFor.purpose,
    purpose_id: paidFor.purposeId,
    status: 'Pending',
    channel,
    amount_minor: paidFor.amount_minor,
    ...costOf(terms, paidFor, channel),
    fee_bearer: paidFor.fee_bearer,
    currency: paidFor.currency,
    customer_email: customer.email,
    customer_name: customer.name,
    customer_phone: customer.phone,
    invoice_reference: null,
    page_id: paidFor.pageId,
    split_page_id: paidFor.splitPageId,
    subaccount_id: paidFor.subaccountId,
    order_id: paidFor.orderId,
    metadata: paidFor.metadata,
    provider,
    bank_code: way.bankCode,
    message: null,
    paid_at: null,
    expires_at: way.expiresAt,
    look_up_at: provider === UNTOLD ? null : lookUpAt(way, now),
    now,
  })
  if (!row) throw new Error('An open attempt stood in the way of another, and nobody held it')
  const frozen = borne(row, shares)
  if (frozen.length > 0) await insertShares(tx, tenant, id, frozen)
  const shown = await sharesOfOne(tx, tenant, row)
  return { row, event: transactionEvent('transaction.pending', row, tenant, now, shown) }
}

interface OfflinePayment extends Omit<Order, 'channel' | 'bankCode'> {
  note: string | null
  paidAt: Date
}

/**
 * Takes down a payment that did not come through us: Successful from the start, free of fees, and
 * without a movement in the ledger. Its event is for the caller to append, before those of what it
 * paid for.
 */
export async function recordOffline(
  tx: Tx,
  ids: Ids,
  { tenant, amount_minor, customer, note, paidAt, now, ...order }: OfflinePayment,
): Promise<{ row: TransactionRow; event: NewEvent }> {
  const row = await insertTransaction(tx, tenant, {
    id: await ids.next(tx),
    reference: newReference('TRX'),
    purpose: order.purpose,
    purpose_id: order.purposeId,
    status: 'Successful',
    channel: 'OFFLINE',
    amount_minor,
    fee_minor: 0n,
    fee_bearer: 'business',
    payable_minor: amount_minor,
    paid_minor: amount_minor,
    currency: order.currency,
    customer_email: customer.email,
    customer_name: customer.name,
    customer_phone: customer.phone,
    invoice_reference: order.invoiceReference,
    provider: 'offline',
    bank_code: null,
    message: note,
    paid_at: paidAt,
    expires_at: now,
    look_up_at: null,
    now,
  })
  if (!row) throw new Error('An open transaction stood in the way of one that is not open')
  return { row, event: transactionEvent('transaction.successful', row, tenant, now, []) }
}
