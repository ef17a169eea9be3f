import {
  ask,
  compare,
  day,
  measureExport,
  openShops,
  printSizes,
  type Query,
  type Shop,
} from './lists-asking.ts'
import { fillTransactions } from './lists-transactions-data.ts'

/**
 * Measures the list of transactions through its real route, with 1,000 and 1,000,000 rows in one
 * database.
 */
const PATH = '/api/transaction-service/external/v1/transactions'

const shops = await openShops({
  things: 'transactions',
  fill: fillTransactions,
  texts: 'transaction_texts',
})
await printSizes(shops, 'transaction')

// Long enough for the small shop to fill its pages too.
const someYear = `startDate=${day(400)}&endDate=${day(35)}&limit=10`

/** The page with this number. */
const onward = (filter: string, pages: number) => async (of: Shop) => {
  let query = `?${filter}`
  for (let i = 0; i < pages; i++) {
    const { next } = JSON.parse((await ask(shops, of, PATH + query)).body).meta
    query = `?${filter}&cursor=${next}`
  }
  return query
}

/** The page before the tenth. */
const backward = async (of: Shop) => {
  const { previous } = JSON.parse(
    (await ask(shops, of, PATH + (await onward('', 9)(of)))).body,
  ).meta
  return `?cursor=${previous}`
}

const QUERIES: Record<string, Query> = {
  'page 1': '',
  'page 20': onward('', 19),
  'back to page 9': backward,
  'one row': '?limit=1',
  '100 rows': '?limit=100',
  'status Successful': '?status=Successful',
  'status Pending': '?status=Pending',
  'status Refunded': '?status=Refunded',
  'status Failed, page 3': onward('status=Failed', 2),
  'channel USSD': '?channel=USSD',
  'channel OFFLINE': '?channel=OFFLINE',
  'channel USSD, page 5': onward('channel=USSD', 4),
  'Successful by USSD': '?status=Successful&channel=USSD',
  'Failed by transfer': '?status=Failed&channel=BANK_TRANSFER',
  'a year': `?${someYear}`,
  'a year, Successful': `?${someYear}&status=Successful`,
  'a year, Failed': `?${someYear}&status=Failed`,
  'a year, USSD': `?${someYear}&channel=USSD`,
  'a year, USSD, Failed': `?${someYear}&channel=USSD&status=Failed`,
  'old, Failed': `?endDate=${day(600)}&status=Failed`,
  reference: '?reference=TRX_500',
  'search id': ({ firstId }) => `?search=${firstId + 500}`,
  'search reference': '?search=TRX_500',
  'search nothing has': '?search=xylophone',
  'search whole name': '?search=Ngozi%20Okafor',
  'search last name': '?search=okafor',
  'search part of a name': '?search=dani',
  'search whole email': '?search=ada.okeke4444%40gmail.com',
  'search email domain': '?search=gmail',
  'search domain, page 3': onward('search=gmail', 2),
  'search two letters': '?search=ad',
  'search two rare letters': '?search=qq',
  'search one letter': '?search=z',
  'search last name, Failed': '?search=okafor&status=Failed',
  'search name, Refunded': '?search=Ngozi%20Okafor&status=Refunded',
  'search last name, OFFLINE': '?search=okafor&channel=OFFLINE',
  'search domain, Pending': '?search=gmail&status=Pending',
  'search last name, a year': `?search=okafor&${someYear}`,
  'totals of 30 days': '/totals',
  'totals of a year': `/totals?startDate=${day(365)}`,
}

await compare(shops, QUERIES, {
  path: PATH,
  counted: 'rows',
  count(body) {
    const { data } = JSON.parse(body)
    return Array.isArray(data) ? data.length : data.count
  },
})
await measureExport(shops, `${PATH}/export`)
await shops.close()
