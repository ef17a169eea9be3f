import { wouldNeedApproval } from '../business/account/approval.ts'
import { appendAudit, OPERATOR } from '../business/audit-log/log.ts'
import type { Database, Db, Tx } from '../db/database.ts'
import { all, sql } from '../db/sql.ts'
import type { Deps } from '../deps.ts'
import { hurryDeliveries } from '../developers/webhooks/deliver.ts'
import { disableEndpoint, findWebhook } from '../developers/webhooks/endpoints.ts'
import type { Caller, Tenant } from '../lib/caller.ts'
import { addMs } from '../lib/clock.ts'
import type { EmailComposers } from '../mail/email.ts'
import { dropMail, sendMailAgain } from '../mail/jobs.ts'
import { decideTransfer } from '../money/transfers/approval.ts'
import { cancelRefund } from '../payments/refunds/finish.ts'
import { askAgain, type RetryDeps } from '../payments/refunds/retry.ts'
import { decideOrder, isUnresolvedAt } from '../provider-orders/decisions.ts'
import {
  findCurrentOrder,
  lookUpOrder,
  type OrderKindName,
  type OrderKinds,
  type OrderRow,
} from '../provider-orders/orders.ts'
import { closeNotice, replayNotice } from '../providers/inbox/inbox.ts'

export const STUCK_KINDS = [
  'order',
  'transfer',
  'refund',
  'payment',
  'email',
  'webhook',
  'notice',
] as const
export type StuckKind = (typeof STUCK_KINDS)[number]

/** Something that waits for a person, or that has waited for too long. */
export interface StuckRow {
  kind: StuckKind
  /** The record that a provider order belongs to, such as `transfer`. */
  subject_kind: string | null
  id: number
  business_id: number
  live: boolean
  time_zone: string
  /** How far the clock of the business is ahead of the server's. */
  ahead_ms: number
  connection_id: number | null
  reference: string
  state: string
  reason: string | null
  /** Since when, by the business's clock. */
  since: Date
}

interface StuckFilter {
  now: Date
  kind?: StuckKind | undefined
  businessId?: number | undefined
  /** Only what has been stuck this long. */
  olderThanMs?: number
  id?: number | undefined
  subjectKind?: string | undefined
  limit: number
}

/** How long a transfer can wait for approval, and an email or an expired payment for its job. */
const APPROVAL_MS = 24 * 3_600_000
const LATE_EMAIL_MS = 3_600_000
const LATE_PAYMENT_MS = 15 * 60_000

/** How an item is named on the command line, such as `transfer:512` or `order:refund:513`. */
export const stuckName = ({
  kind,
  subject_kind,
  id,
}: Pick<StuckRow, 'kind' | 'subject_kind' | 'id'>): string =>
  [kind, subject_kind, id].filter((part) => part !== null).join(':')

/**
 * Selects what is stuck in all businesses, oldest first. Each part reads an index that contains
 * little else, one business after another.
 */
export function selectStuck(db: Db, filter: StuckFilter): Promise<StuckRow[]> {
  const { now, kind, businessId, olderThanMs = 0, id, subjectKind, limit } = filter
  const before = addMs(now, -olderThanMs)
  const fits = all([
    sql`s.since <= ${before}::timestamptz + s.ahead_ms * interval '1 millisecond'`,
    kind === undefined ? undefined : sql`s.kind = ${kind}`,
    id === undefined ? undefined : sql`s.id = ${id}`,
    subjectKind === undefined ? undefined : sql`s.subject_kind = ${subjectKind}`,
  ])
  const isOfTenant = businessId === undefined ? sql`true` : sql`b.id = ${businessId}`
  return db.many<StuckRow>`
    with tenants as materialized (
      select b.id as business_id, s.live, s.time_zone,
        case when s.live then 0 else b.test_clock_offset_ms end as ahead_ms
      from businesses b join business_settings s on s.business_id = b.id
      where ${isOfTenant}
    ), found as (
      select 'order' as kind, o.kind as subject_kind, o.subject_id as id, o.business_id, o.live,
        o.connection_id, o.reference, coalesce(o.attention, 'unknown') as state,
        o.last_message as reason,
        coalesce(o.attention_at, o.last_sent_at, o.sent_at, o.created_at) as since
      from provider_orders o where ${isUnresolvedAt(now)}
      union all
      select 'transfer', null, t.id, t.business_id, t.live, null::bigint, t.reference,
        t.status, coalesce(t.failure_reason, t.doubt), t.updated_at
      from tenants n join lateral (
        select * from transfers where business_id = n.business_id and live = n.live
          and (status = 'Blocked' or status = 'Unverified'
            and updated_at <= ${addMs(now, -APPROVAL_MS)}::timestamptz
              + n.ahead_ms * interval '1 millisecond')
      ) t on t.business_id = n.business_id and t.live = n.live
      union all
      select 'refund', null, r.id, r.business_id, r.live, null, r.reference, r.status,
        r.message, r.updated_at
      from tenants n join lateral (
        select * from refunds
        where business_id = n.business_id and live = n.live and status = 'NeedsAttention'
      ) r on r.business_id = n.business_id and r.live = n.live
      union all
      select 'payment', null, p.id, p.business_id, p.live, null, p.reference, 'expired',
        p.message, p.expires_at
      from transactions p
      where p.status = 'Pending' and p.expires_at <= ${addMs(now, -LATE_PAYMENT_MS)}
      union all
      select 'email', null, m.id, m.business_id, m.live, null, m.kind, m.status,
        m.last_error, coalesce(m.settled_at, m.created_at)
      from mails m
      where m.status = 'Failed'
        or m.status = 'Queued' and m.created_at <= ${addMs(now, -LATE_EMAIL_MS)}
      union all
      select 'webhook', null, w.id, w.business_id, w.live, null, w.reference, 'failing',
        w.failure_count || ' failures in a row', w.failing_since
      from webhooks w where w.status = 'Active' and w.failing_since is not null
      union all
      select 'notice', null, c.id, c.business_id, c.live, c.connection_id,
        coalesce(c.reference, c.type), c.status, c.result, c.received_at
      from provider_notices c where c.status = 'Failed'
    )
    select s.* from (
      select found.*, n.time_zone, n.ahead_ms
      from found join tenants n on n.business_id = found.business_id and n.live = found.live
    ) as s
    where ${fits} order by s.since, s.kind, s.id limit ${limit}`
}

/** What the dashboard's own routes for the same actions need. */
export interface StuckDeps extends Deps, RetryDeps {
  db: Database
  orderKinds: OrderKinds
  emailComposers: EmailComposers
}

/** Thrown, with the reason, for what the rules of an item do not allow. */
export class NotPossible extends Error {}

const mailIsOut = () => new NotPossible('The email has been sent, or is being sent.')

interface About {
  row: StuckRow
  /** The operator, acting for the business. */
  caller: Caller
  /** By the server's clock. */
  now: Date
}

/** Tries to get one item moving, and returns what was done. Throws if that is not possible. */
type Retry = (deps: StuckDeps, about: About) => Promise<string>
/** Ends one item with a reason, as far as its rules allow. */
type Fail = (deps: StuckDeps, about: About, reason: string) => Promise<string>

/**
 * Retries one item through the service that the dashboard uses, and logs it in the business's audit
 * log. Returns what was done.
 */
export const retryStuck = (deps: StuckDeps, row: StuckRow, now: Date): Promise<string> =>
  RETRIES[row.kind](deps, { row, caller: operatorFor(row, now), now })

/** Ends one item with a reason, in the same way. */
export const failStuck = (
  deps: StuckDeps,
  row: StuckRow,
  reason: string,
  now: Date,
): Promise<string> => FAILURES[row.kind](deps, { row, caller: operatorFor(row, now), now }, reason)

const RETRIES: Record<StuckKind, Retry> = {
  order: askProvider,
  payment: askProvider,
  async transfer(deps, { row, caller, now }) {
    if (row.state === 'Unverified') {
      throw new NotPossible('It waits for someone in the business to approve it.')
    }
    await deps.db.transaction(async (tx) => {
      await decideTransfer('retry')(tx, deps, caller, row.reference)
      await log(tx, row, now, 'retry_transfer', 'Sent a blocked transfer again')
    })
    return 'It is sent again.'
  },
  async refund(deps, { row, caller, now }) {
    await deps.db.transaction((tx) =>
      log(tx, row, now, 'retry_refund', 'Asked the provider for the outcome of a refund'),
    )
    await askAgain(deps, caller, row.reference)
    return 'It no longer needs attention.'
  },
  async email(deps, { row, caller, now: serverNow }) {
    await deps.db.transaction(async (tx) => {
      const at = { id: row.id, now: caller.now, serverNow }
      if (!(await sendMailAgain(tx, deps.emailComposers, caller, at))) throw mailIsOut()
      await log(tx, row, serverNow, 'mail.retry', 'Queued an email again')
    })
    return 'It is queued again.'
  },
  async webhook(deps, { row, caller, now: serverNow }) {
    const { db } = deps
    const at = { now: caller.now, serverNow }
    const count = await hurryDeliveries(db, tenantOf(row), row.id, at)
    await db.transaction((tx) =>
      log(tx, row, serverNow, 'webhook.retry', 'Made the waiting deliveries of an endpoint due'),
    )
    return `Deliveries that are due now: ${count}.`
  },
  async notice(deps, { row, caller, now }) {
    await deps.db.transaction(async (tx) => {
      if (!(await replayNotice(tx, tenantOf(row), noticeKeyOf(row), caller.now))) {
        throw new NotPossible('It cannot be read.')
      }
      const detail = 'Looked up again what a notification was about'
      await log(tx, row, now, 'provider.notification_replay', detail)
    })
    return 'It is looked up again.'
  },
}

const FAILURES: Record<StuckKind, Fail> = {
  order: decideNotPaid,
  payment: decideNotPaid,
  async transfer(deps, { row, caller, now }, reason) {
    if (row.state !== 'Unverified') {
      throw new NotPossible('Only its provider decides. Retry it instead.')
    }
    await deps.db.transaction(async (tx) => {
      await decideTransfer('reject')(tx, deps, caller, row.reference)
      await log(tx, row, now, 'reject_transfer', `Rejected a transfer: ${reason}`)
    })
    return 'It is rejected, and its money is released.'
  },
  async refund(deps, { row, caller, now }, reason) {
    await deps.db.transaction(async (tx) => {
      await cancelRefund(tx, deps, caller, row.reference)
      await log(tx, row, now, 'cancel_refund', `Cancelled a refund: ${reason}`)
    })
    return 'It is cancelled.'
  },
  async email(deps, { row, caller, now: serverNow }, reason) {
    await deps.db.transaction(async (tx) => {
      const change = { id: row.id, now: caller.now, serverNow, reason }
      if (!(await dropMail(tx, deps.emailComposers, caller, change))) throw mailIsOut()
      await log(tx, row, serverNow, 'mail.drop', `Dropped an email: ${reason}`)
    })
    return 'It is dropped.'
  },
  async webhook(deps, { row, caller, now }, reason) {
    const { url } = await findWebhook(deps.db, caller, row.reference)
    const { business_id, live, id: webhook_id } = row
    await disableEndpoint(deps, { business_id, live, webhook_id, url }, reason, caller.now)
    await deps.db.transaction((tx) =>
      log(tx, row, now, 'webhook.disable', `Disabled an endpoint: ${reason}`),
    )
    return 'The endpoint is disabled, and the owner is informed.'
  },
  async notice(deps, { row, caller, now }, reason) {
    await deps.db.transaction(async (tx) => {
      const says = reason.slice(0, RESULT_MAX)
      if (!(await closeNotice(tx, tenantOf(row), noticeKeyOf(row), says, caller.now))) {
        throw new NotPossible('It is no longer failed.')
      }
      await log(tx, row, now, 'provider.notification_close', `Closed a notification: ${reason}`)
    })
    return 'It is closed.'
  },
}

const RESULT_MAX = 300

/** Asks the provider for the outcome of a provider order or a payment. */
async function askProvider(deps: StuckDeps, { row, caller, now }: About): Promise<string> {
  const order = await orderOf(deps, row)
  await deps.db.transaction((tx) =>
    log(tx, row, now, 'order.look_up', 'Asked the provider for the outcome of an order'),
  )
  const kind = deps.orderKinds[order.kind]
  if (kind) await lookUpOrder(deps, kind, order, caller.now)
  const after = await orderOf(deps, row)
  if (after.ended_at === null || after.attention !== null) {
    throw new NotPossible('The provider was asked, and the outcome is still open.')
  }
  return `The provider was asked: ${after.state}.`
}

/**
 * Decides that a provider order was not paid, as someone in the business can. Above the approval
 * limits, someone in the business has to decide the same.
 */
async function decideNotPaid(
  deps: StuckDeps,
  { row, caller, now }: About,
  reason: string,
): Promise<string> {
  const order = await orderOf(deps, row)
  const { amount_minor, currency } = order
  const needsSecond =
    order.kind !== 'charge' &&
    amount_minor !== null &&
    currency !== null &&
    (await wouldNeedApproval(deps.db, deps.people, caller, { amount_minor, currency }))
  const deciding = {
    decision: 'not_paid' as const,
    reason,
    statement: reason,
    needsSecond,
    now: caller.now,
    by: { id: OPERATOR_ID, name: OPERATOR.name },
  }
  const isDone = await decideOrder(
    deps,
    deps.orderKinds,
    tenantOf(row),
    order,
    deciding,
    (tx, status) => {
      const isFinal = status === 'Done'
      const detail = `${isFinal ? 'Decided' : 'Proposed'}: the order was not paid: ${reason}`
      return log(tx, row, now, isFinal ? 'order.decide' : 'order.propose', detail)
    },
  )
  return isDone
    ? 'The order counts as not paid.'
    : 'Proposed. Someone in the business has to decide the same.'
}

async function orderOf({ db }: StuckDeps, row: StuckRow): Promise<OrderRow> {
  const kind = (row.subject_kind ?? 'charge') as OrderKindName
  const order = await findCurrentOrder(db, tenantOf(row), kind, row.id)
  if (!order) throw new NotPossible('No provider has an order for it.')
  return order
}

const tenantOf = ({ business_id: businessId, live }: StuckRow): Tenant => ({ businessId, live })

const noticeKeyOf = ({ connection_id, id: noticeId }: StuckRow) => ({
  connectionId: connection_id!,
  noticeId,
})

/** No person and no key has this id. */
const OPERATOR_ID = 0

const operatorFor = ({ time_zone: timeZone, ahead_ms, ...row }: StuckRow, now: Date): Caller => ({
  ...tenantOf({ ...row, time_zone: timeZone, ahead_ms }),
  keyId: OPERATOR_ID,
  key: { name: OPERATOR.name, madeBy: null },
  scopes: null,
  expiresAt: null,
  timeZone,
  now: addMs(now, ahead_ms),
})

const log = (
  tx: Tx,
  { business_id: businessId, live, reference: object }: StuckRow,
  at: Date,
  action: string,
  detail: string,
): Promise<void> => appendAudit(tx, OPERATOR, { businessId, live, at, action, object, detail })
