/**
 * Tables that a distributed database keeps in full on every machine: any statement can join them,
 * and they are found without knowing a business. All other tables belong to tenants, and are
 * divided by `business_id`.
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
