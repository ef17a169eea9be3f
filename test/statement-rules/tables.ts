/**
 * Tables that a distributed database keeps in full on every machine: any statement can join them,
 * and they are found without knowing a business. All other tables belong to tenants.
 */
export const REFERENCE_TABLES: readonly string[] = [
  'api_key_hashes',
  'backups',
  'blob_garbage',
  'businesses',
  'encryption_keys',
  'free_mails',
  'known_browsers',
  'page_links',
  'partner_secrets',
  'partner_tokens',
  'partners',
  'passkey_challenges',
  'passkeys',
  'pauses',
  'people',
  'person_links',
  'provider_banks',
  'provider_connections',
  'provider_credentials',
  'provider_items',
  'rate_limits',
  'restores',
  'row_notes_begun',
  'schema_migrations',
  'server_secrets',
  'sessions',
  'sign_in_tries',
]

/** Each table of the migrated schema with its columns, in order. */
export type Schema = Record<string, string[]>

/** The file of a run that contains its `Schema`. */
export const SCHEMA = 'schema.json'

/** The column that holds the id of a business, if the table has one. */
export function businessColumn(table: string, columns: readonly string[]): string | undefined {
  if (table === 'businesses') return 'id'
  return columns.includes('business_id') ? 'business_id' : undefined
}

/** Returns tables that are neither a reference table nor have a `business_id`. */
export const tablesWithoutBusiness = (schema: Schema): string[] =>
  Object.entries(schema)
    .filter(
      ([table, columns]) => !REFERENCE_TABLES.includes(table) && !businessColumn(table, columns),
    )
    .map(([table]) => table)
