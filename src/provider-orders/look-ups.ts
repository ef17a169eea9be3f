/* The look-ups of charges. */

import type { Database } from '../db/database.ts'
import type { Log } from '../db/log.ts'
import { type Sql, sql } from '../db/sql.ts'
import { SWEEP_ROWS_MAX, type Sweeper, workThrough } from '../jobs/jobs.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Outcome } from './provider.ts'

/** Most of the time goes into waiting for the provider. */
const ORDERS_AT_ONCE = 4

/**
 * What a job claims at once: due rows of all businesses, or of one business's test data (`only`).
 */
export interface Due {
  now: Date
  only: number | null
  limit: number
}

interface ClaimedOrder {
  business_id: number
  live: boolean
  /** The reference of the record, for the log. */
  reference: string
}

interface OrderJob<Row extends ClaimedOrder> {
  name: string
  log: Log
  /** Commits what it claims before it answers. */
  claim(db: Database, due: Due): Promise<Row[]>
  /** Orders it or looks it up, and applies the result. */
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
