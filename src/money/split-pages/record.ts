import { kindsOf } from '../../events/catalogue.ts'
import type { ShareRow, SplitPageRow } from './queries.ts'
import { SplitPageRecord } from './schemas.ts'

interface Shown {
  publicUrl: string
  /** Ordered by subaccount. */
  shares: readonly Pick<ShareRow, 'share' | 'reference' | 'business_name'>[]
}

/** A split page as the API and its events show it (docs/CONTRACT.md, Split pages). */
export const splitPageRecord = (row: SplitPageRow, { publicUrl, shares }: Shown) => ({
  reference: row.reference,
  status: row.active,
  id: row.id,
  name: row.name,
  slug: row.slug,
  url: `${publicUrl}/pay/${row.slug}`,
  splitType: row.split_type,
  category: row.category,
  currency: row.currency,
  feeBearer: row.fee_bearer,
  subaccounts: shares.map(({ reference, share, business_name }) => ({
    subaccount: reference,
    share,
    business_name,
  })),
  totalShare: row.total_share,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const MADE_AT = '2026-11-01T12:30:00.000Z'

const share = (subaccount: string, percent: number, business_name: string) => ({
  subaccount,
  share: percent,
  business_name,
})
const tailors = share('SUB_5dX2pF8tAy6lN9eZi1Ru', 40, 'Obi Tailors')
const couriers = share('SUB_8eY3qG7uBz4mP0fAh6Sv', 10, 'Eko Couriers')

const example = {
  reference: 'SPL_3fZ6rH9vCa2nQ5gBg7Tw',
  status: true,
  id: 40130,
  name: 'Market day',
  slug: 'market-day',
  url: 'https://pay.example.com/pay/market-day',
  splitType: 'percentage',
  category: false,
  currency: 'NGN',
  feeBearer: 'business',
  subaccounts: [tailors],
  totalShare: 40,
  createdAt: MADE_AT,
  updatedAt: MADE_AT,
}

export const splitPageEvents = kindsOf(
  { object: 'split_page', schema: SplitPageRecord, example },
  {
    'split_page.created': ['A split page was created.'],
    'split_page.updated': [
      'A split page or one of its shares was changed.',
      {
        subaccounts: [tailors, couriers],
        totalShare: 50,
        updatedAt: '2026-11-05T07:50:00.000Z',
      },
    ],
  },
)
