import { kindsOf } from '../../events/kind.ts'
import { PageRecord } from './schemas.ts'

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
  { object: 'payment_page', schema: PageRecord, example },
  {
    'payment_page.created': ['A payment page was created.'],
    'payment_page.updated': [
      'A payment page was changed, or the products on it.',
      { title: 'Ankara shop, Lagos', updatedAt: CHANGED_AT },
    ],
    'payment_page.published': ['A payment page can be paid on from now on.'],
    'payment_page.unpublished': [
      'Nobody can pay on a payment page from now on.',
      { status: 'Unpublished', updatedAt: CHANGED_AT },
    ],
    'payment_page.deleted': [
      'A payment page was deleted.',
      { status: 'Deleted', updatedAt: CHANGED_AT },
    ],
  },
)
