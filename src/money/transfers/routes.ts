import type { Deps } from '../../deps.ts'
import { Download, FileOf } from '../../http/download.ts'
import { success } from '../../http/errors.ts'
import { type Published, type Route, route } from '../../http/route.ts'
import { dayIn } from '../../lib/dates.ts'
import { type ApprovalDeps, cancelTransfer, decideTransfer } from './approval.ts'
import { draftFailure, draftTransfer, transferCost, transferCreator } from './create.ts'
import { exportTransfers, getTransfer, listTransfers, listTransfersOf } from './list.ts'
import {
  NewTransfer,
  OneTransfer,
  TransferCost,
  TransferCostQuery,
  TransferFilters,
  TransferList,
  TransferQuery,
  TransferQueryOfBusiness,
  TransferReference,
} from './schemas.ts'

const slice = { service: 'transaction-service', family: 'both', errors: 'fields' } as const

type TransferDeps = Deps & ApprovalDeps

export const transferRoutes = (
  deps: TransferDeps,
  creating = { ...deps, create: transferCreator(deps) },
): Route[] => [
  list(deps, { ...slice, operation: 'list_transfers' }),
  list(deps, { family: 'bare', errors: 'fields', operation: 'list_transfers_bare' }),
  route({
    ...slice,
    operation: 'list_transfers_of_business',
    summary: 'List transfers by the id of the business',
    method: 'GET',
    path: '/transfer/get-transfer-list',
    scope: 'transfers:read',
    query: TransferQueryOfBusiness,
    response: TransferList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listTransfersOf(deps, caller, query)
      return success('Transfers.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'export_transfers',
    summary: 'Export transfers as CSV',
    method: 'GET',
    path: '/transfers/export',
    scope: 'transfers:read',
    query: TransferFilters,
    response: FileOf('text/csv'),
    handle: async ({ caller, query }) =>
      new Download(await exportTransfers(deps, caller, query), {
        type: 'text/csv; charset=utf-8',
        name: `transfers-${dayIn(caller.timeZone, caller.now)}.csv`,
        disposition: 'attachment',
      }),
  }),
  route({
    ...slice,
    operation: 'get_transfer_fee',
    summary: 'Calculate the fee and total of a transfer',
    method: 'GET',
    path: '/transfers/fee',
    scope: 'transfers:read',
    query: TransferCostQuery,
    response: TransferCost,
    handle: async ({ caller, query }) =>
      success('Transfer fee calculated.', await transferCost(deps, caller, query)),
  }),
  create(creating, { ...slice, operation: 'create_transfer' }),
  create(creating, { family: 'bare', errors: 'fields', operation: 'create_transfer_bare' }),
  route({
    ...slice,
    operation: 'get_transfer',
    summary: 'Get a transfer',
    method: 'GET',
    path: '/transfers/:reference',
    scope: 'transfers:read',
    params: TransferReference,
    response: OneTransfer,
    handle: async ({ caller, params }) =>
      success('Transfer.', await getTransfer(deps, caller, params.reference)),
  }),
  decision(deps, 'approve', 'Approve a transfer', 'Transfer approved.'),
  decision(deps, 'reject', 'Reject a transfer', 'Transfer rejected.'),
  decision(deps, 'retry', 'Retry a blocked transfer', 'Transfer retried.'),
  route({
    ...slice,
    operation: 'cancel_transfer',
    summary: 'Cancel a transfer that was not sent',
    method: 'POST',
    path: '/transfers/:reference/cancel',
    scope: 'transfers:write',
    params: TransferReference,
    response: OneTransfer,
    handle: ({ once, caller, params }) =>
      once(async (tx) =>
        success('Transfer cancelled.', await cancelTransfer(tx, deps, caller, params.reference)),
      ),
  }),
]

type Place = Pick<Route, 'service' | 'operation'> & Pick<Published, 'family' | 'errors'>

/** Builds the operation for one of its paths. */
const list = (deps: Deps, place: Place): Route =>
  route({
    ...place,
    summary: 'List transfers',
    method: 'GET',
    path: '/transfers',
    scope: 'transfers:read',
    query: TransferQuery,
    response: TransferList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listTransfers(deps, caller, query)
      return success('Transfers.', records, meta)
    },
  })

type CreateDeps = Deps & { create: ReturnType<typeof transferCreator> }

/** Builds the operation for one of its paths. */
const create = ({ create, ...deps }: CreateDeps, place: Place): Route =>
  route({
    ...place,
    summary: 'Send money to a bank account',
    method: 'POST',
    path: '/transfers',
    scope: 'transfers:write',
    proven: true,
    status: 201,
    body: NewTransfer,
    response: OneTransfer,
    handle: async ({ caller, body, claim, earlier, respond }) => {
      const before = await earlier()
      if (before) return before
      const draft = await draftTransfer(deps, caller, body).catch(async (error) => {
        throw await draftFailure(deps.db, caller, body, error)
      })
      const isStopped = await deps.providers.arePayoutsStopped(caller)
      const says = isStopped ? WAITING : 'Transfer created.'
      const { businessId, live, now } = caller
      return create({
        businessId,
        live,
        now,
        draft,
        claim,
        responseOf: (record) => respond(success(says, record)),
      })
    },
  })

const WAITING = 'Transfer created. It is sent once payouts are resumed.'

function decision(
  deps: TransferDeps,
  verb: 'approve' | 'reject' | 'retry',
  summary: string,
  done: string,
): Route {
  const decide = decideTransfer(verb)
  return route({
    ...slice,
    operation: `${verb}_transfer`,
    summary,
    method: 'POST',
    path: `/transfers/:reference/${verb}`,
    scope: 'transfers:write',
    // A rejection is the only decision that sends no money.
    ...(verb !== 'reject' && { proven: true }),
    params: TransferReference,
    response: OneTransfer,
    handle: ({ once, caller, params }) =>
      once(async (tx) => success(done, await decide(tx, deps, caller, params.reference))),
  })
}
