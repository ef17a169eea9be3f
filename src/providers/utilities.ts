import type { Biller, UtilityPackage } from './utilities/catalogue.ts'
import { ELECTRICITY } from './utilities/electricity.ts'
import { EXAMS } from './utilities/exams.ts'
import { AIRTIME, DATA } from './utilities/mobile.ts'
import { TELEVISION } from './utilities/television.ts'

export type { Biller, UtilityCategory, UtilityPackage } from './utilities/catalogue.ts'
export { UTILITY_CATEGORIES } from './utilities/catalogue.ts'

/** What customers in Nigeria have bought for them, by category. Prices are those of 2025. */
export const BILLERS: readonly Biller[] = [
  ...AIRTIME,
  ...DATA,
  ...ELECTRICITY,
  ...TELEVISION,
  ...EXAMS,
]

const byBiller = new Map(BILLERS.map((biller) => [biller.slug, biller]))
const byPackage = new Map(
  BILLERS.flatMap(({ packages }) => packages.map((sold) => [sold.packageSlug, sold] as const)),
)

export const findBiller = (slug: string): Biller | undefined => byBiller.get(slug)

export const findPackage = (slug: string): UtilityPackage | undefined => byPackage.get(slug)
