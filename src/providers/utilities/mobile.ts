import { withAmounts, withPrices } from './catalogue.ts'

/** The four networks, as their numbers are known. */
const NETWORKS = [
  ['mtn', 'MTN'],
  ['airtel', 'Airtel'],
  ['glo', 'Glo'],
  ['9mobile', '9mobile'],
] as const

export const AIRTIME = NETWORKS.map(([slug, name]) =>
  withAmounts({ slug: `${slug}-airtime`, name: `${name} Airtime`, category: 'airtime' }, [
    { slug: 'top-up', name: `${name} top-up`, from: 50, upTo: 50_000 },
  ]),
)

/** Slug, how much, for how long, and naira. */
type Bundle = readonly [slug: string, volume: string, validity: string, naira: number]

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

export const DATA = NETWORKS.map(([slug, name]) =>
  withPrices(
    { slug: `${slug}-data`, name: `${name} Data`, category: 'data' },
    BUNDLES[slug].map(([end, volume, validity, naira]) => ({
      slug: end,
      name: `${name} ${volume}, ${validity}`,
      naira,
    })),
  ),
)
