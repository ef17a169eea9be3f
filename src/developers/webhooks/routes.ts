import type { Deps } from '../../deps.ts'
import { requireReauthentication } from '../../http/auth.ts'
import { success } from '../../http/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { requireReadable } from '../events/service.ts'
import type { Deliverer } from './deliver.ts'
import { getDelivery, listDeliveries, redeliver, replay, testWebhook } from './deliveries.ts'
import {
  createWebhook,
  deleteWebhook,
  editablePartOf,
  getWebhook,
  listWebhooks,
  lockRecord,
  rotateSecret,
  updateWebhook,
  type WebhookRules,
} from './endpoints.ts'
import {
  DeliveryList,
  DeliveryName,
  DeliveryQuery,
  DeliveryWithLog,
  NewWebhook,
  OneDelivery,
  OneWebhook,
  Replay,
  Replayed,
  RotateSecret,
  TestedWebhook,
  TestWebhook,
  UpdateWebhook,
  WebhookList,
  WebhookQuery,
  WebhookReference,
  WebhookWithSecret,
} from './schemas.ts'

const slice = { service: 'user-service', family: 'both', errors: 'fields' } as const
const one = { ...slice, path: '/webhooks/:reference', params: WebhookReference } as const

export const webhookRoutes = (deps: WebhookDeps): Route[] => [
  route({
    ...slice,
    operation: 'list_webhooks',
    summary: 'List webhook endpoints',
    method: 'GET',
    path: '/webhooks',
    scope: 'webhooks:read',
    query: WebhookQuery,
    response: WebhookList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listWebhooks(deps.db, caller, query)
      return success('Webhooks retrieved.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'create_webhook',
    summary: 'Register a webhook endpoint',
    method: 'POST',
    path: '/webhooks',
    scope: 'webhooks:write',
    proven: 'live',
    status: 201,
    body: NewWebhook,
    response: WebhookWithSecret,
    secrets: ['secret'],
    handle: ({ caller, body, once }) => {
      // An endpoint receives the data of its events.
      requireReadable(caller, deps.events, body.events ?? ['*'])
      return once(async (tx) =>
        success('Webhook created.', await createWebhook(tx, deps, caller, body)),
      )
    },
  }),
  route({
    ...one,
    operation: 'get_webhook',
    summary: 'Get a webhook endpoint',
    method: 'GET',
    scope: 'webhooks:read',
    response: OneWebhook,
    editable: editablePartOf,
    handle: async ({ caller, params }) =>
      success('Webhook retrieved.', await getWebhook(deps.db, caller, params.reference)),
  }),
  route({
    ...one,
    operation: 'update_webhook',
    summary: 'Update, disable or enable a webhook endpoint',
    method: 'PUT',
    scope: 'webhooks:write',
    body: UpdateWebhook,
    response: OneWebhook,
    editable: editablePartOf,
    locked: (tx, { caller, params }) => lockRecord(tx, caller, params.reference),
    handle: async ({ caller, params, body, once }) => {
      const { reference } = params
      requireReadable(caller, deps.events, body.events ?? [])
      if (caller.live && body.url !== undefined) {
        // A new URL would receive all further events.
        const { url } = await getWebhook(deps.db, caller, reference)
        if (url !== body.url) requireReauthentication(caller)
      }
      return once(async (tx) =>
        success('Webhook updated.', await updateWebhook(tx, deps, caller, reference, body)),
      )
    },
  }),
  route({
    ...one,
    operation: 'delete_webhook',
    summary: 'Delete a webhook endpoint',
    method: 'POST',
    path: '/webhooks/:reference/delete',
    scope: 'webhooks:write',
    proven: 'live',
    response: OneWebhook,
    handle: ({ caller, params, once }) =>
      once(async (tx) =>
        success('Webhook deleted.', await deleteWebhook(tx, caller, params.reference)),
      ),
  }),
  route({
    ...one,
    operation: 'rotate_webhook_secret',
    summary: 'Rotate a webhook endpoint’s secret',
    method: 'POST',
    path: '/webhooks/:reference/rotate-secret',
    scope: 'webhooks:write',
    proven: 'live',
    body: RotateSecret,
    response: WebhookWithSecret,
    secrets: ['secret'],
    handle: ({ caller, params, body, once }) =>
      once(async (tx) =>
        success(
          'Secret rotated.',
          await rotateSecret(tx, deps, caller, params.reference, body.graceHours),
        ),
      ),
  }),
  ...deliveryRoutes(deps),
]

const deliveryRoutes = (deps: WebhookDeps): Route[] => [
  route({
    ...slice,
    operation: 'test_webhook',
    summary: 'Send a sample event to a webhook endpoint',
    method: 'POST',
    path: '/webhooks/:reference/test',
    scope: 'webhooks:write',
    params: WebhookReference,
    body: TestWebhook,
    response: TestedWebhook,
    handle: ({ caller, params, body, repeatable }) =>
      repeatable(async () =>
        success('Webhook tested.', await testWebhook(deps, caller, params.reference, body)),
      ),
  }),
  route({
    ...slice,
    operation: 'list_webhook_deliveries',
    summary: 'List deliveries to a webhook endpoint',
    method: 'GET',
    path: '/webhooks/:reference/deliveries',
    scope: 'webhooks:read',
    params: WebhookReference,
    query: DeliveryQuery,
    response: DeliveryList,
    handle: async ({ caller, params, query }) => {
      const { records, meta } = await listDeliveries(deps, caller, params.reference, query)
      return success('Deliveries retrieved.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'get_webhook_delivery',
    summary: 'Get a delivery with its attempts and body',
    method: 'GET',
    path: '/webhooks/:reference/deliveries/:id',
    scope: 'webhooks:read',
    params: DeliveryName,
    response: DeliveryWithLog,
    handle: async ({ caller, params }) => {
      const delivery = await getDelivery(deps.db, caller, params.reference, params.id)
      requireReadable(caller, deps.events, [delivery.type])
      return success('Delivery retrieved.', delivery)
    },
  }),
  route({
    ...slice,
    operation: 'redeliver_webhook',
    summary: 'Redeliver an event to a webhook endpoint',
    method: 'POST',
    path: '/webhooks/:reference/deliveries/:id/redeliver',
    scope: 'webhooks:write',
    params: DeliveryName,
    response: OneDelivery,
    handle: ({ caller, params, repeatable }) =>
      repeatable(async () =>
        success('Event redelivered.', await redeliver(deps, caller, params.reference, params.id)),
      ),
  }),
  route({
    ...slice,
    operation: 'replay_webhook',
    summary: 'Replay events from a period to a webhook endpoint',
    method: 'POST',
    path: '/webhooks/:reference/replay',
    scope: 'webhooks:write',
    params: WebhookReference,
    body: Replay,
    response: Replayed,
    handle: ({ caller, params, body, once }) =>
      once(async (tx) =>
        success('Replay queued.', await replay(tx, deps, caller, params.reference, body)),
      ),
  }),
]

export type WebhookDeps = Pick<Deps, 'db' | 'ids' | 'keyring' | 'nudge' | 'events'> & {
  webhooks: WebhookRules
  deliverer: Deliverer
}
