import { Type } from 'typebox'
import { success } from '../../http/envelopes.ts'
import { type Route, route } from '../../http/route.ts'
import { WholeList } from '../../lib/schemas.ts'
import type { Deps } from '../deps.ts'
import { walletBalances } from './service.ts'

const Balance = Type.Object({
  currency: Type.String(),
  available: Type.Number({ description: 'Can be paid out now.' }),
  availableMinor: Type.Integer(),
  pending: Type.Number({ description: 'Waits for settlement.' }),
  held: Type.Number({ description: 'Taken out of reach by transfers under way.' }),
  ledger: Type.Number({ description: 'All of it: available, pending and held.' }),
})

export const walletRoutes = ({ db }: Pick<Deps, 'db'>): Route[] => [
  route({
    service: 'user-service',
    family: 'both',
    errors: 'fields',
    operation: 'get_wallet_balance',
    summary: 'Wallet balance',
    method: 'GET',
    path: '/wallet/balance',
    scope: 'wallet:read',
    answer: WholeList(Balance),
    handle: async ({ caller }) => success('Wallet balance.', await walletBalances(db, caller)),
  }),
]
