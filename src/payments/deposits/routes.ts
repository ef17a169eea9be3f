import type { Deps } from '../../deps.ts'
import { Download, FileOf } from '../../http/download.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { dayIn } from '../../lib/dates.ts'
import { toId } from '../../lib/schemas.ts'
import type { Payables } from '../attempts/settle.ts'
import {
  exportAccounts,
  exportDeposits,
  getAccount,
  getDeposit,
  listAccounts,
  listDeposits,
} from './list.ts'
import { acceptDeposit, returnDeposit } from './return.ts'
import {
  AccountFilters,
  AccountId,
  AccountList,
  AccountQuery,
  DepositFilters,
  DepositList,
  DepositQuery,
  DepositReference,
  OneAccount,
  OneDeposit,
} from './schemas.ts'

const slice = {
  service: 'transaction-service',
  family: 'both',
  errors: 'fields',
  method: 'GET',
  scope: 'transactions:read',
} as const

type DepositDeps = Pick<Deps, 'db' | 'ids' | 'nudge'> & { payables: Payables }

export const depositRoutes = (deps: DepositDeps): Route[] => [
  ...readRoutes(deps),
  route({
    ...deciding,
    operation: 'return_deposit',
    summary: 'Return a payment that the provider holds',
    path: '/deposits/:reference/return',
    handle: ({ once, caller, params: { reference } }) =>
      once(async (tx) =>
        success('Deposit is being returned.', await returnDeposit(tx, deps, caller, reference)),
      ),
  }),
  route({
    ...deciding,
    operation: 'accept_deposit',
    summary: 'Accept a payment that the provider holds',
    path: '/deposits/:reference/accept',
    handle: ({ once, caller, params: { reference } }) =>
      once(async (tx) =>
        success('Deposit accepted.', await acceptDeposit(tx, deps, caller, reference)),
      ),
  }),
]

/** For people who can also refund payments. */
const deciding = {
  service: 'transaction-service',
  family: 'both',
  errors: 'fields',
  method: 'POST',
  scope: 'refunds:write',
  params: DepositReference,
  response: OneDeposit,
} as const

const readRoutes = ({ db }: Pick<Deps, 'db'>): Route[] => [
  route({
    ...slice,
    operation: 'list_virtual_accounts',
    summary: 'List virtual accounts',
    path: '/virtual-accounts',
    query: AccountQuery,
    response: AccountList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listAccounts(db, caller, query)
      return success('Virtual accounts.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'export_virtual_accounts',
    summary: 'Export virtual accounts as CSV',
    path: '/virtual-accounts/export',
    query: AccountFilters,
    response: FileOf('text/csv'),
    handle: async ({ caller, query }) =>
      csv(caller, 'virtual-accounts', await exportAccounts(db, caller, query)),
  }),
  route({
    ...slice,
    operation: 'get_virtual_account',
    summary: 'Get a virtual account',
    path: '/virtual-accounts/:id',
    params: AccountId,
    response: OneAccount,
    handle: async ({ caller, params }) =>
      success('Virtual account.', await getAccount(db, caller, toId(params.id))),
  }),
  route({
    ...slice,
    operation: 'list_deposits',
    summary: 'List deposits',
    path: '/deposits',
    query: DepositQuery,
    response: DepositList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listDeposits(db, caller, query)
      return success('Deposits.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'export_deposits',
    summary: 'Export deposits as CSV',
    path: '/deposits/export',
    query: DepositFilters,
    response: FileOf('text/csv'),
    handle: async ({ caller, query }) =>
      csv(caller, 'deposits', await exportDeposits(db, caller, query)),
  }),
  route({
    ...slice,
    operation: 'get_deposit',
    summary: 'Get a deposit',
    path: '/deposits/:reference',
    params: DepositReference,
    response: OneDeposit,
    handle: async ({ caller, params }) =>
      success('Deposit.', await getDeposit(db, caller, params.reference)),
  }),
]

const csv = ({ timeZone, now }: Caller, name: string, content: AsyncIterable<string>) =>
  new Download(content, {
    type: 'text/csv; charset=utf-8',
    name: `${name}-${dayIn(timeZone, now)}.csv`,
    disposition: 'attachment',
  })
