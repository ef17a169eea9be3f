import { addMs } from '../lib/clock.ts'
import type {
  Absence,
  NotNowCode,
  Outcome,
  Provider,
  RefusalCode,
} from '../providers/connector/types.ts'
import type { OrderKind, OrderState } from './kind.ts'
import type { Attention, ClaimedOrder, OrderKindName, OrderRow } from './queries.ts'
import type { Report } from './queries-reports.ts'

/* What each outcome does to an order. docs/design/provider-orders.md has the table. */

/** A figure or state in which the provider's report differs from the order. */
export interface Mismatch {
  field: 'amount' | 'currency' | 'status'
  ours: string
  theirs: string
}

export interface Effect<State> {
  report: Report
  /** The state to apply to the record, if the outcome changes it. */
  state?: State
  mismatch?: Mismatch
  /** What to do in the same run. */
  next?: 'look up' | 'move' | 'send again' | 'order again'
  /** The effect if there is no other connection to move to. */
  otherwise?: Effect<State>
}

/** The refusals that are about the order, and therefore final. */
const FINAL: readonly RefusalCode[] = [
  'unknown_account',
  'unknown_bank',
  'unknown_customer',
  'unknown_package',
  'declined',
  'amount_out_of_range',
  'not_refundable',
]

/**
 * Every refusal ends an order that people can simply make again: a charge whose payer has been
 * shown nothing to pay with, and a response to a dispute.
 */
const isFinal = (kind: OrderKindName, code: RefusalCode): boolean =>
  isSafeAgain(kind) ||
  FINAL.includes(code) ||
  (code === 'unsupported' && (kind === 'bill' || kind === 'deposit_return'))

/** Whether nothing is lost if a provider has taken the order although it said that it did not. */
const isSafeAgain = (kind: OrderKindName): boolean =>
  kind === 'charge' || kind === 'dispute_response'

/** The refusals after which another connection may still accept the order. */
const MOVING: Partial<Record<OrderKindName, readonly RefusalCode[]>> = {
  charge: ['unsupported', 'amount_out_of_range', 'bad_request', 'unknown_order'],
  transfer: ['unsupported'],
  settlement: ['unsupported'],
  bill: ['unsupported', 'unknown_package'],
}

/**
 * These say by themselves that nothing happened: our side did not send anything, or the provider's
 * own response names the reason. After the others, a proxy may have answered in the provider's
 * place. An order that moves money out is then sent again only after the same proof as after a
 * timeout.
 */
const PROVEN: readonly NotNowCode[] = [
  'not_reached',
  'insufficient_provider_balance',
  'feature_off',
  'limit_reached',
  'address_not_allowed',
]

const MINUTE_MS = 60_000

/** How long to wait before sending an order again, after each time that it could not be taken. */
const PAUSES_MS = [1, 2, 5, 15, 60].map((minutes) => minutes * MINUTE_MS)
const PAUSE_MS = { least: 1_000, most: 60 * MINUTE_MS }

/** How long an order can be open, or its outcome unknown, before a person has to look at it. */
export const NOT_SENT_MS = 24 * 60 * MINUTE_MS
export const UNKNOWN_MS = 15 * MINUTE_MS
const NOT_FOUND_MS = 60 * MINUTE_MS

/** The first lookups of an order with an unknown outcome. */
const SOON_MS = { afterSending: 5_000, afterLookUp: 30_000 }

/** How far apart two lookups must be to prove that an order never arrived. */
const ABSENT_MS = MINUTE_MS

/** The reasons that an order is not sent again by itself, even if it has never arrived. */
const HELD_BACK: readonly Attention[] = ['bad_request', 'not_found', 'different', 'contradiction']

/** Returns the effect of the response to sending an order. */
export function afterSending<State extends OrderState>(
  kind: Pick<OrderKind<State>, 'refused'>,
  order: ClaimedOrder,
  outcome: Outcome<State>,
  now: Date,
): Effect<State> {
  const isFirst = !order.may_be_sent
  const said = { ...saidBy(outcome), now }
  switch (outcome.kind) {
    case 'done':
      return reported(order, outcome, now)
    case 'refused': {
      const state = kind.refused(outcome.message)
      const otherwise: Effect<State> = isFinal(order.kind, outcome.code)
        ? { report: { ...said, state: state.status }, state }
        : { report: { ...said, attention: 'bad_request' } }
      const canMove = isFirst && MOVING[order.kind]?.includes(outcome.code)
      return canMove ? { report: { ...said, isNotSent: true }, next: 'move', otherwise } : otherwise
    }
    case 'notNow': {
      const { code, isUnsent = PROVEN.includes(code) } = outcome
      const isProven = isSafeAgain(order.kind) || isUnsent
      const report: Report = {
        ...said,
        ...notNow(order, outcome.retryAfterMs, now),
        isNotSent: isFirst && isProven,
        isRefused: isFirst && !isProven,
      }
      return isFirst && isProven ? { report, next: 'move' } : { report }
    }
    case 'unknown':
      if (outcome.reason === 'duplicate') return { report: said, next: 'look up' }
      return { report: { ...said, ...unknown(order, SOON_MS.afterSending, now) } }
  }
}

/**
 * Returns the effect of a lookup that began at `askedAt`. A refused lookup is inconclusive, unless
 * the provider does not know the order.
 */
export function afterLookUp<State extends OrderState>(
  order: ClaimedOrder | OrderRow,
  outcome: Outcome<State>,
  provider: Pick<Provider, 'absence' | 'connection'>,
  { askedAt, now }: { askedAt: Date; now: Date },
): Effect<State> {
  if (outcome.kind === 'done') return reported(order, outcome, now)
  const said = { ...saidBy(outcome), now }
  if (outcome.kind === 'refused' && outcome.code === 'unknown_order') {
    const { provenAfterMs, repeatIsSafe } = absenceOf(order.kind, provider)
    const isProof = !mayBeElsewhere(order, provider)
    const absence = { provenAfterMs: isProof ? provenAfterMs : null, repeatIsSafe }
    return absent(order, absence, said, askedAt)
  }
  const isEarly = !isOlder(order.last_sent_at ?? now, SOON_MS.afterLookUp, now)
  const wait = unknown(order, isEarly ? SOON_MS.afterLookUp : undefined, now)
  if (outcome.kind === 'notNow') {
    return { report: { ...said, ...wait, waitMs: boundedPause(outcome.retryAfterMs) } }
  }
  return { report: { ...said, outcome: 'unknown', ...wait } }
}

/** How long after they were replaced credentials can still be used. */
const LAST_USE_MS = MINUTE_MS

/**
 * Whether the order may have been sent to another account of the provider: since then, someone has
 * replaced the connection's credentials, and the new ones may belong to another account, which does
 * not know the order.
 */
function mayBeElsewhere(order: OrderRow, { connection }: Pick<Provider, 'connection'>): boolean {
  const { credentialsSince } = connection
  if (!credentialsSince || !order.last_sent_at || order.is_refused) return false
  return order.last_sent_at < addMs(credentialsSince, LAST_USE_MS)
}

type Service = keyof Provider['absence'] | 'dispute'

export const serviceOf = (kind: OrderKindName): Service => SERVICES[kind]

const SERVICES: Readonly<Record<OrderKindName, Service>> = {
  charge: 'charge',
  transfer: 'payout',
  settlement: 'payout',
  bill: 'bill',
  // A provider refunds a payment, whether or not we have accepted it.
  refund: 'refund',
  deposit_return: 'refund',
  dispute_response: 'dispute',
}

/** The lookup of a response finds it absent if the provider still waits for one. */
const RESPONSE_ABSENCE: Absence = { provenAfterMs: MINUTE_MS, repeatIsSafe: true }

function absenceOf(kind: OrderKindName, { absence }: Pick<Provider, 'absence'>): Absence {
  const service = serviceOf(kind)
  return service === 'dispute' ? RESPONSE_ABSENCE : absence[service]
}

/** Whether money left the balance, even if it came back. */
export const isPaid = ({ status }: Pick<OrderState, 'status'>): boolean =>
  status === 'Successful' || status === 'Returned'

const notNow = (order: OrderRow, retryAfterMs: number | undefined, now: Date) => ({
  isNotNow: true,
  waitMs: pauseOf(retryAfterMs, order.not_now_count),
  attention: isOlder(order.not_now_since ?? now, NOT_SENT_MS, now)
    ? ('not_sent' as const)
    : undefined,
})

const saidBy = (outcome: Outcome<unknown>): Omit<Report, 'now'> => ({
  outcome: outcome.kind,
  code: 'code' in outcome ? outcome.code : 'reason' in outcome ? outcome.reason : undefined,
  message: 'message' in outcome ? outcome.message : undefined,
  refs: 'refs' in outcome ? outcome.refs : undefined,
})

/** A report that differs from the order is not applied. */
function reported<State extends OrderState>(
  order: OrderRow,
  { value, refs }: { value: State; refs?: Report['refs'] },
  now: Date,
): Effect<State> {
  const { status, message, action, fee_minor, notNow: why, unknownWord: word } = value
  const report: Report = { outcome: 'done', refs, now }
  const mismatch = mismatchOf(order, value)
  if (mismatch) {
    const says = `${mismatch.field}: ${mismatch.theirs} instead of ${mismatch.ours}`
    return { report: { ...report, message: says, attention: 'different' }, mismatch }
  }
  if (why && status === 'Failed' && serviceOf(order.kind) === 'payout' && !order.ended_at) {
    // A person decides: after a restore, it may have been ordered again at another connection.
    if (order.attention === 'not_found') {
      return { report: { ...report, code: why, message, attention: 'not_found' } }
    }
    const again = { code: why, message, ...notNow(order, undefined, now) }
    return { report: { ...report, ...again }, next: 'order again' }
  }
  // A state that we do not know may be the last one, so somebody has to look at it in the end.
  const isLong = word !== undefined && isOlder(order.last_sent_at ?? now, NOT_SENT_MS, now)
  const isBlocked = status === 'Blocked' && action !== undefined
  return {
    state: value,
    report: {
      ...report,
      state: status,
      message: action ?? (status === 'Pending' ? word && namedUnknown(word) : message),
      fee_minor: fee_minor ?? undefined,
      attention: isBlocked ? 'blocked' : isLong ? 'unknown' : undefined,
    },
  }
}

const namedUnknown = (word: string): string => `The provider calls its state "${word}".`

function mismatchOf(order: OrderRow, state: OrderState): Mismatch | undefined {
  // What a payer has not paid yet says nothing about the order.
  if (order.kind === 'charge' && state.status !== 'Successful') return undefined
  const { amount_minor: ours, currency } = order
  const { amount_minor: theirs = null, currency: theirCurrency = null } = state
  if (ours !== null && theirs !== null && ours !== theirs) {
    return { field: 'amount', ours: `${ours}`, theirs: `${theirs}` }
  }
  if (currency !== null && theirCurrency !== null && currency !== theirCurrency) {
    return { field: 'currency', ours: currency, theirs: theirCurrency }
  }
  return undefined
}

/** Payers wait for charges, so they have a separate plan, and no person is needed. */
const unknown = (
  order: OrderRow,
  waitMs: number | undefined,
  now: Date,
): Partial<Pick<Report, 'waitMs' | 'attention'>> =>
  order.kind === 'charge'
    ? {}
    : {
        waitMs,
        attention:
          !isHeldBack(order) && isOlder(order.last_sent_at ?? now, UNKNOWN_MS, now)
            ? 'unknown'
            : undefined,
      }

/** A lookup without a result must not overwrite why a person has to look at the order. */
const isHeldBack = ({ attention }: OrderRow): boolean =>
  attention !== null && HELD_BACK.includes(attention)

/**
 * The provider does not know the order. That proves that the order never arrived only some time
 * after it was last sent, and only if the provider has said so twice. If the provider had also
 * refused the order for now, the order can then move; otherwise, it stays at its connection.
 */
function absent<State>(
  order: ClaimedOrder | OrderRow,
  { provenAfterMs, repeatIsSafe }: Absence,
  said: Report,
  askedAt: Date,
): Effect<State> {
  const { now } = said
  const since = order.absent_since ?? now
  const report: Report = {
    ...said,
    outcome: 'unknown',
    code: 'not_found_yet',
    isAbsent: true,
    // An order that has not arrived and cannot be sent now is still such an order.
    ...(order.attention !== 'not_sent' && unknown(order, undefined, now)),
  }
  if (provenAfterMs === null) {
    const isLong = isOlder(since, NOT_FOUND_MS, now)
    return { report: isLong ? { ...report, attention: 'not_found' } : report }
  }
  const sentAt = order.last_sent_at ?? now
  const isLate = askedAt.getTime() >= sentAt.getTime() + provenAfterMs
  const isTwice = provenAfterMs === 0 || isOlder(since, ABSENT_MS, now)
  if (!isLate || !isTwice) {
    const provenAt = Math.max(sentAt.getTime() + provenAfterMs, addMs(since, ABSENT_MS).getTime())
    return { report: { ...report, waitMs: provenAt - now.getTime() } }
  }
  if (!repeatIsSafe) return { report: { ...report, attention: 'not_found' } }
  if (isHeldBack(order)) return { report }
  return order.is_refused
    ? { report: { ...said, isNotSent: true, waitMs: 0 }, next: 'move' }
    : { report, next: 'send again' }
}

/** The order has never arrived, but cannot be sent now. Its proof begins again. */
export const notSentAgain = (order: OrderRow, { isAbsent: _, ...report }: Report): Report => ({
  ...report,
  attention: isOlder(order.last_sent_at ?? report.now, NOT_SENT_MS, report.now)
    ? 'not_sent'
    : report.attention,
})

export const isOlder = (since: Date, ms: number, now: Date): boolean =>
  now.getTime() - since.getTime() >= ms

const pauseOf = (asked: number | undefined, count: number): number =>
  boundedPause(asked) ?? PAUSES_MS[Math.min(count, PAUSES_MS.length - 1)]!

/** Waits as long as the provider asks, within limits. */
const boundedPause = (ms: number | undefined) =>
  ms === undefined ? undefined : Math.min(Math.max(ms, PAUSE_MS.least), PAUSE_MS.most)
