import type { Tx } from '../../db/database.ts'
import { ConcurrentChange, isUniqueViolation } from '../../db/failures.ts'
import {
  CLAIM_COLUMNS,
  type Claim,
  claimRows,
  claimValues,
  isKeyUsed,
  type StoredResponse,
} from '../../db/idempotency.ts'
import { plainArray, textArray } from '../../db/pg-arrays.ts'
import { Sql, sql } from '../../db/sql.ts'
import { insertingTexts, TEXT_COLUMNS, textValues } from '../../db/text-search.ts'
import type { EncryptedNumber } from '../../encryption/account-numbers.ts'
import { EVENT_ROW, type EventRow, insertingEventRows } from '../../events/append.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import { unavailable } from '../../lib/problem.ts'
import { newOrdersOf, ORDER_COLUMNS, orderValues } from '../../provider-orders/statements.ts'
import { TRANSFERS, type TransferRow } from './queries.ts'

interface Asked extends Tenant {
  draft: Pick<TransferRow, 'transfer_reference' | 'currency'>
  claim?: Claim | undefined
}

/** What decides whether a transfer can be created. */
export interface Found {
  is_key_used: boolean
  /** The transfer that has the caller's reference, if there is one. */
  used_by: Pick<TransferRow, 'reference' | 'status'> | null
  /** The balance of the wallet. */
  available_minor: Minor
}

/** Returns what is known about each of these transfers before they are written, in order. */
export function selectBefore(tx: Tx, asked: readonly Asked[]): Promise<Found[]> {
  const text = (pick: (one: Asked) => string | null) => textArray(asked.map(pick))
  return tx.many<Found>`
    select ${IS_KEY_USED} as is_key_used, t.used_by,
      coalesce(a.available_minor, 0) as available_minor
    from unnest(
      ${plainArray(asked.map(({ businessId }) => businessId))}::bigint[],
      ${plainArray(asked.map(({ live }) => live))}::boolean[],
      ${text(({ draft }) => draft.transfer_reference)}::text[],
      ${text(({ draft }) => draft.currency)}::text[],
      ${text(({ claim }) => claim?.scope ?? null)}::text[],
      ${text(({ claim }) => claim?.key ?? null)}::text[]
    ) with ordinality as i (business_id, live, transfer_reference, currency, scope, key, n)
    left join lateral (
      select json_build_object('reference', reference, 'status', status) as used_by
      from transfers t
      where t.business_id = i.business_id and t.live = i.live
        and t.transfer_reference = i.transfer_reference
      limit 1) t on true
    left join lateral (
      select credits_minor - debits_minor as available_minor from ledger_accounts a
      where a.business_id = i.business_id and a.live = i.live and a.kind = 'wallet_available'
        and a.subject_id = 0 and a.currency = i.currency
      limit 1) a on true
    order by n`
}

const IS_KEY_USED = new Sql([isKeyUsed('i')], [])

/** A transfer to be stored, with everything that is written in the same statement. */
export interface NewTransferRow {
  tenant: Tenant
  row: TransferRow & EncryptedNumber
  /** The connection to the provider that makes the transfer. */
  connection_id: number
  event: EventRow
  claim?: Claim | undefined
  /** The response to store with the claim. */
  answer: StoredResponse | undefined
}

/**
 * Stores transfers with their orders, events, search texts, claims and responses in one statement.
 * An order is due at once unless its transfer needs approval. Throws a `ConcurrentChange` if
 * another transaction has just used a transfer's reference.
 */
export async function insertTransfers(tx: Tx, transfers: readonly NewTransferRow[]): Promise<void> {
  const rows = JSON.stringify(transfers.map(valuesOf))
  const events = JSON.stringify(transfers.map(({ event }) => event))
  try {
    await tx.run`
      with incoming as materialized (
        select * from json_to_recordset(${rows}::json) as t (${ROW})
      ), new_events as materialized (
        select * from json_to_recordset(${events}::json) as t (${EVENT})
      ), inserted as (${INSERTED}), ordered as (${ORDERED}), claimed as (${CLAIMED}),
      indexed as (${INDEXED}), ${NEW_EVENTS}
      select from incoming`
  } catch (error) {
    throw isUniqueViolation(error, 'transfers_reference') ? new ConcurrentChange(justUsed()) : error
  }
}

const justUsed = () =>
  unavailable('server_busy', 'The reference has just been used. Nothing was done; try again.')

const COLUMNS = [
  'business_id bigint',
  'live boolean',
  'id bigint',
  'reference text',
  'transfer_reference text',
  'origin text',
  'status text',
  'amount_minor bigint',
  'fee_minor bigint',
  'currency text',
  'bank_code text',
  'bank_name text',
  'account_encrypted bytea',
  'account_hash bytea',
  'account_last4 text',
  'account_name text',
  'narration text',
  'metadata text',
  'failure_reason text',
  'provider text',
  'timeline text',
  'event_sequence bigint',
  'doubt text',
  'created_by bigint',
  'created_with text',
  'created_by_name text',
  'created_by_person bigint',
  'created_at timestamptz',
  'updated_at timestamptz',
]
const NAMES = COLUMNS.map((column) => column.split(' ')[0]).join(', ')

const fragment = (text: string) => new Sql([text], [])
const ROW = fragment(
  `${COLUMNS.join(', ')}, ${ORDER_COLUMNS}, ${CLAIM_COLUMNS}, response text, ${TEXT_COLUMNS}`,
)
const EVENT = fragment(EVENT_ROW)
const INSERTED = fragment(`insert into transfers (${NAMES}) select ${NAMES} from incoming`)
const ORDERED = newOrdersOf('transfer', sql`incoming`)
const CLAIMED = fragment(claimRows('incoming', '201', 'response'))
const INDEXED = fragment(insertingTexts(TRANSFERS, 'incoming'))
const NEW_EVENTS = fragment(insertingEventRows('new_events'))

const hex = (bytes: Buffer) => `\\x${bytes.toString('hex')}`

function valuesOf({ tenant, row, connection_id, claim, answer }: NewTransferRow) {
  const { businessId, live } = tenant
  const { account_number_plain, ...stored } = row
  return {
    ...stored,
    business_id: businessId,
    live,
    amount_minor: `${row.amount_minor}`,
    fee_minor: `${row.fee_minor}`,
    account_encrypted: hex(row.account_encrypted),
    account_hash: hex(row.account_hash),
    ...orderValues(row.reference, {
      connectionId: connection_id,
      amount_minor: row.amount_minor,
      currency: row.currency,
      sentAt: null,
      nextAt: row.status === 'Pending' ? row.created_at : null,
    }),
    ...claimValues(claim),
    response: claim && answer?.body,
    ...textValues(tenant, TRANSFERS, row),
  }
}
