import { compare, day, openShops, type Query, type Shop } from './lists-asking.ts'
import { fillMoney } from './lists-money-data.ts'

/**
 * Measures the lists of transfers, refunds, subaccounts, split pages and settlements and the
 * wallet's ledger through their real routes, with 1,000 and 1,000,000 rows in one database.
 */
const MONEY = '/api/transaction-service/external/v1'

const aDay = `startDate=${day(100)}&endDate=${day(100)}`

const TRANSFERS = ({ businessId }: Shop) =>
  `${MONEY}/transfer/get-transfer-list?businessId=${businessId}&limit=20`
const SUBACCOUNTS = `${MONEY}/subaccounts/all?limit=20`
const SPLIT_PAGES = `${MONEY}/split-page/all?limit=20&sort=desc`

const QUERIES: Record<string, Query> = {
  transfers: (of) => `${TRANSFERS(of)}&page=1`,
  'transfers, page 40': (of) => `${TRANSFERS(of)}&page=40`,
  'transfers, Successful': (of) => `${TRANSFERS(of)}&page=1&status=Successful`,
  'transfers, Failed': (of) => `${TRANSFERS(of)}&page=1&status=Failed`,
  'transfers, reference': (of) => `${TRANSFERS(of)}&page=1&transferReference=pay-500`,
  refunds: `${MONEY}/refunds`,
  'refunds, Processed': `${MONEY}/refunds?status=Processed`,
  'refunds, a day': `${MONEY}/refunds?${aDay}`,
  'subaccounts, newest': `${SUBACCOUNTS}&page=1&sort=desc&sortKey=createdAt`,
  'subaccounts, by name': `${SUBACCOUNTS}&page=1&sort=asc&sortKey=business_name`,
  'subaccounts, by charge': `${SUBACCOUNTS}&page=1&sort=asc&sortKey=percentage_charge`,
  'subaccounts, by id': `${SUBACCOUNTS}&page=20&sort=asc&sortKey=id`,
  'split pages': `${SPLIT_PAGES}&page=1`,
  'split pages, active': `${SPLIT_PAGES}&page=1&status=true`,
  'split pages, fixed': `${SPLIT_PAGES}&page=1&splitType=fixed`,
  settlements: `${MONEY}/settlements`,
  'settlements, Paid': `${MONEY}/settlements?status=Paid`,
  'settlements, a day': `${MONEY}/settlements?${aDay}`,
  "wallet's ledger": '/api/user-service/external/v1/wallet/ledger',
  "wallet's ledger, debits": '/api/user-service/external/v1/wallet/ledger?type=debit',
}

const shops = await openShops({ things: 'rows of each', fill: fillMoney })
await compare(shops, QUERIES, { counted: 'rows', count: (body) => JSON.parse(body).data.length })
await shops.close()
