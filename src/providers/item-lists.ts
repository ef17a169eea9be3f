import type { Database, Db } from '../db/database.ts'
import type { Log } from '../db/log.ts'
import { sql } from '../db/sql.ts'
import type { Job } from '../jobs/jobs.ts'
import { cachedBriefly } from './brief-cache.ts'
import type { BillItem, Connection, Connector, Outcome, Providers } from './connector/types.ts'
import { BILLERS, type Biller, type UtilityPackage } from './connector/utilities.ts'
import { type DailyList, dailyListJob, type ListKey, nameOf } from './daily-lists.ts'
import { type ProviderItemRow, replaceProviderItems, selectProviderItems } from './queries-lists.ts'

export const ITEM_LIST_JOB = 'item-lists'

const ITEM_LIST: DailyList<BillItem, ProviderItemRow> = {
  job: ITEM_LIST_JOB,
  of: 'bill items',
  table: sql`provider_items`,
  read: (provider) => provider.listItems?.(),
  selectRows: selectProviderItems,
  rowsOf,
  replaceRows: replaceProviderItems,
  unmatchedIn: (rows) =>
    rows
      .filter((row) => row.package_slug === null)
      .map((row) => `${row.biller_code} ${row.item_code} ${row.name}`),
}

/** Returns the job that reads what each provider sells for billers once a day. */
export const itemListJob = (deps: { providers: Providers; log: Log }): Job =>
  dailyListJob(deps, ITEM_LIST)

function rowsOf(listed: readonly BillItem[]): ProviderItemRow[] {
  const distinct = [...new Map(listed.map((item) => [itemKey(item), item])).values()]
  const ours = matchItems(distinct)
  return distinct.map((item) => ({
    biller_code: item.billerCode,
    item_code: item.itemCode,
    biller_name: item.billerName,
    name: item.name,
    category: item.category,
    amount_minor: item.amount_minor,
    fee_minor: item.fee_minor,
    package_slug: ours.get(itemKey(item)) ?? null,
    is_active: true,
  }))
}

/** What a provider sells at the moment, by the slugs of our packages. */
type ItemMap = (key: ListKey, tx?: Db) => Promise<ReadonlyMap<string, ProviderItemRow>>

export function openItemMap(db: Database): ItemMap {
  const lists = cachedBriefly(async (key: ListKey, tx: Db | undefined) => {
    const rows = await selectProviderItems(tx ?? db, key)
    const usable = rows.filter((row) => row.is_active && row.package_slug !== null)
    return new Map(usable.map((row) => [row.package_slug!, row]))
  })
  return ({ provider, environment, baseUrl }, tx) =>
    lists.get(nameOf({ provider, environment, baseUrl }), { provider, environment, baseUrl }, tx)
}

/**
 * Returns a connector that takes the slugs of our packages, from one that takes its provider's
 * items. It does not call the provider for a package that the provider does not sell, or that has
 * another price by now.
 */
export function withOurPackages(
  connector: Connector,
  connection: Connection,
  itemsOf: ItemMap,
): Connector {
  if (!connector.listItems) return connector

  async function itemOf(slug: string): Promise<ProviderItemRow | Outcome<never>> {
    const items = await itemsOf(connection)
    return items.get(slug) ?? (items.size > 0 ? NOT_SOLD : NOT_READ)
  }

  return {
    ...connector,
    async enquireCustomer(slug, customerId) {
      const item = await itemOf(slug)
      return 'kind' in item ? item : connector.enquireCustomer(codesOf(item), customerId)
    },
    async vend(about, order) {
      const item = await itemOf(order.packageSlug)
      if ('kind' in item) return item
      const { amount_minor } = item
      if (amount_minor !== null && amount_minor !== order.amount_minor) return NEW_PRICE
      return connector.vend(about, { ...order, packageSlug: codesOf(item) })
    },
  }
}

/** How a connector names an item in place of the slug of our package. */
const codesOf = ({ biller_code, item_code }: ProviderItemRow): string =>
  `${biller_code} ${item_code}`

const NOT_SOLD = {
  kind: 'refused',
  code: 'unknown_package',
  message: 'The provider does not sell this package.',
} as const

const NOT_READ = {
  kind: 'notNow',
  code: 'feature_off',
  isUnsent: true,
  message: 'The list of what the provider sells is not read yet.',
} as const

const NEW_PRICE = {
  kind: 'refused',
  code: 'amount_out_of_range',
  message: 'The price of this package has changed.',
} as const

/** Identifies an item of a provider. */
export const itemKey = ({ billerCode, itemCode }: Pick<BillItem, 'billerCode' | 'itemCode'>) =>
  `${billerCode} ${itemCode}`

/**
 * Returns our package for each of a provider's items, by `itemKey`. An item that could be two of
 * our packages, and items that could be the same package, have none: nobody buys another bundle,
 * subscription or meter than the one that they chose.
 */
export function matchItems(listed: readonly BillItem[]): ReadonlyMap<string, string> {
  const found = listed.flatMap((item) => {
    const sold = packageOf(item)
    return sold ? [{ item, slug: sold.packageSlug }] : []
  })
  const alone = [...Map.groupBy(found, ({ slug }) => slug).values()].filter(
    (candidates) => candidates.length === 1,
  )
  return new Map(alone.map(([one]) => [itemKey(one!.item), one!.slug]))
}

function packageOf(item: BillItem): UtilityPackage | undefined {
  const billers = BILLERS.filter(
    (biller) => biller.category === item.category && isNamed(biller, item),
  )
  const [biller, ...others] = billers
  if (!biller || others.length > 0) return undefined
  const isFixed = item.amount_minor !== null
  const [sold, ...alike] = biller.packages.filter(
    (one) => (one.amount_minor !== null) === isFixed && isSame(biller, one, item.name),
  )
  return alike.length === 0 ? sold : undefined
}

// ------------------------------------------------------------------------------------ billers

/** The words by which a biller is known, if not by its slug. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  '9mobile': ['etisalat'],
  aedc: ['abuja'],
  bedc: ['benin'],
  ekedc: ['eko'],
  eedc: ['enugu'],
  ibedc: ['ibadan'],
  ikedc: ['ikeja'],
  jedc: ['jos', 'jed'],
  kaedc: ['kaduna'],
  kedco: ['kano'],
  phedc: ['harcourt', 'phed'],
  yedc: ['yola'],
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? []

/** `mtn` of `mtn-data`; `ikedc`, `ikeja`. */
function namesOf({ slug }: Biller): string[] {
  const [first = slug] = slug.split('-')
  return [first, ...(ALIASES[first] ?? [])]
}

function isNamed(biller: Biller, { billerName, name }: BillItem): boolean {
  const words = new Set([...wordsOf(billerName), ...wordsOf(name)])
  return namesOf(biller).some((one) => words.has(one))
}

// ----------------------------------------------------------------------------------- packages

function isSame(biller: Biller, sold: UtilityPackage, name: string): boolean {
  switch (biller.category) {
    case 'airtime':
      return true
    case 'electricity':
      return meterOf(name) !== undefined && meterOf(name) === meterOf(sold.packageSlug)
    case 'data':
      return bundleOf(name) !== undefined && bundleOf(name) === bundleOf(sold.name)
    default:
      return plain(biller, name) === plain(biller, sold.name)
  }
}

/** Returns which kind of meter a text names; undefined if it names both or none. */
function meterOf(text: string): 'prepaid' | 'postpaid' | undefined {
  const found = new Set(text.toLowerCase().match(/prepaid|postpaid/g))
  return found.size === 1 ? ([...found][0] as 'prepaid' | 'postpaid') : undefined
}

const DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30 }
const ADVERBS: Readonly<Record<string, number>> = { daily: 1, weekly: 7, monthly: 30 }

/** Returns a bundle's volume and days, such as `1.5gb 7`, if its name says both. */
function bundleOf(name: string): string | undefined {
  const text = name.toLowerCase()
  const [, volume, unit] = /(\d+(?:\.\d+)?)\s*(mb|gb|tb)\b/.exec(text) ?? []
  const [, count, period] = /(\d+)\s*-?(day|week|month)s?\b/.exec(text) ?? []
  const [adverb] = /\b(?:daily|weekly|monthly)\b/.exec(text) ?? []
  const days = period ? Number(count) * DAYS[period]! : adverb && ADVERBS[adverb]
  return volume && days ? `${Number(volume)}${unit} ${days}` : undefined
}

/** Words that say nothing about what is sold. */
const EMPTY = new Set(['package', 'bouquet', 'subscription', 'plan', 'monthly'])

/** What is left of a name without its biller's and without empty words. */
const plain = (biller: Biller, name: string): string => {
  const names = namesOf(biller)
  return wordsOf(name)
    .filter((word) => !names.includes(word) && !EMPTY.has(word))
    .join(' ')
}
