import type { Caller } from '../../lib/tenant.ts'
import type { AttemptRow } from './deliver.ts'
import { attemptRecord, deliveryRecord, findDelivery } from './deliveries.ts'
import type { WebhookDeps } from './deps.ts'
import { findWebhook } from './list.ts'
import { endTest, insertTestDelivery } from './queries-samples.ts'
import { type SampleRequest, tellSample } from './sample.ts'

/**
 * Sends one sample event to this endpoint alone, a disabled one too, and answers what happened:
 * that the endpoint failed is no failure of this. It is not tried again. Throws 404, 400 naming
 * `type`, and 429 when many are tried at once.
 */
export async function testWebhook(
  { db, ids, events, deliverer }: WebhookDeps,
  caller: Caller,
  reference: string,
  request: SampleRequest,
) {
  const { businessId, live, now } = caller
  const tenant = { businessId, live }
  const webhook = await findWebhook(db, tenant, reference)
  const event = await db.transaction(async (tx) => {
    const sample = await tellSample(tx, { ids, events }, caller, 'webhook_test', request)
    await insertTestDelivery(tx, tenant, webhook.id, sample)
    return sample
  })
  const attempt = await attemptOnce()
  const { row } = await findDelivery(db, tenant, webhook.id, event.reference)
  return {
    reference,
    status: webhook.status,
    delivery: deliveryRecord(row),
    attempt: attemptRecord(attempt),
  }

  /** Somebody waits for this one attempt; nobody does for those of the schedule. */
  async function attemptOnce(): Promise<AttemptRow> {
    try {
      return await deliverer.deliverNow(tenant, webhook.id, event.id, now)
    } finally {
      await endTest(db, tenant, webhook.id, event.id, now)
    }
  }
}
