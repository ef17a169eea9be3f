import { createHash } from 'node:crypto'
import type { Db } from '../db/database.ts'
import { Problem } from '../lib/problem.ts'
import {
  deleteTries,
  insertTry,
  selectLockedUntil,
  type Tried,
  updateTriesBack,
} from './queries-tries.ts'

/** From so many failures one after the other on, the next try waits. */
export const FAILURES_FREE = 5
const WAIT_SECONDS = 60
const WAIT_SECONDS_MAX = 3_600

const hashOf = (email: string): Buffer =>
  createHash('sha256').update(email.trim().toLowerCase()).digest()

/**
 * Counts a try before anything of it is looked at, so that many at once are no way around the wait;
 * whoever succeeds forgets them. Addresses that nobody has are counted alike. Throws
 * `sign_in_locked` (429).
 */
export async function takeTry(db: Db, email: string, now: Date): Promise<Tried> {
  const hash = hashOf(email)
  const limits = { free: FAILURES_FREE, waitSeconds: WAIT_SECONDS, maxSeconds: WAIT_SECONDS_MAX }
  const taken = await insertTry(db, hash, limits, now)
  if (taken) return taken
  const until = (await selectLockedUntil(db, hash)) ?? now
  throw new Problem('rate_limited', 'sign_in_locked', 'Too many wrong tries: wait a little.', {
    retryAfterSeconds: Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000)),
  })
}

/** Takes a try back that was neither right nor wrong yet. */
export const returnTry = (db: Db, email: string, tried: Tried) =>
  updateTriesBack(db, hashOf(email), tried)

export const forgetTries = (db: Db, email: string) => deleteTries(db, hashOf(email))
