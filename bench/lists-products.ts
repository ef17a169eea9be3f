import { compare, openShops, type Query } from './lists-asking.ts'
import { fillProducts } from './lists-products-data.ts'

/**
 * Measures the list of products through its real route, with 1,000 and 1,000,000 rows in one
 * database.
 */
const PATH = '/api/payment-service/external/v1/products/get-products'

const QUERIES: Record<string, Query> = {
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

const shops = await openShops({ things: 'products', fill: fillProducts, texts: 'search_texts' })
await compare(shops, QUERIES, {
  path: PATH,
  counted: 'totals',
  count: (body) => JSON.parse(body).meta.total,
})
await shops.close()
