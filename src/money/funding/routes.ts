import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { Envelope, Nullable, Timestamp } from '../../lib/schemas.ts'
import { getFundingAccount, openFundingAccount } from './service.ts'

const text = Type.String()

const OneFundingAccount = Envelope(
  Type.Object({
    id: Type.Integer(),
    reference: text,
    status: text,
    accountNumber: text,
    accountName: text,
    bankCode: Nullable(text),
    bankName: text,
    currency: text,
    createdAt: Timestamp,
  }),
)

const slice = { service: 'user-service', family: 'both', errors: 'fields' } as const

export const fundingRoutes = (deps: Pick<Deps, 'db' | 'ids' | 'providers'>): Route[] => [
  route({
    ...slice,
    operation: 'get_funding_account',
    summary: 'Get the account for funding the wallet',
    method: 'GET',
    path: '/wallet/funding-account',
    scope: 'wallet:read',
    alsoFails: [404],
    response: OneFundingAccount,
    handle: async ({ caller }) =>
      success('Funding account.', await getFundingAccount(deps, caller)),
  }),
  route({
    ...slice,
    operation: 'open_funding_account',
    summary: 'Open the account for funding the wallet',
    method: 'POST',
    path: '/wallet/funding-account',
    scope: 'wallet:write',
    alsoFails: [404],
    body: Type.Object({}),
    response: OneFundingAccount,
    handle: ({ repeatable, caller }) =>
      repeatable(async () =>
        success('Funding account open.', await openFundingAccount(deps, caller)),
      ),
  }),
]
