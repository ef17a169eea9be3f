/**
 * The protocol by which the server orders something from a provider, exactly once: a transfer, a
 * settlement, a refund or a bill. Charges share its second half, where the provider is asked.
 *
 *                     ┌── was never sent ──► send ──┐
 *   due ─► claim ─────┤                    ▲        ├─► apply ─► ended, or due again
 *                     └── was sent ──► look up ─────┘
 *                              never ordered
 *
 * 1. **Due**: the record of the order stands in a table of its slice, and `look_up_at` says when
 *    somebody has to act. The request that makes the record only commits it, and nudges the job.
 * 2. **Claim**, in one statement with `whereDue` and `askAgainAt`: it notes that the provider is
 *    told (`sent_at`), plans when to ask again, and commits. Several processes share out the rows.
 * 3. **Send or look up** (`orderOrLookUp`), outside any transaction. Who finds that the claim was
 *    made before cannot know whether the provider heard of the order, since a process may have
 *    died in between: it asks first. Only `unknown_order` has it ordered again, under the same
 *    reference, which the provider takes for the same order.
 * 4. **Apply**, in one transaction with the money and the events. Each move has the states that it
 *    may leave in its `where`, so that late and repeated answers change nothing.
 *
 * A time-out, and any other answer that decides nothing, is `unknown`. It never ends an order and
 * never has it ordered again: it is asked about when it is due the next time, or when a notice
 * comes. A notice is not believed: it only has the slice ask whose record holds the reference
 * (`noticesTo`).
 *
 * A slice keeps what differs: the statement that claims, what it sends, how it asks, and what each
 * answer does.
 */

import type { Database } from '../db/database.ts'
import type { Log } from '../db/log.ts'
import { type Sql, sql } from '../db/sql.ts'
import { SWEEP_ROWS_MAX, type Sweeper, workThrough } from '../jobs/jobs.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs } from '../lib/clock.ts'
import type { Notice, Outcome } from './provider.ts'

/** Providers are waited for more than they are worked for. */
const ORDERS_AT_ONCE = 4

/** What a job claims at once: of everybody, or `only` of the test data of one business. */
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
 * The job that orders what is due and asks about what nothing was heard of. An order that throws is
 * logged, and keeps no other from its turn: it was claimed, so it is due again later.
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
 * Orders something, or asks what became of it if it may have been ordered before. Answers where it
 * stands; undefined while that is not known.
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
 * What the answer to a question says of an order; undefined when it decides nothing. A provider
 * that refuses to say says nothing of the order, unless it is that it never heard of it.
 */
export async function lookUp<State extends object>(
  asked: Promise<Outcome<State>>,
): Promise<State | 'never ordered' | undefined> {
  const outcome = await asked
  if (outcome.kind === 'done') return outcome.value
  const isUnheardOf = outcome.kind === 'refused' && outcome.code === 'unknown_order'
  return isUnheardOf ? 'never ordered' : undefined
}

/** Of a table with `look_up_at`: what is due, each row for the one process that claims it. */
export const whereDue = ({ now, only, limit }: Due): Sql => sql`
  where look_up_at <= ${now}
    and (${only}::bigint is null or (business_id = ${only} and not live))
  order by look_up_at limit ${limit} for update skip locked`

/** After how long the provider is asked about an order for the first time. */
export const ASK_FIRST_MS = 60_000

/** How long it is left alone at most. */
const ASK_MOST_MS = 10 * 60_000

/** How long it is left alone with an order that it holds up, or that waits for a person. */
export const ASK_STUCK_MS = { Blocked: 10 * 60_000, NeedsAttention: 60 * 60_000 }

/**
 * When to ask again about an order in this state: after a minute at first, then after as long as it
 * has taken since it was sent. `sentAt` is null for one that is only now sent.
 */
export const askAgainAt = (now: Date, status: Sql, sentAt: Sql): Sql => sql`
  case ${status}
    when 'Blocked' then ${addMs(now, ASK_STUCK_MS.Blocked)}::timestamptz
    when 'NeedsAttention' then ${addMs(now, ASK_STUCK_MS.NeedsAttention)}::timestamptz
    else least(${addMs(now, ASK_MOST_MS)}::timestamptz,
      greatest(${addMs(now, ASK_FIRST_MS)}::timestamptz,
        ${now}::timestamptz + (${now}::timestamptz - ${sentAt})))
  end`

/** One kind of what is ordered. */
interface OrderKind {
  /** What notices of it are about. */
  about: Notice['about']
  /**
   * Asks the provider about an order and applies what it says. Answers whether a record of this
   * kind holds the reference; if none does, nobody is asked.
   */
  lookUp(tenant: Tenant, reference: string, now: Date): Promise<boolean>
}

/** Takes a notice to the kind whose record holds its reference; what nobody holds is ignored. */
export function noticesTo(kinds: Readonly<Record<string, OrderKind>>) {
  return async ({ tenant, about, reference }: Notice, now: Date): Promise<void> => {
    for (const kind of Object.values(kinds)) {
      if (kind.about === about && (await kind.lookUp(tenant, reference, now))) return
    }
  }
}
