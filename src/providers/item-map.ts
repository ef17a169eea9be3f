import type { BillItem } from './connector/types.ts'
import { BILLERS, type Biller, type UtilityPackage } from './connector/utilities.ts'

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
