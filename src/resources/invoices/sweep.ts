import type { Tx } from '../../db/database.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { MAIL_SWEEPER, queueMails } from '../../mail/queue.ts'
import { SWEEP_ROWS_MAX, type Sweeper } from '../../sweepers/sweepers.ts'
import type { Deps } from '../deps.ts'
import { receivedFor } from '../transactions/service.ts'
import type { InvoiceRow } from './queries.ts'
import { claimDue, updateTaken } from './queries-steps.ts'
import { invoiceRecord } from './record.ts'
import { type Taken, takeSteps } from './schedule.ts'
import { INVOICE_PURPOSE, invoiceEvent } from './service.ts'

type ScheduleDeps = Pick<Deps, 'ids' | 'publicUrl' | 'providers' | 'nudge'>

/** Reminds customers of what falls due, and tells merchants of what is overdue, each once. */
export function invoiceScheduleSweeper(deps: ScheduleDeps): Sweeper {
  return {
    name: 'invoice-schedule',
    everyMs: 10_000,
    followsTestClock: true,
    sweep: (db, now, only) =>
      db.transaction(async (tx) => {
        const due = await claimDue(tx, now, only ?? null, SWEEP_ROWS_MAX)
        if (due.length === 0) return 0
        const steps = new Map(due.map((row) => [row.id, stepsOf(row, now)]))
        const invoices = due.map((row) => ({ row, taken: steps.get(row.id)! }))
        const rows = await updateTaken(tx, invoices, now)
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

function stepsOf(row: InvoiceRow & { time_zone: string }, now: Date): Taken {
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
    const received = await receivedFor(tx, tenant, INVOICE_PURPOSE, paid)
    for (const row of same) {
      const shown = { publicUrl, providers, timeZone: zones.get(row.id)!, now }
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
  tx.after(() => nudge(MAIL_SWEEPER))
}

const tenantOf = ({ business_id, live }: InvoiceRow): Tenant => ({ businessId: business_id, live })

const tenantKey = ({ business_id, live }: InvoiceRow): string => `${business_id} ${live}`
