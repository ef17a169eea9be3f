import type { Db } from '../db/database.ts'
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

/**
 * Selects the connections that can be asked for a list of banks last read before `before`, oldest
 * connection first.
 */
export function selectConnectionsWithOldBanks(db: Db, before: Date) {
  return db.many<ListKey & { connection_id: number }>`
    select c.id as connection_id, c.provider, c.environment, c.base_url as "baseUrl"
    from provider_connections c
    where c.status = 'Active' and c.environment <> 'simulated' and not exists (
      select from provider_banks b
      where b.provider = c.provider and b.environment = c.environment
        and b.base_url = c.base_url and b.seen_at > ${before})
    order by c.id`
}
