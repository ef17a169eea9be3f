import type { Db } from '../db/database.ts'

export interface Tried {
  failures: number
  locked_until: Date | null
}

export interface Limits {
  /** So many are free; the last of them makes the next wait. */
  free: number
  /** The first wait; each further one is twice as long, up to the longest. */
  waitSeconds: number
  maxSeconds: number
}

/** Counts a try as a failure; nothing comes back while the row is locked. */
export const insertTry = (
  db: Db,
  hash: Buffer,
  { free, waitSeconds, maxSeconds }: Limits,
  now: Date,
) =>
  db.maybe<Tried>`
    insert into sign_in_tries as t (address_hash, failures, last_at)
    values (${hash}, 1, ${now})
    on conflict (address_hash) do update set failures = t.failures + 1, last_at = ${now},
      locked_until = case when t.failures + 1 >= ${free}::integer
        then ${now}::timestamptz + interval '1 second'
          * least(${waitSeconds}::integer * power(2, least(t.failures + 1 - ${free}::integer, 20)),
              ${maxSeconds}::integer)
        end
    where t.locked_until is null or t.locked_until <= ${now}
    returning failures, locked_until`

export const selectLockedUntil = async (db: Db, hash: Buffer): Promise<Date | undefined> =>
  (
    await db.maybe<{ locked_until: Date | null }>`
      select locked_until from sign_in_tries where address_hash = ${hash}`
  )?.locked_until ?? undefined

/** Undoes one try, and the wait that it began. */
export const updateTriesBack = (db: Db, hash: Buffer, { locked_until }: Tried) =>
  db.run`
    update sign_in_tries set failures = greatest(failures - 1, 0),
      locked_until = case when locked_until is distinct from ${locked_until}::timestamptz
        then locked_until end
    where address_hash = ${hash}`

export const deleteTries = (db: Db, hash: Buffer) =>
  db.run`delete from sign_in_tries where address_hash = ${hash}`
