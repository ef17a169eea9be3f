import type { Tx } from '../../db/database.ts'
import { COLUMNS, type InvoiceRow } from './queries.ts'
import type { Taken } from './schedule.ts'

/** Invoices whose next step has come, with the time zone of their business, held for this sweep. */
export function claimDue(tx: Tx, now: Date, only: number | null, limit: number) {
  return tx.many<InvoiceRow & { time_zone: string }>`
    select ${COLUMNS}, (
        select time_zone from business_settings s
        where s.business_id = invoices.business_id and s.live = invoices.live) as time_zone
    from invoices
    where next_step_at <= ${now}
      and (${only}::bigint is null or (business_id = ${only} and not live))
    order by next_step_at limit ${limit}
    for update skip locked`
}

/** Of invoices that `claimDue` holds. Answers them as they are then, in no order. */
export function updateTaken(
  tx: Tx,
  invoices: readonly { row: InvoiceRow; taken: Taken }[],
  now: Date,
) {
  const rows = invoices.map(({ row }) => row)
  const steps = invoices.map(({ taken }) => taken)
  return tx.many<InvoiceRow>`
    update invoices
    set next_step = step, next_step_at = step_at,
      reminded_at = case when remind then ${now}::timestamptz else reminded_at end,
      event_sequence = event_sequence + overdue::integer,
      updated_at = case when overdue then ${now}::timestamptz else updated_at end
    from unnest(
      ${rows.map((row) => row.business_id)}::bigint[],
      ${rows.map((row) => row.live)}::boolean[],
      ${rows.map((row) => row.id)}::bigint[],
      ${steps.map((taken) => taken.next_step)}::smallint[],
      ${steps.map((taken) => taken.next_step_at)}::timestamptz[],
      ${steps.map((taken) => taken.remind)}::boolean[],
      ${steps.map((taken) => taken.overdue)}::boolean[]
    ) as taken (of_business, of_live, of_id, step, step_at, remind, overdue)
    where business_id = of_business and live = of_live and id = of_id
    returning ${COLUMNS}`
}
