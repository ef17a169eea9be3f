import type pg from 'pg'
import { PRODUCTS } from '../src/sales/products/record/service.ts'
import type { List } from './lists.ts'
import { type Filling, fillTexts, pick } from './lists-filling.ts'

const queries: List['queries'] = {
  'page 1': '',
  'page 1, oldest first': '?sort=ASC',
  'page 50': '?page=50',
  'one row': '?limit=1',
  'status Draft': '?status=Draft',
  'status Active': '?status=Active',
  'status Active, page 20': '?status=Active&page=20',
  'type digital': '?type=digital',
  'type service': '?type=service',
  'Active and digital': '?status=Active&type=digital',
  'Archived and service': '?status=Archived&type=service',
  'search nothing has': '?search=xylophone',
  'search whole name': '?search=ankara%20gown%2012',
  'search a common word': '?search=ankara',
  'search part of a word': '?search=nkar',
  'search a number': '?search=4711',
  'search SKU': '?search=sku-00500',
  'search two letters': '?search=qu',
  'search two rare letters': '?search=qq',
  'search one letter': '?search=x',
  'search a word, Draft': '?search=gown&status=Draft',
  'search a number, digital': '?search=471&type=digital',
}

export const PRODUCT_LIST: List = {
  things: 'products',
  path: '/api/payment-service/external/v1/products/get-products',
  queries,
  fill: fillProducts,
  texts: 'search_texts',
}

const CLOTH = `Ankara Adire Aso-oke Lace Cotton Silk Linen Velvet Chiffon Denim Kente Brocade Damask
  Jersey Wool Leather Suede Raffia Crochet Bead`.split(/\s+/)
const THING =
  `Gown Shirt Trousers Skirt Blouse Wrapper Headtie Cap Bag Shoe Sandal Belt Scarf Jacket
  Kaftan Agbada Dress Shorts Vest Purse Quilt Cushion Curtain Apron Tie`.split(/\s+/)

/** Products from two years, with their stock and search text. */
async function fillProducts(client: pg.Client, filling: Filling): Promise<void> {
  const { businessId } = filling
  await client.query(productsOf(filling))
  // Otherwise, the check of each foreign key reads all products of the business.
  await client.query('analyze products')
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
      date_trunc('milliseconds', now() - interval '730 days' * (1 - n / ${rows}.0)) as created
    from generate_series(1::bigint, ${rows}) n
  ) numbered`
