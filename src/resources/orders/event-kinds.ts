import { kindsOf } from '../../events/kind.ts'
import { OrderRecord } from './schemas.ts'

const MADE_AT = '2026-11-02T14:00:00.000Z'
const PAID_AT = '2026-11-02T14:02:10.550Z'

const download = {
  digitalDownloadFileId: '40610',
  productId: '40600',
  name: 'Pattern.pdf',
  bytes: 482133,
  url: 'https://pay.example.com/d/1tr9c-Pq4mZ8w2',
  status: 'Active',
  downloads: 0,
  maxDownloads: 5,
  expiresAt: '2026-11-09T14:02:10.550Z',
}

const example = {
  id: 41200,
  reference: 'ORD_9hB2tJ4xEc8pS6iDe0Vy',
  status: 'Pending',
  checkoutId: 41199,
  checkoutReference: 'CHK_4nT8vQ1yKe6cWm2sHd0B',
  pageId: 40500,
  transactionId: 41201,
  customer: { email: 'ada@example.com', name: 'Ada Obi', phone: '+2348012345678' },
  customFields: [{ label: 'Name on the shirt', name: 'nameOn', value: 'ADA' }],
  lines: [
    {
      productId: '40600',
      variantId: null,
      name: 'Ankara shirt, with its pattern',
      quantity: 1,
      unitPrice: 12000,
      amount: 12000,
      amountMinor: 1200000,
    },
  ],
  subtotal: 12000,
  discountCode: 'BLACK-FRIDAY',
  discount: 1500,
  deliveryFee: 2500,
  amount: 13000,
  amountMinor: 1300000,
  currency: 'NGN',
  delivery: { location: 'Lagos', address: '1 Marina, Lagos' },
  downloads: [],
  paidAt: null,
  createdAt: MADE_AT,
  updatedAt: MADE_AT,
}

export const orderEvents = kindsOf(
  { object: 'order', schema: OrderRecord, example },
  {
    'order.created': ['Somebody began to pay for products; nothing is paid yet.'],
    'order.paid': [
      'An order was paid: its stock is sold, its files are the buyer’s.',
      { status: 'Paid', downloads: [download], paidAt: PAID_AT, updatedAt: PAID_AT },
    ],
    'order.refunded': [
      'All of an order was given back.',
      {
        status: 'Refunded',
        downloads: [{ ...download, status: 'Revoked' }],
        paidAt: PAID_AT,
        updatedAt: '2026-11-04T08:20:03.902Z',
      },
    ],
  },
)
