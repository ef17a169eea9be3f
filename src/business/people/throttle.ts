import { createHash } from 'node:crypto'
import type { Database, Db } from '../../db/database.ts'
import { networkOf } from '../../http/ip-addresses.ts'
import { Problem } from '../../lib/problem.ts'
import { knownBrowser } from './known-devices.ts'
import {
  type AttemptRow,
  deleteAttempts,
  insertAttempt,
  type Limits,
  selectLockedUntil,
  undoAttempt,
} from './queries-sessions.ts'

/** From so many failures one after the other on, the next attempt waits. */
export const FAILURES_FREE = 5
/** The same of all strangers together, so that no number of networks is a way around. */
const STRANGERS_FREE = 100

const OWN: Limits = { free: FAILURES_FREE, waitSeconds: 60, maxSeconds: 3_600 }
const STRANGERS: Limits = { ...OWN, free: STRANGERS_FREE }

/** Where an attempt comes from. */
export interface Source {
  ip: string
  /** What the browser shows of whoever signed in with it before. */
  browsers: readonly string[]
  /** Of who is signed in, whom no stranger keeps waiting. */
  sessionId?: number | undefined
}

/** One attempt, as it was counted. */
export interface CountedAttempt {
  /** What it was counted for alone, and for all strangers together where it is one's. */
  counted: readonly { hash: Buffer; attempt: AttemptRow; isShared: boolean }[]
  /** How many failed so far: of this browser or session, or of all strangers. */
  failures: number
  /** It began a wait. */
  isLast: boolean
}

/**
 * Counts an attempt before anything of it is looked at, so that many at once are no way around the
 * wait. A browser that signed in to the account before, and who is signed in, are counted by
 * themselves; strangers by address and network, and all of them together by address. Addresses that
 * nobody has are counted alike. Throws `sign_in_locked` (429), and `rate_limited` (429) where a
 * network tries too often, whatever addresses it names.
 */
export async function countAttempt(
  { db, takeStranger }: { db: Database; takeStranger(ip: string): void },
  email: string,
  source: Source,
  now: Date,
): Promise<CountedAttempt> {
  const address = email.trim().toLowerCase()
  const own = await ownRow(db, address, source, now)
  if (own) {
    const attempt = await take(db, own, OWN, now)
    const isLast = attempt.locked_until !== null
    return {
      counted: [{ hash: own, attempt, isShared: false }],
      failures: attempt.failures,
      isLast,
    }
  }
  takeStranger(source.ip)
  const network = rowOf('network', address, networkOf(source.ip))
  const shared = rowOf('address', address)
  // Whoever waits is not counted for the others: one network could keep all of them waiting.
  return db.transaction(async (tx) => {
    const attempt = await take(tx, network, OWN, now)
    const ofAll = await take(tx, shared, STRANGERS, now)
    const counted = [
      { hash: network, attempt, isShared: false },
      { hash: shared, attempt: ofAll, isShared: true },
    ]
    const isLast = counted.some(({ attempt: { locked_until } }) => locked_until !== null)
    return { counted, failures: ofAll.failures, isLast }
  })
}

async function ownRow(db: Db, address: string, { sessionId, browsers }: Source, now: Date) {
  if (sessionId !== undefined) return rowOf('session', String(sessionId))
  const known = await knownBrowser(db, address, browsers, now)
  return known && rowOf('browser', known.toString('hex'))
}

/** As JSON, so that no address is spelt like a row of another. */
const rowOf = (...parts: string[]): Buffer =>
  createHash('sha256').update(JSON.stringify(parts)).digest()

async function take(db: Db, hash: Buffer, limits: Limits, now: Date): Promise<AttemptRow> {
  const taken = await insertAttempt(db, hash, limits, now)
  if (taken) return taken
  const until = (await selectLockedUntil(db, hash)) ?? now
  throw new Problem('rate_limited', 'sign_in_locked', 'Too many wrong tries: wait a little.', {
    retryAfterSeconds: Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000)),
  })
}

/** Takes an attempt back that was neither right nor wrong yet. */
export async function uncountAttempt(db: Db, { counted }: CountedAttempt): Promise<void> {
  for (const { hash, attempt } of counted) await undoAttempt(db, hash, attempt)
}

/**
 * Forgets the failures before a success, of where it came from. What all strangers failed stays,
 * as they are not who succeeded; nor do they see by it that somebody did.
 */
export async function forgetAttempts(db: Db, { counted }: CountedAttempt): Promise<void> {
  for (const { hash, attempt, isShared } of counted) {
    await (isShared ? undoAttempt(db, hash, attempt) : deleteAttempts(db, hash))
  }
}
