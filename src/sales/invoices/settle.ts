import { paymentTermsOf } from '../../business/account/payment-settings.ts'
import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents } from '../../events/append.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { parseTimestamp } from '../../lib/dates.ts'
import { type Minor, parseAmount, printMinor } from '../../lib/money.ts'
import { invalid, notFound, Problem } from '../../lib/problem.ts'
import { MAIL_JOB, queueMails } from '../../mail/queue.ts'
import type { PartView } from '../../pages/views.ts'
import { openAttempt } from '../../payments/attempts/attempt.ts'
import type {
  Payable,
  PaymentApplication,
  ReceivedPayment,
} from '../../payments/attempts/settle.ts'
import { type InvoiceRow, lockById, lockInvoice, selectInvoiceById, updatePaid } from './queries.ts'
import { pageUrlOf } from './record.ts'
import { type InvoiceState, invoiceMachine, type MarkPaid } from './schemas.ts'
import {
  changedEvent,
  closeOpenAttempts,
  INVOICE_PURPOSE,
  type InvoiceDeps,
  recordOf,
} from './service.ts'

type SettleDeps = Pick<Deps, 'publicUrl' | 'providers' | 'ids' | 'nudge'>

/**
 * Applies a payment to its invoice, up to the amount due. If the invoice is Paid, Void or still a
 * Draft, the whole payment is an overpayment.
 */
export function invoicePayable(deps: SettleDeps): Payable {
  async function receive(tx: Tx, payment: ReceivedPayment): Promise<PaymentApplication> {
    const { tenant, transaction, amount_minor, now } = payment
    const nothing = { applied_minor: 0n, events: [] }
    if (amount_minor <= 0n) return nothing
    const { from } = invoiceMachine.moves.pay_rest
    const row = await updatePaid(tx, tenant, transaction.purpose_id, { amount_minor, from, now })
    if (!row) {
      // The payer should hear from the business, and not only from a bank statement, that nothing
      // was due.
      const ended = await selectInvoiceById(tx, tenant, transaction.purpose_id)
      if (ended) await mailReceipt(tx, deps, payment, ended)
      return nothing
    }
    const { time_zone } = await paymentTermsOf(tx, tenant)
    const type = row.status === 'Paid' ? 'invoice.paid' : 'invoice.partially_paid'
    const { publicUrl, providers } = deps
    const shown = { publicUrl, providers, timeZone: time_zone }
    await mailReceipt(tx, deps, payment, row)
    return {
      applied_minor: row.applied_minor,
      events: [await changedEvent(tx, shown, type, row, now)],
    }
  }
  return {
    lock: lockById,
    receive,
    async pageUrl(db, tenant, id) {
      const row = await selectInvoiceById(db, tenant, id)
      return row && pageUrlOf(deps, row)
    },
  }
}

/**
 * Queues the customer’s receipt, which says how much of the payment will be returned. The email
 * refers to the payment, because an invoice can have several.
 */
async function mailReceipt(
  tx: Tx,
  { ids, nudge }: SettleDeps,
  { tenant, transaction, now: at }: Pick<ReceivedPayment, 'tenant' | 'transaction' | 'now'>,
  { id: invoiceId, customer_email: to }: InvoiceRow,
): Promise<void> {
  const about = { subjectType: 'transaction', subjectId: transaction.id, data: { invoiceId } }
  await queueMails(tx, ids, [{ ...tenant, kind: 'receipt', ...about, to, at }])
  tx.after(() => nudge(MAIL_JOB))
}

/**
 * Records money that the business received directly, in cash or in its own account, as a
 * transaction with the channel OFFLINE. Such a transaction has no fee, and affects neither the
 * ledger nor the wallet. A partial payment is accepted even if payers can’t pay in parts. Throws
 * 400 for more than the amount due.
 */
export async function markPaid(
  tx: Tx,
  deps: InvoiceDeps,
  caller: Caller,
  reference: string,
  request: MarkPaid,
) {
  const { ids, publicUrl, providers } = deps
  const { from } = invoiceMachine.moves.mark_paid
  const row = await lockInvoice(tx, caller, reference)
  if (!row) throw notFound('invoice')
  if (!isIn(from, row.status)) throw invoiceMachine.refused('mark_paid', row.status)
  const amount_minor = amountOf(row, request)
  const paidAt = paidAtOf(caller, request)

  const transaction = await openAttempt(
    tx,
    ids,
    {
      ...paymentRequestOf(row, caller, caller.now),
      amount_minor,
      fee_bearer: 'business',
      message: request.note ?? null,
    },
    {
      channel: 'OFFLINE',
      provider: 'offline',
      expiresAt: caller.now,
      fee_minor: 0n,
      payable_minor: amount_minor,
      paidAt,
    },
  )
  const paid = await updatePaid(tx, caller, row.id, { amount_minor, from, now: caller.now, paidAt })
  if (paid?.applied_minor !== amount_minor)
    throw new Error(`${reference} was credited with less than the amount due`)
  await mailReceipt(tx, deps, { tenant: caller, transaction, now: caller.now }, paid)
  const shown = { publicUrl, providers, timeZone: caller.timeZone }
  const type = paid.status === 'Paid' ? 'invoice.paid' : 'invoice.partially_paid'
  await appendEvents(tx, ids, [await changedEvent(tx, shown, type, paid, caller.now)])
  if (paid.status === 'Paid') await closeOpenAttempts(tx, { ids }, caller, paid)
  return recordOf(tx, deps, caller, paid)
}

export const paymentRequestOf = (row: InvoiceRow, tenant: Tenant, now: Date) => ({
  tenant,
  purpose: INVOICE_PURPOSE,
  purpose_id: row.id,
  currency: row.currency,
  customer_email: row.customer_email,
  customer_name: row.customer_name,
  customer_phone: row.customer_phone,
  invoice_reference: row.reference,
  now,
})

const isIn = (states: readonly InvoiceState[], state: InvoiceState) => states.includes(state)

function amountOf({ amount_minor, paid_minor, currency }: InvoiceRow, { amount }: MarkPaid): Minor {
  const due_minor = amount_minor - paid_minor
  if (amount === undefined) return due_minor
  const given_minor = parseAmount(amount, currency)
  if (given_minor <= due_minor) return given_minor
  throw invalid({ amount: [`must be at most ${printMinor(due_minor, currency)}, the amount due`] })
}

function paidAtOf({ timeZone, now }: Caller, { paidAt }: MarkPaid): Date {
  if (paidAt === undefined) return now
  const at = parseTimestamp(paidAt, timeZone, 'paidAt')
  if (at > now) throw invalid({ paidAt: ['must not be in the future'] })
  return at
}

/** The smallest partial payment that a payer can choose. The fee would use up anything smaller. */
const LEAST_MINOR: Minor = 100_00n

type Divisible = Pick<InvoiceRow, 'amount_minor' | 'paid_minor' | 'currency'> &
  Pick<InvoiceRow, 'allow_partial_payment'>

const dueOf = ({ amount_minor, paid_minor }: Divisible): Minor => amount_minor - paid_minor

const isDivisible = (row: Divisible): boolean =>
  row.allow_partial_payment && dueOf(row) > LEAST_MINOR

/**
 * The amount as the payer typed it; null if the form contains anything other than a single string.
 */
export type AmountInput = string | null | undefined

const TYPED_MAX = 40

/**
 * Reads the amount from a form’s fields. Returns null for `amount[]`, which is how some programs
 * name repeated fields.
 */
export function amountInputOf(form: Record<string, unknown>): AmountInput {
  if (Object.keys(form).some((name) => /^amount\W/.test(name))) return null
  const { amount } = form
  if (amount === undefined) return undefined
  return typeof amount === 'string' ? amount.slice(0, TYPED_MAX) : null
}

/**
 * Returns the amount to pay now: the payer’s choice if they have one, otherwise the amount due.
 * If the choice is invalid, returns a string that says why.
 */
export function chosenAmount(row: Divisible, typed: AmountInput): Minor | PartView['fault'] {
  const due_minor = dueOf(row)
  if (typed === undefined || !isDivisible(row)) return due_minor
  if (typed === null) return 'unclear'
  const part_minor = readAmount(typed, row.currency)
  if (part_minor === undefined) return 'unreadable'
  if (part_minor > due_minor) return 'too_much'
  return part_minor < LEAST_MINOR ? 'too_little' : part_minor
}

/**
 * Reads amounts such as `₦2,500.50`, with or without spaces, or `2 500,50` in French. A comma
 * before the last one or two digits is a decimal point, because ignoring it would multiply the
 * amount by 100.
 */
export function readAmount(typed: string, currency: string): Minor | undefined {
  const bare = typed.replace(/[\s₦]|NGN/giu, '')
  const plain = /^\d+,\d{1,2}$/.test(bare) ? bare.replace(',', '.') : bare.replaceAll(',', '')
  try {
    return parseAmount(plain, currency, { zero: true })
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/**
 * Returns the amount field, filled with the invalid input or with the amount of a previous attempt
 * that failed.
 */
export function partView(
  row: Divisible,
  typed: AmountInput,
  tried_minor?: Minor,
): PartView | undefined {
  if (!isDivisible(row)) return undefined
  const chosen = chosenAmount(row, typed)
  return {
    leastMinor: LEAST_MINOR,
    value:
      typeof chosen === 'bigint' ? again(chosen, row, typed, tried_minor) : (typed ?? dueOf(row)),
    ...(typeof chosen === 'string' && { fault: chosen }),
  }
}

const again = (
  chosen: Minor,
  row: Divisible,
  typed: AmountInput,
  tried_minor: Minor | undefined,
): Minor =>
  typed === undefined && tried_minor !== undefined && tried_minor <= dueOf(row)
    ? tried_minor
    : chosen

/**
 * Returns the query that keeps the chosen amount when the payer switches to another payment method:
 * `?amount=70000.00`, or an empty string.
 */
export const partQuery = (row: Divisible, tried_minor: Minor | undefined): string =>
  tried_minor === undefined || tried_minor >= dueOf(row) || !isDivisible(row)
    ? ''
    : `?amount=${printMinor(tried_minor, row.currency)}`
