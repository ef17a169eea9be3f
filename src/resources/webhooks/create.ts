import type { Tx } from '../../db/database.ts'
import { conflict } from '../../lib/problem.ts'
import { newReference } from '../../lib/random.ts'
import type { Caller, Tenant } from '../../lib/tenant.ts'
import { readTypes, readUrl } from './content.ts'
import type { WebhookDeps } from './deps.ts'
import { comparable } from './first-contact.ts'
import { insertWebhook, lockTenant, selectWebhooks } from './queries.ts'
import { webhookRecord } from './record.ts'
import type { NewWebhook } from './schemas.ts'
import { newSecret } from './signing.ts'

/** Each of them costs every event of the business a row. */
const WEBHOOKS_MAX = 50

/**
 * Registers an endpoint; nobody but this answer ever has its secret. Throws 400 naming what is
 * wrong, and `webhook_exists` and `webhooks_full` (409).
 */
export async function createWebhook(
  tx: Tx,
  { ids, webhooks, events }: Pick<WebhookDeps, 'ids' | 'webhooks' | 'events'>,
  caller: Caller,
  request: NewWebhook,
) {
  const { businessId, live, now } = caller
  const secret = newSecret()
  const wanted = {
    id: await ids.next(tx),
    reference: newReference('WHK'),
    url: readUrl(request.url, caller, webhooks),
    events: readTypes(events, request.events),
    description: request.description ?? null,
    secret,
    now,
  }
  await lockTenant(tx, caller)
  await refuseSameUrl(tx, caller, wanted.url)
  const row = await insertWebhook(tx, { businessId, live }, wanted, WEBHOOKS_MAX)
  if (!row) throw full()
  return { ...webhookRecord(row), secret }
}

/**
 * Equal URLs of a business are one endpoint: two would be sent everything twice. Throws
 * `webhook_exists` (409); the caller holds `lockTenant`.
 */
export async function refuseSameUrl(tx: Tx, tenant: Tenant, url: string): Promise<void> {
  const wanted = comparable(url)
  const same = (await selectWebhooks(tx, tenant, false)).find(
    (one) => comparable(one.url) === wanted,
  )
  if (!same) return
  const message = `The endpoint ${same.reference} has this URL already: update that one instead.`
  throw conflict('webhook_exists', message, { url: ['is the URL of another endpoint'] })
}

const full = () =>
  conflict('webhooks_full', `There are ${WEBHOOKS_MAX} endpoints already, the most there can be.`)
