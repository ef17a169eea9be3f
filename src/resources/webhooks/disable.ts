import type { Tx } from '../../db/database.ts'
import { appendEvents } from '../../events/append.ts'
import { addMs } from '../../lib/clock.ts'
import { MAIL_SWEEPER, queueMails } from '../../mail/queue.ts'
import type { Deps } from '../deps.ts'
import type { Noted } from './ends.ts'
import type { WebhookRow } from './queries.ts'
import { type ClaimedRow, updateDisabled } from './queries-deliver.ts'
import { webhookRecord } from './record.ts'

type DisableDeps = Pick<Deps, 'db' | 'ids' | 'nudge'>

/** How long every attempt must have failed, and how many there must have been. */
const FAILING_MS = 5 * 24 * 3_600_000
const FAILURES_LEAST = 10

/** The receiver said that nothing is there any more (410). Does nothing to one that is disabled. */
export function disableGone(deps: DisableDeps, claim: ClaimedRow, now: Date): Promise<void> {
  return disable(deps, claim, 'It answered 410 Gone.', now)
}

/** Gives up on an endpoint at which everything failed for five days. */
export async function disableFailing(
  deps: DisableDeps,
  claim: ClaimedRow,
  { failingSince, failureCount }: Noted,
  now: Date,
): Promise<void> {
  if (!failingSince || failingSince > addMs(now, -FAILING_MS)) return
  if (failureCount < FAILURES_LEAST) return
  await disable(deps, claim, 'Every attempt failed for five days.', now)
}

function disable(
  { db, ids, nudge }: DisableDeps,
  { business_id: businessId, live, webhook_id: id, url }: ClaimedRow,
  reason: string,
  now: Date,
): Promise<void> {
  const tenant = { businessId, live }
  return db.transaction(async (tx) => {
    // At the address that failed: one that was changed meanwhile is not to blame.
    const found = await updateDisabled(tx, tenant, { id, url, reason, now })
    if (!found) return
    const { owner, ...row } = found
    await tellDisabled(tx, { ids }, tenant, row, now)
    if (!owner) return
    const about = { subjectType: 'webhook', subjectId: id, data: { reason } }
    await queueMails(tx, ids, [
      { ...tenant, kind: 'webhook_disabled', ...about, to: owner, at: now },
    ])
    tx.after(() => nudge(MAIL_SWEEPER))
  })
}

/** The row's `event_sequence` was raised in the statement that disabled it. */
export const tellDisabled = (
  tx: Tx,
  { ids }: Pick<Deps, 'ids'>,
  { businessId, live }: { businessId: number; live: boolean },
  row: WebhookRow,
  now: Date,
): Promise<void> =>
  appendEvents(tx, ids, [
    {
      businessId,
      live,
      type: 'webhook.disabled',
      objectType: 'webhook',
      objectId: row.id,
      sequence: row.event_sequence,
      data: webhookRecord(row),
      at: now,
    },
  ])
