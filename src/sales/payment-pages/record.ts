import { kindsOf } from '../../events/catalogue.ts'
import { type Minor, toAmount } from '../../lib/money.ts'
import type { CountsRow, PageRow, PartRow } from './queries.ts'
import { PageRecord as PageData } from './schemas.ts'

interface Shown {
  publicUrl: string
  counts: CountsRow
  /** In the page’s order. */
  parts: readonly PartRow[]
}

/** Returns a payment page as the API and its events show it (docs/CONTRACT.md, Payment pages). */
export function pageRecord(row: PageRow, { publicUrl, counts, parts }: Shown) {
  const { amount_minor, currency, image } = row
  const amountOf = (minor: Minor) => toAmount(minor, currency)
  return {
    id: row.id,
    pageId: row.id,
    reference: row.reference,
    title: row.title,
    description: row.description,
    status: row.deleted_at === null ? row.status : ('Deleted' as const),
    customLink: row.custom_link,
    url: `${publicUrl}/pay/${row.custom_link}`,
    amountType: row.amount_type,
    amount: amount_minor === null ? null : amountOf(amount_minor),
    amountMinor: amount_minor === null ? null : Number(amount_minor),
    currency,
    suggestedAmounts: row.suggested_minor.map(amountOf),
    image: image?.startsWith('/') ? publicUrl + image : image,
    color: row.color,
    customFields: row.custom_fields,
    collectPhone: row.collect_phone,
    collectAddress: row.collect_address,
    allowDiscountCodes: row.allow_discount_codes,
    maxPayments: row.max_payments,
    expiresAt: row.expires_at,
    redirectUrl: row.redirect_url,
    successMessage: row.success_message,
    splitPageId: row.split_page_id,
    feeBearer: row.fee_bearer,
    channels: row.channels,
    products: parts.map(partOf),
    stats: statsOf(counts, currency),
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export type PageRecord = ReturnType<typeof pageRecord>

const partOf = (part: PartRow) => ({
  productId: String(part.product_id),
  reference: part.reference,
  name: part.name,
  slug: part.slug,
  price: toAmount(part.price_minor, part.currency),
  priceMinor: Number(part.price_minor),
  currency: part.currency,
  type: part.type,
  status: part.status,
})

const statsOf = ({ views, checkouts, payments, amount_minor }: CountsRow, currency: string) => ({
  views,
  checkouts,
  payments,
  amount: toAmount(amount_minor, currency),
  amountMinor: Number(amount_minor),
  // A crash can lose some views, so there can be more payments than views.
  conversion: views === 0 ? 0 : Math.min(1, Number((payments / views).toPrecision(4))),
})

const MADE_AT = '2026-11-01T13:00:00.000Z'
const CHANGED_AT = '2026-11-05T08:10:00.000Z'

const example = {
  id: 40500,
  pageId: 40500,
  reference: 'PAG_2iC5uK7yFd1qT9jEd8Wz',
  title: 'Ankara shop',
  description: 'Shirts and patterns',
  status: 'Published',
  customLink: 'ankara-shop',
  url: 'https://pay.example.com/pay/ankara-shop',
  amountType: 'variable',
  amount: null,
  amountMinor: null,
  currency: 'NGN',
  suggestedAmounts: [1000, 5000],
  image: null,
  color: '#0b7a4b',
  customFields: [
    { label: 'Size', name: 'size', type: 'select', required: true, options: ['S', 'M', 'L'] },
  ],
  collectPhone: true,
  collectAddress: false,
  allowDiscountCodes: true,
  maxPayments: null,
  expiresAt: null,
  redirectUrl: 'https://shop.example.com/thanks',
  successMessage: null,
  splitPageId: null,
  feeBearer: null,
  channels: [],
  products: [
    {
      productId: '40600',
      reference: 'PRD_4jD8vL1zGe3rU2kFc5Xa',
      name: 'Ankara shirt',
      slug: 'ankara-shirt',
      price: 12000,
      priceMinor: 1200000,
      currency: 'NGN',
      type: 'physical',
      status: 'Active',
    },
  ],
  stats: { views: 0, checkouts: 0, payments: 0, amount: 0, amountMinor: 0, conversion: 0 },
  metadata: null,
  createdAt: MADE_AT,
  updatedAt: MADE_AT,
}

export const paymentPageEvents = kindsOf(
  { object: 'payment_page', schema: PageData, example },
  {
    'payment_page.created': ['A payment page was created.'],
    'payment_page.updated': [
      'A payment page or its list of products was changed.',
      { title: 'Ankara shop, Lagos', updatedAt: CHANGED_AT },
    ],
    'payment_page.published': ['A payment page was published and now accepts payments.'],
    'payment_page.unpublished': [
      'A payment page was unpublished and no longer accepts payments.',
      { status: 'Unpublished', updatedAt: CHANGED_AT },
    ],
    'payment_page.deleted': [
      'A payment page was deleted.',
      { status: 'Deleted', updatedAt: CHANGED_AT },
    ],
  },
)
