import type { Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import { sql } from '../db/sql.ts'
import { newReference } from '../lib/tokens.ts'
import type { NoticeSubject } from '../providers/inbox/jobs.ts'
import { type Mismatch, serviceOf } from './outcomes.ts'
import type { OrderRow } from './queries.ts'

/**
 * Records that a provider reports something else about an order than our books say. If it has
 * reported the same before, only the time is new: a difference that a person has closed stays
 * closed.
 */
export async function openDifference(
  tx: Tx,
  ids: Ids,
  order: OrderRow,
  { field, ours, theirs }: Mismatch,
  { evidence, now }: { evidence: object; now: Date },
): Promise<void> {
  const id = await ids.next(tx)
  const { business_id, live, connection_id, subject_id, attempt, provider_id, currency } = order
  const minor = (text: string) => (field === 'amount' ? BigInt(text) : null)
  const said = JSON.stringify({
    order: { reference: order.reference, sentReference: order.sent_reference, [field]: ours },
    provider: { ...evidence, [field]: theirs },
  })
  const again = sql`do update set last_seen_at = ${now}, theirs_minor = excluded.theirs_minor,
    evidence = excluded.evidence`
  await tx.run`
    insert into provider_differences
      (business_id, live, id, reference, connection_id, kind, class, field, source, provider_id,
       subject_kind, subject_id, attempt, ours_minor, theirs_minor, currency, evidence, status,
       first_seen_at, last_seen_at)
    values
      (${business_id}, ${live}, ${id}, ${newReference('DIF')}, ${connection_id},
       ${serviceOf(order.kind)}, 'different', ${field}, 'look_up', ${provider_id}, ${order.kind},
       ${subject_id}, ${attempt}, ${minor(ours)}, ${minor(theirs)}, ${currency},
       ${said}::jsonb, 'Open', ${now}, ${now})
    on conflict ${
      provider_id === null
        ? sql`(business_id, live, subject_kind, subject_id, attempt, kind, field)
            where provider_id is null`
        : sql`(business_id, live, connection_id, kind, provider_id, field)
            where provider_id is not null`
    } ${again}`
}

/**
 * Records that a provider has notified us of something that none of our orders is. The figures are
 * unknown: a notification is never believed about money.
 */
export async function openMissing(
  tx: Tx,
  ids: Ids,
  { tenant: { businessId, live }, connectionId, about, type, reference, providerId }: NoticeSubject,
  now: Date,
): Promise<void> {
  const id = await ids.next(tx)
  const kind = about === 'payment' ? 'charge' : about
  const evidence = JSON.stringify({ notification: { type, reference, providerId } })
  // Without a number of the provider's, the reference tells one from another.
  const known = providerId ?? reference ?? newReference('DIF')
  await tx.run`
    insert into provider_differences
      (business_id, live, id, reference, connection_id, kind, class, source, provider_id, evidence,
       status, first_seen_at, last_seen_at)
    values
      (${businessId}, ${live}, ${id}, ${newReference('DIF')}, ${connectionId}, ${kind},
       'missing_here', 'notice', ${known}, ${evidence}::jsonb, 'Open', ${now}, ${now})
    on conflict (business_id, live, connection_id, kind, provider_id, field)
      where provider_id is not null
    do update set last_seen_at = ${now}`
}
