import { kindsOf } from '../../../events/kind.ts'
import { ProductRecord } from './schemas.ts'

const MADE_AT = '2026-11-01T10:00:00.000Z'
const CHANGED_AT = '2026-11-05T09:00:00.000Z'

const example = {
  productId: '40600',
  reference: 'PRD_4jD8vL1zGe3rU2kFc5Xa',
  name: 'Ankara shirt',
  slug: 'ankara-shirt',
  description: 'Sewn in Lagos',
  price: 12000,
  priceMinor: 1200000,
  currency: 'NGN',
  type: 'physical',
  sku: 'SHIRT-1',
  status: 'Active',
  tracked: true,
  quantity: 20,
  reserved: 0,
  available: 20,
  sold: 0,
  lowStockThreshold: 5,
  media: [],
  options: [],
  variants: [],
  deliveryFees: [],
  digitalFiles: [],
  url: null,
  metadata: null,
  createdAt: MADE_AT,
  updatedAt: MADE_AT,
}

export const productEvents = kindsOf(
  { object: 'product', schema: ProductRecord, example },
  {
    'product.created': ['A product was created.'],
    'product.updated': [
      'A product was changed, or its options, variants, pictures, files or fees.',
      { price: 12500, priceMinor: 1250000, updatedAt: CHANGED_AT },
    ],
    'product.archived': [
      'A product is not sold any more.',
      { status: 'Archived', updatedAt: CHANGED_AT },
    ],
    'product.deleted': ['A product was deleted.', { status: 'Deleted', updatedAt: CHANGED_AT }],
  },
)
