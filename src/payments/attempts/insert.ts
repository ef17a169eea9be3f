import type pg from 'pg'
import { openBatch, perDatabase } from '../../db/batch.ts'
import type { Statement } from '../../db/database.ts'
import { openWriter } from '../../db/dedicated-connection.ts'
import {
  CLAIM_COLUMNS,
  type Claim,
  claimRows,
  claimValues,
  freshRows,
} from '../../db/idempotency.ts'
import { Sql } from '../../db/sql.ts'
import { EVENT_ROW, type EventRow, insertingEventRows } from '../../events/append.ts'
import type { Tenant } from '../../lib/caller.ts'
import {
  type NewOrder,
  newOrdersOf,
  ORDER_COLUMNS,
  orderValues,
} from '../../provider-orders/statements.ts'
import type { ShareRow } from './allocation.ts'
import type { TransactionRow } from './queries.ts'

/** A new attempt, with everything that is written together with it. */
export interface NewAttempt {
  tenant: Tenant
  row: TransactionRow
  /** The provider order to send; `undefined` if there is none yet. */
  order: NewOrder | undefined
  shares: readonly ShareRow[]
  events: readonly EventRow[]
  /** The claim of the request that starts the attempt, if this statement is to write it. */
  claim?: Claim | undefined
}

/**
 * Writes attempts in batches. Returns false, and writes nothing, for an attempt whose
 * Idempotency-Key has been used before.
 */
export const attemptBatch = perDatabase((db) => {
  const writer = openWriter(db)
  return openBatch<NewAttempt, boolean>({
    db,
    businessOf: ({ tenant }) => tenant.businessId,
    write: (attempts) => insertAttempts((statement) => writer.query(statement), attempts),
    bytesOf: ({ events }) => events.reduce((bytes, { data }) => bytes + data.length, 1_000),
  })
})

/**
 * Writes attempts with their shares, provider orders, events and claims in one statement. Returns,
 * for each, whether it was written. It is not written if its Idempotency-Key has been used before.
 */
export async function insertAttempts(
  run: (statement: Statement) => Promise<pg.QueryResult>,
  attempts: readonly NewAttempt[],
): Promise<boolean[]> {
  const { rows } = await run({
    name: 'insert_attempts',
    text: STATEMENT,
    values: [
      JSON.stringify(attempts.map((one) => ({ ...attemptValues(one), ...claimValues(one.claim) }))),
      JSON.stringify(attempts.flatMap(shareValues)),
      JSON.stringify(attempts.flatMap(eventsOf)),
    ],
  })
  const written = new Set((rows as { id: number }[]).map(({ id }) => id))
  return attempts.map(({ row }) => written.has(row.id))
}

const COLUMNS = [
  'id bigint',
  'reference text',
  'purpose text',
  'purpose_id bigint',
  'status text',
  'channel text',
  'amount_minor bigint',
  'fee_minor bigint',
  'fee_bearer text',
  'payable_minor bigint',
  'paid_minor bigint',
  'currency text',
  'customer_email text',
  'customer_name text',
  'customer_phone text',
  'invoice_reference text',
  'split_page_id bigint',
  'page_id bigint',
  'order_id bigint',
  'customer_id bigint',
  'subaccount_id bigint',
  'ip_address text',
  'location text',
  'provider text',
  'bank_code text',
  'message text',
  'paid_at timestamptz',
  'expires_at timestamptz',
  'timeline text',
  'metadata text',
  'event_sequence bigint',
  'created_at timestamptz',
  'updated_at timestamptz',
]
const NAMES = COLUMNS.map((column) => column.split(' ')[0]).join(', ')

/** A new attempt's columns in a JSON record. */
export const ATTEMPT_COLUMNS = `business_id bigint, live boolean, ${COLUMNS.join(', ')}, ${ORDER_COLUMNS}`

export const attemptValues = ({ tenant, row, order }: NewAttempt) => ({
  ...row,
  business_id: tenant.businessId,
  live: tenant.live,
  amount_minor: `${row.amount_minor}`,
  fee_minor: `${row.fee_minor}`,
  payable_minor: `${row.payable_minor}`,
  paid_minor: row.paid_minor === null ? null : `${row.paid_minor}`,
  excess_minor: undefined,
  refunded_minor: undefined,
  refunding_minor: undefined,
  disputed_minor: undefined,
  reversed_minor: undefined,
  ...(order && orderValues(row.reference, order)),
})

/** The columns of a new attempt's share in a JSON record. */
export const SHARE_COLUMNS =
  'transaction_id bigint, subaccount_id bigint, share bigint, amount_minor bigint, fee_minor bigint'

export const shareValues = ({ shares }: NewAttempt) =>
  shares.map((share) => ({
    ...share,
    amount_minor: `${share.amount_minor}`,
    fee_minor: `${share.fee_minor}`,
    refunded_minor: undefined,
  }))

/**
 * Returns the parts of a `with` clause that insert attempts with their shares and provider orders.
 * All code that creates transactions uses them. `attempts` has ATTEMPT_COLUMNS, and `shares` has
 * SHARE_COLUMNS. Shares of other attempts are left out.
 */
export const insertingAttempts = (attempts: string, shares: string): string => `
inserted_transactions as (
  insert into transactions (business_id, live, ${NAMES})
  select business_id, live, ${NAMES} from ${attempts}
), transaction_texts_queued as (
  insert into transaction_texts_due (business_id, live, id)
  select business_id, live, id from ${attempts}
  where customer_email is not null or customer_name is not null
), ordered_charges as (${newOrdersOf('charge', new Sql([attempts], [])).compile().text}
), inserted_shares as (
  insert into transaction_shares
    (business_id, live, transaction_id, subaccount_id, share, amount_minor, fee_minor)
  select a.business_id, a.live, a.id, s.subaccount_id, s.share, s.amount_minor, s.fee_minor
  from ${shares} s join ${attempts} a on a.id = s.transaction_id
)`

const eventsOf = ({ row, events }: NewAttempt) =>
  events.map((event) => ({ ...event, transaction_id: row.id }))

// Only the attempts in `fresh`, whose keys have not been used before, are written.
const STATEMENT = `
with incoming as materialized (
  select * from json_to_recordset($1::json) as t (${ATTEMPT_COLUMNS}, ${CLAIM_COLUMNS})
), fresh as materialized (${freshRows()}
), claimed as (${claimRows('fresh', 'null', 'id::text')}
), shares as materialized (
  select * from json_to_recordset($2::json) as t (${SHARE_COLUMNS})
), ${insertingAttempts('fresh', 'shares')}, told as materialized (
  select * from json_to_recordset($3::json) as t (${EVENT_ROW}, transaction_id bigint)
  where transaction_id in (select id from fresh)
), ${insertingEventRows('told')}
select id from fresh`
