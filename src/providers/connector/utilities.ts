import { type Minor, wholeUnits } from '../../lib/money.ts'
import type { About, Outcome, ReportedAmounts, SentOrder } from './types.ts'

/** The four mobile networks, under their usual slugs and names. */
const NETWORKS = [
  ['mtn', 'MTN'],
  ['airtel', 'Airtel'],
  ['glo', 'Glo'],
  ['9mobile', '9mobile'],
] as const

/** Builds a biller whose customers choose the amount, within a range of whole naira. */
const withAmounts = (
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

const sold = ({ slug, name, category }: Of, offer: Offer) => ({
  packageSlug: `${slug}-${offer.slug}`,
  name: offer.name,
  billerSlug: slug,
  billerName: name,
  category,
  voucher: offer.voucher ?? null,
})

const naira = (units: number): Minor => wholeUnits(units, 'NGN')

const AIRTIME = NETWORKS.map(([slug, name]) =>
  withAmounts({ slug: `${slug}-airtime`, name: `${name} Airtime`, category: 'airtime' }, [
    { slug: 'top-up', name: `${name} top-up`, from: 50, upTo: 50_000 },
  ]),
)

/** Builds a biller whose packages have fixed prices in whole naira. */
const withPrices = (of: Of, offers: readonly (Offer & { naira: number })[]): Biller => ({
  ...of,
  packages: offers.map(({ naira: price, ...offer }) => ({
    ...sold(of, offer),
    amount_minor: naira(price),
    minimum_minor: null,
    maximum_minor: null,
  })),
})

const BUNDLES: Record<(typeof NETWORKS)[number][0], readonly Bundle[]> = {
  mtn: [
    ['110mb-daily', '110MB', '1 day', 100],
    ['1gb-daily', '1GB', '1 day', 500],
    ['1-5gb-weekly', '1.5GB', '7 days', 1_000],
    ['6gb-weekly', '6GB', '7 days', 2_500],
    ['2-7gb-monthly', '2.7GB', '30 days', 2_000],
    ['7gb-monthly', '7GB', '30 days', 3_500],
    ['20gb-monthly', '20GB', '30 days', 7_500],
    ['75gb-monthly', '75GB', '30 days', 18_000],
    ['150gb-2-months', '150GB', '60 days', 40_000],
  ],
  airtel: [
    ['100mb-daily', '100MB', '1 day', 100],
    ['1gb-daily', '1GB', '1 day', 500],
    ['1gb-weekly', '1GB', '7 days', 800],
    ['6gb-weekly', '6GB', '7 days', 2_500],
    ['2gb-monthly', '2GB', '30 days', 1_500],
    ['8gb-monthly', '8GB', '30 days', 3_000],
    ['18gb-monthly', '18GB', '30 days', 6_000],
    ['60gb-monthly', '60GB', '30 days', 15_000],
  ],
  glo: [
    ['125mb-daily', '125MB', '1 day', 100],
    ['1-1gb-weekly', '1.1GB', '7 days', 750],
    ['2-6gb-monthly', '2.6GB', '30 days', 1_000],
    ['5gb-monthly', '5GB', '30 days', 1_500],
    ['10gb-monthly', '10GB', '30 days', 3_000],
    ['24gb-monthly', '24GB', '30 days', 5_000],
    ['107gb-monthly', '107GB', '30 days', 20_000],
  ],
  '9mobile': [
    ['100mb-daily', '100MB', '1 day', 150],
    ['650mb-daily', '650MB', '1 day', 500],
    ['1-1gb-monthly', '1.1GB', '30 days', 1_000],
    ['3-5gb-monthly', '3.5GB', '30 days', 2_500],
    ['11gb-monthly', '11GB', '30 days', 5_000],
    ['35gb-monthly', '35GB', '30 days', 12_000],
  ],
}

const DATA = NETWORKS.map(([slug, name]) =>
  withPrices(
    { slug: `${slug}-data`, name: `${name} Data`, category: 'data' },
    BUNDLES[slug].map(([end, volume, validity, naira]) => ({
      slug: end,
      name: `${name} ${volume}, ${validity}`,
      naira,
    })),
  ),
)

/** The eleven electricity distribution companies, by area name. */
const DISCOS = [
  ['aedc', 'Abuja Electricity (AEDC)'],
  ['bedc', 'Benin Electricity (BEDC)'],
  ['ekedc', 'Eko Electricity (EKEDC)'],
  ['eedc', 'Enugu Electricity (EEDC)'],
  ['ibedc', 'Ibadan Electricity (IBEDC)'],
  ['ikedc', 'Ikeja Electric (IKEDC)'],
  ['jedc', 'Jos Electricity (JEDC)'],
  ['kaedc', 'Kaduna Electric (KAEDC)'],
  ['kedco', 'Kano Electricity (KEDCO)'],
  ['phedc', 'Port Harcourt Electricity (PHEDC)'],
  ['yedc', 'Yola Electricity (YEDC)'],
] as const

/** A prepaid meter takes a twenty-digit token, whereas a postpaid account is credited. */
const ELECTRICITY = DISCOS.map(([slug, name]) =>
  withAmounts({ slug, name, category: 'electricity' }, [
    { slug: 'prepaid', name: `${name}, prepaid`, from: 1_000, upTo: 1_000_000, voucher: 'token' },
    { slug: 'postpaid', name: `${name}, postpaid`, from: 500, upTo: 1_000_000 },
  ]),
)

/** Monthly prices unless the name says otherwise. */
const TELEVISION = [
  withPrices({ slug: 'dstv', name: 'DStv', category: 'television' }, [
    { slug: 'padi', name: 'DStv Padi', naira: 4_400 },
    { slug: 'yanga', name: 'DStv Yanga', naira: 6_000 },
    { slug: 'confam', name: 'DStv Confam', naira: 11_000 },
    { slug: 'compact', name: 'DStv Compact', naira: 19_000 },
    { slug: 'compact-plus', name: 'DStv Compact Plus', naira: 30_000 },
    { slug: 'premium', name: 'DStv Premium', naira: 44_500 },
  ]),
  withPrices({ slug: 'gotv', name: 'GOtv', category: 'television' }, [
    { slug: 'smallie', name: 'GOtv Smallie', naira: 1_900 },
    { slug: 'jinja', name: 'GOtv Jinja', naira: 3_900 },
    { slug: 'jolli', name: 'GOtv Jolli', naira: 5_800 },
    { slug: 'max', name: 'GOtv Max', naira: 8_500 },
    { slug: 'supa', name: 'GOtv Supa', naira: 11_400 },
    { slug: 'supa-plus', name: 'GOtv Supa Plus', naira: 16_800 },
  ]),
  withPrices({ slug: 'startimes', name: 'StarTimes', category: 'television' }, [
    { slug: 'nova', name: 'StarTimes Nova', naira: 2_100 },
    { slug: 'nova-weekly', name: 'StarTimes Nova, 7 days', naira: 700 },
    { slug: 'basic', name: 'StarTimes Basic', naira: 4_000 },
    { slug: 'smart', name: 'StarTimes Smart', naira: 5_100 },
    { slug: 'classic', name: 'StarTimes Classic', naira: 6_000 },
    { slug: 'super', name: 'StarTimes Super', naira: 9_800 },
  ]),
  withPrices({ slug: 'showmax', name: 'Showmax', category: 'television' }, [
    { slug: 'mobile', name: 'Showmax Entertainment, mobile', naira: 1_600 },
    { slug: 'all-devices', name: 'Showmax Entertainment, all devices', naira: 3_500 },
    { slug: 'premier-league', name: 'Showmax Premier League, mobile', naira: 4_000 },
  ]),
]

/** Each product is a PIN that is sent to the candidate’s phone number. */
const EXAMS = [
  withPrices({ slug: 'waec', name: 'WAEC', category: 'exams' }, [
    { slug: 'result-checker', name: 'WAEC result checker pin', naira: 3_900, voucher: 'pin' },
    { slug: 'registration', name: 'WAEC registration pin', naira: 27_000, voucher: 'pin' },
  ]),
  withPrices({ slug: 'neco', name: 'NECO', category: 'exams' }, [
    { slug: 'result-token', name: 'NECO result token', naira: 1_500, voucher: 'pin' },
  ]),
  withPrices({ slug: 'jamb', name: 'JAMB', category: 'exams' }, [
    { slug: 'utme', name: 'JAMB UTME pin', naira: 7_200, voucher: 'pin' },
    { slug: 'utme-mock', name: 'JAMB UTME pin, with the mock', naira: 8_700, voucher: 'pin' },
    { slug: 'direct-entry', name: 'JAMB direct entry pin', naira: 5_700, voucher: 'pin' },
  ]),
]

/**
 * What customers in Nigeria buy through merchants, grouped by category. The prices are from 2025.
 */
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

export const UTILITY_CATEGORIES = ['airtime', 'data', 'electricity', 'television', 'exams'] as const
export type UtilityCategory = (typeof UTILITY_CATEGORIES)[number]

/** What a buyer receives besides the service itself. */
type Voucher = 'token' | 'pin'

/** A biller's product; amounts are in naira. */
export interface UtilityPackage {
  packageSlug: string
  name: string
  billerSlug: string
  billerName: string
  category: UtilityCategory
  /** The price; null if the buyer chooses the amount. */
  amount_minor: Minor | null
  /** The smallest and largest amounts that a buyer can choose; null if there is a price. */
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
  /** The last part of the slug: `premium` from `dstv` becomes `dstv-premium`. */
  slug: string
  name: string
  voucher?: Voucher
}

type Of = Pick<Biller, 'slug' | 'name' | 'category'>

/** Slug, volume, validity, and price in naira. */
type Bundle = readonly [slug: string, volume: string, validity: string, naira: number]

/** An order asking a biller to serve a customer. */
export interface VendOrder {
  reference: string
  packageSlug: string
  /** The phone, meter or smart card number by which the biller identifies the customer. */
  customerId: string
  amount_minor: Minor
  currency: string
}

export interface VendState extends ReportedAmounts {
  status: 'Pending' | 'Successful' | 'Failed'
  /** A human-readable message that says why the order failed, or that it was delivered. */
  message: string
  /** The token to enter on a prepaid meter, and the kilowatt hours it is worth. */
  token?: { value: string; units: string }
  pins?: string[]
  /** What the provider gives the business for it. */
  commission_minor?: Minor | null
}

/** A product of a biller, as a provider sells it. */
export interface BillItem {
  billerCode: string
  itemCode: string
  billerName: string
  name: string
  category: UtilityCategory
  /** Null if the customer chooses the amount. */
  amount_minor: Minor | null
  /** What the provider takes in addition; null if it does not say. */
  fee_minor: Minor | null
}

export interface UtilityCustomer {
  customerName: string
}

export interface SoldPackage {
  /** Null if the customer chooses the amount. */
  amount_minor: Minor | null
}

/** What a provider does for the customers of billers. */
export interface BillOperations {
  /**
   * Lists all that a provider sells for billers whose products are not named as ours. `packageSlug`
   * is then its own codes, `BILLER ITEM`. Changes nothing.
   */
  listItems?(): Promise<Outcome<readonly BillItem[]>>
  /** Looks up the biller's customer; returns `refused` if there is none. Changes nothing. */
  enquireCustomer(packageSlug: string, customerId: string): Promise<Outcome<UtilityCustomer>>
  /** Sends a biller an order for a vend, like `payOut`. */
  vend(about: About, order: VendOrder): Promise<Outcome<VendState>>
  /** Looks up the outcome of a vend, like `lookUpPayout`. */
  lookUpVend(about: About, sent: SentOrder): Promise<Outcome<VendState>>
}
