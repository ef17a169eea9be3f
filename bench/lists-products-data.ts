import type pg from 'pg'
import { PRODUCTS } from '../src/sales/products/core/service.ts'
import type { Filling } from './lists-asking.ts'
import { fillTexts, pick } from './lists-data.ts'

const CLOTH = `Ankara Adire Aso-oke Lace Cotton Silk Linen Velvet Chiffon Denim Kente Brocade Damask
  Jersey Wool Leather Suede Raffia Crochet Bead`.split(/\s+/)
const THING =
  `Gown Shirt Trousers Skirt Blouse Wrapper Headtie Cap Bag Shoe Sandal Belt Scarf Jacket
  Kaftan Agbada Dress Shorts Vest Purse Quilt Cushion Curtain Apron Tie`.split(/\s+/)

/** Products from two years, with their stock and search text. */
export async function fillProducts(client: pg.Client, filling: Filling): Promise<void> {
  const { businessId } = filling
  await client.query(productsOf(filling))
  await client.query(`
    insert into stock_items (business_id, live, id, product_id, tracked, on_hand)
    select business_id, live, id, id, type = 'physical', 25 from products
    where business_id = ${businessId}`)
  await fillTexts(client, businessId, PRODUCTS)
}

const productsOf = ({ businessId, rows, firstId }: Filling) => `
  insert into products
    (business_id, live, id, reference, slug, name, price_minor, currency, type, sku, status,
     created_at, updated_at)
  select ${businessId}, false, ${firstId} + n, 'PRD_' || n, 'slug-' || n,
    ${pick(CLOTH, 'n * 7919 % 10007')} || ' ' || ${pick(THING, 'n * 104729 % 10009')}
      || ' ' || n % 9973,
    100000 + n * 7 % 9000000, 'NGN',
    case when t < 70 then 'physical' when t < 90 then 'digital' else 'service' end,
    'SKU-' || lpad(n::text, 8, '0'),
    case when s < 80 then 'Active' when s < 90 then 'Draft' else 'Archived' end, created, created
  from (
    select n, n * 48271 % 100 as s, n * 69621 % 97 as t,
      date_trunc('milliseconds', now() - interval '730 days' * (${rows} - n) / ${rows}) as created
    from generate_series(1::bigint, ${rows}) n
  ) numbered`
