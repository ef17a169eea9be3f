import { Type } from 'typebox'
import type { ConsoleDeps } from '../deps.ts'
import { success } from '../http/errors.ts'
import { type ConsoleRoute, consoleRoute, currencyOf } from '../http/session-route.ts'
import type { Caller } from '../lib/caller.ts'
import { hasScope } from '../lib/caller.ts'
import { toAmount } from '../lib/money.ts'
import { pageOf, paging, TOTAL_MAX, windowOf } from '../lib/paging.ts'
import { notFound } from '../lib/problem.ts'
import {
  type CustomerRow,
  type DoneRow,
  type Known,
  selectCustomers,
  selectDone,
} from './queries.ts'

/**
 * There is no table of customers: they are who the newest payments, invoices and orders name, so
 * many of each; a search looks through all there are, and finds so many of each.
 */
const LOOKED_THROUGH = 5_000
const SHOWN = 50

const list = {
  method: 'GET',
  asker: 'member',
  scope: 'transactions:read',
} as const

/** Whoever paid, was billed or ordered, known by the e-mail address. */
export const customerRoutes = ({ db }: ConsoleDeps): ConsoleRoute[] => [
  consoleRoute({
    ...list,
    path: '/customers',
    query: Type.Object({ ...paging, search: Type.Optional(Type.String({ maxLength: 254 })) }),
    handle: async (asked) => {
      const { caller, query } = asked
      const currency = currencyOf(asked)
      const { offset, take } = windowOf(query)
      const rows = await selectCustomers(db, caller, {
        known: knownTo(caller),
        text: query.search?.trim() || undefined,
        currency,
        most: LOOKED_THROUGH,
        offset,
        take,
      })
      const { rows: shown, meta } = pageOf(rows, query, Math.min(rows[0]?.total ?? 0, TOTAL_MAX))
      return success('Customers.', shown.map(recordOf(currency)), meta)
    },
  }),
  consoleRoute({
    ...list,
    path: '/customers/:email',
    params: Type.Object({ email: Type.String({ minLength: 3, maxLength: 254 }) }),
    handle: async (asked) => {
      const { caller, params } = asked
      const email = params.email.toLowerCase()
      const known = knownTo(caller)
      const currency = currencyOf(asked)
      const [customer] = await selectCustomers(db, caller, {
        known,
        text: email,
        email,
        currency,
        most: LOOKED_THROUGH,
        offset: 0,
        take: 1,
      })
      if (!customer) throw notFound('customer')
      const of = { email, most: LOOKED_THROUGH, take: SHOWN }
      const done = async (what: keyof Known) =>
        known[what] ? (await selectDone(db, caller, what, of)).map(doneOf) : null
      return success('Customer.', {
        ...recordOf(currency)(customer),
        lastPayments: await done('payments'),
        lastInvoices: await done('invoices'),
        lastOrders: await done('orders'),
      })
    },
  }),
]

const knownTo = (caller: Caller): Known => ({
  payments: true,
  invoices: hasScope(caller, 'invoices:read'),
  orders: hasScope(caller, 'orders:read'),
})

const recordOf = (currency: string) => (row: CustomerRow) => ({
  email: row.email,
  name: row.name,
  phone: row.phone,
  payments: row.payments,
  invoices: row.invoices,
  orders: row.orders,
  paid: toAmount(row.paid, currency),
  paidMinor: Number(row.paid),
  currency,
  firstAt: row.first_at,
  lastAt: row.last_at,
})

const doneOf = (row: DoneRow) => ({
  reference: row.reference,
  number: row.number,
  status: row.status,
  channel: row.channel,
  amount: toAmount(row.amount_minor, row.currency),
  currency: row.currency,
  createdAt: row.created_at,
})
