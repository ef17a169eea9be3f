import type { Tx } from '../../db/database.ts'
import { notFound } from '../../lib/problem.ts'
import type { Caller, Tenant } from '../../lib/tenant.ts'
import { readTypes, readUrl } from './content.ts'
import type { WebhookDeps } from './deps.ts'
import { tellDisabled } from './disable.ts'
import { type Content, lockWebhook, updateContent, updateDeleted } from './queries.ts'
import { type WebhookRecord, webhookRecord } from './record.ts'
import type { UpdateWebhook } from './schemas.ts'
import { WEBHOOK_SWEEPER } from './sweeper.ts'

/**
 * Changes the fields that are given. What waits goes to the new address, and on again when a
 * disabled endpoint becomes active. Throws 404, and 400 naming what is wrong.
 */
export async function updateWebhook(
  tx: Tx,
  { ids, nudge, webhooks }: Pick<WebhookDeps, 'ids' | 'nudge' | 'webhooks'>,
  caller: Caller,
  reference: string,
  request: UpdateWebhook,
) {
  const { businessId, live, now } = caller
  const before = await lockWebhook(tx, caller, reference)
  if (!before) throw notFound('webhook')
  const content: Content = {
    url: request.url === undefined ? before.url : readUrl(request.url, caller, webhooks),
    events: request.events === undefined ? before.events : readTypes(request.events),
    description: request.description === undefined ? before.description : request.description,
    status: request.status ?? before.status,
  }
  const row = await updateContent(tx, { businessId, live }, before.id, content, now)
  if (row.event_sequence > before.event_sequence) {
    await tellDisabled(tx, { ids }, { businessId, live }, row, now)
  }
  if (row.status === 'Active') tx.after(() => nudge(WEBHOOK_SWEEPER))
  return webhookRecord(row)
}

/** The record of an endpoint that is held until the transaction ends. Throws 404. */
export async function holdRecord(tx: Tx, tenant: Tenant, reference: string) {
  const row = await lockWebhook(tx, tenant, reference)
  if (!row) throw notFound('webhook')
  return webhookRecord(row)
}

/** What an edit may change of it; what becomes of deliveries moves meanwhile. */
export const editedOf = ({ url, events, description, status }: WebhookRecord) => [
  url,
  events,
  description,
  status,
]

/** Takes an endpoint away for good; what waits for it is never sent. Throws 404. */
export async function deleteWebhook(tx: Tx, caller: Caller, reference: string) {
  const row = await updateDeleted(tx, caller, reference, caller.now)
  if (!row) throw notFound('webhook')
  return webhookRecord(row)
}
