import type { Db, Tx } from '../../db/database.ts'
import { findFairly, isOneOf, type RowKey } from '../../db/leases.ts'
import { paginate } from '../../db/paginate.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { timelineEntry, withEntry } from '../../db/timeline.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import type { Page, Range } from '../../lib/paging.ts'
import { newOrders } from '../../provider-orders/statements.ts'
import type { ProviderName } from '../../providers/connector/types.ts'
import type { TransactionRow } from '../attempts/read.ts'
import type { DisputeState } from './schemas.ts'

export interface DisputeRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  transaction_id: number
  transaction_reference: string
  connection_id: number
  provider: ProviderName
  /** The provider's number for it. */
  provider_id: string
  status: DisputeState
  amount_minor: Minor
  /** What is on hold for it: an overpayment, and what the wallet had of the rest. */
  excess_minor: Minor
  held_minor: Minor
  /** What the provider took; null until it has decided. */
  lost_minor: Minor | null
  currency: string
  reason: string
  due_at: Date | null
  timeline: string
  event_sequence: number
  closed_at: Date | null
  created_at: Date
}

/** The columns of `disputes d`, its `transactions t` and its `provider_connections c`. */
const COLUMNS = sql`d.business_id, d.live, d.id, d.reference, d.transaction_id,
  t.reference as transaction_reference, d.connection_id, c.provider, d.provider_id, d.status,
  d.amount_minor, d.excess_minor, d.held_minor, d.lost_minor, d.currency, d.reason, d.due_at,
  d.timeline, d.event_sequence, d.closed_at, d.created_at`

const isJoined = sql`(t.business_id, t.live, t.id) = (d.business_id, d.live, d.transaction_id)
  and c.id = d.connection_id`

const FROM = sql`disputes d
  join transactions t on (t.business_id, t.live, t.id) = (d.business_id, d.live, d.transaction_id)
  join provider_connections c on c.id = d.connection_id`

const of = ({ businessId, live }: Tenant): Sql =>
  sql`d.business_id = ${businessId} and d.live = ${live}`

interface NewDispute
  extends Pick<
    DisputeRow,
    | 'id'
    | 'reference'
    | 'transaction_id'
    | 'connection_id'
    | 'provider_id'
    | 'amount_minor'
    | 'currency'
    | 'reason'
    | 'due_at'
  > {
  remind_at: Date | null
  look_up_at: Date
  now: Date
}

/** Returns nothing if the connection's dispute is stored already. */
export const insertDispute = (tx: Tx, { businessId, live }: Tenant, row: NewDispute) =>
  tx.maybe<{ id: number }>`
    insert into disputes
      (business_id, live, id, reference, transaction_id, connection_id, provider_id, status,
       amount_minor, currency, reason, due_at, remind_at, look_up_at, timeline, created_at,
       updated_at)
    values (${businessId}, ${live}, ${row.id}, ${row.reference}, ${row.transaction_id},
      ${row.connection_id}, ${row.provider_id}, 'Open', ${row.amount_minor}, ${row.currency},
      ${row.reason}, ${row.due_at}, ${row.remind_at}, ${row.look_up_at},
      ${`[${timelineEntry('Open', null, row.now)}]`}, ${row.now}, ${row.now})
    on conflict (business_id, live, connection_id, provider_id) do nothing
    returning id`

/** Stores what was put on hold for a new dispute. */
export const updateHeld = (
  tx: Tx,
  tenant: Tenant,
  id: number,
  { excess_minor, held_minor }: Pick<DisputeRow, 'excess_minor' | 'held_minor'>,
) =>
  tx.one<DisputeRow>`
    update disputes d set excess_minor = ${excess_minor}, held_minor = ${held_minor}
    from transactions t, provider_connections c
    where ${of(tenant)} and d.id = ${id} and ${isJoined}
    returning ${COLUMNS}`

export const selectDispute = (db: Db, tenant: Tenant, reference: string) =>
  db.maybe<DisputeRow>`
    select ${COLUMNS} from ${FROM} where ${of(tenant)} and d.reference = ${reference}`

export const selectById = (db: Db, tenant: Tenant, id: number) =>
  db.maybe<DisputeRow>`select ${COLUMNS} from ${FROM} where ${of(tenant)} and d.id = ${id}`

export const selectByProviderId = (
  db: Db,
  tenant: Tenant,
  { connectionId, providerId }: { connectionId: number; providerId: string },
) =>
  db.maybe<DisputeRow>`
    select ${COLUMNS} from ${FROM}
    where ${of(tenant)} and d.connection_id = ${connectionId} and d.provider_id = ${providerId}`

interface Change {
  from: readonly DisputeState[]
  to: DisputeState
  message: string | null
  /** Set if the provider has decided. */
  lost_minor?: Minor
  /** If set, moves the dispute only if there has been no event since. */
  ifSequence?: number | undefined
  now: Date
}

/** Moves a dispute if its state allows it, and counts the event. */
export function moveDispute(
  tx: Tx,
  tenant: Tenant,
  id: number,
  { from, to, message, lost_minor, ifSequence, now }: Change,
) {
  const ended = lost_minor === undefined ? null : now
  return tx.maybe<DisputeRow>`
    update disputes d
    set status = ${to}, timeline = ${withEntry(sql`d.timeline`, timelineEntry(to, message, now))},
      lost_minor = ${lost_minor ?? null}, closed_at = ${ended}::timestamptz,
      look_up_at = case when ${ended}::timestamptz is null then d.look_up_at end,
      remind_at = case when ${to}::text = 'Open' then d.remind_at end,
      event_sequence = d.event_sequence + 1, updated_at = ${now}
    from transactions t, provider_connections c
    where ${of(tenant)} and d.id = ${id} and ${isJoined} and d.status = any(${from}::text[])
      and (${ifSequence ?? null}::bigint is null or d.event_sequence = ${ifSequence ?? null})
    returning ${COLUMNS}`
}

/** Stores another deadline, and counts the event. Returns nothing if the deadline is the same. */
export const updateDueAt = (
  tx: Tx,
  tenant: Tenant,
  { id, event_sequence }: DisputeRow,
  { due_at, remind_at, now }: { due_at: Date; remind_at: Date | null; now: Date },
) =>
  tx.maybe<DisputeRow>`
    update disputes d
    set due_at = ${due_at}, remind_at = ${remind_at}, look_up_at = least(d.look_up_at, ${due_at}),
      event_sequence = d.event_sequence + 1, updated_at = ${now}
    from transactions t, provider_connections c
    where ${of(tenant)} and d.id = ${id} and ${isJoined} and d.status = 'Open'
      and d.due_at is distinct from ${due_at} and d.event_sequence = ${event_sequence}
    returning ${COLUMNS}`

/** Counts an event about a dispute that has not moved. */
export const countEvent = (tx: Tx, tenant: Tenant, id: number, now: Date) =>
  tx.one<DisputeRow>`
    update disputes d set event_sequence = d.event_sequence + 1, updated_at = ${now}
    from transactions t, provider_connections c
    where ${of(tenant)} and d.id = ${id} and ${isJoined}
    returning ${COLUMNS}`

// ------------------------------------------------------------------------- the payment

export type PaymentRow = Pick<
  TransactionRow,
  | 'id'
  | 'reference'
  | 'purpose'
  | 'purpose_id'
  | 'status'
  | 'paid_minor'
  | 'excess_minor'
  | 'refunded_minor'
  | 'reversed_minor'
  | 'currency'
  | 'customer_email'
  | 'customer_name'
  | 'customer_phone'
>

const PAYMENT = sql`id, reference, purpose, purpose_id, status, paid_minor, excess_minor,
  refunded_minor, reversed_minor, currency, customer_email, customer_name, customer_phone`

const isPayment = ({ businessId, live }: Tenant, id: number): Sql =>
  sql`business_id = ${businessId} and live = ${live} and id = ${id}`

export const selectPayment = (db: Db, tenant: Tenant, id: number) =>
  db.one<PaymentRow>`select ${PAYMENT} from transactions where ${isPayment(tenant, id)}`

/** Counts a new dispute, and locks the payment until the transaction ends. */
export const addDisputed = (
  tx: Tx,
  tenant: Tenant,
  { id, amount_minor, now }: { id: number; amount_minor: Minor; now: Date },
) =>
  tx.one<PaymentRow>`
    update transactions
    set disputed_minor = disputed_minor + ${amount_minor}::bigint, updated_at = ${now}
    where ${isPayment(tenant, id)}
    returning ${PAYMENT}`

interface Decided {
  id: number
  amount_minor: Minor
  lost_minor: Minor
  /** Whether nothing of the payment is left. */
  isReversed: boolean
  now: Date
}

/** Counts what a dispute took. A payment of which nothing is left becomes Reversed. */
export function addReversed(
  tx: Tx,
  tenant: Tenant,
  { id, amount_minor, lost_minor, isReversed, now }: Decided,
) {
  const entry = timelineEntry('Reversed', null, now)
  return tx.one`
    update transactions
    set disputed_minor = disputed_minor - ${amount_minor}::bigint + ${lost_minor}::bigint,
      reversed_minor = reversed_minor + ${lost_minor}::bigint,
      status = case when ${isReversed} then 'Reversed' else status end,
      timeline = case when ${isReversed} then ${withEntry(sql`timeline`, entry)}
        else timeline end,
      event_sequence = event_sequence + case when ${isReversed} then 1 else 0 end,
      updated_at = ${now}
    where ${isPayment(tenant, id)}
    returning id`
}

/** Adds up how much of a payment's overpayment other disputes and refunds have taken. */
export async function sumTakenExcess(
  db: Db,
  { businessId, live }: Tenant,
  { transactionId, disputeId }: { transactionId: number; disputeId: number },
): Promise<Minor> {
  const { taken_minor } = await db.one<{ taken_minor: Minor }>`
    select (
      coalesce((select sum(excess_minor) from refunds
        where business_id = ${businessId} and live = ${live} and status <> 'Failed'
          and transaction_id = ${transactionId}), 0)
      + coalesce((select sum(least(coalesce(lost_minor, amount_minor), excess_minor))
        from disputes
        where business_id = ${businessId} and live = ${live}
          and transaction_id = ${transactionId} and id <> ${disputeId}), 0))::bigint
      as taken_minor`
  return taken_minor
}

// ---------------------------------------------------------------------------- evidence

export interface FileRow {
  id: number
  dispute_id: number
  name: string
  content_type: string
  bytes: number
  sha256: Buffer
  created_at: Date
}

const FILE = sql`id, dispute_id, name, content_type, bytes, sha256, created_at`

/** Selects the files of several disputes, grouped by dispute, oldest first. */
export async function filesOf(
  db: Db,
  { businessId, live }: Tenant,
  ids: readonly number[],
): Promise<Map<number, FileRow[]>> {
  if (ids.length === 0) return new Map()
  const rows = await db.many<FileRow>`
    select ${FILE} from dispute_files
    where business_id = ${businessId} and live = ${live}
      and dispute_id = any(${ids}::bigint[])
    order by dispute_id, id`
  return Map.groupBy(rows, ({ dispute_id }) => dispute_id)
}

export const insertFile = (
  tx: Tx,
  { businessId, live }: Tenant,
  row: FileRow,
): Promise<number> => tx.run`
  insert into dispute_files
    (business_id, live, id, dispute_id, name, content_type, bytes, sha256, created_at)
  values (${businessId}, ${live}, ${row.id}, ${row.dispute_id}, ${row.name}, ${row.content_type},
    ${row.bytes}, ${row.sha256}, ${row.created_at})`

/** Deletes a file that no response has named. Returns its content. */
export const deleteFile = (
  tx: Tx,
  { businessId, live }: Tenant,
  { disputeId, id }: { disputeId: number; id: number },
) =>
  tx.maybe<{ sha256: Buffer }>`
    delete from dispute_files f
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and dispute_id = ${disputeId} and not exists (
        select from dispute_responses r
        where (r.business_id, r.live, r.file_id) = (f.business_id, f.live, f.id))
    returning sha256`

/** Locks a dispute until the transaction ends. The payment must be locked before. */
export const lockDispute = (tx: Tx, tenant: Tenant, id: number) =>
  tx.one<DisputeRow>`
    select ${COLUMNS} from ${FROM} where ${of(tenant)} and d.id = ${id} for no key update of d`

/** Locks a dispute until the transaction ends, if the provider expects a response. */
export const lockOpen = (tx: Tx, tenant: Tenant, reference: string) =>
  tx.maybe<{ id: number }>`
    select d.id from disputes d
    where ${of(tenant)} and d.reference = ${reference} and d.status = 'Open'
      and not exists (select from dispute_responses r
        where (r.business_id, r.live, r.dispute_id) = (d.business_id, d.live, d.id)
          and r.status = 'Sending')
    for no key update`

// --------------------------------------------------------------------------- responses

export interface ResponseRow {
  business_id: number
  live: boolean
  id: number
  reference: string
  dispute_id: number
  action: 'accept' | 'contest'
  status: 'Sending' | 'Sent' | 'Failed'
  amount_minor: Minor
  message: string
  customer: string | null
  file_id: number | null
  result: string | null
  created_at: Date
}

const RESPONSE = sql`r.business_id, r.live, r.id, r.reference, r.dispute_id, r.action, r.status,
  r.amount_minor, r.message, r.customer, r.file_id, r.result, r.created_at`

type NewResponse = Pick<
  ResponseRow,
  'id' | 'reference' | 'action' | 'amount_minor' | 'message' | 'customer' | 'file_id'
> & { created_by: number | null; now: Date }

/**
 * Stores a response, with the order to send it. Returns nothing if the provider does not expect
 * one, or if another one is being sent: of two at the same time, only one is stored.
 */
export function insertResponse(tx: Tx, dispute: DisputeRow, { now, ...row }: NewResponse) {
  const { business_id: businessId, live, id, connection_id: connectionId, currency } = dispute
  const order = newOrders('dispute_response', sql`r`, row.reference, {
    connectionId,
    amount_minor: row.amount_minor,
    currency,
    sentAt: null,
    nextAt: now,
  })
  return tx.maybe<ResponseRow>`
    with d as (
      select id from disputes
      where business_id = ${businessId} and live = ${live} and id = ${id} and status = 'Open'
      for no key update
    ), r as (
      insert into dispute_responses
        (business_id, live, id, reference, dispute_id, action, status, amount_minor, message,
         customer, file_id, created_by, created_at, updated_at)
      select ${businessId}::bigint, ${live}::boolean, ${row.id}::bigint, ${row.reference}::text,
        d.id, ${row.action}::text, 'Sending', ${row.amount_minor}::bigint, ${row.message}::text,
        ${row.customer}::text, ${row.file_id}::bigint, ${row.created_by}::bigint,
        ${now}::timestamptz, ${now}::timestamptz
      from d
      on conflict (business_id, live, dispute_id) where status = 'Sending' do nothing
      returning *
    ), ordered as (${order})
    select ${RESPONSE} from r`
}

/** Selects the latest response to each of several disputes. */
export async function responsesOf(
  db: Db,
  { businessId, live }: Tenant,
  ids: readonly number[],
): Promise<Map<number, ResponseRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db.many<ResponseRow>`
    select distinct on (r.dispute_id) ${RESPONSE} from dispute_responses r
    where r.business_id = ${businessId} and r.live = ${live}
      and r.dispute_id = any(${ids}::bigint[])
    order by r.dispute_id, r.id desc`
  return new Map(rows.map((row) => [row.dispute_id, row]))
}

export const selectResponse = (db: Db, { businessId, live }: Tenant, id: number) =>
  db.maybe<ResponseRow>`
    select ${RESPONSE} from dispute_responses r
    where r.business_id = ${businessId} and r.live = ${live} and r.id = ${id}`

/** Ends a response that is being sent. Returns how many responses changed. */
export const endResponse = (
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { status, result, now }: Pick<ResponseRow, 'status' | 'result'> & { now: Date },
): Promise<number> => tx.run`
  update dispute_responses set status = ${status}, result = ${result}, updated_at = ${now}
  where business_id = ${businessId} and live = ${live} and id = ${id} and status = 'Sending'`

// -------------------------------------------------------------------------------- lists

interface DisputeFilter {
  status: DisputeState | undefined
  transactionId: number | undefined
  range: Range
  isDescending: boolean
}

export async function findDisputes(
  db: Db,
  tenant: Tenant,
  { status, transactionId, ...filter }: DisputeFilter,
  page: Page,
) {
  const list = {
    ...filter,
    table: sql`disputes`,
    columns: sql`id, created_at`,
    tenant,
    filters: [
      status && sql`status = ${status}`,
      transactionId === undefined ? undefined : sql`transaction_id = ${transactionId}`,
    ],
  }
  const { rows: places, meta } = await paginate<{ id: number }>(db, list, page)
  const ids = places.map(({ id }) => id)
  const rows = await db.many<DisputeRow>`
    select ${COLUMNS} from ${FROM} where ${of(tenant)} and d.id = any(${ids}::bigint[])`
  const byId = new Map(rows.map((row) => [row.id, row]))
  return { rows: ids.map((id) => byId.get(id)!), meta }
}

// --------------------------------------------------------------------------------- jobs

type DueDispute = RowKey

/** Selects the disputes to look up, of all businesses or of one business's test data. */
export function selectDue(db: Db, now: Date, only: number | null, limit: number) {
  const find = (isOther: Sql) => db.many<DueDispute>`
    select business_id, live, id from disputes
    where look_up_at <= ${now} and ${isOther}
      and (${only}::bigint is null or (business_id = ${only} and not live))
    order by look_up_at limit ${limit}`
  return findFairly(db, 'disputes', limit, find)
}

/**
 * Takes disputes that are still due, and schedules their next lookups: when the response is due,
 * and every few hours before and after.
 */
export const takeDueDisputes = (
  db: Db,
  keys: readonly RowKey[],
  now: Date,
  next: { beforeDue: Date; afterDue: Date },
) =>
  db.many<DisputeRow>`
    with due as (
      select business_id, live, id, case
        when status = 'Open' and due_at <= ${now} then ${next.afterDue}::timestamptz
        when status = 'Open'
          then least(${next.beforeDue}::timestamptz, due_at + interval '1 minute')
        else ${next.beforeDue}::timestamptz end as then_at
      from disputes
      where ${isOneOf(keys)} and look_up_at <= ${now}
      for update skip locked
    )
    update disputes d
    set look_up_at = due.then_at
    from due, transactions t, provider_connections c
    where (d.business_id, d.live, d.id) = (due.business_id, due.live, due.id) and ${isJoined}
    returning ${COLUMNS}`

/** Selects the disputes of which to remind people. */
export const selectReminders = (db: Db, now: Date, only: number | null, limit: number) =>
  db.many<RowKey>`
    select business_id, live, id from disputes
    where remind_at <= ${now}
      and (${only}::bigint is null or (business_id = ${only} and not live))
    order by remind_at limit ${limit}`

/** Takes a reminder, unless the dispute needs no response any more. */
export const takeReminder = (tx: Tx, { business_id, live, id }: RowKey, now: Date) =>
  tx.maybe<DisputeRow>`
    update disputes d set remind_at = null
    from transactions t, provider_connections c
    where d.business_id = ${business_id} and d.live = ${live} and d.id = ${id} and ${isJoined}
      and d.remind_at <= ${now}
    returning ${COLUMNS}`

interface ListRow {
  business_id: number
  live: boolean
  connection_id: number
  /** When that was last tried; null for never. */
  listed_at: Date | null
  /** Up to when all its disputes have been listed; null if they never were. */
  listed_until: Date | null
}

/** Selects connections to real providers whose disputes have not been listed since then. */
export const selectUnlisted = (db: Db, since: Date, only: number | null, limit: number) =>
  db.many<ListRow>`
    select c.business_id, c.live, c.id as connection_id, l.listed_at, l.listed_until
    from provider_connections c
    left join dispute_lists l
      on (l.business_id, l.live, l.connection_id) = (c.business_id, c.live, c.id)
    where c.business_id is not null and c.status in ('Active', 'Paused')
      and (l.listed_at is null or l.listed_at <= ${since})
      and (${only}::bigint is null or (c.business_id = ${only} and not c.live))
    order by l.listed_at nulls first, c.id limit ${limit}`

/** Takes the listing of a connection. Returns whether no other process has taken it since. */
export async function takeListing(
  db: Db,
  { business_id, live, connection_id, listed_at }: ListRow,
  now: Date,
): Promise<boolean> {
  const taken = await db.run`
    insert into dispute_lists (business_id, live, connection_id, listed_at)
    values (${business_id}, ${live}, ${connection_id}, ${now})
    on conflict (business_id, live, connection_id) do update set listed_at = excluded.listed_at
    where dispute_lists.listed_at = ${listed_at}::timestamptz`
  return taken === 1
}

/** Stores up to when all disputes of a connection have been listed. */
export const updateListed = (
  db: Db,
  { businessId, live }: Tenant,
  connectionId: number,
  until: Date,
) => db.run`
  update dispute_lists set listed_until = ${until}
  where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
    and (listed_until is null or listed_until < ${until})`
