import type { Db, Tx } from '../db/database.ts'

export interface PasskeyRow {
  credential_id: string
  person_id: number
  public_key: Buffer
  counter: number
  transports: string[]
  name: string
  last_used_at: Date | null
  created_at: Date
}

export const selectPasskeys = (db: Db, personId: number) =>
  db.many<PasskeyRow>`
    select credential_id, person_id, public_key, counter, transports, name, last_used_at, created_at
    from passkeys where person_id = ${personId} order by created_at, credential_id`

export const selectPasskey = (db: Db, credentialId: string) =>
  db.maybe<PasskeyRow>`
    select credential_id, person_id, public_key, counter, transports, name, last_used_at, created_at
    from passkeys where credential_id = ${credentialId}`

/** Answers whether it was written: nobody has this one. */
export const insertPasskey = async (tx: Tx, row: Omit<PasskeyRow, 'last_used_at'>) =>
  (await tx.run`
    insert into passkeys
      (credential_id, person_id, public_key, counter, transports, name, created_at)
    values (${row.credential_id}, ${row.person_id}, ${row.public_key}, ${row.counter},
      ${row.transports}, ${row.name}, ${row.created_at})
    on conflict do nothing`) > 0

/**
 * Notes a use. A counter that does not go up tells of a copy; authenticators without one say 0.
 * Answers false then.
 */
export const updatePasskeyUsed = async (db: Db, credentialId: string, counter: number, now: Date) =>
  (await db.run`
    update passkeys set counter = ${counter}, last_used_at = ${now}
    where credential_id = ${credentialId}
      and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0))`) > 0

export const deletePasskey = (tx: Tx, personId: number, credentialId: string) =>
  tx.maybe<{ name: string }>`
    delete from passkeys where credential_id = ${credentialId} and person_id = ${personId}
    returning name`

export const deletePasskeysOf = (tx: Tx, personId: number) =>
  tx.run`delete from passkeys where person_id = ${personId}`

export const insertChallenge = (db: Db, hash: Buffer, personId: number | null, expiresAt: Date) =>
  db.run`
    insert into passkey_challenges (hash, person_id, expires_at)
    values (${hash}, ${personId}, ${expiresAt})`

/** Takes what was asked, once; of the person it was asked, or of nobody. */
export const takeChallenge = async (db: Db, hash: Buffer, personId: number | null, now: Date) =>
  (await db.run`
    delete from passkey_challenges
    where hash = ${hash} and person_id is not distinct from ${personId}::bigint
      and expires_at > ${now}`) > 0
