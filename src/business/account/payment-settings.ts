import { readInBatches } from '../../db/batch.ts'
import type { Database, Db, Tx } from '../../db/database.ts'
import { plainArray } from '../../db/pg-arrays.ts'
import { sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/caller.ts'
import { type Minor, percentageOf, printMinor } from '../../lib/money.ts'
import { conflict } from '../../lib/problem.ts'

/** The terms on which payers pay a business, and the name that they see. */
export interface PaymentTerms {
  name: string
  email: string | null
  phone: string | null
  currency: string
  time_zone: string
  fee_bearer: 'business' | 'customer' | 'subaccounts'
  virtual_account_policy: 'exact' | 'accept_over' | 'accept_partial'
  /** Transfers above this amount, in `currency`, need approval. */
  transfer_approval_above_minor: Minor | null
  fee_rules: FeeRules
}

type TermsRow = Omit<PaymentTerms, 'fee_rules'> & { fees: string | null }

/** Returns the terms for one mode. Throws if the business does not exist. */
export async function paymentTermsOf(db: Db, { businessId, live }: Tenant): Promise<PaymentTerms> {
  return termsOf(
    await db.one<TermsRow>`
      select ${TERMS} from businesses join business_settings on business_id = id
      where id = ${businessId} and live = ${live}`,
  )
}

const TERMS = sql`name, email, phone, currency, time_zone, fee_bearer, virtual_account_policy,
  transfer_approval_above_minor, fee_rules::text as fees`

const termsOf = ({ fees, ...terms }: TermsRow): PaymentTerms => ({
  ...terms,
  fee_rules: readFees(fees),
})

const termsRows = readInBatches<Tenant, TermsRow>(
  ({ businessId }) => businessId,
  (db, tenants) => db.many`
    select n, ${TERMS}
    from unnest(
      ${plainArray(tenants.map(({ businessId }) => businessId))}::bigint[],
      ${plainArray(tenants.map(({ live }) => live))}::boolean[]
    ) with ordinality as i (business_id, live, n)
    join business_settings using (business_id, live) join businesses on id = business_id`,
)

/** Like `paymentTermsOf`, but simultaneous calls share one statement. */
export async function paymentTermsInBatch(db: Database, tenant: Tenant): Promise<PaymentTerms> {
  const [row] = await termsRows(db).add(tenant)
  if (!row) throw new Error(`The business ${tenant.businessId} does not exist`)
  return termsOf(row)
}

/** Returns how far ahead a business's test clock is. Always 0 for live data. */
export async function clockOffsetMs(db: Db, { businessId, live }: Tenant): Promise<number> {
  if (live) return 0
  const { test_clock_offset_ms } = await db.one<{ test_clock_offset_ms: number }>`
    select test_clock_offset_ms from businesses where id = ${businessId}`
  return test_clock_offset_ms
}

/**
 * Moves a business's test clock. Throws 409 `real_connection_in_use` if its test mode has a
 * connection to a provider, which lives by the real time.
 */
export async function advanceClock(tx: Tx, businessId: number, seconds: number) {
  // The connecting of a provider holds this lock; the next statement sees what it has written.
  await tx.run`select from businesses where id = ${businessId} for no key update`
  if (await isConnected(tx, { businessId, live: false })) {
    throw conflict(
      'real_connection_in_use',
      'The test mode of this business is connected to a provider, so its clock cannot be moved.',
    )
  }
  return await tx.one<{ test_clock_offset_ms: number; reference: string }>`
    update businesses
    set test_clock_offset_ms = test_clock_offset_ms + ${seconds * 1000}::bigint
    where id = ${businessId}
    returning test_clock_offset_ms, reference`
}

/** Returns whether a business's mode is connected to a provider, even one that gets no orders. */
export async function isConnected(db: Db, { businessId, live }: Tenant): Promise<boolean> {
  const { is_connected } = await db.one<{ is_connected: boolean }>`
    select exists (
      select from provider_connections
      where business_id = ${businessId} and live = ${live} and status <> 'Removed'
    ) as is_connected`
  return is_connected
}

/** The channels of incoming payments, as transactions name them. */
export type FeeChannel = 'USSD' | 'BANK_TRANSFER' | 'CARD' | 'WALLET' | 'OFFLINE'

/**
 * The operator's fee for a payment: a percentage, plus a flat part that is waived for small
 * payments.
 */
export interface CollectionRule {
  /** 150 means 1.5%. */
  percentBasisPoints: number
  flat_minor: Minor
  /** The flat part is waived for amounts below this. */
  flatWaivedBelow_minor: Minor
  /** The maximum fee; null for no limit. */
  cap_minor: Minor | null
}

/** The fee for a transfer of up to this amount; null if there is no upper limit. */
export interface TransferTier {
  upTo_minor: Minor | null
  fee_minor: Minor
}

export interface FeeRules {
  collections: CollectionRule
  /** The channels that have their own rule. */
  channels: Partial<Record<FeeChannel, CollectionRule>>
  /** Ascending; the last one has no upper limit. */
  transfers: readonly TransferTier[]
}

/** Payments made outside Tradepost are free (docs/CONTRACT.md, Authentication). */
const FREE: CollectionRule = {
  percentBasisPoints: 0,
  flat_minor: 0n,
  flatWaivedBelow_minor: 0n,
  cap_minor: 0n,
}

export const DEFAULT_FEES: FeeRules = {
  collections: {
    percentBasisPoints: 150,
    flat_minor: 100_00n,
    flatWaivedBelow_minor: 2_500_00n,
    cap_minor: 2_000_00n,
  },
  channels: { OFFLINE: FREE },
  transfers: [
    { upTo_minor: 5_000_00n, fee_minor: 10_00n },
    { upTo_minor: 50_000_00n, fee_minor: 25_00n },
    { upTo_minor: null, fee_minor: 50_00n },
  ],
}

/**
 * Returns the operator's fee for a payment of `amount_minor`, which never exceeds the payment. Flat
 * parts and limits are in naira, so other currencies are charged only the percentage.
 */
export function collectionFee(
  rules: FeeRules | null,
  channel: FeeChannel,
  amount_minor: Minor,
  currency = 'NGN',
): Minor {
  const { channels, collections } = rules ?? DEFAULT_FEES
  const rule = channels[channel] ?? collections
  const percentage_minor = percentageOf(amount_minor, rule.percentBasisPoints)
  if (currency !== 'NGN') return least(percentage_minor, amount_minor)

  const isSpared = amount_minor < rule.flatWaivedBelow_minor
  const fee_minor = percentage_minor + (isSpared ? 0n : rule.flat_minor)
  return least(least(fee_minor, rule.cap_minor ?? fee_minor), amount_minor)
}

/**
 * Returns the operator's fee for a transfer, charged on top of its amount. Transfers in currencies
 * other than naira are free.
 */
export function transferFee(rules: FeeRules | null, amount_minor: Minor, currency = 'NGN'): Minor {
  if (currency !== 'NGN') return 0n
  const { transfers } = rules ?? DEFAULT_FEES
  const tier = transfers.find(({ upTo_minor }) => upTo_minor === null || amount_minor <= upTo_minor)
  return tier?.fee_minor ?? 0n
}

/**
 * Returns the largest amount that can be transferred from a balance together with its fee; 0 if the
 * balance does not cover any amount. Because of the tiers, a little of the balance can remain.
 */
export function mostTransferable(
  rules: FeeRules | null,
  available_minor: Minor,
  currency = 'NGN',
): Minor {
  const { transfers } = rules ?? DEFAULT_FEES
  const tiers = currency === 'NGN' ? transfers : [{ upTo_minor: null, fee_minor: 0n }]
  let most_minor = 0n
  for (const { upTo_minor, fee_minor } of tiers) {
    const left_minor = available_minor - fee_minor
    const amount_minor = upTo_minor === null ? left_minor : least(left_minor, upTo_minor)
    // The amount can belong to a lower tier, which has another fee.
    const total_minor = amount_minor + transferFee(rules, amount_minor, currency)
    if (amount_minor > most_minor && total_minor <= available_minor) most_minor = amount_minor
  }
  return most_minor
}

const least = (a: Minor, b: Minor): Minor => (a < b ? a : b)

/** Reads a business's fee rules from its row, filling in the defaults where it has none. */
export function readFees(stored: string | null): FeeRules {
  const own = readOwnFees(stored)
  return { ...DEFAULT_FEES, ...own, channels: { ...DEFAULT_FEES.channels, ...own.channels } }
}

/**
 * Reads only the fees agreed with this business, without the defaults, which can change in a later
 * version.
 */
export function readOwnFees(stored: string | null): Partial<FeeRules> {
  if (stored === null) return {}
  return JSON.parse(stored, (name, value) =>
    name.endsWith('_minor') && typeof value === 'string' ? BigInt(value) : value,
  )
}

/** Serialises fees for `fee_rules`: minor units become strings, since a JSON number is a float. */
export const printFees = (rules: Partial<FeeRules>): string =>
  JSON.stringify(rules, (_name, value) => (typeof value === 'bigint' ? value.toString() : value))

/* Describes fees in words. Flat parts and limits are in naira. */

/** `1.5% + ₦100, capped at ₦2,000; the ₦100 is waived below ₦2,500` */
export function formatCollectionFee(rule: CollectionRule): string {
  const { percentBasisPoints, flatWaivedBelow_minor, cap_minor } = rule
  const isLess = cap_minor !== null && cap_minor < rule.flat_minor
  const flat_minor = percentBasisPoints === 0 && isLess ? cap_minor : rule.flat_minor
  if (cap_minor === 0n || (percentBasisPoints === 0 && flat_minor === 0n)) return 'Free'
  const percent = percentBasisPoints > 0 ? [`${PERCENT.format(percentBasisPoints / 10_000)}`] : []
  const flat = flat_minor > 0n ? [naira(flat_minor)] : []
  const most = cap_minor === null || percent.length === 0 ? '' : `, capped at ${naira(cap_minor)}`
  const sum = [...percent, ...flat].join(' + ') + most
  if (flat_minor === 0n || flatWaivedBelow_minor === 0n) return sum
  const spared = percent.length > 0 ? `the ${naira(flat_minor)} is waived` : 'free'
  return `${sum}; ${spared} below ${naira(flatWaivedBelow_minor)}`
}

/** `₦10 up to ₦5,000`, one string per tier. */
export const formatTransferFees = (tiers: readonly TransferTier[]): string[] =>
  tiers.map(({ upTo_minor, fee_minor }, i) => {
    const fee = fee_minor === 0n ? 'Free' : naira(fee_minor)
    const before = tiers[i - 1]?.upTo_minor
    if (upTo_minor !== null) return `${fee} up to ${naira(upTo_minor)}`
    return before ? `${fee} above ${naira(before)}` : fee
  })

const CHANNELS: readonly FeeChannel[] = ['BANK_TRANSFER', 'USSD', 'CARD', 'WALLET', 'OFFLINE']

export const formatFees = ({ collections, channels, transfers }: FeeRules) => ({
  channels: CHANNELS.map((channel) => ({
    channel,
    words: formatCollectionFee(channels[channel] ?? collections),
    isOwn: channels[channel] !== undefined && channel !== 'OFFLINE',
  })),
  transfers: formatTransferFees(transfers),
})

const PERCENT = new Intl.NumberFormat('en-NG', { style: 'percent', maximumFractionDigits: 2 })

const NAIRA = new Intl.NumberFormat('en-NG', {
  style: 'currency',
  currency: 'NGN',
  currencyDisplay: 'narrowSymbol',
  trailingZeroDisplay: 'stripIfInteger',
} as Intl.NumberFormatOptions)

const naira = (minor: Minor): string => NAIRA.format(printMinor(minor, 'NGN') as unknown as number)
