import type { Deps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { allOrPage } from '../../lib/paging.ts'
import { BalanceList, BalanceQuery, LedgerList, LedgerQuery } from './schemas.ts'
import { walletBalances, walletLedger } from './service.ts'

const slice = {
  service: 'user-service',
  family: 'both',
  errors: 'fields',
  method: 'GET',
  scope: 'wallet:read',
} as const

export const walletRoutes = ({ db }: Pick<Deps, 'db'>): Route[] => [
  route({
    ...slice,
    operation: 'get_wallet_balance',
    summary: 'Wallet balance',
    path: '/wallet/balance',
    query: BalanceQuery,
    response: BalanceList,
    handle: async ({ caller, query }) => {
      const { rows, meta } = allOrPage(await walletBalances(db, caller), query)
      return success('Wallet balance.', rows, meta)
    },
  }),
  route({
    ...slice,
    operation: 'list_wallet_ledger',
    summary: 'List the entries in the available balance',
    path: '/wallet/ledger',
    query: LedgerQuery,
    response: LedgerList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await walletLedger(db, caller, query)
      return success('Wallet ledger.', records, meta)
    },
  }),
]
