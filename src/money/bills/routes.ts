import type { Database } from '../../db/database.ts'
import type { Log } from '../../db/log.ts'
import type { Deps } from '../../deps.ts'
import { Download, FileOf } from '../../http/download.ts'
import { success } from '../../http/errors.ts'
import { fingerprinter } from '../../http/idempotency-key.ts'
import { type Route, route } from '../../http/route.ts'
import { dayIn } from '../../lib/dates.ts'
import {
  listBillers,
  listCategories,
  listPackages,
  lookUpCustomer,
  storeEnquiry,
} from './catalogue.ts'
import { pay } from './create.ts'
import { exportPayments, findPayment, listPayments } from './find.ts'
import { utilityBody } from './record.ts'
import {
  BillerList,
  BillerQuery,
  CategoryList,
  CategoryQuery,
  Enquiry,
  EnquiryResponse,
  PackageList,
  PackageQuery,
  PaymentFilters,
  PaymentList,
  PaymentQuery,
  PaymentReference,
  PaymentResponse,
  UtilityPayment,
} from './schemas.ts'

const slice = { service: 'payment-service', family: 'both', errors: 'flag' } as const
const read = { ...slice, method: 'GET', scope: 'utility:read' } as const
const write = { ...slice, method: 'POST', scope: 'utility:write' } as const

const fingerprint = fingerprinter([UtilityPayment])

export const utilityRoutes = (
  deps: Pick<Deps, 'db' | 'ids' | 'providers' | 'clock' | 'people'> & { log: Log },
): Route[] => [
  ...catalogueRoutes(deps),
  ...listRoutes(deps),
  route({
    ...write,
    operation: 'enquire_utility_customer',
    summary: 'Look up a biller’s customer before a payment',
    path: '/utility/transactions/customer-enquiry',
    body: Enquiry,
    response: EnquiryResponse,
    async handle({ caller, body, earlier, once }) {
      const before = await earlier()
      if (before) return before
      const found = await lookUpCustomer(deps, caller, body)
      return once((tx) => storeEnquiry(tx, caller, body, found))
    },
  }),
  route({
    ...write,
    operation: 'process_utility_payment',
    summary: 'Buy airtime, data, electricity, a TV subscription or a PIN for a customer',
    path: '/utility/transactions/process-payment',
    proven: true,
    alsoFails: [412],
    body: UtilityPayment,
    response: PaymentResponse,
    handle: ({ caller, body, claim, respond }) =>
      pay(deps, caller, { body, fingerprint: fingerprint([body]) }, { claim, answer: respond }),
  }),
  route({
    ...read,
    operation: 'get_utility_payment',
    summary: 'Get a utility payment',
    path: '/utility/transactions/:paymentReference',
    params: PaymentReference,
    response: PaymentResponse,
    handle: async ({ caller, params }) =>
      utilityBody(await findPayment(deps.db, caller, params.paymentReference)),
  }),
]

const listRoutes = ({ db }: { db: Database }): Route[] => [
  route({
    ...read,
    operation: 'list_utility_payments',
    summary: 'List utility payments',
    path: '/utility/transactions',
    query: PaymentQuery,
    response: PaymentList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listPayments(db, caller, query)
      return success('Utility payments.', records, meta)
    },
  }),
  route({
    ...read,
    operation: 'export_utility_payments',
    summary: 'Export utility payments as CSV',
    path: '/utility/transactions/export',
    query: PaymentFilters,
    response: FileOf('text/csv'),
    handle: async ({ caller, query }) =>
      new Download(await exportPayments(db, caller, query), {
        type: 'text/csv; charset=utf-8',
        name: `utility-payments-${dayIn(caller.timeZone, caller.now)}.csv`,
        disposition: 'attachment',
      }),
  }),
]

const catalogueRoutes = (deps: Pick<Deps, 'providers'>): Route[] => [
  route({
    ...read,
    operation: 'list_utility_categories',
    summary: 'List bill categories',
    path: '/utility/categories',
    query: CategoryQuery,
    response: CategoryList,
    async handle({ caller, query }) {
      const { rows, meta } = await listCategories(deps, caller, query)
      return success('Categories.', rows, meta)
    },
  }),
  route({
    ...read,
    operation: 'list_utility_billers',
    summary: 'List billers',
    path: '/utility/billers',
    alsoFails: [404],
    query: BillerQuery,
    response: BillerList,
    async handle({ caller, query }) {
      const { rows, meta } = await listBillers(deps, caller, query)
      return success('Billers.', rows, meta)
    },
  }),
  route({
    ...read,
    operation: 'list_utility_packages',
    summary: 'List packages and prices',
    path: '/utility/packages',
    alsoFails: [404],
    query: PackageQuery,
    response: PackageList,
    async handle({ caller, query }) {
      const { rows, meta } = await listPackages(deps, caller, query)
      return success('Packages.', rows, meta)
    },
  }),
]
