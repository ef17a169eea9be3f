import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { addDays, hourOfDay } from '../../lib/dates.ts'
import { Problem } from '../../lib/problem.ts'
import { MAIL_JOB, queueMails } from '../../mail/queue.ts'
import { paymentsReceivedFor } from '../../payments/attempts/read.ts'
import {
  claimDue,
  type InvoiceRow,
  selectInvoice,
  updateDueSteps,
  updateReminded,
  updateSent,
  updateStep,
} from './queries.ts'
import { invoiceRecord } from './record.ts'
import { invoiceMachine } from './schemas.ts'
import {
  INVOICE_PURPOSE,
  type InvoiceDeps,
  invoiceEvent,
  recordEvent,
  recordOf,
  refusal,
} from './service.ts'

/**
 * The schedule around the due date. An invoice is overdue from the first moment of the next day.
 */
const STEPS = [
  { kind: 'reminder', days: -3, hour: 9 },
  { kind: 'reminder', days: 0, hour: 9 },
  { kind: 'overdue', days: 1, hour: 0 },
  { kind: 'reminder', days: 3, hour: 9 },
  { kind: 'reminder', days: 7, hour: 9 },
] as const

/** An invoice at this step or later has already been recorded as overdue. */
export const OVERDUE_STEP = 2

/**
 * The position in the schedule. Both fields are null if there is no due date or the invoice has not
 * been sent.
 */
export interface Step {
  next_step: number | null
  /** Also null after the last step. */
  next_step_at: Date | null
}

const NONE: Step = { next_step: null, next_step_at: null }

interface Plan {
  /** `YYYY-MM-DD`, in `timeZone`. */
  dueDate: string | null
  timeZone: string
}

/**
 * Returns the first step for an invoice sent at `sentAt`. Skips reminders that were due before
 * that, because the customer has only just received the invoice. The overdue event is recorded
 * however late it is.
 */
export function firstStep({ dueDate, timeZone }: Plan, sentAt: Date): Step {
  if (dueDate === null) return NONE
  const times = timesOf(dueDate, timeZone)
  const next = STEPS.findIndex(({ kind }, i) => kind === 'overdue' || times[i]! > sentAt)
  return { next_step: next, next_step_at: times[next]! }
}

export interface DueStep extends Step {
  /** Whether to send a reminder; only one is sent, however many have fallen due. */
  remind: boolean
  overdue: boolean
}

/**
 * Takes the steps from `step` onwards that are due by `now`. After a long pause, only the latest
 * reminder counts, and only if no email has been sent since this reminder fell due (`mailedAt`).
 */
function takeSteps(
  { dueDate, timeZone }: Plan,
  step: number,
  mailedAt: Date | null,
  now: Date,
): DueStep {
  if (dueDate === null) return { ...NONE, remind: false, overdue: false }
  const times = timesOf(dueDate, timeZone)
  let next = step
  let remind = false
  let overdue = false
  for (; next < STEPS.length && times[next]! <= now; next++) {
    if (STEPS[next]!.kind === 'overdue') overdue = true
    else remind = mailedAt === null || times[next]! > mailedAt
  }
  return { next_step: next, next_step_at: times[next] ?? null, remind, overdue }
}

// Looking up an offset takes about 2 µs, and the invoices of one day usually fall due on the same
// few days.
const cache = new Map<string, readonly Date[]>()
const CACHED_MAX = 2_000

function timesOf(dueDate: string, timeZone: string): readonly Date[] {
  const key = `${dueDate} ${timeZone}`
  let times = cache.get(key)
  if (!times) {
    times = STEPS.map(({ days, hour }) => hourOfDay(addDays(dueDate, days), hour, timeZone))
    if (cache.size >= CACHED_MAX) cache.clear()
    cache.set(key, times)
  }
  return times
}

/** Sends a Draft, or sends a sent invoice again. */
export async function sendInvoice(tx: Tx, deps: InvoiceDeps, caller: Caller, reference: string) {
  const { from } = invoiceMachine.moves.send
  const row = await updateSent(tx, caller, reference, from, caller.now)
  if (!row) throw await refusal(tx, caller, reference, 'send')
  await mailInvoice(tx, deps, caller, 'invoice_again', row)
  if (row.next_step === null && row.due_date !== null) {
    const plan = { dueDate: row.due_date, timeZone: caller.timeZone }
    await updateStep(tx, caller, row.id, firstStep(plan, caller.now))
  }
  return recordEvent(tx, deps, caller, 'invoice.sent', row)
}

async function mailInvoice(
  tx: Tx,
  { ids, nudge }: InvoiceDeps,
  { now }: Pick<Caller, 'now'>,
  kind: 'invoice_again' | 'invoice_reminder',
  { business_id, live, id, customer_email }: InvoiceRow,
): Promise<void> {
  const about = { subjectType: 'invoice', subjectId: id, to: customer_email, at: now }
  await queueMails(tx, ids, [{ businessId: business_id, live, kind, ...about }])
  tx.after(() => nudge(MAIL_JOB))
}

/** The minimum time between manual reminders for an invoice. */
const AGAIN_MS = 60 * 60_000

/** Sends the customer a reminder of the amount due. The catalogue has no event for this. */
export async function remindInvoice(tx: Tx, deps: InvoiceDeps, caller: Caller, reference: string) {
  const { from } = invoiceMachine.moves.remind
  const { now } = caller
  const row = await updateReminded(tx, caller, reference, {
    from,
    now,
    before: addMs(now, -AGAIN_MS),
  })
  if (!row) throw await whyNot(tx, caller, reference)
  await mailInvoice(tx, deps, caller, 'invoice_reminder', row)
  return recordOf(tx, deps, caller, row)
}

async function whyNot(tx: Tx, caller: Caller, reference: string): Promise<Problem> {
  const row = await selectInvoice(tx, caller, reference)
  const isOpen = row && invoiceMachine.moves.remind.from.some((state) => state === row.status)
  if (!isOpen || !row.reminded_at) return refusal(tx, caller, reference, 'remind')
  const waitMs = addMs(row.reminded_at, AGAIN_MS).getTime() - caller.now.getTime()
  const message = 'The customer was reminded less than an hour ago.'
  return new Problem('rate_limited', 'reminded_lately', message, {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  })
}

type ScheduleDeps = Pick<Deps, 'ids' | 'publicUrl' | 'providers' | 'nudge'>

/** Sends reminders and records overdue events, each only once. */
export function invoiceScheduleJob(deps: ScheduleDeps): Job {
  return {
    name: 'invoice-schedule',
    everyMs: 10_000,
    followsTestClock: true,
    run: (db, now, only) =>
      db.transaction(async (tx) => {
        const due = await claimDue(tx, db, now, only ?? null, JOB_ROWS_MAX)
        if (due.length === 0) return 0
        const steps = new Map(due.map((row) => [row.id, stepsOf(row, now)]))
        const invoices = due.map((row) => ({ row, taken: steps.get(row.id)! }))
        const rows = await updateDueSteps(tx, invoices, now)
        const zones = new Map(due.map(({ id, time_zone }) => [id, time_zone]))
        await tellOverdue(
          tx,
          deps,
          rows.filter(({ id }) => steps.get(id)!.overdue),
          zones,
          now,
        )
        await remind(
          tx,
          deps,
          rows.filter(({ id }) => steps.get(id)!.remind),
          now,
        )
        return due.length
      }),
  }
}

function stepsOf(row: InvoiceRow & { time_zone: string }, now: Date): DueStep {
  const { due_date, time_zone, next_step, sent_at, reminded_at } = row
  const mailed = Math.max(sent_at?.getTime() ?? 0, reminded_at?.getTime() ?? 0)
  const plan = { dueDate: due_date, timeZone: time_zone }
  return takeSteps(plan, next_step ?? 0, new Date(mailed), now)
}

async function tellOverdue(
  tx: Tx,
  { ids, publicUrl, providers }: ScheduleDeps,
  rows: InvoiceRow[],
  zones: Map<number, string>,
  now: Date,
): Promise<void> {
  const events: NewEvent[] = []
  for (const same of Map.groupBy(rows, tenantKey).values()) {
    const tenant = tenantOf(same[0]!)
    const paid = same.filter(({ paid_minor }) => paid_minor > 0n).map(({ id }) => id)
    const received = await paymentsReceivedFor(tx, tenant, INVOICE_PURPOSE, paid)
    const channels = await providers.channels(tenant, tx)
    for (const row of same) {
      const shown = { publicUrl, channels, timeZone: zones.get(row.id)!, now }
      const record = invoiceRecord(row, { ...shown, payments: received.get(row.id) ?? [] })
      events.push(invoiceEvent('invoice.overdue', row, record, now))
    }
  }
  await appendEvents(tx, ids, events)
}

async function remind(tx: Tx, { ids, nudge }: ScheduleDeps, rows: InvoiceRow[], now: Date) {
  if (rows.length === 0) return
  await queueMails(
    tx,
    ids,
    rows.map((row) => ({
      ...tenantOf(row),
      kind: 'invoice_reminder',
      subjectType: 'invoice',
      subjectId: row.id,
      to: row.customer_email,
      at: now,
    })),
  )
  tx.after(() => nudge(MAIL_JOB))
}

const tenantOf = ({ business_id, live }: InvoiceRow): Tenant => ({ businessId: business_id, live })

const tenantKey = ({ business_id, live }: InvoiceRow): string => `${business_id} ${live}`
