import type { Db, Tx } from '../db/database.ts'
import type { Role } from './roles.ts'

export interface PersonRow {
  id: number
  email: string
  name: string
  password_hash: string
  totp_secret: Buffer | null
  totp_step: number | null
  totp_pending: Buffer | null
}

export const selectByEmail = (db: Db, email: string) =>
  db.maybe<PersonRow>`
    select id, email, name, password_hash, totp_secret, totp_step, totp_pending
    from people where email = ${email.toLowerCase()}`

export const selectPerson = (db: Db, id: number) =>
  db.maybe<PersonRow>`
    select id, email, name, password_hash, totp_secret, totp_step, totp_pending
    from people where id = ${id}`

/** Answers whether it was written: nobody else has the address. */
export const insertPerson = async (
  tx: Tx,
  row: { id: number; email: string; name: string; passwordHash: string; now: Date },
): Promise<boolean> =>
  (await tx.run`
    insert into people (id, email, name, password_hash, created_at, updated_at)
    values (${row.id}, ${row.email.toLowerCase()}, ${row.name}, ${row.passwordHash}, ${row.now},
      ${row.now})
    on conflict (email) do nothing`) > 0

export const updatePassword = (tx: Tx, id: number, passwordHash: string, now: Date) =>
  tx.run`
    update people set password_hash = ${passwordHash}, updated_at = ${now}
    where id = ${id}`

/** Answers whether it is new; a member who is there already keeps the role. */
export const insertMember = async (
  tx: Tx,
  row: { businessId: number; personId: number; role: Role; now: Date },
): Promise<boolean> =>
  (await tx.run`
    insert into members (business_id, person_id, role, created_at)
    values (${row.businessId}, ${row.personId}, ${row.role}, ${row.now})
    on conflict do nothing`) > 0

export type LinkKind = 'owner' | 'invitation' | 'password'

export interface LinkRow {
  kind: LinkKind
  business_id: number | null
  business: string | null
  role: Role | null
  email: string | null
  person_id: number | null
}

export const insertLink = (
  tx: Db,
  hash: Buffer,
  row: Omit<LinkRow, 'business'> & { invitedBy: number | null; expiresAt: Date; now: Date },
) => tx.run`
    insert into person_links
      (hash, kind, business_id, role, email, person_id, invited_by, expires_at, created_at)
    values (${hash}, ${row.kind}, ${row.business_id}, ${row.role}, ${row.email}, ${row.person_id},
      ${row.invitedBy}, ${row.expiresAt}, ${row.now})`

/** A link that can still be used. */
export const selectLink = (db: Db, hash: Buffer, now: Date) =>
  db.maybe<LinkRow>`
    select l.kind, l.business_id, b.name as business, l.role, l.email, l.person_id
    from person_links l left join businesses b on b.id = l.business_id
    where l.hash = ${hash} and l.used_at is null and l.expires_at > ${now}`

/** Uses a link, once; undefined when it was used or its time is over. */
export const takeLink = (tx: Tx, hash: Buffer, now: Date) =>
  tx.maybe<Omit<LinkRow, 'business'>>`
    update person_links set used_at = ${now}
    where hash = ${hash} and used_at is null and expires_at > ${now}
    returning kind, business_id, role, email, person_id`

/** Whether somebody owns the business. */
export const selectOwned = async (db: Db, businessId: number): Promise<boolean> =>
  (await db.maybe`
    select 1 from members where business_id = ${businessId} and role = 'owner' limit 1`) !==
  undefined

/** How many links for another password somebody asked for. */
export const countLinks = async (db: Db, personId: number, since: Date): Promise<number> =>
  (
    await db.one<{ n: number }>`
      select count(*) as n from person_links
      where person_id = ${personId} and kind = 'password' and created_at > ${since}`
  ).n

export const deletePasswordLinks = (tx: Tx, personId: number) =>
  tx.run`delete from person_links where person_id = ${personId} and kind = 'password'`

/** Those that nobody used. */
export const deleteOwnerLinks = (tx: Tx, businessId: number) =>
  tx.run`
    delete from person_links
    where business_id = ${businessId} and kind = 'owner' and used_at is null`
