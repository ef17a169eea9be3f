import { twoPhase } from '../../db/idempotency.ts'
import type { Deps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { cancelCheckout } from './close.ts'
import { openAccount, startBankTransfer } from './pay.ts'
import { checkoutNamed, checkoutRecord, listCheckouts, recordOf } from './record.ts'
import {
  CheckoutList,
  CheckoutQuery,
  CheckoutReference,
  NewCheckout,
  NewVirtualAccount,
  OneCheckout,
  OneVirtualAccount,
} from './schemas.ts'
import { checkoutCreator } from './start.ts'

const slice = { service: 'payment-service', family: 'both', errors: 'fields' } as const

export const checkoutRoutes = (deps: Deps, create = checkoutCreator(deps)): Route[] => [
  route({
    ...slice,
    operation: 'initialize_checkout',
    summary: 'Create a checkout',
    method: 'POST',
    path: '/initialize-checkout',
    scope: 'checkout:write',
    status: 201,
    body: NewCheckout,
    response: OneCheckout,
    handle: ({ caller, body, claim, respond }) =>
      create(caller, body, claim, ({ row, shown }) => {
        const record = checkoutRecord(row, { ...deps, ...shown, now: caller.now })
        return respond(success('Checkout created.', record))
      }),
  }),
  route({
    ...slice,
    operation: 'list_checkouts',
    summary: 'List checkouts',
    method: 'GET',
    path: '/initialize-checkout',
    scope: 'checkout:read',
    query: CheckoutQuery,
    response: CheckoutList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listCheckouts(deps.db, deps, caller, query)
      return success('Checkouts retrieved.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'get_checkout',
    summary: 'Get a checkout',
    method: 'GET',
    path: '/initialize-checkout/:reference',
    scope: 'checkout:read',
    params: CheckoutReference,
    response: OneCheckout,
    handle: async ({ caller, params }) => {
      const row = await checkoutNamed(deps.db, caller, params.reference)
      return success('Checkout retrieved.', await recordOf(deps.db, deps, row, caller.now))
    },
  }),
  route({
    ...slice,
    operation: 'cancel_checkout',
    summary: 'Cancel a checkout',
    method: 'POST',
    path: '/initialize-checkout/:reference/cancel',
    scope: 'checkout:write',
    params: CheckoutReference,
    response: OneCheckout,
    handle: ({ once, caller, params }) =>
      once(async (tx) => {
        const { id } = await checkoutNamed(tx, caller, params.reference)
        const row = await cancelCheckout(tx, deps, caller, id)
        return success('Checkout cancelled.', await recordOf(tx, deps, row, caller.now))
      }),
  }),
  route({
    ...slice,
    family: 'external',
    errors: 'text',
    operation: 'create_checkout_virtual_account',
    summary: 'Create a virtual account for a checkout',
    method: 'POST',
    path: '/payment-pages/initiate-initialize-checkout-dynamic-virtual-account',
    scope: 'checkout:write',
    body: NewVirtualAccount,
    response: OneVirtualAccount,
    handle: ({ caller, body, claim, respond }) =>
      twoPhase(deps.db, claim, {
        begin: (tx) => startBankTransfer(tx, deps, caller, body),
        finish: async (id) => {
          const { record, isFinal } = await openAccount(deps, caller, id)
          return { answer: respond(success('Virtual account ready.', record)), isFinal }
        },
      }),
  }),
]
