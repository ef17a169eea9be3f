import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/tenant.ts'

export interface WebhookRow {
  id: number
  reference: string
  url: string
  /** Null for all types that there are and will be. */
  events: string[] | null
  description: string | null
  status: 'Active' | 'Disabled' | 'Deleted'
  failing_since: Date | null
  last_success_at: Date | null
  event_sequence: number
  created_at: Date
}

/** As `WebhookRow` has them: no secret is ever read for the API. */
export const COLUMNS = sql`id, reference, url, events, description, status, failing_since,
  last_success_at, event_sequence, created_at`

export type NewWebhookRow = Pick<
  WebhookRow,
  'id' | 'reference' | 'url' | 'events' | 'description'
> & { secret: string; now: Date }

/** Makes those who create endpoints of this business and mode do so one after the other. */
export async function lockTenant(tx: Tx, { businessId, live }: Tenant): Promise<void> {
  await tx.run`
    select from business_settings where business_id = ${businessId} and live = ${live}
    for no key update`
}

/** Nothing comes back when there are `most` already; the caller holds `lockTenant`. */
export function insertWebhook(
  tx: Tx,
  { businessId, live }: Tenant,
  row: NewWebhookRow,
  most: number,
) {
  return tx.maybe<WebhookRow>`
    insert into webhooks
      (business_id, live, id, reference, url, events, description, secret, created_at, updated_at)
    select ${businessId}, ${live}, ${row.id}, ${row.reference}, ${row.url},
      ${row.events}::text[], ${row.description}, ${row.secret}, ${row.now}, ${row.now}
    where (
      select count(*) from webhooks
      where business_id = ${businessId} and live = ${live} and status <> 'Deleted') < ${most}
    returning ${COLUMNS}`
}

export function selectWebhooks(db: Db, { businessId, live }: Tenant, descending: boolean) {
  return db.many<WebhookRow>`
    select ${COLUMNS} from webhooks
    where business_id = ${businessId} and live = ${live} and status <> 'Deleted'
    order by ${descending ? sql`created_at desc, id desc` : sql`created_at, id`}`
}

/** A deleted one is nobody's any more. */
export function selectWebhook(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<WebhookRow>`
    select ${COLUMNS} from webhooks
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
      and status <> 'Deleted'`
}

export function lockWebhook(tx: Tx, { businessId, live }: Tenant, reference: string) {
  return tx.maybe<WebhookRow>`
    select ${COLUMNS} from webhooks
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
      and status <> 'Deleted'
    for no key update`
}

export type Content = Pick<WebhookRow, 'url' | 'events' | 'description' | 'status'>

/**
 * Writes the content of an endpoint that the caller has locked. What failed at another address, or
 * before somebody made it active again, is not held against it; disabling it counts an event.
 */
export function updateContent(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { url, events, description, status }: Content,
  now: Date,
) {
  const isAnew = sql`(url <> ${url} or (status = 'Disabled' and ${status}::text = 'Active'))`
  const isDisabled = sql`(status = 'Active' and ${status}::text = 'Disabled')`
  return tx.one<WebhookRow>`
    update webhooks
    set url = ${url}, events = ${events}::text[], description = ${description},
      status = ${status},
      url_proved_at = case when url = ${url} then url_proved_at end,
      failing_since = case when ${isAnew} then null else failing_since end,
      failure_count = case when ${isAnew} then 0 else failure_count end,
      disabled_at = case when ${status}::text = 'Active' then null
        when ${isDisabled} then ${now}::timestamptz else disabled_at end,
      disabled_reason = case when ${status}::text = 'Active' then null
        else disabled_reason end,
      event_sequence = event_sequence + case when ${isDisabled} then 1 else 0 end,
      updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
}

/** Takes it away for good, its secrets with it. Of two at once one finds it. */
export function updateDeleted(tx: Tx, { businessId, live }: Tenant, reference: string, now: Date) {
  return tx.maybe<WebhookRow>`
    update webhooks
    set status = 'Deleted', secret = '', previous_secret = null, previous_until = null,
      updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
      and status <> 'Deleted'
    returning ${COLUMNS}`
}

/** The secret that it has becomes the one before, which signs as well until `until`, if ever. */
export function updateSecret(
  tx: Tx,
  { businessId, live }: Tenant,
  reference: string,
  { secret, until, now }: { secret: string; until: Date | null; now: Date },
) {
  return tx.maybe<WebhookRow>`
    update webhooks
    set secret = ${secret}, previous_until = ${until}::timestamptz,
      previous_secret = case when ${until}::timestamptz is null then null else secret end,
      updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
      and status <> 'Deleted'
    returning ${COLUMNS}`
}
