import { requireProof, requireScope } from '../../http/auth.ts'
import { success } from '../../http/envelopes.ts'
import { type Route, route } from '../../http/route.ts'
import type { Caller } from '../../lib/tenant.ts'
import { scopeOfType } from '../events/scopes.ts'
import { createWebhook } from './create.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import type { WebhookDeps } from './deps.ts'
import { getWebhook, listWebhooks } from './list.ts'
import { rotateSecret } from './rotate.ts'
import {
  NewWebhook,
  OneWebhook,
  RotateSecret,
  UpdateWebhook,
  WebhookList,
  WebhookQuery,
  WebhookReference,
  WebhookWithSecret,
} from './schemas.ts'
import { deleteWebhook, editedOf, holdRecord, updateWebhook } from './update.ts'

const slice = { service: 'user-service', family: 'both', errors: 'fields' } as const
const one = { ...slice, path: '/webhooks/:reference', params: WebhookReference } as const

const ALL = ['*']

/** An endpoint receives whatever happens, so it takes the right to read all of that. Throws 403. */
function requireTypes(
  { events }: Pick<WebhookDeps, 'events'>,
  caller: Caller,
  types: readonly string[],
): void {
  for (const type of types.includes('*') ? events.types : types) {
    requireScope(caller, scopeOfType(type))
  }
}

/** Where merchants register the endpoints that are told what happened. */
export const webhookRoutes = (deps: WebhookDeps): Route[] => [
  route({
    ...slice,
    operation: 'list_webhooks',
    summary: 'List webhook endpoints',
    method: 'GET',
    path: '/webhooks',
    scope: 'webhooks:read',
    query: WebhookQuery,
    answer: WebhookList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listWebhooks(deps.db, caller, query)
      return success('Webhooks.', records, meta)
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
    answer: WebhookWithSecret,
    secrets: ['secret'],
    handle: ({ caller, body, once }) => {
      requireTypes(deps, caller, body.events ?? ALL)
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
    answer: OneWebhook,
    edited: editedOf,
    handle: async ({ caller, params }) =>
      success('Webhook.', await getWebhook(deps.db, caller, params.reference)),
  }),
  route({
    ...one,
    operation: 'update_webhook',
    summary: 'Update, disable or enable a webhook endpoint',
    method: 'PUT',
    scope: 'webhooks:write',
    body: UpdateWebhook,
    answer: OneWebhook,
    edited: editedOf,
    held: (tx, { caller, params }) => holdRecord(tx, caller, params.reference),
    handle: async ({ caller, params, body, once }) => {
      const { reference } = params
      requireTypes(deps, caller, body.events ?? [])
      if (caller.scopes !== null && body.url !== undefined) {
        requireTypes(deps, caller, (await getWebhook(deps.db, caller, reference)).events)
      }
      if (caller.live && body.url !== undefined) {
        // Another address is told of everything that happens.
        const { url } = await getWebhook(deps.db, caller, reference)
        if (url !== body.url) requireProof(caller)
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
    answer: OneWebhook,
    handle: ({ caller, params, once }) =>
      once(async (tx) =>
        success('Webhook deleted.', await deleteWebhook(tx, caller, params.reference)),
      ),
  }),
  route({
    ...one,
    operation: 'rotate_webhook_secret',
    summary: 'Give a webhook endpoint a new secret',
    method: 'POST',
    path: '/webhooks/:reference/rotate-secret',
    scope: 'webhooks:write',
    proven: 'live',
    body: RotateSecret,
    answer: WebhookWithSecret,
    secrets: ['secret'],
    handle: ({ caller, params, body, once }) =>
      once(async (tx) =>
        success(
          'Secret rotated.',
          await rotateSecret(tx, caller, params.reference, body.graceHours),
        ),
      ),
  }),
  ...deliveryRoutes(deps),
]
