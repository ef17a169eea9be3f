import { type Minor, printMinor } from '../../lib/money.ts'
import type { CollectionRule, FeeChannel, FeeRules, TransferTier } from './fees.ts'

/* Fees as people say them. Their flat parts and limits are in naira. */

/** `1.5 % + ₦100, at most ₦2,000; without the ₦100 below ₦2,500` */
export function sayCollection(rule: CollectionRule): string {
  const { percentBasisPoints, flatWaivedBelow_minor, cap_minor } = rule
  const isLess = cap_minor !== null && cap_minor < rule.flat_minor
  const flat_minor = percentBasisPoints === 0 && isLess ? cap_minor : rule.flat_minor
  if (cap_minor === 0n || (percentBasisPoints === 0 && flat_minor === 0n)) return 'Free'
  const percent = percentBasisPoints > 0 ? [`${PERCENT.format(percentBasisPoints / 10_000)}`] : []
  const flat = flat_minor > 0n ? [naira(flat_minor)] : []
  const most = cap_minor === null || percent.length === 0 ? '' : `, at most ${naira(cap_minor)}`
  const sum = [...percent, ...flat].join(' + ') + most
  if (flat_minor === 0n || flatWaivedBelow_minor === 0n) return sum
  const spared = percent.length > 0 ? `without the ${naira(flat_minor)}` : 'free'
  return `${sum}; ${spared} below ${naira(flatWaivedBelow_minor)}`
}

/** `₦10 up to ₦5,000`, tier by tier. */
export const sayTransfers = (tiers: readonly TransferTier[]): string[] =>
  tiers.map(({ upTo_minor, fee_minor }, i) => {
    const fee = fee_minor === 0n ? 'Free' : naira(fee_minor)
    const before = tiers[i - 1]?.upTo_minor
    if (upTo_minor !== null) return `${fee} up to ${naira(upTo_minor)}`
    return before ? `${fee} above ${naira(before)}` : fee
  })

/** Ways to pay that payers have, and what each costs; `own` where it has a rule of its own. */
const CHANNELS: readonly FeeChannel[] = ['BANK_TRANSFER', 'USSD', 'CARD', 'WALLET', 'OFFLINE']

export const sayFees = ({ collections, channels, transfers }: FeeRules) => ({
  channels: CHANNELS.map((channel) => ({
    channel,
    words: sayCollection(channels[channel] ?? collections),
    isOwn: channels[channel] !== undefined && channel !== 'OFFLINE',
  })),
  transfers: sayTransfers(transfers),
})

const PERCENT = new Intl.NumberFormat('en-NG', { style: 'percent', maximumFractionDigits: 2 })

const NAIRA = new Intl.NumberFormat('en-NG', {
  style: 'currency',
  currency: 'NGN',
  currencyDisplay: 'narrowSymbol',
  trailingZeroDisplay: 'stripIfInteger',
} as Intl.NumberFormatOptions)

const naira = (minor: Minor): string => NAIRA.format(printMinor(minor, 'NGN') as unknown as number)
