import { type Minor, percentageOf } from '../../lib/money.ts'

/** Channels of a collection, as on a transaction. */
export type FeeChannel = 'USSD' | 'BANK_TRANSFER' | 'CARD' | 'WALLET' | 'OFFLINE'

/**
 * What the operator takes of a payment: a percentage, and a flat part that small ones are spared.
 */
export interface CollectionRule {
  /** 150 is 1.5 %. */
  percentBasisPoints: number
  flat_minor: Minor
  /** The flat part is waived for amounts below this. */
  flatWaivedBelow_minor: Minor
  /** The most that is taken; null for no limit. */
  cap_minor: Minor | null
}

/** The fee of a transfer of up to this amount; null for every amount above. */
export interface TransferTier {
  upTo_minor: Minor | null
  fee_minor: Minor
}

export interface FeeRules {
  collections: CollectionRule
  /** Channels that cost something else. */
  channels: Partial<Record<FeeChannel, CollectionRule>>
  /** Rising; the last one has no end. */
  transfers: readonly TransferTier[]
}

/** docs/CONTRACT.md, Authentication. Payments that we did not carry cost nothing. */
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
 * What the operator takes of a payment of `amount_minor`: never more than the payment. Flat parts
 * and limits are in naira, so other currencies pay the percentage alone.
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

/** What the operator takes of a transfer, on top of its amount; naira only. */
export function transferFee(rules: FeeRules | null, amount_minor: Minor, currency = 'NGN'): Minor {
  if (currency !== 'NGN') return 0n
  const { transfers } = rules ?? DEFAULT_FEES
  const tier = transfers.find(({ upTo_minor }) => upTo_minor === null || amount_minor <= upTo_minor)
  return tier?.fee_minor ?? 0n
}

const least = (a: Minor, b: Minor): Minor => (a < b ? a : b)

/** The rules of a business from its row; whatever it has no rule for follows the defaults. */
export function readFees(stored: string | null): FeeRules {
  const own = readOwnFees(stored)
  return { ...DEFAULT_FEES, ...own, channels: { ...DEFAULT_FEES.channels, ...own.channels } }
}

/** Only what was agreed with this business: the defaults may change with a later version. */
export function readOwnFees(stored: string | null): Partial<FeeRules> {
  if (stored === null) return {}
  return JSON.parse(stored, (name, value) =>
    name.endsWith('_minor') && typeof value === 'string' ? BigInt(value) : value,
  )
}

/** As `fee_rules` is stored: minor units as text, since a JSON number is a float. */
export const printFees = (rules: Partial<FeeRules>): string =>
  JSON.stringify(rules, (_name, value) => (typeof value === 'bigint' ? value.toString() : value))
