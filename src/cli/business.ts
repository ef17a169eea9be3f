import { type Command, Option } from 'commander'
import { createBusiness } from '../business/account/bootstrap.ts'
import type {
  CollectionRule,
  FeeRules,
  TransferTier,
} from '../business/account/payment-settings.ts'
import {
  type BusinessFees,
  changeFees,
  type FeeChange,
  feesOf,
  listBusinesses,
} from '../business/account/service.ts'
import { ownerLinkFor } from '../business/people/accounts.ts'
import { publicUrlOf, readConfig } from '../config.ts'
import { formatAmount, type Minor, printMinor } from '../lib/money.ts'
import { businessOf, businessOption } from './keys.ts'
import { withDatabase } from './open.ts'
import {
  bold,
  dim,
  formatTimestamp,
  printFields,
  printJson,
  printLines,
  printList,
  terminal,
  UsageError,
} from './output.ts'
import { readEmail, readId, readNaira, readPercent, readTiers } from './values.ts'

export function businessCommands(program: Command): void {
  const business = program.command('business').description('Manage the businesses on this server')
  businessCreate(business)
  businessList(business)
  businessOwnerLink(business)
  businessFees(business)
}

interface Options {
  email?: string
  phone?: string
  firstName?: string
  lastName?: string
  owner?: string
  json?: true
}

function businessCreate(business: Command): void {
  business
    .command('create')
    .description('Create a business and its keys, which are shown once')
    .argument('<NAME>', 'name that payers see')
    .option('--email <address>', 'contact email address')
    .option('--phone <number>', 'contact phone number')
    .option('--first-name <name>', 'first name of the contact person')
    .option('--last-name <name>', 'last name of the contact person')
    .option(
      '--owner <address>',
      'also create a sign-up link for an owner with this email address',
      readEmail,
    )
    .option('--json', 'print {businessId, name, keys, ownerLink?} as JSON')
    .addHelpText(
      'after',
      `
The server can keep running.

Examples:
  $ tradepost business create "Ada Ventures" --email ada@example.com
  $ tradepost business create "Ada Ventures" --owner ada@example.com
  $ tradepost business create "Ada Ventures" --json | jq -r .keys.testSecret`,
    )
    .action(create)
}

async function create(name: string, { json, owner, ...person }: Options): Promise<void> {
  const config = readConfig(terminal().env)
  const { businessId, keys, ownerLink, ...created } = await withDatabase(
    ({ db, ids, keyring, now }) =>
      db.transaction(async (tx) => {
        const made = await createBusiness(tx, { ids, keyring }, { name, ...person, now })
        const about = { businessId: made.businessId, email: owner }
        const url = owner && (await ownerLinkFor(tx, publicUrlOf(config, config.PORT), about, now))
        return { ...made, ...(url && { ownerLink: url }) }
      }),
    { mayCreate: true },
  )
  if (json) {
    printJson({ businessId, name: created.name, keys, ...(ownerLink && { ownerLink }) })
    return
  }
  printLines(`${bold(created.name)} is business ${businessId}. Its keys are shown only once:`)
  printFields({
    'test, secret': keys.testSecret,
    'test, public': keys.testPublic,
    'live, secret': keys.liveSecret,
    'live, public': keys.livePublic,
  })
  printLines(
    dim('Keep secret keys on your server, never in a browser, an app or a repository.'),
    ...(ownerLink
      ? [
          `${owner} can sign up as the owner with this link. It works once and expires in seven days:`,
          ownerLink,
        ]
      : [dim(`For dashboard access: tradepost business owner-link --business ${businessId}`)]),
  )
}

function businessList(business: Command): void {
  business
    .command('list')
    .description('List all businesses')
    .option('--json', 'print JSON')
    .action(list)
}

async function list({ json }: { json?: true }): Promise<void> {
  printList(await withDatabase(({ db }) => listBusinesses(db)), {
    json,
    none: 'There are no businesses yet. Create one with: tradepost business create NAME',
    columns: {
      ID: ({ businessId }) => String(businessId),
      NAME: ({ name }) => name,
      STATUS: ({ status }) => status,
      EMAIL: ({ email }) => email ?? '-',
      CREATED: ({ createdAt }) => formatTimestamp(createdAt),
    },
  })
}

/** The channels whose fees can be set. Payments received outside Tradepost are free. */
const CHANNELS = ['USSD', 'BANK_TRANSFER', 'CARD', 'WALLET'] as const

interface FeeOptions {
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

function businessFees(business: Command): void {
  business
    .command('fees')
    .description('Show or change the fees you charge a business')
    .argument('<ID>', 'business id', readId)
    .option('--percent <number>', 'percentage of each payment', readPercent)
    .option('--flat <naira>', 'flat fee added to the percentage', readNaira)
    .option('--waived-below <naira>', 'payments below this amount pay no flat fee', readNaira)
    .option('--cap <naira>', 'maximum fee per payment', readNaira)
    .addOption(
      new Option('--channel <name>', 'change the fees only for this channel').choices(CHANNELS),
    )
    .option('--default', 'with --channel: use the general fees again')
    .option(
      '--transfer <tiers>',
      'transfer fees for amounts up to each limit, and * for larger amounts',
      readTiers,
    )
    .option('--reset', 'restore the default fees')
    .option('--json', 'print the rules as JSON')
    .addHelpText(
      'after',
      `
Fees that you leave out do not change. Payments already started keep their fee.

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

async function fees(businessId: number, { json, reset, ...options }: FeeOptions): Promise<void> {
  const change = changeOf(options)
  if (reset && change) throw new UsageError('--reset cannot be combined with other changes')
  const shown = await withDatabase(({ db, now }) => {
    if (!reset && !change) return feesOf(db, businessId)
    return db.transaction((tx) => changeFees(tx, businessId, change ?? null, now))
  })
  if (!shown) throw new Error(`there is no business ${businessId}; see tradepost business list`)
  if (json) printJson(asJson(shown))
  else show(shown)
}

function changeOf({ channel, default: isDefault, transfer, ...rest }: FeeOptions) {
  const rule = ruleOf(rest)
  if (isDefault && !channel) throw new UsageError('--default requires --channel')
  if (isDefault && rule)
    throw new UsageError('--default cannot be combined with other fees for the channel')
  if (channel && !rule && !isDefault) {
    throw new UsageError('--channel requires at least one fee, or --default')
  }
  const change: FeeChange = {
    ...(channel && { channel }),
    ...(rule && { rule }),
    ...(isDefault && { rule: null }),
    ...(transfer && { transfers: transfer }),
  }
  return Object.keys(change).length > 0 ? change : undefined
}

function ruleOf({ percent, flat, waivedBelow, cap }: FeeOptions) {
  const rule: Partial<CollectionRule> = {
    ...(percent !== undefined && { percentBasisPoints: percent }),
    ...(flat !== undefined && { flat_minor: flat }),
    ...(waivedBelow !== undefined && { flatWaivedBelow_minor: waivedBelow }),
    ...(cap !== undefined && { cap_minor: cap }),
  }
  return Object.keys(rule).length > 0 ? rule : undefined
}

function show({ businessId, name, isDefault, rules }: BusinessFees): void {
  const whose = isDefault ? 'the default fees' : 'its own fees'
  printLines(`${bold(name)} (${businessId}) has ${whose}.`)
  const channels = ownChannels(rules).map(([name, rule]) => [name, ruleText(rule)])
  printFields({
    collections: ruleText(rules.collections),
    ...Object.fromEntries(channels),
    ...tierTexts(rules),
  })
  printLines(dim('Fees go to the business’s fee account, in test mode and in live mode.'))
}

/** Returns the channels that have their own fees, with their rules. */
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
  if (transfers.length === 1) return { transfers: naira(transfers[0]!.fee_minor) }
  const tiers = transfers.map(({ upTo_minor, fee_minor }) => {
    const amounts = upTo_minor === null ? 'above that' : `up to ${naira(upTo_minor)}`
    return `${naira(fee_minor)} ${amounts}`
  })
  return { transfers: tiers.join(', ') }
}

/** Prints 150 as `1.5`, with up to two decimals and without trailing zeros. */
const percentText = (basisPoints: number): string =>
  printMinor(BigInt(basisPoints), 'NGN').replace(/\.?0+$/, '')

/** Prints amounts in naira, labelled with the option names. */
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

interface LinkOptions {
  business?: number
  email?: string
}

function businessOwnerLink(business: Command): void {
  business
    .command('owner-link')
    .description('Create the link that the first owner uses to sign up to the dashboard')
    .addOption(businessOption('business that the owner joins'))
    .option(
      '--email <address>',
      'only this email address can sign up; earlier links stop working',
      readEmail,
    )
    .addHelpText(
      'after',
      `
The link works once and expires in seven days. The person who opens it becomes the owner, so send
it to no one else.

Examples:
  $ tradepost business owner-link
  $ tradepost business owner-link --business 1042 --email ada@example.com`,
    )
    .action(ownerLink)
}

async function ownerLink({ business, email }: LinkOptions): Promise<void> {
  const config = readConfig(terminal().env)
  const url = await withDatabase(async ({ db, now }) =>
    ownerLinkFor(
      db,
      publicUrlOf(config, config.PORT),
      { businessId: await businessOf(db, business), email },
      now,
    ),
  )
  if (!url) throw new UsageError('This business already has an owner, who can invite others.')
  printLines(url)
}
