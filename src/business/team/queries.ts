import type { Db, Tx } from '../../db/database.ts'
import type { Role } from '../people/roles.ts'

interface TeamRow {
  person_id: number
  name: string
  email: string
  role: Role
  has_second_factor: boolean
  joined_at: Date
}

export const selectTeam = (db: Db, businessId: number) =>
  db.many<TeamRow>`
    select m.person_id, p.name, p.email, m.role, m.created_at as joined_at,
      p.totp_secret is not null or exists (
        select 1 from passkeys k where k.person_id = p.id) as has_second_factor
    from members m join people p on p.id = m.person_id
    where m.business_id = ${businessId}
    order by m.created_at, m.person_id`

/**
 * Locks all of a business's members, in a fixed order to avoid deadlocks. The second of two
 * simultaneous changes waits, and then sees the first.
 */
export const lockTeam = (tx: Tx, businessId: number) =>
  tx.many<{ person_id: number; role: Role }>`
    select person_id, role from members where business_id = ${businessId}
    order by person_id for update`

export const selectMemberEmail = (db: Db, businessId: number, email: string) =>
  db.maybe<{ person_id: number }>`
    select m.person_id from members m join people p on p.id = m.person_id
    where m.business_id = ${businessId} and p.email = ${email}`

export const selectNameOf = (db: Db, businessId: number, personId: number) =>
  db.maybe<{ name: string; email: string }>`
    select p.name, p.email from members m join people p on p.id = m.person_id
    where m.business_id = ${businessId} and m.person_id = ${personId}`

export interface InvitationRow {
  hash: Buffer
  email: string
  role: Role
  invited_by: string | null
  expires_at: Date
  created_at: Date
}

/** Selects only invitations that are still valid. */
export const selectInvitations = (db: Db, businessId: number, now: Date) =>
  db.many<InvitationRow>`
    select l.hash, l.email, l.role, p.name as invited_by, l.expires_at, l.created_at
    from person_links l left join people p on p.id = l.invited_by
    where l.business_id = ${businessId} and l.kind = 'invitation' and l.used_at is null
      and l.expires_at > ${now}
    order by l.created_at desc`

export const selectByRoles = (db: Db, businessId: number, roles: readonly Role[]) =>
  db.many<{ person_id: number; email: string }>`
    select m.person_id, p.email from members m join people p on p.id = m.person_id
    where m.business_id = ${businessId} and m.role = any(${roles}::text[])
    order by m.person_id`

export const selectBusinessName = async (db: Db, businessId: number): Promise<string> =>
  (await db.one<{ name: string }>`select name from businesses where id = ${businessId}`).name

export const selectRequiresTwoFactor = async (db: Db, businessId: number): Promise<boolean> =>
  (
    await db.one<{ requires_two_factor: boolean }>`
      select requires_two_factor from businesses where id = ${businessId}`
  ).requires_two_factor
