import { type Damage, lastOf } from './shop.ts'

/* What can be wrong with products, their variants and their stock. */

export const products: Damage[] = [
  [
    'a product without stock',
    ({ product }) => `delete from stock_items where id = ${product}`,
    ({ product }) => [`product-stock: products ${product}`],
  ],
  [
    'stock of a product beside that of its variants',
    ({ product }) => `update stock_items set on_hand = 1 where id = ${product}`,
    ({ product }) => [`product-stock: products ${product}`],
  ],
  [
    'a variant without stock',
    ({ variant }) => `delete from stock_items where id = ${variant}`,
    ({ variant }) => [`variant-stock: product_variants ${variant}`],
  ],
  [
    'a variant that is gone and could be bought',
    ({ variant }) => `update product_variants set deleted_at = created_at where id = ${variant}`,
    ({ product, variant }) => [
      `product-variants: products ${product}`,
      `variant-stock: product_variants ${variant}`,
    ],
  ],
  [
    'a variant of another size that there is not',
    ({ variant }) => `update product_variants set value_ids = '{1}' where id = ${variant}`,
    ({ variant }) => [`variant-values: product_variants ${variant}`],
  ],
  [
    'an option that is gone',
    ({ product }) => `delete from product_options where product_id = ${product}`,
    ({ product, variant }) => [
      `product-variants: products ${product}`,
      `variant-values: product_variants ${variant - 1}`,
      `variant-values: product_variants ${variant}`,
    ],
  ],
  [
    'a slug with a slash',
    ({ product }) => `update products set slug = 'shirts/shirt' where id = ${product}`,
    ({ product }) => [`product-slugs: products ${product}`],
  ],
  [
    'a product that is found by the name of another one',
    ({ product }) => `update search_texts set text = 'shoe' where id = ${product}`,
    ({ product }) => [`product-texts: products ${product}`],
  ],
  [
    'a product that was deleted and is still found',
    ({ product }) => `update products set deleted_at = created_at where id = ${product}`,
    ({ product }) => [`product-texts: products ${product}`],
  ],
  [
    'the last event of a product gone',
    ({ product }) => lastOf(product),
    ({ product }) => [`product-events: products ${product}`],
  ],
]
