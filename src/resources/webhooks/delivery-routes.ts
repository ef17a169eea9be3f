import { requireScope } from '../../http/auth.ts'
import { success } from '../../http/envelopes.ts'
import { type Route, route } from '../../http/route.ts'
import { scopeOfType } from '../events/scopes.ts'
import { getDelivery, listDeliveries } from './deliveries.ts'
import type { WebhookDeps } from './deps.ts'
import { redeliver } from './redeliver.ts'
import { replay } from './replay.ts'
import {
  DeliveryList,
  DeliveryName,
  DeliveryQuery,
  DeliveryWithLog,
  OneDelivery,
  Replay,
  Replayed,
  TestedWebhook,
  TestWebhook,
  WebhookReference,
} from './schemas.ts'
import { testWebhook } from './test-send.ts'

const slice = { service: 'user-service', family: 'both', errors: 'fields' } as const

/** What was sent to an endpoint, and sending it again. */
export const deliveryRoutes = (deps: WebhookDeps): Route[] => [
  route({
    ...slice,
    operation: 'test_webhook',
    summary: 'Send one sample event to a webhook endpoint',
    method: 'POST',
    path: '/webhooks/:reference/test',
    scope: 'webhooks:write',
    params: WebhookReference,
    body: TestWebhook,
    answer: TestedWebhook,
    handle: ({ caller, params, body, remember }) =>
      remember(async () =>
        success('Webhook tested.', await testWebhook(deps, caller, params.reference, body)),
      ),
  }),
  route({
    ...slice,
    operation: 'list_webhook_deliveries',
    summary: 'List what is sent to a webhook endpoint',
    method: 'GET',
    path: '/webhooks/:reference/deliveries',
    scope: 'webhooks:read',
    params: WebhookReference,
    query: DeliveryQuery,
    answer: DeliveryList,
    handle: async ({ caller, params, query }) => {
      const { records, meta } = await listDeliveries(deps.db, caller, params.reference, query)
      return success('Deliveries.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'get_webhook_delivery',
    summary: 'Get a delivery with its attempts and its body',
    method: 'GET',
    path: '/webhooks/:reference/deliveries/:id',
    scope: 'webhooks:read',
    params: DeliveryName,
    answer: DeliveryWithLog,
    handle: async ({ caller, params }) => {
      const delivery = await getDelivery(deps.db, caller, params.reference, params.id)
      requireScope(caller, scopeOfType(delivery.type))
      return success('Delivery.', delivery)
    },
  }),
  route({
    ...slice,
    operation: 'redeliver_webhook',
    summary: 'Send an event to a webhook endpoint again',
    method: 'POST',
    path: '/webhooks/:reference/deliveries/:id/redeliver',
    scope: 'webhooks:write',
    params: DeliveryName,
    answer: OneDelivery,
    handle: ({ caller, params, remember }) =>
      remember(async () =>
        success('Sent again.', await redeliver(deps, caller, params.reference, params.id)),
      ),
  }),
  route({
    ...slice,
    operation: 'replay_webhook',
    summary: 'Send a range of time to a webhook endpoint again',
    method: 'POST',
    path: '/webhooks/:reference/replay',
    scope: 'webhooks:write',
    params: WebhookReference,
    body: Replay,
    answer: Replayed,
    handle: ({ caller, params, body, once }) =>
      once(async (tx) =>
        success('Deliveries queued again.', await replay(tx, deps, caller, params.reference, body)),
      ),
  }),
]
