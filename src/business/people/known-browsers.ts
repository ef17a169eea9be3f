import type { FastifyRequest } from 'fastify'
import type { Db, Tx } from '../../db/database.ts'
import { cookiesOf } from '../../http/auth.ts'
import { addMs } from '../../lib/clock.ts'
import { randomText } from '../../lib/tokens.ts'
import {
  deleteReplacedBrowsers,
  insertKnownBrowser,
  selectBrowsersOfOthers,
  selectKnownBrowser,
} from './queries-sessions.ts'
import { hashOf } from './sessions.ts'

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
export async function knownBrowser(
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
