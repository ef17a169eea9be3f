import type { Db } from '../db/database.ts'
import type { Sql } from '../db/sql.ts'
import type { Minor } from '../lib/money.ts'
import type { ListKey } from './daily-lists.ts'

/** A bank as a provider lists it. */
export interface ProviderBankRow {
  code: string
  /** The provider's own number for it, which some operations need. */
  provider_bank_id: string | null
  name: string
  nip_code: string | null
  /** Our code; null if the bank matches none of ours. */
  bank_code: string | null
  is_active: boolean
}

export function selectProviderBanks(db: Db, { provider, environment, baseUrl }: ListKey) {
  return db.many<ProviderBankRow>`
    select code, provider_bank_id, name, nip_code, bank_code, is_active from provider_banks
    where provider = ${provider} and environment = ${environment} and base_url = ${baseUrl}
    order by code`
}

/** Stores a provider's whole list. A bank that is no longer in it stays, but is not active. */
export function replaceProviderBanks(
  db: Db,
  { provider, environment, baseUrl }: ListKey,
  rows: readonly ProviderBankRow[],
  now: Date,
) {
  return db.run`
    with listed as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as r (
        code text, provider_bank_id text, name text, nip_code text, bank_code text,
        is_active boolean)
    ), gone as (
      update provider_banks b set is_active = false
      where b.provider = ${provider} and b.environment = ${environment}
        and b.base_url = ${baseUrl} and b.is_active
        and not exists (select from listed l where l.code = b.code)
    )
    insert into provider_banks (provider, environment, base_url, code, provider_bank_id, name,
      nip_code, bank_code, is_active, seen_at)
    select ${provider}, ${environment}, ${baseUrl}, code, provider_bank_id, name, nip_code,
      bank_code, is_active, ${now}
    from listed
    on conflict (provider, environment, base_url, code) do update set
      provider_bank_id = excluded.provider_bank_id, name = excluded.name,
      nip_code = excluded.nip_code, bank_code = excluded.bank_code,
      is_active = excluded.is_active, seen_at = excluded.seen_at`
}

/** A product of a biller, as a provider sells it. */
export interface ProviderItemRow {
  biller_code: string
  item_code: string
  biller_name: string
  name: string
  category: string
  /** Null if the customer chooses the amount. */
  amount_minor: Minor | null
  fee_minor: Minor | null
  /** Our package; null if the item matches none of ours. */
  package_slug: string | null
  is_active: boolean
}

export function selectProviderItems(db: Db, { provider, environment, baseUrl }: ListKey) {
  return db.many<ProviderItemRow>`
    select biller_code, item_code, biller_name, name, category, amount_minor, fee_minor,
      package_slug, is_active
    from provider_items
    where provider = ${provider} and environment = ${environment} and base_url = ${baseUrl}
    order by biller_code, item_code`
}

/** Stores a provider's whole list. An item that is no longer in it stays, but is not active. */
export function replaceProviderItems(
  db: Db,
  { provider, environment, baseUrl }: ListKey,
  rows: readonly ProviderItemRow[],
  now: Date,
) {
  const printed = rows.map((row) => ({
    ...row,
    amount_minor: row.amount_minor?.toString() ?? null,
    fee_minor: row.fee_minor?.toString() ?? null,
  }))
  return db.run`
    with listed as (
      select * from json_to_recordset(${JSON.stringify(printed)}::json) as r (
        biller_code text, item_code text, biller_name text, name text, category text,
        amount_minor bigint, fee_minor bigint, package_slug text, is_active boolean)
    ), gone as (
      update provider_items i set is_active = false
      where i.provider = ${provider} and i.environment = ${environment}
        and i.base_url = ${baseUrl} and i.is_active
        and not exists (
          select from listed l
          where l.biller_code = i.biller_code and l.item_code = i.item_code)
    )
    insert into provider_items (provider, environment, base_url, biller_code, item_code,
      biller_name, name, category, amount_minor, fee_minor, package_slug, is_active, seen_at)
    select ${provider}, ${environment}, ${baseUrl}, biller_code, item_code, biller_name, name,
      category, amount_minor, fee_minor, package_slug, is_active, ${now}
    from listed
    on conflict (provider, environment, base_url, biller_code, item_code) do update set
      biller_name = excluded.biller_name, name = excluded.name, category = excluded.category,
      amount_minor = excluded.amount_minor, fee_minor = excluded.fee_minor,
      package_slug = excluded.package_slug, is_active = excluded.is_active,
      seen_at = excluded.seen_at`
}

/**
 * Selects the connections that can be asked for a list last read before `before`, oldest connection
 * first. `list` is its table.
 */
export function selectConnectionsWithOldList(db: Db, list: Sql, before: Date) {
  return db.many<ListKey & { connection_id: number }>`
    select c.id as connection_id, c.provider, c.environment, c.base_url as "baseUrl"
    from provider_connections c
    where c.status = 'Active' and c.environment <> 'simulated' and not exists (
      select from ${list} l
      where l.provider = c.provider and l.environment = c.environment
        and l.base_url = c.base_url and l.seen_at > ${before})
    order by c.id`
}
