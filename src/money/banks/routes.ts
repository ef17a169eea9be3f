import type { Deps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { AccountQuery, BankQuery, ListOfBanks, OneAccount } from './schemas.ts'
import { listBanks, resolveAccount } from './service.ts'

const slice = {
  service: 'transaction-service',
  family: 'both',
  errors: 'fields',
  method: 'GET',
  scope: 'banks:read',
} as const

/** The operation for both of the list's paths. */
const list = {
  ...slice,
  // If no bank matches.
  alsoFails: [404] as const,
  query: BankQuery,
  response: ListOfBanks,
  async handle({ query }: { query: BankQuery }) {
    const { banks, meta } = listBanks(query)
    return success('Banks.', banks, meta)
  },
}

export const bankRoutes = ({ providers }: Pick<Deps, 'providers'>): Route[] => [
  route({ ...list, operation: 'list_banks', summary: 'List banks in Nigeria', path: '/bank' }),
  route({
    ...list,
    operation: 'list_banks_deprecated',
    summary: 'List banks in Nigeria (old path)',
    path: '/bank-list',
    deprecated: {
      successor: '/bank',
      since: new Date('2026-11-01T00:00:00Z'),
      until: new Date('2028-01-01T00:00:00Z'),
    },
  }),
  route({
    ...slice,
    operation: 'resolve_bank_account',
    summary: 'Look up the name of a bank account holder',
    path: '/bank/resolve',
    query: AccountQuery,
    response: OneAccount,
    handle: async ({ caller, query }) =>
      success('Account resolved.', await resolveAccount(providers, caller, query)),
  }),
]
