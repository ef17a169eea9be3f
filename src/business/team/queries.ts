import type { Db, Tx } from '../../db/database.ts'
import type { Role } from '../people/roles.ts'

export interface TeamRow {
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
 * Locks all members of a business, so that of two who change it at once one sees what the other
 * did; in one order, so that they do not wait for each other.
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

export const updateRole = (tx: Tx, businessId: number, personId: number, role: Role) =>
  tx.run`
    update members set role = ${role}
    where business_id = ${businessId} and person_id = ${personId}`

export const deleteMember = (tx: Tx, businessId: number, personId: number) =>
  tx.run`delete from members where business_id = ${businessId} and person_id = ${personId}`

export interface InvitationRow {
  hash: Buffer
  email: string
  role: Role
  invited_by: string | null
  expires_at: Date
  created_at: Date
}

/** Those that can still be used. */
export const selectInvitations = (db: Db, businessId: number, now: Date) =>
  db.many<InvitationRow>`
    select l.hash, l.email, l.role, p.name as invited_by, l.expires_at, l.created_at
    from person_links l left join people p on p.id = l.invited_by
    where l.business_id = ${businessId} and l.kind = 'invitation' and l.used_at is null
      and l.expires_at > ${now}
    order by l.created_at desc`

/** Takes back an invitation that nobody used; answers whose it was. */
export const deleteInvitation = (tx: Tx, businessId: number, hash: Buffer) =>
  tx.maybe<{ email: string; role: Role }>`
    delete from person_links
    where hash = ${hash} and business_id = ${businessId} and kind = 'invitation'
      and used_at is null
    returning email, role`

/** Replaces the copy of the link of an invitation that can still be used. */
export const updateCopied = (
  tx: Tx,
  businessId: number,
  { hash, copied, now }: { hash: Buffer; copied: Buffer; now: Date },
) =>
  tx.maybe<{ email: string; role: Role }>`
    update person_links set copied_hash = ${copied}
    where hash = ${hash} and business_id = ${businessId} and kind = 'invitation'
      and used_at is null and expires_at > ${now}
    returning email, role`

/** Takes back what an address was sent before. */
export const deleteInvitationsTo = (tx: Tx, businessId: number, email: string) =>
  tx.run`
    delete from person_links
    where business_id = ${businessId} and kind = 'invitation' and email = ${email}
      and used_at is null`

/** Takes back the invitations of somebody who may not invite any more, or less. */
export const deleteInvitationsBy = (tx: Tx, businessId: number, personId: number) =>
  tx.run`
    delete from person_links
    where business_id = ${businessId} and kind = 'invitation' and invited_by = ${personId}
      and used_at is null`

/** Members with one of the roles. */
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

/**
 * Sets whether a business requires a second factor, and only by a session that has one if it does.
 * Answers whether that changed anything.
 */
export const updateRequiresTwoFactor = async (
  tx: Tx,
  businessId: number,
  sessionId: number,
  required: boolean,
): Promise<boolean> =>
  (await tx.run`
    update businesses set requires_two_factor = ${required}
    where id = ${businessId} and requires_two_factor <> ${required}
      and (not ${required}::boolean or exists (
        select 1 from sessions s join people p on p.id = s.person_id
        left join passkeys k on k.credential_id = s.passkey_id and k.person_id = s.person_id
        where s.id = ${sessionId}
          and (p.totp_secret is not null or k.credential_id is not null)))`) > 0
