/**
 * How the server orders a transfer, a settlement, a refund or a bill from a provider, exactly once.
 * Charges use only the second half, the look-up.
 *
 *                     ┌── was never sent ──► send ──┐
 *   due ─► claim ─────┤                    ▲        ├─► apply ─► ended, or due again
 *                     └── was sent ──► look up ─────┘
 *                              never ordered
 *
 * 1. **Due**: each order is a row in its slice's table. The request that creates the row commits it
 *    and wakes the job. `look_up_at` says when the job must act.
 * 2. **Claim**: one statement, built with `whereDue` and `askAgainAt`, records that the order is
 *    being sent (`sent_at`), plans the next look-up, and commits. Processes never claim the same
 *    row.
 * 3. **Send or look up** (`orderOrLookUp`), outside any transaction. If the order was claimed
 *    before, a process may have died before or after it sent the order, so the job looks it up
 *    first. Only the answer `unknown_order` allows sending it again, under the same reference,
 *    which the provider treats as the same order.
 * 4. **Apply**: one transaction moves the money and writes the events. The `where` of each update
 *    names the states that it may leave, so late and repeated answers change nothing.
 *
 * A time-out, like any answer that decides nothing, is `unknown`. It never ends an order and never
 * causes a second one: the order is looked up again when it is next due or when a notice arrives. A
 * notice is not trusted. It only makes the slice that holds the reference look the order up
 * (`noticesTo`).
 *
 * A slice provides the claim statement, the request to send, the look-up, and the effect of each
 * answer.
 */

import type { Database } from '../db/database.ts'
import type { Log } from '../db/log.ts'
import { type Sql, sql } from '../db/sql.ts'
import { SWEEP_ROWS_MAX, type Sweeper, workThrough } from '../jobs/jobs.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs } from '../lib/clock.ts'
import type { Notice, Outcome } from './provider.ts'

/** Most of the time goes into waiting for the provider. */
const ORDERS_AT_ONCE = 4

/** What a job claims at once: from all businesses, or `only` from one business's test data. */
export interface Due {
  now: Date
  only: number | null
  limit: number
}

interface ClaimedOrder {
  business_id: number
  live: boolean
  /** Of the record, for the log. */
  reference: string
}

interface OrderJob<Row extends ClaimedOrder> {
  name: string
  log: Log
  /** Commits what it claims before it answers. */
  claim(db: Database, due: Due): Promise<Row[]>
  /** Orders it or asks about it, and applies the answer. */
  run(tenant: Tenant, row: Row, now: Date): Promise<unknown>
}

/**
 * The job that sends or looks up every order that is due. An order that throws is logged and does
 * not stop the others. It was claimed, so it becomes due again later.
 */
export function providerOrderJob<Row extends ClaimedOrder>(job: OrderJob<Row>): Sweeper {
  const { name, log, claim, run } = job
  return {
    name,
    everyMs: 10_000,
    followsTestClock: true,
    async sweep(db, now, only) {
      const rows = await claim(db, { now, only: only ?? null, limit: SWEEP_ROWS_MAX })
      await workThrough(rows, ORDERS_AT_ONCE, async (row) => {
        const { business_id: businessId, live, reference } = row
        try {
          await run({ businessId, live }, row, now)
        } catch (err) {
          const fields = { err, sweeper: name, businessId, live, reference }
          log.warn(fields, 'an order failed; it is asked about again')
        }
      })
      return rows.length
    },
  }
}

interface Order<State extends object> {
  /** The provider may have been told of it before. */
  wasSent: boolean
  send(): Promise<Outcome<State>>
  lookUp(): Promise<Outcome<State>>
  /** Where an order stands that the provider refused: definitely nothing happened. */
  refused(message: string): State
}

/**
 * Sends an order, or looks it up if it may have been sent before. Returns its state, or undefined
 * if the state is not known.
 */
export async function orderOrLookUp<State extends object>(
  order: Order<State>,
): Promise<State | undefined> {
  const known = order.wasSent ? await lookUp(order.lookUp()) : 'never ordered'
  if (known !== 'never ordered') return known
  const outcome = await order.send()
  if (outcome.kind === 'unknown') return undefined
  return outcome.kind === 'done' ? outcome.value : order.refused(outcome.message)
}

/**
 * The state that a look-up reports, or undefined if it decides nothing. A refused look-up decides
 * nothing, unless the provider says that it does not know the order.
 */
export async function lookUp<State extends object>(
  asked: Promise<Outcome<State>>,
): Promise<State | 'never ordered' | undefined> {
  const outcome = await asked
  if (outcome.kind === 'done') return outcome.value
  const isUnheardOf = outcome.kind === 'refused' && outcome.code === 'unknown_order'
  return isUnheardOf ? 'never ordered' : undefined
}

/** Selects the due rows of a table with `look_up_at` that no other process is claiming. */
export const whereDue = ({ now, only, limit }: Due): Sql => sql`
  where look_up_at <= ${now}
    and (${only}::bigint is null or (business_id = ${only} and not live))
  order by look_up_at limit ${limit} for update skip locked`

/** How long after sending an order it is first looked up. */
export const ASK_FIRST_MS = 60_000

/** The longest time between two look-ups. */
const ASK_MOST_MS = 10 * 60_000

/** The time between look-ups of an order that the provider holds up, or that needs a person. */
export const ASK_STUCK_MS = { Blocked: 10 * 60_000, NeedsAttention: 60 * 60_000 }

/**
 * When to look up an order again: after a minute at first, then after as long again as has passed
 * since it was sent. `sentAt` is null for an order that is being sent now.
 */
export const askAgainAt = (now: Date, status: Sql, sentAt: Sql): Sql => sql`
  case ${status}
    when 'Blocked' then ${addMs(now, ASK_STUCK_MS.Blocked)}::timestamptz
    when 'NeedsAttention' then ${addMs(now, ASK_STUCK_MS.NeedsAttention)}::timestamptz
    else least(${addMs(now, ASK_MOST_MS)}::timestamptz,
      greatest(${addMs(now, ASK_FIRST_MS)}::timestamptz,
        ${now}::timestamptz + (${now}::timestamptz - ${sentAt})))
  end`

/** One kind of order, such as transfers. */
interface OrderKind {
  /** What notices of it are about. */
  about: Notice['about']
  /**
   * Looks an order up and applies the answer. Returns whether a record of this kind has the
   * reference; if none has, it does not call the provider.
   */
  lookUp(tenant: Tenant, reference: string, now: Date): Promise<boolean>
}

/** Passes a notice to the kind that has its reference. A notice with no such record is ignored. */
export function noticesTo(kinds: Readonly<Record<string, OrderKind>>) {
  return async ({ tenant, about, reference }: Notice, now: Date): Promise<void> => {
    for (const kind of Object.values(kinds)) {
      if (kind.about === about && (await kind.lookUp(tenant, reference, now))) return
    }
  }
}
