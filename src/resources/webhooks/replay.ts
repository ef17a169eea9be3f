import type { Tx } from '../../db/database.ts'
import { parseMoment } from '../../lib/dates.ts'
import { invalid } from '../../lib/problem.ts'
import type { Caller } from '../../lib/tenant.ts'
import type { WebhookDeps } from './deps.ts'
import { findWebhook } from './list.ts'
import { queueFailedAgain, queueRangeAgain } from './queries-replay.ts'
import { requireActive } from './redeliver.ts'
import type { Replay } from './schemas.ts'
import { WEBHOOK_SWEEPER } from './sweeper.ts'

/**
 * Queues a range of time again, oldest first: everything that the endpoint wants, also what it
 * never had queued, or only what failed for good. At most 10,000 at once; `continueFrom` is then
 * the `from` of what is left. Throws 404, 400 naming `from` or `to`, and `webhook_state` (409).
 */
export async function replay(
  tx: Tx,
  { nudge }: Pick<WebhookDeps, 'nudge'>,
  caller: Caller,
  reference: string,
  request: Replay,
) {
  const { businessId, live, now, timeZone } = caller
  const tenant = { businessId, live }
  const range = rangeOf(request, timeZone, now)
  // Not locked: for up to a second every end of an attempt would wait. What is queued for an
  // endpoint that is just being deleted is never sent; for one that is being disabled it waits.
  const webhook = await findWebhook(tx, tenant, reference)
  requireActive(webhook)
  const queue = request.failedOnly ? queueFailedAgain : queueRangeAgain
  const { queued, continue_from } = await queue(tx, tenant, webhook, { ...range, now })
  if (queued > 0) tx.after(() => nudge(WEBHOOK_SWEEPER))
  return { reference, status: webhook.status, queued, continueFrom: continue_from }
}

function rangeOf(request: Replay, timeZone: string, now: Date) {
  const from = parseMoment(request.from, timeZone, 'from')
  const until = request.to === undefined ? now : parseMoment(request.to, timeZone, 'to', true)
  if (from >= until) {
    throw invalid({ from: [request.to === undefined ? 'must be past' : 'must not be after to'] })
  }
  return { from, until }
}
