import { Type } from 'typebox'
import type { ConsoleDeps } from '../deps.ts'
import { success } from '../http/errors.ts'
import { type Route, route } from '../http/route.ts'
import type { Caller } from '../lib/caller.ts'
import { hasScope } from '../lib/caller.ts'
import { amountsOf, toAmount } from '../lib/money.ts'
import { pageOf, paging, TOTAL_MAX, windowOf } from '../lib/paging.ts'
import { notFound } from '../lib/problem.ts'
import { Envelope, Nullable, PageOf, Timestamp } from '../lib/schemas.ts'
import {
  type CustomerRecordRow,
  type CustomerRow,
  type RevealingRecords,
  selectCustomerRecords,
  selectCustomers,
} from './queries.ts'

/**
 * There is no table of customers. The list is derived from the newest payments, invoices and
 * orders, up to this many of each. A search covers all records, and reads up to this many matches
 * of each kind.
 */
const LOOKED_THROUGH = 5_000
const SHOWN = 50

const list = {
  method: 'GET',
  caller: 'member',
  scope: 'transactions:read',
} as const

const text = Type.String()
const count = Type.Integer()
const Customer = {
  email: text,
  name: Nullable(text),
  phone: Nullable(text),
  payments: count,
  invoices: count,
  orders: count,
  paid: Type.Number(),
  paidMinor: Type.Integer(),
  currency: text,
  firstAt: Timestamp,
  lastAt: Timestamp,
}
const Done = Type.Object({
  reference: text,
  number: Nullable(text),
  status: text,
  channel: Nullable(text),
  amount: Type.Number(),
  currency: text,
  createdAt: Timestamp,
})
const CustomerList = PageOf(Type.Object(Customer))
const OneCustomer = Envelope(
  Type.Object({
    ...Customer,
    lastPayments: Nullable(Type.Array(Done)),
    lastInvoices: Nullable(Type.Array(Done)),
    lastOrders: Nullable(Type.Array(Done)),
  }),
)

export const customerRoutes = ({ db }: ConsoleDeps): Route[] => [
  route({
    ...list,
    operation: 'list_customers',
    path: '/customers',
    query: Type.Object({ ...paging, search: Type.Optional(Type.String({ maxLength: 254 })) }),
    response: CustomerList,
    handle: async (input) => {
      const { caller, query } = input
      const { currency } = input.member
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
      return success('Customers retrieved.', shown.map(recordOf(currency)), meta)
    },
  }),
  route({
    ...list,
    operation: 'get_customer',
    path: '/customers/:email',
    params: Type.Object({ email: Type.String({ minLength: 3, maxLength: 254 }) }),
    response: OneCustomer,
    handle: async (input) => {
      const { caller, params } = input
      const email = params.email.toLowerCase()
      const known = knownTo(caller)
      const { currency } = input.member
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
      const done = async (what: keyof RevealingRecords) =>
        known[what] ? (await selectCustomerRecords(db, caller, what, of)).map(doneOf) : null
      return success('Customer retrieved.', {
        ...recordOf(currency)(customer),
        lastPayments: await done('payments'),
        lastInvoices: await done('invoices'),
        lastOrders: await done('orders'),
      })
    },
  }),
]

const knownTo = (caller: Caller): RevealingRecords => ({
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
  ...amountsOf(currency, { paid: row.paid }),
  currency,
  firstAt: row.first_at,
  lastAt: row.last_at,
})

const doneOf = (row: CustomerRecordRow) => ({
  reference: row.reference,
  number: row.number,
  status: row.status,
  channel: row.channel,
  amount: toAmount(row.amount_minor, row.currency),
  currency: row.currency,
  createdAt: row.created_at,
})
