import type { Database, Db, Tx } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { EncryptedColumn, EncryptedValue, ValuesQuery } from '../encryption/columns.ts'
import { isEncryptedWith, type Keyring } from '../encryption/keyring.ts'
import type { Clock } from '../lib/clock.ts'
import { cachedBriefly } from './brief-cache.ts'
import type { Credentials } from './connector/http-connector.ts'

export interface CredentialDeps {
  db: Database
  keyring: Keyring
  clock: Clock
}

/** What a credential is encrypted about. */
export const aboutCredential = (connectionId: number, name: string, version: number): string =>
  `provider_credentials.encrypted ${connectionId} ${name} ${version}`

/** Returns a function that reads a connection's credentials, at most once a second. */
export function openCredentials(deps: CredentialDeps) {
  const all = cachedBriefly((connectionId: number, tx: Db | undefined) =>
    findCredentials({ ...deps, db: tx ?? deps.db }, connectionId),
  )
  return (connectionId: number): Promise<Credentials> => all.get(String(connectionId), connectionId)
}

/** Reads a connection's values, and those that they have replaced and that still count. */
export async function findCredentials(
  { db, keyring, clock }: Omit<CredentialDeps, 'db'> & { db: Db },
  connectionId: number,
): Promise<Credentials> {
  const rows = await selectAccepted(db, connectionId, clock.now())
  const values = await Promise.all(
    rows.map(async ({ name, version, encrypted, is_current }) => {
      const about = aboutCredential(connectionId, name, version)
      return { name, is_current, value: await keyring.decrypt(db, about, encrypted) }
    }),
  )
  const of = (name: string) => values.filter((one) => one.name === name)
  return {
    accepted: (name) => of(name).map(({ value }) => value),
    current(name) {
      const found = of(name).find(({ is_current }) => is_current)
      if (!found) throw new Error(`The connection ${connectionId} has no ${name}`)
      return found.value
    },
  }
}

/** Returns credentials that are not stored yet. */
export const credentialsOf = (values: Readonly<Record<string, string>>): Credentials => ({
  accepted: (name) => (values[name] === undefined ? [] : [values[name]]),
  current(name) {
    const value = values[name]
    if (value === undefined) throw new Error(`There is no ${name}`)
    return value
  },
})

interface CredentialRow {
  name: string
  version: number
  encrypted: Buffer
  is_current: boolean
}

/** Newest first. */
const selectAccepted = (db: Db, connectionId: number, now: Date) =>
  db.many<CredentialRow>`
    select name, version, encrypted, accepted_until is null as is_current
    from provider_credentials
    where connection_id = ${connectionId} and (accepted_until is null or accepted_until > ${now})
    order by version desc`

// ------------------------------------------------------------------------------- writing

interface NewCredential {
  connectionId: number
  name: string
  value: string
  now: Date
  /** Until when signatures that are made with the value before still count. */
  formerUntil: Date
}

const LAST_DIGITS = 4

/**
 * Stores the new value of a credential. The caller must have locked the connection, because two
 * values cannot get the same version.
 */
export async function storeCredential(
  tx: Tx,
  keyring: Keyring,
  { connectionId, name, value, now, formerUntil }: NewCredential,
): Promise<void> {
  const { version } = await tx.one<{ version: number }>`
    select coalesce(max(version), 0) + 1 as version from provider_credentials
    where connection_id = ${connectionId} and name = ${name}`
  const encrypted = await keyring.encrypt(tx, aboutCredential(connectionId, name, version), value)
  const fingerprint = await fingerprintOf(tx, keyring, value)
  await tx.run`
    update provider_credentials set accepted_until = ${formerUntil}
    where connection_id = ${connectionId} and name = ${name} and accepted_until is null`
  await tx.run`
    insert into provider_credentials (connection_id, name, version, encrypted, fingerprint, last4,
      created_at)
    values (${connectionId}, ${name}, ${version}, ${encrypted},
      ${fingerprint}, ${value.slice(-LAST_DIGITS)}, ${now})`
}

/** Returns what shows whether two values are the same, without revealing them. */
export async function fingerprintOf(db: Db, keyring: Keyring, value: string): Promise<string> {
  const hash = await keyring.hashOf(db, 'provider_credentials.fingerprint', value)
  return hash.toString('hex').slice(0, 12)
}

/** Deletes all values of a connection, so that nothing can be sent through it any more. */
export const deleteCredentials = (tx: Tx, connectionId: number) =>
  tx.run`delete from provider_credentials where connection_id = ${connectionId}`

/** A value without the value itself. */
export interface KnownCredential {
  connection_id: number
  name: string
  fingerprint: string
  last4: string
  created_at: Date
  /** Null for the current value. */
  accepted_until: Date | null
}

/** Selects what people can see of the values that still count, newest first. */
export const selectKnownCredentials = (db: Db, connectionIds: readonly number[], now: Date) =>
  db.many<KnownCredential>`
    select connection_id, name, fingerprint, last4, created_at, accepted_until
    from provider_credentials
    where connection_id = any(${connectionIds}::bigint[])
      and (accepted_until is null or accepted_until > ${now})
    order by connection_id, name, version desc`

// --------------------------------------------------------------------------------- rekey

/** A row here is a connection, whose values belong to no tenant and come together. */
export const providerCredentials: EncryptedColumn = {
  name: 'provider_credentials.encrypted',
  async select(db, wanted) {
    const rows = await selectEncrypted(db, wanted)
    return rows.map(({ id, name, version, value }) => {
      const about = aboutCredential(id, name, version)
      return { businessId: 0, live: false, id, about, value }
    })
  },
  // Two values are never encrypted to the same bytes.
  update: (tx, { id, value: before }: EncryptedValue, value) => tx.run`
    update provider_credentials set encrypted = ${value}
    where connection_id = ${id} and encrypted = ${before}`,
}

/** Selects all values of up to `limit` connections. */
const selectEncrypted = (db: Db, { keyId, after, limit }: ValuesQuery) =>
  db.many<{ id: number; name: string; version: number; value: Buffer }>`
    select connection_id as id, name, version, encrypted as value from provider_credentials
    where ${isEncryptedWith(sql`encrypted`, keyId)} and connection_id in (
      select distinct connection_id from provider_credentials
      where connection_id > ${after.id} and ${isEncryptedWith(sql`encrypted`, keyId)}
      order by connection_id limit ${limit})
    order by connection_id, name, version`
