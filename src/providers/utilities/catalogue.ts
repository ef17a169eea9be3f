import { type Minor, wholeUnits } from '../../lib/money.ts'

export const UTILITY_CATEGORIES = ['airtime', 'data', 'electricity', 'television', 'exams'] as const
export type UtilityCategory = (typeof UTILITY_CATEGORIES)[number]

/** What a buyer has in hand afterwards, beside having been served. */
type Voucher = 'token' | 'pin'

/** Something that can be bought for a customer of a biller; amounts are naira. */
export interface UtilityPackage {
  packageSlug: string
  name: string
  billerSlug: string
  billerName: string
  category: UtilityCategory
  /** The price; null where the buyer says how much. */
  amount_minor: Minor | null
  /** The least and the most that a buyer may say; null where there is a price. */
  minimum_minor: Minor | null
  maximum_minor: Minor | null
  voucher: Voucher | null
}

export interface Biller {
  slug: string
  name: string
  category: UtilityCategory
  packages: UtilityPackage[]
}

interface Offer {
  /** The end of its slug: `premium` of `dstv` is `dstv-premium`. */
  slug: string
  name: string
  voucher?: Voucher
}

type Of = Pick<Biller, 'slug' | 'name' | 'category'>

/** A biller whose packages have prices, in whole naira. */
export const withPrices = (of: Of, offers: readonly (Offer & { naira: number })[]): Biller => ({
  ...of,
  packages: offers.map(({ naira: price, ...offer }) => ({
    ...sold(of, offer),
    amount_minor: naira(price),
    minimum_minor: null,
    maximum_minor: null,
  })),
})

/** A biller whose buyers say how much, between two amounts of whole naira. */
export const withAmounts = (
  of: Of,
  offers: readonly (Offer & { from: number; upTo: number })[],
): Biller => ({
  ...of,
  packages: offers.map(({ from, upTo, ...offer }) => ({
    ...sold(of, offer),
    amount_minor: null,
    minimum_minor: naira(from),
    maximum_minor: naira(upTo),
  })),
})

const naira = (units: number): Minor => wholeUnits(units, 'NGN')

const sold = ({ slug, name, category }: Of, offer: Offer) => ({
  packageSlug: `${slug}-${offer.slug}`,
  name: offer.name,
  billerSlug: slug,
  billerName: name,
  category,
  voucher: offer.voucher ?? null,
})
