import type { Notification } from '../providers/connector/types.ts'
import type { Finding, LookUpSubject, NoticeSubject } from '../providers/inbox/jobs.ts'
import { openMissing } from './differences.ts'
import { type CallDeps, lookUpOrder, type OrderKinds } from './orders.ts'
import { serviceOf } from './outcomes.ts'
import {
  type OrderRow,
  ordersBySent,
  selectByProviderId,
  selectOpenRefunds,
  selectOutcome,
} from './queries.ts'

/** Looks up a dispute that a notification names. Returns undefined if none of our payments fits. */
export type LookUpDispute = (subject: NoticeSubject, now: Date) => Promise<Finding | undefined>

/**
 * Returns a function that looks up what a notification is about: a dispute, or orders. It ignores
 * orders of other connections.
 */
export function noticeHandler(
  deps: CallDeps,
  kinds: OrderKinds,
  lookUpDispute: LookUpDispute,
): LookUpSubject {
  return async (subject, now) => {
    if (subject.about === 'none' || subject.about === 'settlement') {
      return { status: 'Unchanged', result: 'Nothing is looked up for this type.' }
    }
    if (subject.about === 'dispute') {
      return (await lookUpDispute(subject, now)) ?? unmatched(deps, subject, now)
    }
    const orders = await ordersOf(deps, subject)
    if (orders.length === 0) return unmatched(deps, subject, now)
    let isApplied = false
    let isEarly = false
    for (const order of orders) {
      const { isChanged, isUnpaid } = await lookUp(deps, kinds, order, now)
      if (isChanged) isApplied = true
      if (isUnpaid) isEarly = true
    }
    if (isApplied) return { status: 'Applied' }
    return isEarly ? { status: 'Unchanged', result: UNPAID, isEarly } : { status: 'Unchanged' }
  }
}

const UNPAID = 'The charge is not paid yet.'

async function ordersOf({ db }: CallDeps, subject: NoticeSubject): Promise<OrderRow[]> {
  const { tenant, connectionId, about, reference, providerId } = subject
  const sent = reference
    ? (await ordersBySent(db).add({ tenant, sentReference: reference })).filter(
        (order) => order.connection_id === connectionId,
      )
    : []
  // Some notifications of refunds only name the charge.
  const isOfCharge = about === 'refund' && sent.some(({ kind }) => kind === 'charge')
  if (sent.length > 0 && !isOfCharge) return sent
  const found = providerId ? await selectByProviderId(db, tenant, connectionId, providerId) : []
  const fit = found.filter(({ kind }) => (about === 'refund') === (serviceOf(kind) === 'refund'))
  if (fit.length > 0) return fit
  return isOfCharge ? selectOpenRefunds(db, tenant, connectionId) : []
}

/**
 * Looks up an order. Returns whether it changed, and whether it is a charge that nobody has paid as
 * far as the provider shows: it can notify us before its own lookup shows the payment, and an
 * account is otherwise looked up only once it has expired. Throws if the provider did not say.
 */
async function lookUp(
  deps: CallDeps,
  kinds: OrderKinds,
  order: OrderRow,
  now: Date,
): Promise<{ isChanged: boolean; isUnpaid: boolean }> {
  const kind = kinds[order.kind]
  if (!kind) return { isChanged: false, isUnpaid: false }
  await lookUpOrder(deps, kind, order, now, 'notice')
  const after = await selectOutcome(deps.db, order)
  const isOpen = after?.ended_at === null
  if (isOpen && (after.last_outcome === 'unknown' || after.last_outcome === 'notNow')) {
    throw new Error('The provider did not report the state.')
  }
  const isChanged = after?.state !== order.state || (order.ended_at === null && !isOpen)
  return { isChanged, isUnpaid: isOpen && order.kind === 'charge' }
}

/** Money that a provider reports and that we know nothing about needs a person. */
async function unmatched(
  { db, ids }: CallDeps,
  subject: NoticeSubject,
  now: Date,
): Promise<Finding> {
  if (subject.isLast) await db.transaction((tx) => openMissing(tx, ids, subject, now))
  return { status: 'Unmatched', result: 'No record of this connection fits.', isEarly: true }
}

/**
 * Returns a function that looks up the order in a notification of the simulator. It ignores unknown
 * orders.
 */
export function simulatorNoticeHandler(deps: CallDeps, kinds: OrderKinds) {
  return async ({ tenant, reference }: Notification, now: Date): Promise<void> => {
    const found = { tenant, sentReference: reference }
    for (const order of await ordersBySent(deps.db).add(found)) {
      const kind = kinds[order.kind]
      if (kind) await lookUpOrder(deps, kind, order, now)
    }
  }
}
