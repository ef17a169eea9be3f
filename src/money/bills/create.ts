import { setTimeout as sleep } from 'node:timers/promises'
import { passedDailyLimit } from '../../business/account/approval.ts'
import { databaseDown } from '../../db/connections.ts'
import type { Database, Tx } from '../../db/database.ts'
import { type Claim, type StoredResponse, twoPhase } from '../../db/idempotency.ts'
import type { Log } from '../../db/log.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { formatAmount, type Minor, parseAmount } from '../../lib/money.ts'
import { conflict, invalid, Problem } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import { sendOrder } from '../../provider-orders/orders.ts'
import { FIRST_LOOKUP_MS, firstOrder, type NewOrder } from '../../provider-orders/statements.ts'
import type { UtilityPackage } from '../../providers/connector/utilities.ts'
import { requirePayouts } from '../../providers/pauses.ts'
import { holdOrRetry, requireBalance } from '../wallet/service.ts'
import { billQuery, CURRENCY, FEE_MINOR, findSold } from './catalogue.ts'
import { billOrders } from './provider-order.ts'
import {
  type BillRow,
  insertPayment,
  selectById,
  selectEnquiry,
  selectIfStored,
  selectUnlessFailed,
} from './queries.ts'
import { utilityBody, utilityEvent } from './record.ts'
import type { PaymentResponse, UtilityPayment } from './schemas.ts'

/** Shorter than the server's own limit of 30 s, after which the response would be a 500. */
const ANSWER_MS = 25_000

/** How long to look for a payment whose commit was not confirmed. */
const STORED_WITHIN_MS = 5_000
/** By then, a commit that reached the server has taken effect. */
const COMMITTED_WITHIN_MS = 1_000
const LOOK_EVERY_MS = 250

type PayDeps = Pick<Deps, 'db' | 'ids' | 'providers' | 'clock' | 'people'> & { log: Log }

interface Paying {
  claim: Claim | undefined
  answer(body: PaymentResponse): StoredResponse<PaymentResponse>
  /**
   * Resolves when the request can wait no longer, and the response must report an unknown outcome.
   * Default: after 25 s.
   */
  late?: (signal: AbortSignal) => Promise<unknown>
}

/**
 * Buys something for a customer, exactly once for each paymentReference. Returns the outcome, or
 * Pending if it is not known yet. Throws a 500 only if nothing was bought. Throws the same errors
 * as `beginPayment`.
 */
export async function pay(
  deps: PayDeps,
  caller: Caller,
  request: BillRequest,
  { claim, answer, late = afterLong }: Paying,
): Promise<StoredResponse<PaymentResponse>> {
  const { db, log } = deps
  const { businessId, live } = caller
  const tenant = { businessId, live }
  const began = deps.clock.now().getTime()
  /** Returns the business's time, which can be ahead of the server's. */
  const clock = () => addMs(caller.now, deps.clock.now().getTime() - began)
  /** The payment for this request. If it is new, only this request calls the provider about it. */
  let begun: Begun | undefined
  /**
   * Until the commit of a new payment is confirmed, the payment may not exist, so no response can
   * report it.
   */
  let isStored = false
  const say = (row: BillRow) => answer(utilityBody(row))
  const soFar = () => {
    if (begun && (isStored || !begun.isNew)) return say(begun.row)
    throw stillRunning()
  }

  const work = twoPhase(db, claim, {
    async begin(tx) {
      begun = undefined
      begun = await beginPayment(tx, deps, caller, request)
      return begun.row.id
    },
    async finish(id) {
      isStored = true
      if (begun?.isNew) {
        await send(deps, tenant, begun, clock).catch((error) =>
          log.error({ err: error, id }, 'a utility payment is waiting to be looked up'),
        )
      }
      const row = await selectById(db, tenant, id)
      if (row.status === 'Failed') return { failure: failed(row) }
      return { answer: say(row), isFinal: row.status === 'Successful' }
    },
  }).catch(async (error) => {
    if (!(error instanceof Problem) || error.code !== 'outcome_unknown') throw error
    // The commit or a later step was interrupted. If the row exists, the job continues with the
    // payment.
    if (begun?.isNew && !isStored) return say(await lookForStored(db, tenant, begun.row.id, error))
    return soFar()
  })
  return within(late, work, soFar)
}

const send = (
  deps: PayDeps,
  tenant: Tenant,
  { row, order }: Begun & { isNew: true },
  clock: () => Date,
) => sendOrder(deps, billOrders(deps), firstOrder('bill', tenant, row, order), row, clock)

/**
 * Finds the payment whose commit was not confirmed, as soon as a new connection can check. Throws
 * 503 if it does not exist, and 409 if this is still unknown after 5 s.
 */
async function lookForStored(
  db: Database,
  tenant: Tenant,
  id: number,
  cause: unknown,
): Promise<BillRow> {
  const began = performance.now()
  for (let passedMs = 0; passedMs < STORED_WITHIN_MS; passedMs = performance.now() - began) {
    const row = await selectIfStored(db, tenant, id).catch(() => 'unreachable' as const)
    if (row && row !== 'unreachable') return row
    if (!row && passedMs > COMMITTED_WITHIN_MS) throw databaseDown(cause)
    await sleep(LOOK_EVERY_MS)
  }
  throw stillRunning()
}

const failed = ({ message }: BillRow) =>
  new Problem('internal', 'utility_payment_failed', `Nothing was bought: ${message}.`)

const stillRunning = () =>
  new Problem(
    'conflict',
    'request_in_progress',
    'The outcome is not known yet. Repeat the request.',
    {
      retryAfterSeconds: 1,
    },
  )

const afterLong = (signal: AbortSignal) => sleep(ANSWER_MS, undefined, { signal })

async function within<T>(
  late: NonNullable<Paying['late']>,
  work: Promise<T>,
  say: () => T,
): Promise<T> {
  // The caller has stopped waiting, and must look up the final outcome.
  work.catch(() => {})
  const ended = new AbortController()
  try {
    return await Promise.race([work, late(ended.signal).then(say)])
  } finally {
    ended.abort()
  }
}

interface BillRequest {
  body: UtilityPayment
  /** SHA-256 of the validated body. */
  fingerprint: Buffer
}

/** The payment for a request; if this transaction created it, also its provider order. */
type Begun = { row: BillRow; isNew: false } | { row: BillRow; isNew: true; order: NewOrder }

/**
 * Stores a payment and holds its amount and fee. The provider is called after the commit. Returns
 * the existing payment for a repeated request. Throws, in this order: `payment_reference_used`
 * (409), `payouts_stopped` (503), `provider_unavailable` (503), `enquiry_required` (412),
 * `utility_amount_refused` (400), `insufficient_balance` (400) and, for a key whose payment would
 * exceed the daily limit, `approval_needed` (400).
 */
async function beginPayment(
  tx: Tx,
  deps: Pick<Deps, 'ids' | 'providers' | 'people'>,
  caller: Caller,
  request: BillRequest,
): Promise<Begun> {
  const { businessId, live, now } = caller
  const tenant = { businessId, live }
  const { body, fingerprint } = request
  const earlier = await earlierOf(tx, caller, request)
  if (earlier) return { row: earlier, isNew: false }

  await requirePayouts(tx, tenant)
  await deps.providers.choose(tenant, billQuery(), tx)
  const { sold, enquiry } = await enquiredOf(tx, deps, caller, body)
  const amount_minor = amountOf(body.amount, sold)
  const meanwhile = await refuseAboveDay(tx, deps, caller, request, amount_minor)
  if (meanwhile) return { row: meanwhile, isNew: false }
  const id = await deps.ids.next(tx)
  const reference = newReference('UTL')
  const query = { ...billQuery(amount_minor), key: reference }
  const { connection } = await deps.providers.choose(tenant, query, tx)
  const order: NewOrder = {
    connectionId: connection.id,
    amount_minor,
    currency: CURRENCY,
    sentAt: now,
    nextAt: addMs(now, FIRST_LOOKUP_MS),
  }
  const row = await insertPayment(tx, tenant, {
    id,
    reference,
    payment_reference: body.paymentReference ?? reference,
    fingerprint,
    amount_minor,
    fee_minor: FEE_MINOR,
    currency: CURRENCY,
    customer_id: enquiry.customer_id,
    customer_name: body.customerName || enquiry.customer_name,
    package_slug: sold.packageSlug,
    package_name: sold.name,
    biller_slug: sold.billerSlug,
    biller_name: sold.billerName,
    category: sold.category,
    channel: body.channel ?? null,
    phone_number: body.phoneNumber ?? null,
    email: body.email ?? null,
    account_number: body.accountNumber ?? null,
    provider: connection.provider,
    order,
    now,
  })
  // Another request was faster. Its payment may even have failed by now, which frees the reference.
  if (!row) return beginPayment(tx, deps, caller, request)
  await appendEvents(tx, deps.ids, [utilityEvent('utility.pending', row, tenant, now)])
  await requireBalance(tx, tenant, row)
  // This comes last because, from here until the commit, every other movement in this wallet has to
  // wait.
  await holdOrRetry(tx, deps.ids, tenant, {
    cause: { type: 'utility_payment', id },
    now,
    amount_minor: amount_minor + FEE_MINOR,
    currency: CURRENCY,
  })
  return { row, isNew: true, order }
}

/**
 * Applies only to keys, because people enter their password for each bill, and nobody could approve
 * a payment above the daily limit that a key makes.
 */
async function refuseAboveDay(
  tx: Tx,
  { people }: Pick<Deps, 'people'>,
  caller: Caller,
  request: BillRequest,
  amount_minor: Minor,
): Promise<BillRow | undefined> {
  const amount = { amount_minor, currency: CURRENCY }
  const passed = await passedDailyLimit(tx, people, caller, amount)
  if (!passed || caller.person) return undefined
  // The same request may have been stored while this one waited for the day's total.
  const earlier = await earlierOf(tx, caller, request)
  if (earlier) return earlier
  const [sent, sum] = [passed.sent_minor, passed.sent_minor + amount_minor].map((minor) =>
    formatAmount(minor, CURRENCY),
  )
  const limit = formatAmount(passed.limit_minor, passed.currency)
  const says = `would bring today’s transfers and bill payments to ${sum} (${sent} so far); more than ${limit} a day needs approval`
  throw invalid({ amount: [says] }, 'approval_needed')
}

/**
 * Finds the payment with this reference that has not failed. Throws 409 if it belongs to a
 * different request.
 */
async function earlierOf(tx: Tx, caller: Caller, { body, fingerprint }: BillRequest) {
  if (body.paymentReference === undefined) return undefined
  const earlier = await selectUnlessFailed(tx, caller, body.paymentReference)
  if (!earlier || earlier.fingerprint.equals(fingerprint)) return earlier
  const { reference, status } = earlier
  const says = `has already been used for a different request, ${reference}, which is ${status}`
  const fields = { paymentReference: [says] }
  throw conflict('payment_reference_used', invalid(fields).message, fields)
}

async function enquiredOf(
  tx: Tx,
  deps: Pick<Deps, 'providers'>,
  caller: Caller,
  { packageSlug, customerId }: UtilityPayment,
) {
  const sold = packageSlug === undefined ? undefined : await findSold(deps, caller, packageSlug, tx)
  const enquiry =
    packageSlug !== undefined && customerId !== undefined
      ? await selectEnquiry(tx, caller, { packageSlug, customerId }, caller.now)
      : undefined
  if (sold && enquiry) return { sold, enquiry }
  throw new Problem(
    'precondition',
    'enquiry_required',
    'Make an enquiry for this customerId and packageSlug first. It is valid for 30 minutes.',
  )
}

/** Throws 400 unless the amount equals the package's price or is within its limits. */
function amountOf(
  given: number | string | undefined,
  { amount_minor, minimum_minor, maximum_minor }: UtilityPackage,
): Minor {
  if (given === undefined) throw refused('is required')
  const asked_minor = parsed(given)
  const says = (minor: Minor) => formatAmount(minor, CURRENCY)
  if (amount_minor !== null && asked_minor !== amount_minor) {
    throw refused(`must be ${says(amount_minor)}, the price of the package`)
  }
  if (minimum_minor !== null && asked_minor < minimum_minor) {
    throw refused(`must be at least ${says(minimum_minor)}`)
  }
  if (maximum_minor !== null && asked_minor > maximum_minor) {
    throw refused(`must be at most ${says(maximum_minor)}`)
  }
  return asked_minor
}

function parsed(given: number | string): Minor {
  try {
    return parseAmount(given, CURRENCY)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw refused(error.fields.amount?.[0] ?? error.message)
  }
}

const refused = (says: string) => invalid({ amount: [says] }, 'utility_amount_refused')
