import { twoPhase } from '../../db/idempotency.ts'
import { Download, FileOf } from '../../http/download.ts'
import { success } from '../../http/errors.ts'
import { type Input, type Route, route } from '../../http/route.ts'
import { dayIn } from '../../lib/dates.ts'
import { toId } from '../../lib/schemas.ts'
import { type LookUpDeps, verifyTransaction } from './jobs.ts'
import {
  exportTransactions,
  fetchTransaction,
  listTransactions,
  transactionTotals,
} from './read.ts'
import {
  OneTransaction,
  Totals,
  TotalsQuery,
  TransactionFilters,
  TransactionId,
  TransactionList,
  TransactionQuery,
  TransactionReference,
  UssdBody,
  UssdResponse,
} from './schemas.ts'
import { type UssdDeps, ussdPayment, ussdResponse } from './ussd.ts'

export const transactionRoutes = (deps: UssdDeps): Route[] => [
  route({
    service: 'transaction-service',
    family: 'both',
    errors: 'coded',
    operation: 'create_ussd_transaction',
    summary: 'Start a USSD payment',
    method: 'POST',
    path: '/transaction-with-ussd',
    scope: 'transactions:write',
    body: UssdBody,
    response: UssdResponse,
    handle({ caller, body, claim, respond }) {
      const { begin, finish } = ussdPayment(deps, caller, body, claim)
      return twoPhase(deps.db, claim, {
        begin,
        finish: async (id) => {
          const row = await finish(id)
          // As long as the provider has not responded, a repeated request calls it again.
          const isFinal = row.ussd_codes !== null || row.status !== 'Pending'
          return { answer: respond(ussdResponse(row)), isFinal }
        },
      })
    },
  }),
]

const slice = {
  service: 'transaction-service',
  family: 'both',
  errors: 'fields',
  method: 'GET',
  scope: 'transactions:read',
} as const

export function transactionReadRoutes(deps: LookUpDeps): Route[] {
  const { db } = deps
  const list = {
    summary: 'List transactions',
    path: '/transactions',
    query: TransactionQuery,
    response: TransactionList,
    handle: async ({
      caller,
      query,
    }: Pick<Input<unknown, TransactionQuery>, 'caller' | 'query'>) => {
      const { records, meta } = await listTransactions(db, caller, query)
      return success('Transactions.', records, meta)
    },
  } as const
  return [
    route({ ...slice, ...list, operation: 'list_transactions' }),
    route({ ...bare, ...list, operation: 'list_transactions_bare' }),
    route({
      ...slice,
      operation: 'fetch_transaction',
      summary: 'Fetch a transaction',
      // Without an id, the contract requires a 400.
      path: '/fetch/:id?',
      params: TransactionId,
      response: OneTransaction,
      handle: async ({ caller, params }) =>
        success('Transaction.', await fetchTransaction(db, caller, toId(params.id))),
    }),
    route({
      ...slice,
      operation: 'verify_transaction',
      summary: 'Verify a transaction with the provider',
      path: '/transactions/verify/:reference',
      params: TransactionReference,
      response: OneTransaction,
      handle: async ({ caller, params }) =>
        success('Transaction.', await verifyTransaction(deps, caller, params.reference)),
    }),
    route({
      ...slice,
      operation: 'get_transaction_totals',
      summary: 'Get transaction totals',
      path: '/transactions/totals',
      query: TotalsQuery,
      response: Totals,
      handle: async ({ caller, query }) =>
        success('Totals.', await transactionTotals(db, caller, query)),
    }),
    route({
      ...slice,
      operation: 'export_transactions',
      summary: 'Export transactions as CSV',
      path: '/transactions/export',
      query: TransactionFilters,
      response: FileOf('text/csv'),
      handle: async ({ caller, query }) =>
        new Download(await exportTransactions(deps, caller, query), {
          type: 'text/csv; charset=utf-8',
          name: `transactions-${dayIn(caller.timeZone, caller.now)}.csv`,
          disposition: 'attachment',
        }),
    }),
  ]
}

const bare = {
  family: 'bare',
  errors: 'fields',
  method: 'GET',
  scope: 'transactions:read',
} as const
