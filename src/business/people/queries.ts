import type { Db, Tx } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { EncryptedRow, ValuesQuery } from '../../encryption/columns.ts'
import { isEncryptedWith } from '../../encryption/keyring.ts'
import { deletePasskeysOf } from './queries-sessions.ts'
import type { Role } from './roles.ts'

export interface PersonRow {
  id: number
  email: string
  name: string
  password_hash: string
  totp_secret: Buffer | null
  totp_step: number | null
  totp_pending: Buffer | null
  /** Counts the changes of the app, which tell whether it is still the same. */
  totp_changes: number
  /** When a mailed link was first used. Until then, anyone could have created the account. */
  email_proved_at: Date | null
}

const PERSON = sql`id, email, name, password_hash, totp_secret, totp_step, totp_pending,
  totp_changes, email_proved_at`

export const selectByEmail = (db: Db, email: string) =>
  db.maybe<PersonRow>`select ${PERSON} from people where email = ${email.toLowerCase()}`

export const selectPerson = (db: Db, id: number) =>
  db.maybe<PersonRow>`select ${PERSON} from people where id = ${id}`

export const lockPerson = (tx: Tx, id: number) =>
  tx.maybe<PersonRow>`select ${PERSON} from people where id = ${id} for no key update`

/**
 * Returns whether the credentials that a person presented are still valid, and locks them until the
 * transaction ends. Otherwise, a session from a sign-in that started before a reset could survive
 * the reset.
 */
export const lockCredentials = async (
  tx: Tx,
  { id, password_hash, totp_changes }: Omit<PersonRow, 'email' | 'name'>,
  passkeyId?: string,
): Promise<boolean> => {
  const person = await tx.maybe`
    select 1 from people where id = ${id} and password_hash = ${password_hash}
      and totp_changes = ${totp_changes} for share`
  if (!person || passkeyId === undefined) return person !== undefined
  const passkey = await tx.maybe`
    select 1 from passkeys where credential_id = ${passkeyId} and person_id = ${id} for share`
  return passkey !== undefined
}

/** Returns false if the email address is taken. */
export const insertPerson = async (
  tx: Tx,
  row: {
    id: number
    email: string
    name: string
    passwordHash: string
    provedAt: Date | null
    now: Date
  },
): Promise<boolean> =>
  (await tx.run`
    insert into people (id, email, name, password_hash, email_proved_at, created_at, updated_at)
    values (${row.id}, ${row.email.toLowerCase()}, ${row.name}, ${row.passwordHash},
      ${row.provedAt}, ${row.now}, ${row.now})
    on conflict (email) do nothing`) > 0

export const updatePassword = (tx: Tx, id: number, passwordHash: string, now: Date) =>
  tx.run`
    update people set password_hash = ${passwordHash}, updated_at = ${now}
    where id = ${id}`

/** Replaces the password that the person entered. Returns false if it has changed since. */
export const updateOwnPassword = async (
  tx: Tx,
  { id, password_hash }: PersonRow,
  passwordHash: string,
  now: Date,
): Promise<boolean> =>
  (await tx.run`
    update people set password_hash = ${passwordHash}, updated_at = ${now}
    where id = ${id} and password_hash = ${password_hash}`) > 0

/** Returns whether this was the first proof. */
export const updateEmailProved = async (tx: Tx, id: number, now: Date): Promise<boolean> =>
  (await tx.run`
    update people set email_proved_at = ${now}, updated_at = ${now}
    where id = ${id} and email_proved_at is null`) > 0

/** Returns whether the member is new. An existing member keeps their role. */
export const insertMember = async (
  tx: Tx,
  row: { businessId: number; personId: number; role: Role; now: Date },
): Promise<boolean> =>
  (await tx.run`
    insert into members (business_id, person_id, role, created_at)
    values (${row.businessId}, ${row.personId}, ${row.role}, ${row.now})
    on conflict do nothing`) > 0

export const updateRole = (tx: Tx, businessId: number, personId: number, role: Role) =>
  tx.run`
    update members set role = ${role}
    where business_id = ${businessId} and person_id = ${personId}`

export const deleteMember = (tx: Tx, businessId: number, personId: number) =>
  tx.run`delete from members where business_id = ${businessId} and person_id = ${personId}`

export type LinkKind = 'owner' | 'invitation' | 'password' | 'email' | 'passkeys'

interface LinkRow {
  kind: LinkKind
  business_id: number | null
  business: string | null
  role: Role | null
  email: string | null
  person_id: number | null
  /** Whether the link was shown to a member instead of mailed. */
  is_copied: boolean
}

export type NewLinkRow = Omit<LinkRow, 'business' | 'is_copied'>

export const insertLink = (
  tx: Db,
  hash: Buffer,
  row: NewLinkRow & { invitedBy: number | null; expiresAt: Date; now: Date },
) => tx.run`
    insert into person_links
      (hash, kind, business_id, role, email, person_id, invited_by, expires_at, created_at)
    values (${hash}, ${row.kind}, ${row.business_id}, ${row.role}, ${row.email}, ${row.person_id},
      ${row.invitedBy}, ${row.expiresAt}, ${row.now})`

/** Selects a link that is still valid. */
export const selectLink = (db: Db, hash: Buffer, now: Date) =>
  db.maybe<LinkRow>`
    select l.kind, l.business_id, b.name as business, l.role, l.email, l.person_id,
      l.hash <> ${hash} as is_copied
    from person_links l left join businesses b on b.id = l.business_id
    where (l.hash = ${hash} or l.copied_hash = ${hash})
      and l.used_at is null and l.expires_at > ${now}`

/** Marks a link as used. Returns undefined if it has been used or has expired. */
export const consumeLink = (tx: Tx, hash: Buffer, now: Date) =>
  tx.maybe<Omit<LinkRow, 'business'>>`
    update person_links set used_at = ${now}
    where (hash = ${hash} or copied_hash = ${hash}) and used_at is null and expires_at > ${now}
    returning kind, business_id, role, email, person_id, hash <> ${hash} as is_copied`

/** Deletes an unused invitation. Returns its email address and role. */
export const deleteInvitation = (tx: Tx, businessId: number, hash: Buffer) =>
  tx.maybe<{ email: string; role: Role }>`
    delete from person_links
    where hash = ${hash} and business_id = ${businessId} and kind = 'invitation'
      and used_at is null
    returning email, role`

/** Replaces the copied link for an invitation that is still valid. */
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

export const deleteInvitationsTo = (tx: Tx, businessId: number, email: string) =>
  tx.run`
    delete from person_links
    where business_id = ${businessId} and kind = 'invitation' and email = ${email}
      and used_at is null`

/** Deletes the invitations from a member who has lost permissions. */
export const deleteInvitationsBy = (tx: Tx, businessId: number, personId: number) =>
  tx.run`
    delete from person_links
    where business_id = ${businessId} and kind = 'invitation' and invited_by = ${personId}
      and used_at is null`

export const hasAccounts = async (db: Db): Promise<boolean> =>
  (await db.maybe`select 1 from people limit 1`) !== undefined

export const hasOwner = async (db: Db, businessId: number): Promise<boolean> =>
  (await db.maybe`
    select 1 from members where business_id = ${businessId} and role = 'owner' limit 1`) !==
  undefined

/**
 * Selects at most two businesses without an owner, and reports whether each is the only business.
 */
export const selectBusinessesWithoutOwner = (db: Db) =>
  db.many<{ id: number; is_only: boolean }>`
    select b.id, not exists (select 1 from businesses o where o.id <> b.id) as is_only
    from businesses b
    where b.status = 'Active' and b.id not in (
      select m.business_id from members m where m.role = 'owner')
    order by b.id limit 2`

export const countLinks = async (
  db: Db,
  personId: number,
  kind: LinkKind,
  since: Date,
): Promise<number> =>
  (
    await db.one<{ n: number }>`
      select count(*) as n from person_links
      where person_id = ${personId} and kind = ${kind} and created_at > ${since}`
  ).n

/** Deletes all links that were mailed about the account itself. */
export const deleteLinksOf = (tx: Tx, personId: number) =>
  tx.run`delete from person_links where person_id = ${personId}`

/**
 * Selects the business that sends emails about an account: one that the person belongs to or, if
 * there is none, one that invited them.
 */
export const selectMailingBusiness = async (
  db: Db,
  { id, email }: Pick<PersonRow, 'id' | 'email'>,
  now: Date,
): Promise<number | undefined> =>
  (
    await db.maybe<{ business_id: number }>`
      select business_id from members where person_id = ${id}
      union all
      select business_id from person_links
      where email = ${email} and kind = 'invitation' and used_at is null and expires_at > ${now}
      limit 1`
  )?.business_id

/** Deletes only unused links. */
export const deleteOwnerLinks = (tx: Db, businessId: number) =>
  tx.run`
    delete from person_links
    where business_id = ${businessId} and kind = 'owner' and used_at is null`

interface ListedPerson {
  id: number
  email: string
  name: string
  has_totp: boolean
  passkeys: number
  /** For example `owner of 101`, oldest membership first. */
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
 * Removes the app with its recovery codes, any pending app, and all passkeys. Returns whether there
 * was an app or a passkey.
 */
export async function deleteSecondFactor(tx: Tx, personId: number, now: Date): Promise<boolean> {
  const before = await tx.one<{ had_totp: boolean }>`
    select totp_secret is not null as had_totp from people where id = ${personId} for update`
  await tx.run`
    update people set totp_secret = null, totp_step = null, totp_pending = null,
      totp_changes = totp_changes + 1, recovery_hashes = '{}', updated_at = ${now}
    where id = ${personId}`
  const passkeys = await deletePasskeysOf(tx, personId)
  return before.had_totp || passkeys > 0
}

/** Deletes expired rows, at most `limit` of each kind. Returns how many. */
export async function deleteExpired(
  db: Db,
  now: Date,
  yesterday: Date,
  limit: number,
): Promise<number> {
  const past: [table: Sql, key: Sql, time: Sql, before: Date][] = [
    [sql`sessions`, sql`hash`, sql`expires_at`, now],
    [sql`person_links`, sql`hash`, sql`expires_at`, yesterday],
    [sql`passkey_challenges`, sql`hash`, sql`expires_at`, now],
    [sql`sign_in_tries`, sql`address_hash`, sql`last_at`, yesterday],
    [sql`known_browsers`, sql`hash`, sql`expires_at`, now],
  ]
  let most = 0
  for (const [table, key, time, before] of past) {
    const deleted = await db.run`
      delete from ${table} where ${key} in (
        select ${key} from ${table} where ${time} <= ${before}
        order by ${time} limit ${limit} for update skip locked)`
    most = Math.max(most, deleted)
  }
  return most
}

export type TotpColumn = 'totp_secret' | 'totp_pending'

const COLUMNS: Record<TotpColumn, Sql> = {
  totp_secret: sql`totp_secret`,
  totp_pending: sql`totp_pending`,
}

/** A nonce, a tag and the secret's 32 characters. Newer values are five bytes longer. */
export const OLD_TOTP_BYTES = 60

/** People belong to no business. */
const KEY = sql`0 as "businessId", false as live, id`

type TotpRow = EncryptedRow & { value: Buffer }

export const selectTotp = (db: Db, column: TotpColumn, { keyId, after, limit }: ValuesQuery) =>
  db.many<TotpRow>`
    select ${KEY}, ${COLUMNS[column]} as value from people
    where id > ${after.id} and ${isEncryptedWith(COLUMNS[column], keyId)}
      and octet_length(${COLUMNS[column]}) <> ${OLD_TOTP_BYTES}
    order by id limit ${limit}`

export const selectOldTotp = (db: Db, column: TotpColumn, limit: number) =>
  db.many<TotpRow>`
    select ${KEY}, ${COLUMNS[column]} as value from people
    where octet_length(${COLUMNS[column]}) = ${OLD_TOTP_BYTES} limit ${limit}`

/** Encrypts the same secret again, so that it is still the same app. */
export const updateTotp = (
  tx: Tx,
  column: TotpColumn,
  { id, value: before }: Pick<TotpRow, 'id' | 'value'>,
  value: Buffer,
) =>
  tx.run`
    update people set ${COLUMNS[column]} = ${value}
    where id = ${id} and ${COLUMNS[column]} = ${before}`
