import type { Db } from '../db/database.ts'
import type { Membership, Session } from './route.ts'

/** A session that is not over, by the hash of what its cookie holds. */
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

/** Moves the mark only forward, so that several servers agree. */
export async function updateSeen(db: Db, id: number, at: Date): Promise<void> {
  await db.run`update sessions set last_seen_at = ${at} where id = ${id} and last_seen_at < ${at}`
}

export interface NewSession {
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

/** Notes that a passkey stands behind a session from now on; answers false when it has ended. */
export const updatePasskeyOf = async (db: Db, id: number, passkeyId: string): Promise<boolean> =>
  (await db.run`update sessions set passkey_id = ${passkeyId} where id = ${id}`) > 0

export interface ListedSession {
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

/** Ends one session of a person; answers whether there was one. */
export const deleteSession = async (db: Db, personId: number, id: number): Promise<boolean> =>
  (await db.run`delete from sessions where person_id = ${personId} and id = ${id}`) > 0

/** Ends all sessions of a person but one. */
export const deleteOtherSessions = (db: Db, personId: number, but: number | null) =>
  db.run`delete from sessions where person_id = ${personId} and id is distinct from ${but}`

/** The businesses of a person, as they are in one mode, oldest membership first. */
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
