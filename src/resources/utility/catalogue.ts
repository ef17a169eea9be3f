import { toAmount } from '../../lib/money.ts'
import { type Page, wholeOrPage } from '../../lib/paging.ts'
import { notFound } from '../../lib/problem.ts'
import {
  BILLERS,
  type Biller,
  findBiller,
  UTILITY_CATEGORIES,
  type UtilityCategory,
  type UtilityPackage,
} from '../../providers/utilities.ts'

/** All billers are Nigerian. */
export const CURRENCY = 'NGN'

const NAMES: Record<UtilityCategory, string> = {
  airtime: 'Airtime',
  data: 'Data bundles',
  electricity: 'Electricity',
  television: 'Television',
  exams: 'Exam pins',
}

/** Whole unless a page is asked for, as the two below. */
export const listCategories = (page: Partial<Page>) =>
  wholeOrPage(
    UTILITY_CATEGORIES.map((category) => ({
      slug: category,
      name: NAMES[category],
      billers: billersOf(category).length,
    })),
    page,
  )

/** Throws 404 for a category that there is not. */
export function listBillers({ category, ...page }: Partial<Page> & { category?: string }) {
  const known = UTILITY_CATEGORIES.find((one) => one === category)
  if (category !== undefined && known === undefined) throw notFound('utility_category')
  return wholeOrPage((known ? billersOf(known) : BILLERS).map(billerRecord), page)
}

/** Throws 404 for a biller that there is not. */
export function listPackages({ biller, ...page }: Partial<Page> & { biller?: string }) {
  const found = biller === undefined ? undefined : findBiller(biller)
  if (biller !== undefined && !found) throw notFound('utility_biller')
  const billers = found ? [found] : BILLERS
  return wholeOrPage(
    billers.flatMap(({ packages }) => packages.map(packageRecord)),
    page,
  )
}

const billersOf = (category: UtilityCategory) =>
  BILLERS.filter((biller) => biller.category === category)

const billerRecord = ({ slug, name, category, packages }: Biller) => ({
  slug,
  name,
  category,
  packages: packages.length,
})

const packageRecord = (sold: UtilityPackage) => ({
  packageSlug: sold.packageSlug,
  name: sold.name,
  billerSlug: sold.billerSlug,
  billerName: sold.billerName,
  category: sold.category,
  ...pricesOf(sold),
  currency: CURRENCY,
})

/** How much it costs, or may: the one or the others are null. */
export function pricesOf({ amount_minor, minimum_minor, maximum_minor }: UtilityPackage) {
  const naira = (minor: bigint | null) => (minor === null ? null : toAmount(minor, CURRENCY))
  const whole = (minor: bigint | null) => (minor === null ? null : Number(minor))
  return {
    amountType: amount_minor === null ? 'variable' : 'fixed',
    amount: naira(amount_minor),
    amountMinor: whole(amount_minor),
    minimumAmount: naira(minimum_minor),
    minimumAmountMinor: whole(minimum_minor),
    maximumAmount: naira(maximum_minor),
    maximumAmountMinor: whole(maximum_minor),
  }
}
