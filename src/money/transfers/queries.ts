import type { Db, Tx } from '../../db/database.ts'
import type { List } from '../../db/paginate.ts'
import { all, type Sql, sql } from '../../db/sql.ts'
import type { Searchable, SearchQuery } from '../../db/text-search.ts'
import { timelineEntry, withEntry } from '../../db/timeline.ts'
import { NUMBER_COLUMNS, type StoredNumber } from '../../encryption/account-numbers.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import type { Range } from '../../lib/paging.ts'
import { isUnsent } from '../../provider-orders/statements.ts'
import { TRANSFER_STATES, type TransferState } from './schemas.ts'
import type { Actor } from './transition.ts'

/** `payout`: to the business's own settlement account. */
export const TRANSFER_ORIGINS = ['transfer', 'payout'] as const
export type TransferOrigin = (typeof TRANSFER_ORIGINS)[number]

export interface TransferRow extends StoredNumber {
  id: number
  reference: string
  transfer_reference: string
  origin: TransferOrigin
  status: TransferState
  amount_minor: Minor
  fee_minor: Minor
  currency: string
  bank_code: string
  bank_name: string
  account_name: string | null
  narration: string | null
  /** JSON. */
  metadata: string | null
  failure_reason: string | null
  provider: string
  attempt: number
  /** JSON text: a list of `{status, at, message}`. */
  timeline: string
  event_sequence: number
  /** Why a person must check the transfer before it is paid; null if no check is needed. */
  doubt: 'limit' | 'name' | null
  /** The people who created and approved the transfer by hand; null if a key did. */
  created_by: number | null
  approved_by: number | null
  /** As in `Actor`; null for older transfers. */
  created_with: Actor['with'] | null
  created_by_name: string | null
  created_by_person: number | null
  approved_with: Actor['with'] | null
  approved_by_name: string | null
  approved_by_person: number | null
  completed_at: Date | null
  reversed_at: Date | null
  created_at: Date
  updated_at: Date
  /** Whether no provider can have it yet. */
  can_cancel: boolean
}

const STORED = sql`id, reference, transfer_reference, origin, status, amount_minor, fee_minor,
  currency, bank_code, bank_name, account_name, narration, metadata,
  failure_reason, provider, attempt, timeline, event_sequence, doubt,
  created_by, approved_by, created_with, created_by_name, created_by_person, approved_with,
  approved_by_name, approved_by_person, completed_at, reversed_at, created_at, updated_at,
  ${NUMBER_COLUMNS}`

/** In the same order as `TransferRow`. */
const columnsFor = (tenant: Tenant): Sql => sql`${STORED},
  case when status in ('Unverified', 'Pending') then ${isUnsent('transfer', tenant, sql`id`)}
    else false end as can_cancel`

/** Selects a transfer by our reference or, if there is none, by the caller's. */
export function selectTransfer(db: Db, { businessId, live }: Tenant, reference: string) {
  return db.maybe<TransferRow>`
    select ${columnsFor({ businessId, live })} from transfers
    where business_id = ${businessId} and live = ${live}
      and (reference = ${reference} or transfer_reference = ${reference})
    order by (reference = ${reference}) desc limit 1`
}

/** Selects a transfer only by the caller's reference. */
export function selectByCallerReference(
  db: Db,
  { businessId, live }: Tenant,
  transferReference: string,
) {
  return db.maybe<Pick<TransferRow, 'reference' | 'status'>>`
    select reference, status from transfers
    where business_id = ${businessId} and live = ${live}
      and transfer_reference = ${transferReference}`
}

export function selectById(db: Db, { businessId, live }: Tenant, id: number) {
  return db.maybe<TransferRow>`
    select ${columnsFor({ businessId, live })} from transfers
    where business_id = ${businessId} and live = ${live} and id = ${id}`
}

interface Change {
  from: readonly TransferState[]
  to: TransferState
  /** If set, moves the transfer only if this is the current attempt. */
  attempt: number | null
  /** The attempt that becomes the current one; null to keep the current one. */
  paid_by: number | null
  /** Whether to request the transfer again under a new reference. */
  isRetry: boolean
  isReturn: boolean
  message: string | null
  failure_reason: string | null
  /** Who approves the transfer; null for all other moves. */
  approver: Actor | null
  now: Date
}

/** Moves a transfer if its state allows it. Of two concurrent moves, exactly one succeeds. */
export function updateMoved(tx: Tx, { businessId, live }: Tenant, id: number, change: Change) {
  const { from, to, attempt, isRetry, isReturn, message, approver, now } = change
  const byHand = approver?.with === 'person' ? approver.personId : null
  return tx.maybe<TransferRow>`
    update transfers
    set status = ${to}, failure_reason = ${change.failure_reason},
      attempt = coalesce(${change.paid_by}::integer, attempt + ${isRetry ? 1 : 0}::integer),
      approved_by = coalesce(${byHand}::bigint, approved_by),
      approved_with = coalesce(${approver?.with}::text, approved_with),
      approved_by_name = coalesce(${approver?.name}::text, approved_by_name),
      approved_by_person = coalesce(${approver?.personId}::bigint, approved_by_person),
      completed_at = case when ${to}::text in ('Successful', 'Failed', 'Rejected')
        then coalesce(completed_at, ${now}::timestamptz) end,
      reversed_at = case when ${isReturn}::boolean then ${now}::timestamptz end,
      timeline = ${withEntry(sql`timeline`, timelineEntry(to, message, now))},
      event_sequence = event_sequence + 1, updated_at = ${now}
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and status = any(${from}::text[])
      and (${attempt}::integer is null or attempt = ${attempt}::integer)
    returning ${columnsFor({ businessId, live })}`
}

/** Stores which attempt is the current one, and which provider has it. */
export function updateProvider(
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { attempt, provider }: { attempt: number; provider: string },
) {
  return tx.one<TransferRow>`
    update transfers set attempt = ${attempt}, provider = ${provider}
    where business_id = ${businessId} and live = ${live} and id = ${id}
    returning ${columnsFor({ businessId, live })}`
}

/**
 * Returns whether a transfer by this creator, other than these new ones, has been waiting since
 * then. If so, approvers have already been emailed.
 */
export async function hasWaitingSince(
  db: Db,
  { businessId, live }: Tenant,
  { created_by_person, ids }: Pick<TransferRow, 'created_by_person'> & { ids: readonly number[] },
  since: Date,
): Promise<boolean> {
  const found = await db.maybe`
    select from transfers
    where business_id = ${businessId} and live = ${live} and status = 'Unverified'
      and created_at > ${since} and id <> all(${ids}::bigint[])
      and created_by_person is not distinct from ${created_by_person}::bigint
    limit 1`
  return found !== undefined
}

export const TRANSFERS: Searchable<TransferRow> = {
  kind: 'transfer',
  table: 'transfers',
  fields: [
    'account_last4',
    'bank_name',
    'account_name',
    'narration',
    'transfer_reference',
    'reference',
  ],
  commonStart: 'trf_',
}

/** A number, with its hash, by which it is found once it is encrypted. */
interface HashedNumber {
  number: string
  hash: Buffer
}

export interface TransferFilter {
  status: TransferState | undefined
  origin: TransferOrigin | undefined
  bankCode: string | undefined
  account: HashedNumber | undefined
  /** A whole account number, or a reference, that was searched for. */
  accountOrReference: HashedNumber | undefined
  /** Ours or the caller's. */
  reference: string | undefined
  range: Range
  isDescending: boolean
  search: SearchQuery | undefined
}

const isAccount = ({ hash, number }: HashedNumber): Sql =>
  sql`(account_hash = ${hash} or account_number_plain = ${number})`

const isNamed = (reference: string): Sql =>
  sql`(reference = ${reference} or transfer_reference = ${reference})`

// A condition with a parameter could not use the index of payouts.
const OF_ORIGIN: Record<TransferOrigin, Sql> = {
  transfer: sql`origin = 'transfer'`,
  payout: sql`origin = 'payout'`,
}

/** The business's transfers; newest first unless the filter says otherwise. */
export const transferList = (
  tenant: Tenant,
  { status, origin, bankCode, account, accountOrReference, reference, ...filter }: TransferFilter,
): List => {
  const names = [
    account && isAccount(account),
    reference === undefined ? undefined : isNamed(reference),
    accountOrReference &&
      sql`(${isAccount(accountOrReference)} or ${isNamed(accountOrReference.number)})`,
  ].filter((name) => name !== undefined)
  const isOf = origin && OF_ORIGIN[origin]
  return {
    ...filter,
    table: sql`transfers`,
    columns: columnsFor(tenant),
    tenant,
    // One index begins with the bank and the status, another with the status alone.
    ...(bankCode === undefined
      ? { filters: [status && sql`status = ${status}`, isOf] }
      : {
          filters: [isOf],
          indexed: [
            [sql`bank_code`, bankCode, [bankCode]],
            [sql`status`, status, TRANSFER_STATES],
          ],
        }),
    lookup: names.length > 0 ? [all(names)] : undefined,
  }
}
