import { variantPart } from '../catalogue/record.ts'
import type { ProductRow } from '../catalogue/service.ts'
import type { Option } from '../options/plan.ts'
import type { VariantRow } from '../options/service.ts'

/** A variant by itself: what its product shows of it, and whose it is. */
export const variantRecord = (
  product: ProductRow,
  variant: VariantRow,
  options: readonly Option[],
  media: Parameters<typeof variantPart>[3],
) => ({
  productId: String(product.id),
  reference: product.reference,
  status: variant.active ? 'Active' : 'Inactive',
  ...variantPart(product, variant, options, media),
  currency: product.currency,
})
