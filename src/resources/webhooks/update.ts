import type { Tx } from '../../db/database.ts'
import { notFound } from '../../lib/problem.ts'
import type { Caller, Tenant } from '../../lib/tenant.ts'
import { readTypes, readUrl, type WebhookRules } from './content.ts'
import { refuseSameUrl } from './create.ts'
import type { WebhookDeps } from './deps.ts'
import { tellDisabled } from './disable.ts'
import { comparable } from './first-contact.ts'
import { type Content, lockTenant, lockWebhook, updateContent, updateDeleted } from './queries.ts'
import { type WebhookRecord, webhookRecord } from './record.ts'
import type { UpdateWebhook } from './schemas.ts'
import { WEBHOOK_SWEEPER } from './sweeper.ts'

/**
 * Changes the fields that are given. What waits goes to the new address, and on again when a
 * disabled endpoint becomes active. Throws 404, 400 naming what is wrong, and `webhook_exists`
 * (409).
 */
export async function updateWebhook(
  tx: Tx,
  { ids, nudge, webhooks, events }: Pick<WebhookDeps, 'ids' | 'nudge' | 'webhooks' | 'events'>,
  caller: Caller,
  reference: string,
  request: UpdateWebhook,
) {
  const { businessId, live, now } = caller
  if (request.url !== undefined) await lockTenant(tx, caller)
  const before = await lockWebhook(tx, caller, reference)
  if (!before) throw notFound('webhook')
  const content: Content = {
    url: await urlOf(tx, caller, before.url, request.url, webhooks),
    events: request.events === undefined ? before.events : readTypes(events, request.events),
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

/** The one it has stays good, whatever is asked of new ones. */
async function urlOf(
  tx: Tx,
  tenant: Tenant,
  before: string,
  wanted: string | undefined,
  rules: WebhookRules,
): Promise<string> {
  if (wanted === undefined || wanted === before) return before
  const url = readUrl(wanted, tenant, rules)
  if (comparable(url) !== comparable(before)) await refuseSameUrl(tx, tenant, url)
  return url
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
