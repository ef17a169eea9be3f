import type { Tx } from '../../db/database.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { addMs } from '../../lib/clock.ts'
import type { Minor } from '../../lib/money.ts'
import { newReference } from '../../lib/random.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { Channel } from '../../providers/provider.ts'
import { collectionFee } from '../businesses/fees.ts'
import type { Terms } from '../businesses/terms.ts'
import type { Deps } from '../deps.ts'
import { transactionEvent } from './events.ts'
import { abandonTransaction } from './expire.ts'
import { insertTransaction, resumeOpen, selectAttempts, type TransactionRow } from './queries.ts'
import { insertShares, type ShareRow, sharesOfOne, updateShares } from './queries-shares.ts'
import { UNTOLD, updateUntold } from './queries-untold.ts'
import { bearFee, cutShares, type FeeBearer, type Share, sumOf } from './sharing.ts'
import { LOOK_UP_AFTER_MS } from './start.ts'

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
