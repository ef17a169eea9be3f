import type { Tx } from '../../db/database.ts'
import { appendEvents } from '../../events/append.ts'
import { addMs } from '../../lib/clock.ts'
import { formatAmount, type Minor, parseAmount } from '../../lib/money.ts'
import { conflict, invalid, Problem } from '../../lib/problem.ts'
import { newReference } from '../../lib/random.ts'
import type { Caller } from '../../lib/tenant.ts'
import { findPackage, type UtilityPackage } from '../../providers/utilities.ts'
import { passesDailyLimit } from '../approval/rule.ts'
import type { Deps } from '../deps.ts'
import { holdLooked, refuseTooLittle } from '../wallet/afford.ts'
import { CURRENCY } from './catalogue.ts'
import { FEE_MINOR } from './enquire.ts'
import { insertPayment, selectStanding, type UtilityRow } from './queries.ts'
import { selectEnquiry } from './queries-enquiries.ts'
import { utilityEvent } from './record.ts'
import type { UtilityPayment } from './schemas.ts'

/** When the sweeper asks first: later than any caller waits. */
const LOOK_UP_AFTER_MS = 60_000

export interface Asked {
  body: UtilityPayment
  /** SHA-256 of the validated body. */
  fingerprint: Buffer
}

/** The payment that a request is about, and whether this transaction made it. */
export interface Begun {
  row: UtilityRow
  isNew: boolean
}

/**
 * Stores a payment and holds its amount and fee; the provider is called after the commit. Answers
 * the one that is there already when the same was asked before. Throws, in this order:
 * `payment_reference_used` (409), `enquiry_required` (412), `utility_amount_refused` (400) and
 * `insufficient_balance` (400), and `approval_needed` (400) for a key above the day's limit.
 */
export async function beginPayment(
  tx: Tx,
  deps: Pick<Deps, 'ids' | 'providers' | 'people'>,
  caller: Caller,
  asked: Asked,
): Promise<Begun> {
  const { businessId, live, now } = caller
  const tenant = { businessId, live }
  const { body, fingerprint } = asked
  const earlier = await earlierOf(tx, caller, asked)
  if (earlier) return { row: earlier, isNew: false }

  const { sold, enquiry } = await enquiredOf(tx, caller, body)
  const amount_minor = amountOf(body.amount, sold)
  const meanwhile = await refuseAboveDay(tx, deps, caller, asked, amount_minor)
  if (meanwhile) return { row: meanwhile, isNew: false }
  const id = await deps.ids.next(tx)
  const reference = newReference('UTL')
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
    provider: deps.providers.of(live, 'UTILITY').name,
    look_up_at: addMs(now, LOOK_UP_AFTER_MS),
    now,
  })
  // Another one was faster; by now it may even have failed, which makes the reference free again.
  if (!row) return beginPayment(tx, deps, caller, asked)
  await appendEvents(tx, deps.ids, [utilityEvent('utility.pending', row, tenant, now)])
  await refuseTooLittle(tx, tenant, row)
  // Last, because every other movement of this wallet waits from here to the commit.
  await holdLooked(tx, deps.ids, tenant, {
    cause: { type: 'utility_payment', id },
    now,
    amount_minor: amount_minor + FEE_MINOR,
    currency: CURRENCY,
  })
  return { row, isNew: true }
}

/** People give the password for each bill; a key that passes the day's limit has nobody to ask. */
async function refuseAboveDay(
  tx: Tx,
  { people }: Pick<Deps, 'people'>,
  caller: Caller,
  asked: Asked,
  amount_minor: Minor,
): Promise<UtilityRow | undefined> {
  const amount = { amount_minor, currency: CURRENCY }
  const isAbove = await passesDailyLimit(tx, people, caller, amount)
  if (!isAbove || caller.person) return undefined
  // The same request may have been stored while this one waited for its turn to be counted.
  const earlier = await earlierOf(tx, caller, asked)
  if (earlier) return earlier
  throw invalid(
    { amount: ['takes the day above the limit that needs approval'] },
    'approval_needed',
  )
}

/** What was begun under this reference and did not fail; throws 409 when it was something else. */
async function earlierOf(tx: Tx, caller: Caller, { body, fingerprint }: Asked) {
  if (body.paymentReference === undefined) return undefined
  const earlier = await selectStanding(tx, caller, body.paymentReference)
  if (!earlier || earlier.fingerprint.equals(fingerprint)) return earlier
  const { reference, status } = earlier
  throw conflict(
    'payment_reference_used',
    `This paymentReference was already used with another request: the payment ${reference} is ${status}.`,
    { paymentReference: [`was already used by ${reference}, which is ${status}`] },
  )
}

async function enquiredOf(tx: Tx, caller: Caller, { packageSlug, customerId }: UtilityPayment) {
  const sold = packageSlug === undefined ? undefined : findPackage(packageSlug)
  const enquiry =
    packageSlug !== undefined && customerId !== undefined
      ? await selectEnquiry(tx, caller, { packageSlug, customerId }, caller.now)
      : undefined
  if (sold && enquiry) return { sold, enquiry }
  throw new Problem(
    'precondition',
    'enquiry_required',
    'Make a customer enquiry for this customerId and packageSlug first; it holds for 30 minutes.',
  )
}

/** Throws 400 unless it is the price, or within what a buyer may say. */
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
