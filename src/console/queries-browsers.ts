import type { Db, Tx } from '../db/database.ts'

/** Which of these a person with this address signed in with before. */
export const selectKnown = async (
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

/** Which of these are good for anybody but one person. */
export const selectOthersKnown = async (
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

export const insertKnown = (
  tx: Tx,
  row: { hash: Buffer; personId: number; sessionId: number | null; expiresAt: Date; now: Date },
) =>
  tx.run`
    insert into known_browsers (hash, person_id, session_id, expires_at, created_at)
    values (${row.hash}, ${row.personId}, ${row.sessionId}, ${row.expiresAt}, ${row.now})`

/** Forgets those that another takes the place of, and the oldest of a person beyond `keep`. */
export const deleteReplaced = (tx: Tx, personId: number, hashes: readonly Buffer[], keep: number) =>
  tx.run`
    delete from known_browsers where person_id = ${personId} and (
      hash = any(${hashes}::bytea[]) or hash in (
        select hash from known_browsers where person_id = ${personId}
        order by created_at desc, hash offset ${keep}))`

/** Forgets the browser that a session is of. */
export const deleteKnownOf = (db: Db, personId: number, sessionId: number) =>
  db.run`
    delete from known_browsers where person_id = ${personId} and session_id = ${sessionId}`

/** Forgets all browsers of a person, but that of one session. */
export const deleteOtherKnown = (db: Db, personId: number, but: number | null) =>
  db.run`
    delete from known_browsers
    where person_id = ${personId} and (session_id is distinct from ${but} or session_id is null)`
