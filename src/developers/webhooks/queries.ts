import type { Db, Tx } from '../../db/database.ts'
import { all, type Sql, sql } from '../../db/sql.ts'
import type { EncryptedRow, EncryptedValue, ValuesQuery } from '../../encryption/columns.ts'
import { isEncryptedWith } from '../../encryption/keyring.ts'
import { TOLD_SEQUENCE } from '../../events/append.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Cursor } from '../../lib/paging.ts'
import type { EventRow } from '../events/service.ts'
import type { AttemptRow } from './deliver.ts'

export interface WebhookRow {
  id: number
  reference: string
  url: string
  /** Null for all types, including future ones. */
  events: string[] | null
  description: string | null
  status: 'Active' | 'Disabled' | 'Deleted'
  failing_since: Date | null
  last_success_at: Date | null
  event_sequence: number
  created_at: Date
}

/** The columns in `WebhookRow`. Secrets are excluded, because the API never reads them. */
export const COLUMNS = sql`id, reference, url, events, description, status, failing_since,
  last_success_at, event_sequence, created_at`

type NewWebhookRow = Pick<WebhookRow, 'id' | 'reference' | 'url' | 'events' | 'description'> & {
  secret: Buffer
  now: Date
}

/** Makes transactions that create endpoints for this business and mode run one after another. */
export async function lockTenant(tx: Tx, { businessId, live }: Tenant): Promise<void> {
  await tx.run`
    select from business_settings where business_id = ${businessId} and live = ${live}
    for no key update`
}

/** Returns undefined if there are already `most` endpoints. The caller must hold `lockTenant`. */
export function insertWebhook(
  tx: Tx,
  { businessId, live }: Tenant,
  row: NewWebhookRow,
  most: number,
) {
  return tx.maybe<WebhookRow>`
    insert into webhooks
      (business_id, live, id, reference, url, events, description, secret_encrypted,
        created_at, updated_at)
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

/** Does not find deleted endpoints. */
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
 * Writes the content of an endpoint that the caller has locked. Resets its failures if the URL
 * changed or someone reactivated the endpoint. Disabling it increases its event sequence.
 */
export function updateContent(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { url, events, description, status }: Content,
  now: Date,
) {
  const isReset = sql`(url <> ${url} or (status = 'Disabled' and ${status}::text = 'Active'))`
  const isDisabled = sql`(status = 'Active' and ${status}::text = 'Disabled')`
  return tx.one<WebhookRow>`
    update webhooks
    set url = ${url}, events = ${events}::text[], description = ${description},
      status = ${status},
      url_proved_at = case when url = ${url} then url_proved_at end,
      failing_since = case when ${isReset} then null else failing_since end,
      failure_count = case when ${isReset} then 0 else failure_count end,
      disabled_at = case when ${status}::text = 'Active' then null
        when ${isDisabled} then ${now}::timestamptz else disabled_at end,
      disabled_reason = case when ${status}::text = 'Active' then null
        else disabled_reason end,
      event_sequence = event_sequence + case when ${isDisabled} then 1 else 0 end,
      updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${COLUMNS}`
}

/**
 * Permanently deletes an endpoint with its secrets. Only one of two simultaneous calls finds it.
 */
export function updateDeleted(tx: Tx, { businessId, live }: Tenant, reference: string, now: Date) {
  return tx.maybe<WebhookRow>`
    update webhooks
    set status = 'Deleted', secret_encrypted = null, secret_plain = null,
      previous_secret_encrypted = null, previous_secret_plain = null, previous_until = null,
      updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
      and status <> 'Deleted'
    returning ${COLUMNS}`
}

/**
 * Makes the current secret the previous one. If `until` is set, the previous secret also signs
 * until then.
 */
export function updateSecret(
  tx: Tx,
  { businessId, live }: Tenant,
  reference: string,
  { secret, until, now }: { secret: Buffer; until: Date | null; now: Date },
) {
  return tx.maybe<WebhookRow>`
    update webhooks
    set secret_encrypted = ${secret}, secret_plain = null,
      previous_until = ${until}::timestamptz,
      previous_secret_encrypted = case when ${until}::timestamptz is not null
        then secret_encrypted end,
      previous_secret_plain = case when ${until}::timestamptz is not null then secret_plain end,
      updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and reference = ${reference}
      and status <> 'Deleted'
    returning ${COLUMNS}`
}

/** One event for one endpoint, with the event's data as delivered. */
export interface DeliveryRow {
  event_id: number
  event_at: Date
  event_type: string
  /** For example `evt_…`. */
  event_reference: string
  status: 'Pending' | 'Delivered' | 'Failed'
  attempt_count: number
  due_at: Date
  last_status: number | null
  last_error: string | null
  finished_at: Date | null
  created_at: Date
}

interface DeliveryFilter {
  status: DeliveryRow['status'] | undefined
  type: string | undefined
}

export const DELIVERY = sql`d.event_id, d.event_at, d.event_type,
  e.reference as event_reference, d.status, d.attempt_count, d.due_at, d.last_status,
  d.last_error, d.finished_at, d.created_at`

/** Joins the event of a delivery `d`. */
export const EVENT = sql`
  cross join lateral (
    select reference from events
    where business_id = d.business_id and live = d.live
      and created_at = d.event_at and id = d.event_id
    offset 0
  ) e`

/** Selects deliveries, newest event first. With a cursor that goes back, selects the newer ones. */
export function selectDeliveries(
  db: Db,
  { businessId, live }: Tenant,
  webhookId: number,
  { status, type }: DeliveryFilter,
  cursor: Cursor | undefined,
  limit: number,
) {
  const place = cursor && sql`(${cursor.created_at}::timestamptz, ${cursor.id}::bigint)`
  const order = cursor?.back ? sql`event_at, event_id` : sql`event_at desc, event_id desc`
  const wanted = all([
    sql`business_id = ${businessId} and live = ${live} and webhook_id = ${webhookId}`,
    status && sql`status = ${status}`,
    type === undefined ? undefined : sql`event_type = ${type}`,
    place &&
      (cursor.back ? sql`(event_at, event_id) > ${place}` : sql`(event_at, event_id) < ${place}`),
  ])
  return db.many<DeliveryRow>`
    select ${DELIVERY} from (
      select * from webhook_deliveries where ${wanted} order by ${order} limit ${limit}
    ) d ${EVENT}
    order by ${order}`
}

/** Selects the delivery of an event whose reference the caller passes in. */
export function selectDelivery(
  db: Db,
  { businessId, live }: Tenant,
  webhookId: number,
  event: { id: number; reference: string },
) {
  return db.maybe<DeliveryRow>`
    select ${DELIVERY} from webhook_deliveries d, (select ${event.reference}::text as reference) e
    where d.business_id = ${businessId} and d.live = ${live} and d.webhook_id = ${webhookId}
      and d.event_id = ${event.id}`
}

/** Selects the type of a delivery that is still waiting and has none of these types, if any. */
export function selectPendingBeside(
  db: Db,
  { businessId, live }: Tenant,
  webhookId: number,
  types: readonly string[],
) {
  return db.maybe<Pick<DeliveryRow, 'event_type'>>`
    select event_type from webhook_deliveries
    where business_id = ${businessId} and live = ${live} and webhook_id = ${webhookId}
      and status = 'Pending' and event_type <> all(${types}::text[])
    limit 1`
}

export const ATTEMPT = sql`number, url, headers, status, error, response, duration_ms, at`

export function selectAttempts(
  db: Db,
  { businessId, live }: Tenant,
  webhookId: number,
  eventId: number,
) {
  return db.many<AttemptRow>`
    select ${ATTEMPT} from webhook_attempts
    where business_id = ${businessId} and live = ${live} and webhook_id = ${webhookId}
      and event_id = ${eventId}
    order by number`
}

/** Queues a delivery again, whatever its state, and restarts its retry schedule. */
export function updateQueuedAgain(
  tx: Tx,
  { businessId, live }: Tenant,
  webhookId: number,
  eventId: number,
  due_at: Date,
) {
  return tx.run`
    update webhook_deliveries
    set status = 'Pending', round_count = 0, due_at = ${due_at}, planned_at = null,
      finished_at = null
    where business_id = ${businessId} and live = ${live} and webhook_id = ${webhookId}
      and event_id = ${eventId}`
}

/**
 * The maximum number of deliveries that one request queues, and of events that it scans to find
 * them.
 */
const REPLAY_LIMITS = { queuedMax: 10_000, walkedMax: 100_000 }

interface ReplayRange {
  from: Date
  /** Exclusive. */
  until: Date
  /** Queues only events of these types; all if undefined. */
  types?: readonly string[] | undefined
  now: Date
  /** Tests use smaller limits. */
  limits?: typeof REPLAY_LIMITS
}

interface Replayed {
  queued: number
  /** Null if nothing in the range is left to queue. */
  continue_from: Date | null
}

/** Matches the event's type or a wildcard such as `invoice.*`, as in `events/append.ts`. */
const isSubscribed = (type: Sql, events: string[] | null) => sql`(${events}::text[] is null
  or ${events}::text[] && array[${type}, split_part(${type}, '.', 1) || '.*'])`

const isOfTypes = (type: Sql, types: readonly string[] | undefined) =>
  types === undefined ? sql`true` : sql`${type} = any(${types}::text[])`

/**
 * Queues the subscribed events whose deliveries failed for good, in order, except test events,
 * which are never retried. A cut never falls between events with the same timestamp, so that
 * continuing from it neither skips nor repeats any. If more than `queuedMax` events share a
 * timestamp, they are all queued at once.
 */
export function queueFailedAgain(
  tx: Tx,
  { businessId, live }: Tenant,
  { id, events }: Pick<WebhookRow, 'id' | 'events'>,
  { from, until, types, now, limits: { queuedMax } = REPLAY_LIMITS }: ReplayRange,
) {
  const isFailed = sql`business_id = ${businessId} and live = ${live} and webhook_id = ${id}
    and status = 'Failed' and ${isSubscribed(sql`event_type`, events)}
    and ${isOfTypes(sql`event_type`, types)}
    and not exists (
      select from simulated_events s
      where s.business_id = ${businessId} and s.live = ${live} and s.id = object_id
        and s.kind = 'webhook_test'
    )`
  return tx.one<Replayed>`
    with first as (
      select event_at from webhook_deliveries
      where ${isFailed} and event_at >= ${from} and event_at < ${until}
      order by event_at limit ${queuedMax + 1}
    ), edge as (
      select case when count(*) <= ${queuedMax} then null
        when min(event_at) < max(event_at) then max(event_at)
        else max(event_at) + interval '1 millisecond' end as at from first
    ), again as (
      update webhook_deliveries
      set status = 'Pending', round_count = 0, due_at = ${now}, planned_at = null,
        finished_at = null
      where ${isFailed} and event_at >= ${from}
        and event_at < coalesce((select at from edge), ${until})
      returning event_id
    )
    select (select count(*) from again) as queued, at as continue_from from edge`
}

/**
 * Queues the subscribed events in a range, whatever their state and whether or not they have been
 * queued before. Stops like `queueFailedAgain`, and also after `walkedMax` events.
 */
export function queueRangeAgain(
  tx: Tx,
  { businessId, live }: Tenant,
  { id, events }: Pick<WebhookRow, 'id' | 'events'>,
  { from, until, types, now, limits: { queuedMax, walkedMax } = REPLAY_LIMITS }: ReplayRange,
) {
  const isSent = sql`${isSubscribed(sql`type`, events)} and ${isOfTypes(sql`type`, types)}
    and object_type <> 'webhook_test'`
  return tx.one<Replayed>`
    with walked as (
      select created_at, type, object_type from events
      where business_id = ${businessId} and live = ${live}
        and created_at >= ${from} and created_at < ${until}
      order by created_at, id limit ${walkedMax + 1}
    ), wanted as (
      select created_at from walked
      where ${isSent}
      order by created_at limit ${queuedMax + 1}
    ), ends as (
      select
        (select case when count(*) <= ${queuedMax} then null
          when min(created_at) < max(created_at) then max(created_at)
          else max(created_at) + interval '1 millisecond' end from wanted) as full_at,
        (select case when count(*) <= ${walkedMax} then null
          when min(created_at) < max(created_at) then max(created_at)
          else max(created_at) + interval '1 millisecond' end from walked) as far_at
    ), edge as (
      select least(full_at, far_at) as at from ends
    ), queued as (
      insert into webhook_deliveries
        (business_id, live, webhook_id, event_id, event_at, event_type, object_id, due_at,
         created_at)
      select ${businessId}, ${live}, ${id}, id, created_at, type, object_id, ${now}, ${now}
      from events
      where business_id = ${businessId} and live = ${live}
        and created_at >= ${from}
        and created_at < coalesce((select at from edge), ${until})
        and ${isSent}
      order by id
      on conflict (business_id, live, webhook_id, event_id) do update
      set status = 'Pending', round_count = 0, due_at = excluded.due_at, planned_at = null,
        finished_at = null
      returning event_id
    )
    select (select count(*) from queued) as queued, at as continue_from from edge`
}

/** The object type of a sample event, which is not about any real object. */
export type SampleKind = 'simulated_event' | 'webhook_test'

export function insertSample(
  tx: Tx,
  { businessId, live }: Tenant,
  { id, kind, now }: { id: number; kind: SampleKind; now: Date },
) {
  return tx.run`
    insert into simulated_events (business_id, live, id, kind, created_at)
    values (${businessId}, ${live}, ${id}, ${kind}, ${now})`
}

/** Selects the only event of a sample object. */
export function selectSampleEvent(tx: Tx, { businessId, live }: Tenant, objectId: number) {
  return tx.one<EventRow>`
    select id, reference, type, object_type, object_id, ${TOLD_SEQUENCE}, data,
      created_at
    from events
    where business_id = ${businessId} and live = ${live} and object_id = ${objectId}
      and sequence = 1`
}

/** Queues a test event for this endpoint only. */
export function insertTestDelivery(
  tx: Tx,
  { businessId, live }: Tenant,
  webhookId: number,
  event: EventRow,
) {
  const { id, type, object_id, created_at } = event
  return tx.run`
    insert into webhook_deliveries
      (business_id, live, webhook_id, event_id, event_at, event_type, object_id, due_at,
       created_at)
    values
      (${businessId}, ${live}, ${webhookId}, ${id}, ${created_at}, ${type}, ${object_id},
       ${created_at}, ${created_at})`
}

/**
 * Ends a test. A delivery that was attempted and is still pending isn't retried. One that was never
 * attempted is deleted.
 */
export async function endTest(
  db: Db,
  { businessId, live }: Tenant,
  webhookId: number,
  eventId: number,
  now: Date,
): Promise<void> {
  const isOpen = sql`business_id = ${businessId} and live = ${live} and webhook_id = ${webhookId}
    and event_id = ${eventId} and status = 'Pending' and lease_until is null`
  await db.run`
    update webhook_deliveries set status = 'Failed', finished_at = ${now}
    where ${isOpen} and attempt_count > 0`
  await db.run`delete from webhook_deliveries where ${isOpen} and attempt_count = 0`
}

export type SecretColumn = 'secret' | 'previous_secret'

const ENCRYPTED = {
  secret: sql`secret_encrypted`,
  previous_secret: sql`previous_secret_encrypted`,
}
const PLAIN = { secret: sql`secret_plain`, previous_secret: sql`previous_secret_plain` }

const KEY = sql`business_id as "businessId", live, id`
const isRow = ({ businessId, live, id }: EncryptedRow) =>
  sql`business_id = ${businessId} and live = ${live} and id = ${id}`

export const selectSecrets = (db: Db, column: SecretColumn, { keyId, after, limit }: ValuesQuery) =>
  db.many<EncryptedRow & { value: Buffer }>`
    select ${KEY}, ${ENCRYPTED[column]} as value from webhooks
    where (business_id, live, id) > (${after.businessId}, ${after.live}, ${after.id})
      and ${isEncryptedWith(ENCRYPTED[column], keyId)}
    order by business_id, live, id limit ${limit}`

export const updateEncrypted = (tx: Tx, column: SecretColumn, row: EncryptedValue, value: Buffer) =>
  tx.run`
    update webhooks set ${ENCRYPTED[column]} = ${value}
    where ${isRow(row)} and ${ENCRYPTED[column]} = ${row.value}`

export const selectOldSecrets = (db: Db, column: SecretColumn, limit: number) =>
  db.many<EncryptedRow & { text: string }>`
    select ${KEY}, ${PLAIN[column]} as text from webhooks
    where ${PLAIN[column]} is not null limit ${limit}`

/** A rotation may have replaced the old secret meanwhile. */
export const updateOldSecret = (
  tx: Tx,
  column: SecretColumn,
  row: EncryptedRow & { text: string },
  value: Buffer,
) =>
  tx.run`
    update webhooks set ${ENCRYPTED[column]} = ${value}, ${PLAIN[column]} = null
    where ${isRow(row)} and ${PLAIN[column]} = ${row.text}`
