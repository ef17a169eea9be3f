import type { Deps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { getTransfer, listTransfers } from '../transfers/list.ts'
import { OneTransfer, PayoutQuery, TransferList } from '../transfers/schemas.ts'
import { createPayout, nextPayout } from './create.ts'
import { NewPayout, NextPayout, NextPayoutQuery, PayoutReference } from './schemas.ts'

const slice = { service: 'user-service', family: 'both', errors: 'fields' } as const

const WAITING = 'Payout created. It is sent once payouts are resumed.'

export const payoutRoutes = (deps: Deps): Route[] => [
  route({
    ...slice,
    operation: 'create_payout',
    summary: 'Pay out to the business’s own bank account',
    method: 'POST',
    path: '/wallet/payouts',
    scope: 'transfers:write',
    proven: true,
    status: 201,
    body: NewPayout,
    response: OneTransfer,
    handle: async ({ caller, body, once }) => {
      const isStopped = await deps.providers.arePayoutsStopped(caller)
      const says = isStopped ? WAITING : 'Payout created.'
      return once(async (tx) => success(says, await createPayout(tx, deps, caller, body)))
    },
  }),
  route({
    ...slice,
    operation: 'list_payouts',
    summary: 'List payouts to the business’s own bank account',
    method: 'GET',
    path: '/wallet/payouts',
    scope: 'transfers:read',
    query: PayoutQuery,
    response: TransferList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listTransfers(deps, caller, { ...query, origin: 'payout' })
      return success('Payouts.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'get_next_payout',
    summary: 'Get what can be paid out, and when the next payout is due',
    method: 'GET',
    path: '/wallet/payouts/next',
    scope: 'transfers:read',
    query: NextPayoutQuery,
    response: NextPayout,
    handle: async ({ caller, query }) =>
      success('Next payout.', await nextPayout(deps, caller, query)),
  }),
  route({
    ...slice,
    operation: 'get_payout',
    summary: 'Get a payout',
    method: 'GET',
    path: '/wallet/payouts/:reference',
    scope: 'transfers:read',
    params: PayoutReference,
    response: OneTransfer,
    handle: async ({ caller, params }) =>
      success('Payout.', await getTransfer(deps, caller, params.reference, 'payout')),
  }),
]
