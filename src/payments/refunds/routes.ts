import { twoPhase } from '../../db/idempotency.ts'
import type { Deps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { refundCreator } from './create.ts'
import { cancelRefund } from './finish.ts'
import { accountIn, askAgain, beginRetry, finishRetry, type RetryDeps } from './retry.ts'
import {
  NewRefund,
  OneRefund,
  RefundKey,
  RefundList,
  RefundQuery,
  RefundReference,
  RefundRetry,
} from './schemas.ts'
import { getRefund, getRefundOf, listRefunds } from './service.ts'

const slice = { service: 'transaction-service', family: 'both', errors: 'fields' } as const

type RefundDeps = Pick<Deps, 'db' | 'ids' | 'providers' | 'nudge'> & RetryDeps

export const refundRoutes = (deps: RefundDeps, create = refundCreator(deps)): Route[] => [
  route({
    ...slice,
    operation: 'create_refund',
    summary: 'Refund all or part of a payment',
    method: 'POST',
    path: '/refunds',
    scope: 'refunds:write',
    status: 201,
    body: NewRefund,
    response: OneRefund,
    handle: ({ caller: { businessId, live, now }, body, claim, respond }) =>
      create({
        businessId,
        live,
        now,
        request: body,
        claim,
        responseOf: (record) => respond(success('Refund created.', record)),
      }),
  }),
  route({
    ...slice,
    operation: 'list_refunds',
    summary: 'List refunds',
    method: 'GET',
    path: '/refunds',
    scope: 'refunds:read',
    query: RefundQuery,
    response: RefundList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listRefunds(deps.db, caller, query)
      return success('Refunds.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'get_refund',
    summary: 'Get a refund',
    method: 'GET',
    path: '/refunds/:reference',
    scope: 'refunds:read',
    params: RefundReference,
    response: OneRefund,
    handle: async ({ caller, params }) =>
      success('Refund.', await getRefund(deps.db, caller, params.reference)),
  }),
  route({
    ...slice,
    operation: 'get_refund_by_reference',
    summary: 'Get a refund by its reference',
    method: 'GET',
    path: '/refund-by-reference',
    scope: 'refunds:read',
    query: RefundKey,
    response: OneRefund,
    handle: async ({ caller, query }) =>
      success('Refund.', await getRefundOf(deps.db, caller, query)),
  }),
  route({
    ...slice,
    operation: 'retry_refund',
    summary: 'Retry a refund that needs attention',
    method: 'POST',
    path: '/refunds/:reference/retry',
    scope: 'refunds:write',
    proven: true,
    params: RefundReference,
    body: RefundRetry,
    response: OneRefund,
    handle: async ({ caller, params: { reference }, body, claim, respond, repeatable }) => {
      const account = await accountIn(deps, caller, body)
      const refund = () => getRefund(deps.db, caller, reference)
      if (!account) {
        return repeatable(async () =>
          success('Refund retried.', await askAgain(deps, caller, reference)),
        )
      }
      return twoPhase(deps.db, claim, {
        begin: (tx) => beginRetry(tx, deps, caller, reference, account),
        async finish(id) {
          const failure = await finishRetry(deps, caller, id, account)
          if (failure) return { failure }
          return { answer: respond(success('Refund retried.', await refund())), isFinal: true }
        },
      })
    },
  }),
  route({
    ...slice,
    operation: 'cancel_refund',
    summary: 'Cancel a refund that was not sent',
    method: 'POST',
    path: '/refunds/:reference/cancel',
    scope: 'refunds:write',
    params: RefundReference,
    response: OneRefund,
    handle: ({ once, caller, params }) =>
      once(async (tx) =>
        success('Refund cancelled.', await cancelRefund(tx, deps, caller, params.reference)),
      ),
  }),
]
