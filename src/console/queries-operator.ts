import type { Db, Tx } from '../db/database.ts'
import { deletePasskeysOf } from './queries-passkeys.ts'

export interface ListedPerson {
  id: number
  email: string
  name: string
  has_totp: boolean
  passkeys: number
  /** `owner of 101`, oldest membership first. */
  memberships: string[]
  created_at: Date
}

export const selectPeople = (db: Db) =>
  db.many<ListedPerson>`
    select p.id, p.email, p.name, p.totp_secret is not null as has_totp, p.created_at,
      (select count(*) from passkeys k where k.person_id = p.id) as passkeys,
      array(
        select m.role || ' of ' || m.business_id from members m where m.person_id = p.id
        order by m.created_at, m.business_id) as memberships
    from people p order by p.id`

/**
 * Takes away the app with its recovery codes, one that was begun, and all passkeys. Answers whether
 * there was an app or a passkey.
 */
export async function deleteSecondFactor(tx: Tx, personId: number, now: Date): Promise<boolean> {
  const before = await tx.one<{ had_totp: boolean }>`
    select totp_secret is not null as had_totp from people where id = ${personId} for update`
  await tx.run`
    update people set totp_secret = null, totp_step = null, totp_pending = null,
      recovery_hashes = '{}', updated_at = ${now}
    where id = ${personId}`
  const passkeys = await deletePasskeysOf(tx, personId)
  return before.had_totp || passkeys > 0
}
