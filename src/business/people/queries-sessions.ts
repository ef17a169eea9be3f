import type { Db, Tx } from '../../db/database.ts'
import type { Membership, Session } from '../../http/admit.ts'
import { addMs } from '../../lib/clock.ts'
import type { PersonRow } from './queries.ts'

/** Finds a session that has not expired, by the hash of its cookie value. */
export function selectSession(db: Db, hash: Buffer, now: Date, seenSince: Date) {
  return db.maybe<Session>`
    select s.id, s.person_id, s.csrf, s.proven_at, s.last_seen_at, s.expires_at,
      p.name, p.email, p.email_proved_at is not null as email_proved,
      p.totp_secret is not null as has_totp,
      exists (select 1 from passkeys k where k.person_id = s.person_id) as has_passkey,
      p.totp_secret is not null or exists (
        select 1 from passkeys k
        where k.credential_id = s.passkey_id and k.person_id = s.person_id) as has_second_factor
    from sessions s join people p on p.id = s.person_id
    where s.hash = ${hash} and s.expires_at > ${now} and s.last_seen_at > ${seenSince}`
}

/** Never moves the time back, because several servers write it. */
export async function updateSeen(db: Db, id: number, at: Date): Promise<void> {
  await db.run`update sessions set last_seen_at = ${at} where id = ${id} and last_seen_at < ${at}`
}

interface NewSession {
  id: number
  hash: Buffer
  person_id: number
  csrf: string
  ip: string
  user_agent: string | null
  passkey_id: string | null
  now: Date
  expires_at: Date
}

export async function insertSession(db: Db, row: NewSession): Promise<void> {
  await db.run`
    insert into sessions
      (hash, id, person_id, csrf, ip, user_agent, passkey_id, proven_at, last_seen_at, expires_at,
        created_at)
    values (${row.hash}, ${row.id}, ${row.person_id}, ${row.csrf}, ${row.ip}, ${row.user_agent},
      ${row.passkey_id}, ${row.now}, ${row.now}, ${row.expires_at}, ${row.now})`
}

export async function updateProven(db: Db, id: number, at: Date): Promise<void> {
  await db.run`update sessions set proven_at = ${at} where id = ${id}`
}

/** Records that a passkey now backs a session. Returns false if the session has ended. */
export const updatePasskeyOf = async (db: Db, id: number, passkeyId: string): Promise<boolean> =>
  (await db.run`update sessions set passkey_id = ${passkeyId} where id = ${id}`) > 0

interface ListedSession {
  id: number
  ip: string
  user_agent: string | null
  created_at: Date
  last_seen_at: Date
}

export const selectSessions = (db: Db, personId: number, now: Date, seenSince: Date) =>
  db.many<ListedSession>`
    select id, ip, user_agent, created_at, last_seen_at from sessions
    where person_id = ${personId} and expires_at > ${now} and last_seen_at > ${seenSince}
    order by last_seen_at desc, id desc`

/** Ends one of a person's sessions. Returns whether it existed. */
export const deleteSession = async (db: Db, personId: number, id: number): Promise<boolean> =>
  (await db.run`delete from sessions where person_id = ${personId} and id = ${id}`) > 0

/** Ends all of a person's sessions, except for `but` if it is given. */
export const deleteOtherSessions = (db: Db, personId: number, but: number | null) =>
  db.run`delete from sessions where person_id = ${personId} and id is distinct from ${but}`

/** Selects a person's businesses in one mode, oldest membership first. */
export const selectMemberships = (db: Db, personId: number, live: boolean) =>
  db.many<Membership>`
    select m.business_id, m.role, b.reference, b.name, b.currency, b.status,
      b.test_clock_offset_ms, b.requires_two_factor, s.time_zone
    from members m
    join businesses b on b.id = m.business_id
    join business_settings s on s.business_id = m.business_id and s.live = ${live}
    where m.person_id = ${personId}
    order by m.created_at, m.business_id`

export const deleteByHash = (db: Db, hash: Buffer) =>
  db.run`delete from sessions where hash = ${hash}`

interface PasskeyRow {
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

/** Returns false if an account already has this passkey. */
export const insertPasskey = async (tx: Tx, row: Omit<PasskeyRow, 'last_used_at'>) =>
  (await tx.run`
    insert into passkeys
      (credential_id, person_id, public_key, counter, transports, name, created_at)
    values (${row.credential_id}, ${row.person_id}, ${row.public_key}, ${row.counter},
      ${row.transports}, ${row.name}, ${row.created_at})
    on conflict do nothing`) > 0

/**
 * Records a use of a passkey. Returns false for a copied passkey, recognised by a counter that does
 * not increase. Authenticators without a counter send 0.
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

/**
 * Deletes a challenge, so that it only works once. It must belong to this person or, if `personId`
 * is null, to nobody.
 */
export const consumeChallenge = async (db: Db, hash: Buffer, personId: number | null, now: Date) =>
  (await db.run`
    delete from passkey_challenges
    where hash = ${hash} and person_id is not distinct from ${personId}::bigint
      and expires_at > ${now}`) > 0

/**
 * Returns the hashes in the list that belong to browsers in which the owner of this email address
 * has signed in.
 */
export const selectKnownBrowser = async (
  db: Db,
  email: string,
  hashes: readonly Buffer[],
  now: Date,
): Promise<Buffer | undefined> =>
  (
    await db.maybe<{ hash: Buffer }>`
      select k.hash from known_browsers k join people p on p.id = k.person_id
      where k.hash = any(${hashes}::bytea[]) and p.email = ${email} and k.expires_at > ${now}
      order by k.created_at desc limit 1`
  )?.hash

/** Returns which of these hashes are valid for other people. */
export const selectBrowsersOfOthers = async (
  db: Db,
  personId: number,
  hashes: readonly Buffer[],
  now: Date,
): Promise<Buffer[]> =>
  (
    await db.many<{ hash: Buffer }>`
      select hash from known_browsers
      where hash = any(${hashes}::bytea[]) and person_id <> ${personId} and expires_at > ${now}`
  ).map(({ hash }) => hash)

export const insertKnownBrowser = (
  tx: Tx,
  row: { hash: Buffer; personId: number; sessionId: number | null; expiresAt: Date; now: Date },
) =>
  tx.run`
    insert into known_browsers (hash, person_id, session_id, expires_at, created_at)
    values (${row.hash}, ${row.personId}, ${row.sessionId}, ${row.expiresAt}, ${row.now})`

/** Deletes the known browsers that a new one replaces, and a person's oldest ones beyond `keep`. */
export const deleteReplacedBrowsers = (
  tx: Tx,
  personId: number,
  hashes: readonly Buffer[],
  keep: number,
) =>
  tx.run`
    delete from known_browsers where person_id = ${personId} and (
      hash = any(${hashes}::bytea[]) or hash in (
        select hash from known_browsers where person_id = ${personId}
        order by created_at desc, hash offset ${keep}))`

export const deleteBrowserOf = (db: Db, personId: number, sessionId: number) =>
  db.run`
    delete from known_browsers where person_id = ${personId} and session_id = ${sessionId}`

/** Deletes all of a person's known browsers except the one used by the session `but`. */
export const deleteOtherBrowsers = (db: Db, personId: number, but: number | null) =>
  db.run`
    delete from known_browsers
    where person_id = ${personId} and (session_id is distinct from ${but} or session_id is null)`

export interface AttemptRow {
  failures: number
  locked_until: Date | null
}

export interface Limits {
  /** The number of attempts before a wait. The last of them starts the wait. */
  free: number
  /** The length of the first wait. Each further wait is twice as long, up to the maximum. */
  waitSeconds: number
  maxSeconds: number
}

/** How often a wait can double. */
const DOUBLED_MAX = 20

/** Counts an attempt as a failure. Returns undefined while attempts have to wait. */
export const insertAttempt = (
  db: Db,
  hash: Buffer,
  { free, waitSeconds, maxSeconds }: Limits,
  now: Date,
) => {
  const seconds = (doubled: number) => Math.min(waitSeconds * 2 ** doubled, maxSeconds)
  const ends = Array.from({ length: DOUBLED_MAX + 1 }, (_, doubled) =>
    addMs(now, seconds(doubled) * 1000),
  )
  return db.maybe<AttemptRow>`
    insert into sign_in_tries as t (address_hash, failures, last_at)
    values (${hash}, 1, ${now})
    on conflict (address_hash) do update set failures = t.failures + 1, last_at = ${now},
      locked_until = case when t.failures + 1 >= ${free}::integer
        then (${ends}::timestamptz[])[1 + least(t.failures + 1 - ${free}::integer, ${DOUBLED_MAX})]
        end
    where t.locked_until is null or t.locked_until <= ${now}
    returning failures, locked_until`
}

export const selectLockedUntil = async (db: Db, hash: Buffer): Promise<Date | undefined> =>
  (
    await db.maybe<{ locked_until: Date | null }>`
      select locked_until from sign_in_tries where address_hash = ${hash}`
  )?.locked_until ?? undefined

/** Undoes one attempt, and any wait that it started. */
export const undoAttempt = (db: Db, hash: Buffer, { locked_until }: AttemptRow) =>
  db.run`
    update sign_in_tries set failures = greatest(failures - 1, 0),
      locked_until = case when locked_until is distinct from ${locked_until}::timestamptz
        then locked_until end
    where address_hash = ${hash}`

export const deleteAttempts = (db: Db, hash: Buffer) =>
  db.run`delete from sign_in_tries where address_hash = ${hash}`

export const updatePending = (tx: Tx, id: number, pending: Buffer) =>
  tx.run`
    update people set totp_pending = ${pending}, totp_changes = totp_changes + 1
    where id = ${id} and totp_secret is null`

/**
 * Turns two-factor authentication on. Returns false if it is already on, or if a newer setup has
 * replaced the pending app that generated the code.
 */
export const updateTotpOn = async (
  db: Db,
  id: number,
  { changes, step, hashes, now }: { changes: number; step: number; hashes: Buffer[]; now: Date },
): Promise<boolean> =>
  (await db.run`
    update people set totp_secret = totp_pending, totp_pending = null, totp_step = ${step},
      totp_changes = totp_changes + 1, recovery_hashes = ${hashes}::bytea[], updated_at = ${now}
    where id = ${id} and totp_secret is null and totp_pending is not null
      and totp_changes = ${changes}`) > 0

export const updateTotpOff = async (db: Db, id: number, now: Date): Promise<boolean> =>
  (await db.run`
    update people set totp_secret = null, totp_step = null, recovery_hashes = '{}',
      totp_changes = totp_changes + 1, updated_at = ${now}
    where id = ${id} and totp_secret is not null`) > 0

/**
 * Marks one of the secret's time steps, and all before it, as used. Returns false if the step was
 * already used.
 */
export const updateStepUsed = async (
  db: Db,
  { id, totp_changes }: Pick<PersonRow, 'id' | 'totp_changes'>,
  step: number,
): Promise<boolean> =>
  (await db.run`
    update people set totp_step = ${step}
    where id = ${id} and totp_secret is not null and totp_changes = ${totp_changes}
      and totp_step < ${step}`) > 0

export const updateRecovery = async (
  db: Db,
  id: number,
  hashes: Buffer[],
  now: Date,
): Promise<boolean> =>
  (await db.run`
    update people set recovery_hashes = ${hashes}::bytea[], updated_at = ${now}
    where id = ${id} and totp_secret is not null`) > 0

/** Deletes a recovery code, so that it only works once. Returns whether it existed. */
export const updateRecoveryUsed = async (db: Db, id: number, hash: Buffer): Promise<boolean> =>
  (await db.run`
    update people set recovery_hashes = array_remove(recovery_hashes, ${hash}::bytea)
    where id = ${id} and totp_secret is not null and ${hash}::bytea = any(recovery_hashes)`) > 0
