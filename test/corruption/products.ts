import { type Damage, lastOf } from './shop.ts'

/* Damage to products, their variants and their stock. */

export const products: Damage[] = [
  [
    'a product without stock',
    ({ product }) => `delete from stock_items where id = ${product}`,
    ({ product }) => [`product-stock: products ${product}`],
  ],
  [
    'a product with its own stock and stock of its variants',
    ({ product }) => `update stock_items set on_hand = 1 where id = ${product}`,
    ({ product }) => [`product-stock: products ${product}`],
  ],
  [
    'a variant without stock',
    ({ variant }) => `delete from stock_items where id = ${variant}`,
    ({ variant }) => [`variant-stock: product_variants ${variant}`],
  ],
  [
    'a deleted variant that is still on sale',
    ({ variant }) => `update product_variants set deleted_at = created_at where id = ${variant}`,
    ({ product, variant }) => [
      `product-variants: products ${product}`,
      `variant-stock: product_variants ${variant}`,
    ],
  ],
  [
    'a variant with a size that does not exist',
    ({ variant }) => `update product_variants set value_ids = '{1}' where id = ${variant}`,
    ({ variant }) => [`variant-values: product_variants ${variant}`],
  ],
  [
    'a missing option',
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
    'a product that search finds by the name of another',
    ({ product }) => `update search_texts set text = 'shoe' where id = ${product}`,
    ({ product }) => [`product-texts: products ${product}`],
  ],
  [
    'a deleted product that search still finds',
    ({ product }) => `update products set deleted_at = created_at where id = ${product}`,
    ({ product }) => [`product-texts: products ${product}`],
  ],
  [
    'a product without its last event',
    ({ product }) => lastOf(product),
    ({ product }) => [`product-events: products ${product}`],
  ],
]
