import { conflict, Problem } from '../../lib/problem.ts'
import type { Caller } from '../../lib/tenant.ts'
import { deliveryRecord, findDelivery } from './deliveries.ts'
import type { WebhookDeps } from './deps.ts'
import { findWebhook } from './list.ts'
import type { WebhookRow } from './queries.ts'
import { updateQueuedAgain } from './queries-deliveries.ts'

/**
 * Sends an event again, at once, whatever became of it; when that fails, the schedule begins anew.
 * Answers the delivery as the attempt left it. Throws 404, and `webhook_state` (409) when the
 * endpoint is disabled.
 */
export async function redeliver(
  { db, deliverer }: Pick<WebhookDeps, 'db' | 'deliverer'>,
  caller: Caller,
  reference: string,
  id: string,
) {
  const { businessId, live, now } = caller
  const tenant = { businessId, live }
  const webhook = await findWebhook(db, tenant, reference)
  const { event } = await findDelivery(db, tenant, webhook.id, id)
  requireActive(webhook)
  await db.transaction((tx) => updateQueuedAgain(tx, tenant, webhook.id, event.id, now))
  await deliverer.deliverNow(tenant, webhook.id, event.id, now).catch(leftToTheSweeper)
  const { row } = await findDelivery(db, tenant, webhook.id, id)
  return deliveryRecord(row)
}

/** It is queued: that nobody can wait for the attempt does not keep it from being made. */
function leftToTheSweeper(error: unknown): void {
  if (!(error instanceof Problem)) throw error
}

/** Nothing is sent to a disabled endpoint; throws 409. */
export function requireActive({ status }: WebhookRow): void {
  if (status === 'Active') return
  throw conflict('webhook_state', `The endpoint is ${status}: make it Active first.`, {
    status: [`is ${status}`],
  })
}
