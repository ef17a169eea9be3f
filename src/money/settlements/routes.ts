import type { Deps } from '../../deps.ts'
import { Download, FileOf } from '../../http/download.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import {
  LinesQuery,
  OneSettlement,
  SettlementList,
  SettlementQuery,
  SettlementReference,
  SubaccountBalance,
  SubaccountNamed,
} from './schemas.ts'
import { exportSettlement, getSettlement, listSettlements, subaccountBalance } from './service.ts'

const slice = {
  service: 'transaction-service',
  family: 'both',
  errors: 'fields',
  method: 'GET',
  scope: 'settlements:read',
} as const

export const settlementRoutes = (deps: Pick<Deps, 'db' | 'keyring'>): Route[] => [
  route({
    ...slice,
    operation: 'list_settlements',
    summary: 'List settlements',
    path: '/settlements',
    query: SettlementQuery,
    response: SettlementList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listSettlements(deps, caller, query)
      return success('Settlements.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'get_settlement',
    summary: 'Get a settlement with its lines',
    path: '/settlements/:reference',
    params: SettlementReference,
    query: LinesQuery,
    response: OneSettlement,
    handle: async ({ caller, params, query }) =>
      success('Settlement.', await getSettlement(deps, caller, params.reference, query)),
  }),
  route({
    ...slice,
    operation: 'export_settlement',
    summary: 'Export the lines of a settlement as CSV',
    path: '/settlements/:reference/export',
    params: SettlementReference,
    response: FileOf('text/csv'),
    handle: async ({ caller, params: { reference } }) =>
      new Download(await exportSettlement(deps.db, caller, reference), {
        type: 'text/csv; charset=utf-8',
        name: `settlement-${reference}.csv`,
        disposition: 'attachment',
      }),
  }),
  route({
    ...slice,
    scope: 'subaccounts:read',
    operation: 'get_subaccount_balance',
    summary: 'Get the balance of a subaccount',
    path: '/subaccounts/:reference/balance',
    params: SubaccountNamed,
    response: SubaccountBalance,
    handle: async ({ caller, params: { reference } }) =>
      success('Balance of the subaccount.', await subaccountBalance(deps.db, caller, reference)),
  }),
]
