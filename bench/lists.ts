import {
  compare,
  day,
  measureExport,
  openShops,
  printSizes,
  type Query,
  type Shop,
  SMALL_ROWS,
} from './lists-asking.ts'
import { fillInvoices, IDS_EACH } from './lists-data.ts'

/**
 * Measures the list of invoices through its real route, with 1,000 and 1,000,000 rows in one
 * database.
 */
const PATH = '/api/payment-service/external/v1/invoices'
const MONTH_MS = 31 * 86_400_000

const shops = await openShops({ things: 'invoices', fill: fillInvoices, texts: 'invoice_texts' })
await printSizes(shops, 'invoice')

const someMonth = `startDate=${day(400)}&endDate=${day(370)}`

/**
 * A month for the small shop and, for the large one, the time in which it creates the same number
 * of invoices. In the same month it has a thousand times as many, and every match up to 10,000 is
 * counted.
 */
function asMany({ rows }: Shop): string {
  const start = Date.parse(day(400))
  const end = start + (MONTH_MS * SMALL_ROWS) / rows
  return `startDate=${new Date(start).toISOString()}&endDate=${new Date(end).toISOString()}`
}

const QUERIES: Record<string, Query> = {
  'page 1': '',
  'page 1, oldest first': 'sort=ASC',
  'page 2': 'page=2',
  'page 40': 'page=40',
  'one row': 'limit=1',
  'status Draft': 'status=Draft',
  'status Sent': 'status=Sent',
  'status PartiallyPaid': 'status=PartiallyPaid',
  'status Paid': 'status=Paid',
  'status Void': 'status=Void',
  'status Overdue': 'status=Overdue',
  'Overdue, oldest first': 'status=Overdue&sort=ASC',
  'a month': someMonth,
  'a month, Sent': `${someMonth}&status=Sent`,
  'a month, Overdue': `${someMonth}&status=Overdue`,
  'a month, Draft': `${someMonth}&status=Draft`,
  'as many': asMany,
  'as many, Sent': (of) => `${asMany(of)}&status=Sent`,
  'as many, Overdue': (of) => `${asMany(of)}&status=Overdue`,
  'as many, Draft': (of) => `${asMany(of)}&status=Draft`,
  'search id': ({ firstId }) => `search=${firstId + 500 * IDS_EACH}`,
  'search number': ({ firstId }) => `search=INV-${firstId + 500 * IDS_EACH}`,
  'search nothing has': 'search=xylophone',
  'search whole name': 'search=Ngozi%20Okafor',
  'search last name': 'search=okafor',
  'search part of a name': 'search=dani',
  'search whole email': 'search=ada.okeke4444%40gmail.com',
  'search email domain': 'search=gmail',
  'search two letters': 'search=ad',
  'search two rare letters': 'search=qq',
  'search one letter': 'search=z',
  'search last name, Void': 'search=okafor&status=Void',
  'search last name, Overdue': 'search=okafor&status=Overdue',
  'search domain, Void': 'search=gmail&status=Void',
  'search domain, Sent': 'search=gmail&status=Sent',
}

await compare(shops, QUERIES, {
  path: `${PATH}?`,
  counted: 'totals',
  count: (body) => JSON.parse(body).meta.total,
})
await measureExport(shops, `${PATH}/export`)
await shops.close()
