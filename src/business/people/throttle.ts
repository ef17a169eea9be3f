import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Database, Db, Tx } from '../../db/database.ts'
import { cookiesOf } from '../../http/auth.ts'
import { networkOf } from '../../http/ip-addresses.ts'
import { addMs } from '../../lib/clock.ts'
import { Problem } from '../../lib/problem.ts'
import { randomText } from '../../lib/tokens.ts'
import {
  type AttemptRow,
  deleteAttempts,
  deleteReplacedBrowsers,
  insertAttempt,
  insertKnownBrowser,
  type Limits,
  selectBrowsersOfOthers,
  selectKnownBrowser,
  selectLockedUntil,
  undoAttempt,
} from './queries-sessions.ts'
import { hashOf } from './sessions.ts'

/** After this many failures in a row, the next attempt has to wait. */
export const FAILURES_FREE = 5
/**
 * The same for all strangers together, so that nobody gets around the limit by using many networks.
 */
const STRANGERS_FREE = 100

const OWN: Limits = { free: FAILURES_FREE, waitSeconds: 60, maxSeconds: 3_600 }
const STRANGERS: Limits = { ...OWN, free: STRANGERS_FREE }

/** Where an attempt comes from. */
export interface Source {
  ip: string
  /** What shows that the browser has signed in before. */
  browsers: readonly string[]
  /** The session of a signed-in person, whom strangers cannot delay. */
  sessionId?: number | undefined
}

export interface CountedAttempt {
  /** The counters that include the attempt: its own and, for a stranger, the shared one. */
  counted: readonly { hash: Buffer; attempt: AttemptRow; isShared: boolean }[]
  /** The failures so far by this browser or session, or by all strangers. */
  failures: number
  /** Whether it started a wait. */
  isLast: boolean
}

/**
 * Counts an attempt before checking it, so that simultaneous attempts do not bypass the wait.
 * Signed-in people, and browsers that have signed in to the account before, have their own
 * counters. Strangers are counted per email address and network, and also per email address across
 * all networks. Unknown email addresses are counted in the same way. Throws `sign_in_locked` (429),
 * and `rate_limited` (429) if a network tries too often, whatever email addresses it uses.
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
  // An attempt that has to wait isn't added to the shared count, because otherwise one network
  // could delay everyone else.
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

/** Serialised as JSON, so that no two lists of parts have the same hash. */
const rowOf = (...parts: string[]): Buffer =>
  createHash('sha256').update(JSON.stringify(parts)).digest()

async function take(db: Db, hash: Buffer, limits: Limits, now: Date): Promise<AttemptRow> {
  const taken = await insertAttempt(db, hash, limits, now)
  if (taken) return taken
  const until = (await selectLockedUntil(db, hash)) ?? now
  throw new Problem(
    'rate_limited',
    'sign_in_locked',
    'Too many failed attempts. Wait before you try again.',
    {
      retryAfterSeconds: Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000)),
    },
  )
}

/** Removes an attempt from the count, if it turned out to be neither right nor wrong. */
export async function uncountAttempt(db: Db, { counted }: CountedAttempt): Promise<void> {
  for (const { hash, attempt } of counted) await undoAttempt(db, hash, attempt)
}

/**
 * Resets the failures of the source that succeeded. The shared count for all strangers stays,
 * because they did not succeed and must not find out that someone did.
 */
export async function forgetAttempts(db: Db, { counted }: CountedAttempt): Promise<void> {
  for (const { hash, attempt, isShared } of counted) {
    await (isShared ? undoAttempt(db, hash, attempt) : deleteAttempts(db, hash))
  }
}

/** Over TLS, the `__Host-` prefix makes the browser reject this cookie from other hosts. */
const COOKIES = ['__Host-tradepost-browser', 'tradepost-browser'] as const

const TOKEN_LENGTH = 43
/** How long a browser stays known after its last sign-in. */
const KNOWN_MS = 180 * 24 * 3_600_000
/**
 * Members of a business sometimes share a browser. With more than this, the cookie would be long.
 */
const PEOPLE_MAX = 5
/** Per person. A new browser replaces the oldest. */
const BROWSERS_MAX = 20

/**
 * Reads the cookie that identifies people who have signed in with this browser before. Each part of
 * the cookie belongs to one person, and proves only that its sender is not a stranger.
 */
export function browserTokens(request: FastifyRequest, publicUrl: string): string[] {
  const value = cookiesOf(request).get(nameFor(publicUrl)) ?? ''
  return value
    .split('.')
    .filter((token) => /^[0-9A-Za-z]{43}$/.test(token))
    .slice(0, PEOPLE_MAX)
}

const nameFor = (publicUrl: string) => COOKIES[publicUrl.startsWith('https:') ? 0 : 1]

/**
 * Returns the hash of the part of the cookie that belongs to the owner of this email address, if
 * they have signed in with this browser before.
 */
async function knownBrowser(
  db: Db,
  email: string,
  tokens: readonly string[],
  now: Date,
): Promise<Buffer | undefined> {
  if (tokens.length === 0) return undefined
  return selectKnownBrowser(db, email.trim().toLowerCase(), tokens.map(hashOf), now)
}

/**
 * Records that a verified person uses this browser. Replaces their part of its cookie each time, so
 * that a planted cookie is useless. Returns the cookie.
 */
export async function rememberBrowser(
  tx: Tx,
  { publicUrl, tokens }: { publicUrl: string; tokens: readonly string[] },
  { personId, sessionId }: { personId: number; sessionId: number | null },
  now: Date,
): Promise<string> {
  const token = randomText(TOKEN_LENGTH)
  const hashes = tokens.map(hashOf)
  await deleteReplacedBrowsers(tx, personId, hashes, BROWSERS_MAX - 1)
  const expiresAt = addMs(now, KNOWN_MS)
  await insertKnownBrowser(tx, { hash: hashOf(token), personId, sessionId, expiresAt, now })
  const others = await selectBrowsersOfOthers(tx, personId, hashes, now)
  const kept = tokens.filter((one) => others.some((hash) => hash.equals(hashOf(one))))
  return [
    `${nameFor(publicUrl)}=${[token, ...kept].slice(0, PEOPLE_MAX).join('.')}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    ...(publicUrl.startsWith('https:') ? ['Secure'] : []),
    `Max-Age=${KNOWN_MS / 1000}`,
  ].join('; ')
}
