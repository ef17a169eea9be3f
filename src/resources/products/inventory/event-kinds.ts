import { Type } from 'typebox'
import { kindsOf } from '../../../events/kind.ts'
import { Nullable } from '../../../lib/schemas.ts'

const text = Type.String()
const whole = Type.Integer()

const StockLevel = Type.Object({
  productId: text,
  variantId: Nullable(Type.Integer({ description: 'Null for the product itself.' })),
  reference: Type.String({ description: 'Of the product.' }),
  status: Type.String({ description: 'Of the product.' }),
  name: text,
  sku: Nullable(text),
  quantity: Type.Integer({ description: 'On hand, what is put aside included.' }),
  reserved: whole,
  available: whole,
  lowStockThreshold: Nullable(whole),
})

const example = {
  productId: '40600',
  variantId: null,
  reference: 'PRD_4jD8vL1zGe3rU2kFc5Xa',
  status: 'Active',
  name: 'Ankara shirt',
  sku: 'SHIRT-1',
  quantity: 5,
  reserved: 1,
  available: 4,
  lowStockThreshold: 5,
}

export const stockEventKinds = kindsOf(
  { object: 'product', schema: StockLevel, example },
  {
    'product.low_stock': ['What is left of a product or variant fell to its threshold.'],
    'product.out_of_stock': [
      'Nothing is left of a product or variant.',
      { quantity: 1, available: 0 },
    ],
  },
)
