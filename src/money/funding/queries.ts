import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Tenant } from '../../lib/caller.ts'
import type { Minor } from '../../lib/money.ts'
import type { IncomingPayment, VirtualAccount } from '../../providers/connector/types.ts'

export interface FundingAccountRow {
  id: number
  reference: string
  connection_id: number
  currency: string
  status: 'Opening' | 'Open'
  /** Null until the provider has opened the account, like the names. */
  account_number: string | null
  account_name: string | null
  bank_code: string | null
  bank_name: string | null
  provider_id: string | null
  looked_up_at: Date | null
  created_at: Date
}

const COLUMNS = sql`id, reference, connection_id, currency, status, account_number, account_name,
  bank_code, bank_name, provider_id, looked_up_at, created_at`

/** Whether nobody can look up what is paid into an account any more. */
const isAtRemoved = sql`exists (select from provider_connections c
  where c.id = funding_accounts.connection_id and c.status = 'Removed')`

/** Returns nothing if the account was at a connection that has been removed. */
export function selectAccount(db: Db, { businessId, live }: Tenant, currency: string) {
  return db.maybe<FundingAccountRow>`
    select ${COLUMNS} from funding_accounts
    where business_id = ${businessId} and live = ${live} and currency = ${currency}
      and not ${isAtRemoved}`
}

/**
 * Makes the account at a removed connection, if there is one, a new one that is to be opened. The
 * row stays, because payments refer to it.
 */
export function replaceRemoved(db: Db, { businessId, live }: Tenant, row: NewAccount) {
  return db.run`
    update funding_accounts
    set reference = ${row.reference}, connection_id = ${row.connection_id}, status = 'Opening',
      former_connection_ids = former_connection_ids || connection_id, account_number = null,
      account_name = null, bank_code = null, bank_name = null, provider_id = null,
      look_up_at = null, looked_up_at = null, created_at = ${row.created_at}
    where business_id = ${businessId} and live = ${live} and currency = ${row.currency}
      and ${isAtRemoved}`
}

export function selectAccountByNumber(
  db: Db,
  { businessId, live }: Tenant,
  connectionId: number,
  accountNumber: string,
) {
  return db.maybe<FundingAccountRow>`
    select ${COLUMNS} from funding_accounts
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and account_number = ${accountNumber}`
}

type NewAccount = Pick<
  FundingAccountRow,
  'id' | 'reference' | 'connection_id' | 'currency' | 'created_at'
>

/** Returns the new account, or the one that the business already has in this currency. */
export function insertAccount(db: Db, { businessId, live }: Tenant, row: NewAccount) {
  return db.one<FundingAccountRow>`
    insert into funding_accounts
      (business_id, live, id, reference, connection_id, currency, status, created_at)
    values (${businessId}, ${live}, ${row.id}, ${row.reference}, ${row.connection_id},
      ${row.currency}, 'Opening', ${row.created_at})
    on conflict (business_id, live, currency) do update set currency = excluded.currency
    returning ${COLUMNS}`
}

/**
 * Stores an account that its provider has opened, even if another request, which the provider
 * refused, has forgotten it meanwhile: someone could pay into it. Does nothing if the business
 * already has an open account.
 */
export async function updateOpened(
  db: Db,
  { businessId, live }: Tenant,
  row: NewAccount,
  account: VirtualAccount & { providerId: string | null; lookUpAt: Date },
): Promise<void> {
  const columns = sql`id, reference, connection_id, currency, status, created_at, account_number,
    account_name, bank_code, bank_name, provider_id, look_up_at`
  const values = sql`${row.id}::bigint, ${row.reference}, ${row.connection_id}::bigint,
    ${row.currency}, 'Open', ${row.created_at}::timestamptz, ${account.accountNumber},
    ${account.accountName}, ${account.bankCode}, ${account.bankName}, ${account.providerId},
    ${account.lookUpAt}::timestamptz`
  // `do update` would look at one unique index only, and fail if another request that opens the
  // account has just changed the row, because the row also has the same id.
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const updated = await db.run`
      update funding_accounts set (${columns}) = row(${values})
      where business_id = ${businessId} and live = ${live} and currency = ${row.currency}
        and status = 'Opening'`
    if (updated > 0) return
    const inserted = await db.run`
      insert into funding_accounts (business_id, live, ${columns})
      select ${businessId}::bigint, ${live}::boolean, ${values} on conflict do nothing`
    if (inserted > 0) return
  }
}

/** How often to look again if another request has changed the row in between. */
const TRIES_MAX = 3

/**
 * Forgets an account that the provider has certainly not opened, so that another can be chosen. One
 * that replaces an account stays, because payments may refer to it.
 */
export function deleteUnopened(db: Db, { businessId, live }: Tenant, id: number) {
  return db.run`
    delete from funding_accounts
    where business_id = ${businessId} and live = ${live} and id = ${id} and status = 'Opening'
      and former_connection_ids = '{}'`
}

interface DueAccountRow extends FundingAccountRow {
  business_id: number
  live: boolean
}

/**
 * Selects the accounts whose payments are due to be looked up. `only` selects those of one business
 * whose test clock is ahead; other runs leave these out.
 */
export function selectDue(db: Db, now: Date, only: number | null, limit: number) {
  return db.many<DueAccountRow>`
    select a.business_id, a.live, a.id, a.reference, a.connection_id, a.currency, a.status,
      a.account_number, a.account_name, a.bank_code, a.bank_name, a.provider_id, a.looked_up_at,
      a.created_at
    from funding_accounts a join businesses b on b.id = a.business_id
    where a.look_up_at <= ${now}
      and (b.id = ${only} and not a.live
        or ${only}::bigint is null and (a.live or b.test_clock_offset_ms = 0))
    order by a.look_up_at limit ${limit}`
}

/** Returns whether this process looks up the account now, rather than another one. */
export async function claimDue(
  db: Db,
  { businessId, live }: Tenant,
  id: number,
  { now, next }: { now: Date; next: Date },
): Promise<boolean> {
  const claimed = await db.run`
    update funding_accounts set look_up_at = ${next}
    where business_id = ${businessId} and live = ${live} and id = ${id} and look_up_at <= ${now}`
  return claimed === 1
}

export function updateLookedUp(db: Db, { businessId, live }: Tenant, id: number, at: Date) {
  return db.run`
    update funding_accounts set looked_up_at = ${at}
    where business_id = ${businessId} and live = ${live} and id = ${id}
      and (looked_up_at is null or looked_up_at < ${at})`
}

interface NewPayment extends Pick<IncomingPayment, 'providerId' | 'sender' | 'receivedAt'> {
  id: number
  reference: string
  accountId: number
  connectionId: number
  amount_minor: Minor
  currency: string
  fee_minor: Minor | null
  now: Date
}

/** Returns whether the payment is new. */
export async function insertPayment(
  tx: Tx,
  { businessId, live }: Tenant,
  row: NewPayment,
): Promise<boolean> {
  const inserted = await tx.run`
    insert into funding_payments
      (business_id, live, id, reference, funding_account_id, connection_id, provider_reference,
       amount_minor, currency, provider_fee_minor, sender, received_at, created_at)
    values (${businessId}, ${live}, ${row.id}, ${row.reference}, ${row.accountId},
      ${row.connectionId}, ${row.providerId}, ${row.amount_minor}, ${row.currency},
      ${row.fee_minor}, ${row.sender && JSON.stringify(row.sender)}::jsonb, ${row.receivedAt},
      ${row.now})
    on conflict on constraint funding_payments_once do nothing`
  return inserted === 1
}

/** Selects a payment by the provider's own number. */
export function selectPayment(
  db: Db,
  { businessId, live }: Tenant,
  connectionId: number,
  providerReference: string,
) {
  return db.maybe<{ reference: string }>`
    select reference from funding_payments
    where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
      and provider_reference = ${providerReference}`
}
