import type { Db } from '../db/database.ts'

/** Deletes what is over, at most `limit` of each kind; answers how many. */
export async function deletePast(
  db: Db,
  now: Date,
  yesterday: Date,
  limit: number,
): Promise<number> {
  const sessions = await db.run`
    delete from sessions where hash in (
      select hash from sessions where expires_at <= ${now}
      order by expires_at limit ${limit} for update skip locked)`
  const links = await db.run`
    delete from person_links where hash in (
      select hash from person_links where expires_at <= ${yesterday}
      order by expires_at limit ${limit} for update skip locked)`
  const challenges = await db.run`
    delete from passkey_challenges where hash in (
      select hash from passkey_challenges where expires_at <= ${now}
      order by expires_at limit ${limit} for update skip locked)`
  const tries = await db.run`
    delete from sign_in_tries where address_hash in (
      select address_hash from sign_in_tries where last_at <= ${yesterday}
      order by last_at limit ${limit} for update skip locked)`
  const browsers = await db.run`
    delete from known_browsers where hash in (
      select hash from known_browsers where expires_at <= ${now}
      order by expires_at limit ${limit} for update skip locked)`
  return Math.max(browsers, sessions, links, challenges, tries)
}
