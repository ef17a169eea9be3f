import { plainArray, textArray, timeArray } from '../../db/arrays.ts'
import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { appended, COLUMNS, type TransactionRow } from './queries.ts'
import type { Settlement } from './settle.ts'
import { transactionMachine } from './states.ts'

/** One of several transactions of any tenants. */
export interface MovedRow extends TransactionRow {
  business_id: number
  live: boolean
  /** Of its business. */
  time_zone: string
}

/**
 * Moves transactions that were paid in full to Successful, each once and only from the states that
 * it may leave; one that comes twice here is moved once. Answers those that were moved.
 */
export function succeedAll(tx: Tx, settlements: readonly Settlement[]) {
  const { from, to: status } = transactionMachine.moves.succeed
  const plain = (pick: (of: Settlement) => number | bigint | boolean) =>
    plainArray(settlements.map(pick))
  const entryOf = ({ now: at, message }: Settlement) => JSON.stringify({ status, at, message })
  return tx.many<MovedRow>`
    update transactions t
    set status = ${status}, late = late or status = 'Abandoned',
      gateway_response = coalesce(w_message, gateway_response), paid_at = w_now,
      paid_minor = w_received_minor, timeline = ${appended(sql`timeline`, sql`w_entry`)},
      look_up_at = null, event_sequence = event_sequence + 1, updated_at = w_now
    from unnest(
      ${plain(({ tenant }) => tenant.businessId)}::bigint[],
      ${plain(({ tenant }) => tenant.live)}::boolean[],
      ${plain(({ transactionId }) => transactionId)}::bigint[],
      ${plain(({ received_minor }) => received_minor)}::bigint[],
      ${textArray(settlements.map(({ message }) => message))}::text[],
      ${textArray(settlements.map(entryOf))}::text[],
      ${timeArray(settlements.map(({ now }) => now))}::timestamptz[]
    ) as w (w_business_id, w_live, w_id, w_received_minor, w_message, w_entry, w_now)
    where (business_id, live, id) = (w_business_id, w_live, w_id)
      and status = any(${from}::text[]) and payable_minor = w_received_minor
    returning business_id, live, ${COLUMNS},
      (
      select s.time_zone from business_settings s
      where s.business_id = t.business_id and s.live = t.live) as time_zone`
}
