import { type Command, Option } from 'commander'
import { formatAmount, type Minor, printMinor } from '../lib/money.ts'
import type { CollectionRule, FeeRules, TransferTier } from '../resources/businesses/fees.ts'
import {
  type BusinessFees,
  changeFees,
  type FeeChange,
  feesOf,
} from '../resources/businesses/service.ts'
import { withDatabase } from './open.ts'
import { bold, dim, printFields, printJson, printLines, UsageError } from './output.ts'
import { readId, readNaira, readPercent, readTiers } from './values.ts'

/** Of which fees can be agreed; payments that we did not carry cost nothing. */
const CHANNELS = ['USSD', 'BANK_TRANSFER', 'CARD', 'WALLET'] as const

interface Options {
  channel?: (typeof CHANNELS)[number]
  default?: true
  percent?: number
  flat?: Minor
  waivedBelow?: Minor
  cap?: Minor
  transfer?: TransferTier[]
  reset?: true
  json?: true
}

export function businessFees(business: Command): void {
  business
    .command('fees')
    .description('Show or change what you take of the payments of a business')
    .argument('<ID>', 'of the business', readId)
    .option('--percent <number>', 'of each payment', readPercent)
    .option('--flat <naira>', 'on top of the percentage', readNaira)
    .option('--waived-below <naira>', 'payments below this are spared the flat part', readNaira)
    .option('--cap <naira>', 'the most for one payment', readNaira)
    .addOption(new Option('--channel <name>', 'of this channel alone').choices(CHANNELS))
    .option('--default', 'with --channel: it costs what the others do again')
    .option('--transfer <tiers>', 'for transfers of up to each amount, * the rest', readTiers)
    .option('--reset', 'back to the defaults')
    .option('--json', 'print the rules as JSON')
    .addHelpText(
      'after',
      `
What is not named stays as it is. Payments that were begun keep the fee they were begun with.

Examples:
  $ tradepost business fees 101
  $ tradepost business fees 101 --percent 1.4 --cap 1500
  $ tradepost business fees 101 --channel USSD --percent 1 --flat 0
  $ tradepost business fees 101 --channel USSD --default
  $ tradepost business fees 101 --transfer "5000:10,50000:25,*:50"
  $ tradepost business fees 101 --reset`,
    )
    .action(fees)
}

async function fees(businessId: number, { json, reset, ...options }: Options): Promise<void> {
  const change = changeOf(options)
  if (reset && change) throw new UsageError('--reset goes with no other change')
  const shown = await withDatabase(({ db, now }) => {
    if (!reset && !change) return feesOf(db, businessId)
    return db.transaction((tx) => changeFees(tx, businessId, change ?? null, now))
  })
  if (!shown) throw new Error(`there is no business ${businessId}: see tradepost business list`)
  if (json) printJson(asJson(shown))
  else show(shown)
}

function changeOf({ channel, default: isDefault, transfer, ...rest }: Options) {
  const rule = ruleOf(rest)
  if (isDefault && !channel) throw new UsageError('--default goes with --channel')
  if (isDefault && rule) throw new UsageError('--default goes with no other fee of the channel')
  if (channel && !rule && !isDefault) {
    throw new UsageError('--channel goes with what it costs, or with --default')
  }
  const change: FeeChange = {
    ...(channel && { channel }),
    ...(rule && { rule }),
    ...(isDefault && { rule: null }),
    ...(transfer && { transfers: transfer }),
  }
  return Object.keys(change).length > 0 ? change : undefined
}

function ruleOf({ percent, flat, waivedBelow, cap }: Options) {
  const rule: Partial<CollectionRule> = {
    ...(percent !== undefined && { percentBasisPoints: percent }),
    ...(flat !== undefined && { flat_minor: flat }),
    ...(waivedBelow !== undefined && { flatWaivedBelow_minor: waivedBelow }),
    ...(cap !== undefined && { cap_minor: cap }),
  }
  return Object.keys(rule).length > 0 ? rule : undefined
}

function show({ businessId, name, isDefault, rules }: BusinessFees): void {
  const whose = isDefault ? 'the default fees' : 'fees of its own'
  printLines(`${bold(name)} (${businessId}) has ${whose}.`)
  const channels = ownChannels(rules).map(([name, rule]) => [name, ruleText(rule)])
  printFields({
    collections: ruleText(rules.collections),
    ...Object.fromEntries(channels),
    ...tierTexts(rules),
  })
  printLines(dim('Fees go to the fee account of the business, in test mode as in live mode.'))
}

/** The channels that cost something else, with their rules. */
const ownChannels = ({ channels }: FeeRules) =>
  CHANNELS.flatMap((name) => {
    const rule = channels[name]
    return rule ? [[name, rule] as const] : []
  })

const naira = (minor: Minor) => formatAmount(minor, 'NGN')

function ruleText({
  percentBasisPoints,
  flat_minor,
  flatWaivedBelow_minor,
  cap_minor,
}: CollectionRule): string {
  const parts = [`${percentText(percentBasisPoints)} % + ${naira(flat_minor)}`]
  if (flatWaivedBelow_minor > 0n) parts.push(`waived below ${naira(flatWaivedBelow_minor)}`)
  if (cap_minor !== null) parts.push(`at most ${naira(cap_minor)}`)
  return parts.join(', ')
}

function tierTexts({ transfers }: FeeRules): Record<string, string> {
  const tiers = transfers.map(({ upTo_minor, fee_minor }) => {
    const amounts = upTo_minor === null ? 'above that' : `up to ${naira(upTo_minor)}`
    return `${naira(fee_minor)} ${amounts}`
  })
  return { transfers: tiers.join(', ') }
}

/** 150 is `1.5`. Two decimals, as an amount has them, without the zeros at the end. */
const percentText = (basisPoints: number): string =>
  printMinor(BigInt(basisPoints), 'NGN').replace(/\.?0+$/, '')

/** Amounts in naira as text, under the names of the options. */
const asJson = ({ businessId, name, isDefault, rules }: BusinessFees) => ({
  businessId,
  name,
  isDefault,
  collections: ruleJson(rules.collections),
  channels: Object.fromEntries(
    ownChannels(rules).map(([channel, rule]) => [channel, ruleJson(rule)]),
  ),
  transfers: rules.transfers.map(({ upTo_minor, fee_minor }) => ({
    upTo: nairaText(upTo_minor),
    fee: nairaText(fee_minor),
  })),
})

const ruleJson = (rule: CollectionRule) => ({
  percent: percentText(rule.percentBasisPoints),
  flat: nairaText(rule.flat_minor),
  waivedBelow: nairaText(rule.flatWaivedBelow_minor),
  cap: nairaText(rule.cap_minor),
})

const nairaText = (minor: Minor | null) => (minor === null ? null : printMinor(minor, 'NGN'))
