import type { Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import type { HttpConnector, ProbeReport } from './connector/http-connector.ts'
import type { Connection, ConnectionSettings, Service } from './connector/types.ts'
import type { ConnectionRow } from './queries.ts'

/** The result of the last check of an account. */
export type StoredProbe =
  | (Pick<ProbeReport, 'accountName' | 'checks'> & {
      isDone: true
      balances: { currency: string; availableMinor: string; pendingMinor: string | null }[]
    })
  | { isDone: false; code: string; message: string }

export interface StoredConnection extends ConnectionRow {
  status_reason: string | null
  notice_token: string
  probe: StoredProbe | null
  probed_at: Date | null
  first_notice_at: Date | null
  last_notice_at: Date | null
  created_by: string
  created_at: Date
  updated_at: Date
}

const STORED = sql`id as connection_id, provider, business_id, live, environment, status, name,
  base_url, settings, status_reason, notice_token, probe, probed_at, first_notice_at,
  last_notice_at, created_by, created_at, updated_at`

/** Selects a business's connections, oldest first, with those that were removed. */
export const selectConnections = (db: Db, { businessId, live }: Tenant) =>
  db.many<StoredConnection>`
    select ${STORED} from provider_connections
    where business_id = ${businessId} and live = ${live} order by id`

/** Selects one of a business's connections and locks it until the transaction ends. */
export const lockConnection = (tx: Tx, { businessId, live }: Tenant, id: number) =>
  tx.maybe<StoredConnection>`
    select ${STORED} from provider_connections
    where id = ${id} and business_id = ${businessId} and live = ${live} for update`

export const selectOwnConnection = (db: Db, { businessId, live }: Tenant, id: number) =>
  db.maybe<StoredConnection>`
    select ${STORED} from provider_connections
    where id = ${id} and business_id = ${businessId} and live = ${live}`

/** Returns whose connection this is; undefined also for the simulator. */
export const selectTenantOf = (db: Db, id: number) =>
  db.maybe<Tenant>`
    select business_id as "businessId", live from provider_connections
    where id = ${id} and business_id is not null`

/** Locks the business's row, so that its connections are made one after the other. */
export const lockBusiness = (tx: Tx, businessId: number) =>
  tx.one<{ test_clock_offset_ms: number; email: string | null }>`
    select test_clock_offset_ms, email from businesses where id = ${businessId}
    for no key update`

export interface NewConnection extends Connection {
  businessId: number
  noticeToken: string
  createdBy: string
  now: Date
}

export const insertConnection = (tx: Tx, made: NewConnection) =>
  tx.one<StoredConnection>`
    insert into provider_connections (id, provider, business_id, live, environment, status, name,
      base_url, settings, notice_token, created_by, created_at, updated_at)
    values (${made.id}, ${made.provider}, ${made.businessId}, ${made.live}, ${made.environment},
      ${made.status}, ${made.name}, ${made.baseUrl}, ${JSON.stringify(made.settings)}::jsonb,
      ${made.noticeToken}, ${made.createdBy}, ${made.now}, ${made.now})
    returning ${STORED}`

/** Returns a connection other than `but` that has this value and was not removed. */
export const findSameCredential = (
  db: Db,
  { businessId, live }: Tenant,
  { name, fingerprint, but }: { name: string; fingerprint: string; but: number },
) =>
  db.maybe<Pick<Connection, 'id' | 'status'>>`
    select c.id, c.status from provider_connections c
    join provider_credentials k on k.connection_id = c.id
    where c.business_id = ${businessId} and c.live = ${live} and c.status <> 'Removed'
      and c.id <> ${but} and k.name = ${name} and k.accepted_until is null
      and k.fingerprint = ${fingerprint}
    limit 1`

interface Changed {
  from: readonly Connection['status'][]
  to: Connection['status']
  reason: string | null
  now: Date
}

/** Returns no row if the connection does not have one of the states `from`. */
export const updateStatus = (
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { from, to, reason, now }: Changed,
) =>
  tx.maybe<StoredConnection>`
    update provider_connections
    set status = ${to}, status_reason = ${reason}, status_at = ${now}, updated_at = ${now}
    where id = ${id} and business_id = ${businessId} and live = ${live}
      and status = any(${from}::text[])
    returning ${STORED}`

export const updateProbe = (
  db: Db,
  { businessId, live }: Tenant,
  id: number,
  probe: StoredProbe,
  now: Date,
) =>
  db.one<StoredConnection>`
    update provider_connections set probe = ${JSON.stringify(probe)}::jsonb, probed_at = ${now}
    where id = ${id} and business_id = ${businessId} and live = ${live}
    returning ${STORED}`

export const updateDetails = (
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { name, settings, now }: { name: string; settings: Partial<ConnectionSettings>; now: Date },
) =>
  tx.maybe<StoredConnection>`
    update provider_connections
    set name = ${name}, settings = ${JSON.stringify(settings)}::jsonb, updated_at = ${now}
    where id = ${id} and business_id = ${businessId} and live = ${live} and status <> 'Removed'
    returning ${STORED}`

/** The URL before is accepted until a time, because the provider has to be told the new one. */
export const updateNoticeToken = (
  tx: Tx,
  { businessId, live }: Tenant,
  id: number,
  { token, formerUntil, now }: { token: string; formerUntil: Date; now: Date },
) =>
  tx.maybe<StoredConnection>`
    update provider_connections
    set former_notice_token = notice_token, former_token_until = ${formerUntil},
      notice_token = ${token}, first_notice_at = null, updated_at = ${now}
    where id = ${id} and business_id = ${businessId} and live = ${live} and status <> 'Removed'
    returning ${STORED}`

// ------------------------------------------------------------------------ what it still holds

/** Counts the orders of a connection whose outcome is not known yet. */
export const selectOpenOrders = (db: Db, { businessId, live }: Tenant, id: number) =>
  db.one<{ open: number; attention: number; oldest_at: Date | null }>`
    select count(*)::integer as open, count(attention)::integer as attention,
      min(created_at) as oldest_at
    from provider_orders
    where business_id = ${businessId} and live = ${live} and connection_id = ${id}
      and ended_at is null`

/** Selects what the ledger says that the provider holds for the business. */
export const selectHeldThere = (db: Db, { businessId, live }: Tenant, id: number) =>
  db.many<{ currency: string; minor: Minor }>`
    select currency, (debits_minor - credits_minor)::bigint as minor from ledger_accounts
    where business_id = ${businessId} and live = ${live} and kind = 'provider_clearing'
      and subject_id = ${id} and debits_minor <> credits_minor
    order by currency`

/**
 * Counts what only this connection can bring to an end: disputes that the provider has not decided,
 * and deposits that it holds or is sending back.
 */
export const selectUndecided = (db: Db, { businessId, live }: Tenant, id: number) =>
  db.one<{ disputes: number; deposits: number }>`
    select
      (select count(*)::integer from disputes
        where business_id = ${businessId} and live = ${live} and connection_id = ${id}
          and closed_at is null) as disputes,
      (select count(*)::integer from deposits
        where business_id = ${businessId} and live = ${live} and connection_id = ${id}
          and return_status in ('Held', 'Returning')) as deposits`

/** Counts the refused notifications of a connection since a time. */
export const selectRefusedNotices = async (
  db: Db,
  { businessId, live }: Tenant,
  { connectionId, since }: { connectionId: number; since: Date },
): Promise<number> =>
  (
    await db.one<{ n: number }>`
      select coalesce(sum(count), 0)::integer as n from provider_notice_refusals
      where business_id = ${businessId} and live = ${live} and connection_id = ${connectionId}
        and minute >= ${since}`
  ).n

/** Returns the services that a connector can take orders for. */
export const servicesOf = ({ collections, accounts, payouts, bills }: HttpConnector): Service[] => [
  ...(collections?.openVirtualAccount ? (['BANK_TRANSFER'] as const) : []),
  ...(collections?.startUssd ? (['USSD'] as const) : []),
  ...(collections?.openHostedPage ? (['CARD'] as const) : []),
  ...(accounts ? (['ACCOUNTS'] as const) : []),
  ...(payouts ? (['PAYOUTS'] as const) : []),
  ...(bills ? (['UTILITY'] as const) : []),
]

/** Returns whether a provider pays the balance out to a bank account by itself. */
export async function paysOutByItself(db: Db, { businessId, live }: Tenant): Promise<boolean> {
  const found = await db.maybe`
    select from provider_connections
    where business_id = ${businessId} and live = ${live} and status in ('Active', 'Paused')
      and settings @> '{"automaticSettlement": true}'
    limit 1`
  return found !== undefined
}
