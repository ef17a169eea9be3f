import { createHash, timingSafeEqual } from 'node:crypto'
import type { Database, Db } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { Log } from '../../db/log.ts'
import type { Membership, Session, SignedIn } from '../../http/admit.ts'
import { csrfRefused, isReauthenticated, SESSION_COOKIES, sessionEnded } from '../../http/auth.ts'
import { isOwnOrigin } from '../../http/ip-addresses.ts'
import { JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import type { Authenticate, Caller, Credentials, SessionCredentials } from '../../lib/caller.ts'
import { addMs, type Clock } from '../../lib/clock.ts'
import { Problem } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import { randomText } from '../../lib/tokens.ts'
import { logInterruptedRequests } from '../audit-log/log.ts'
import { deleteExpired } from './queries.ts'
import {
  deleteBrowserOf,
  deleteOtherBrowsers,
  deleteOtherSessions,
  deleteSession,
  insertSession,
  selectMemberships,
  selectSession,
  updateSeen,
} from './queries-sessions.ts'
import { scopesOf } from './roles.ts'

export const IDLE_MS = 30 * 60_000
const SESSION_MS = 12 * 3_600_000
const SEEN_EVERY_MS = 60_000

/** 256 random bits in base 62. */
const TOKEN_LENGTH = 43

export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Starts a session for a verified person. The token must only go into the cookie. */
export async function startSession(
  db: Db,
  ids: Ids,
  who: {
    personId: number
    ip: string
    userAgent: string | undefined
    passkeyId?: string | undefined
  },
  now: Date,
): Promise<{ id: number; token: string; csrf: string }> {
  const id = await ids.next(db)
  const token = randomText(TOKEN_LENGTH)
  const csrf = randomText(TOKEN_LENGTH)
  await insertSession(db, {
    id,
    hash: hashOf(token),
    person_id: who.personId,
    csrf,
    ip: who.ip,
    user_agent: who.userAgent?.slice(0, 300) ?? null,
    passkey_id: who.passkeyId ?? null,
    now,
    expires_at: addMs(now, SESSION_MS),
  })
  return { id, token, csrf }
}

/**
 * Ends all of a person's sessions except `but`, and forgets all their browsers except that
 * session's, so that the others count as strangers again. Returns how many sessions ended.
 */
export async function endSessions(db: Db, personId: number, but: number | null): Promise<number> {
  await deleteOtherBrowsers(db, personId, but)
  return deleteOtherSessions(db, personId, but)
}

/**
 * Ends one of a person's sessions, and forgets its browser. Returns whether the session existed.
 */
export async function endSession(db: Db, personId: number, id: number): Promise<boolean> {
  await deleteBrowserOf(db, personId, id)
  return deleteSession(db, personId, id)
}

/** Returns the cookie for a session, or one that removes it. */
export function cookieFor(publicUrl: string, token: string | null): string {
  const isSecure = publicUrl.startsWith('https:')
  const [secure, plain] = SESSION_COOKIES
  return [
    `${isSecure ? secure : plain}=${token ?? ''}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
    `Max-Age=${token === null ? 0 : SESSION_MS / 1000}`,
  ].join('; ')
}

interface SessionDeps {
  db: Database
  clock: Clock
  publicUrl: string
  log: Log
}

/**
 * Verifies sessions. Throws `session_ended` (401) if there is none, and `csrf_refused` (403) for a
 * write that did not come from one of our pages.
 */
export function sessionVerifier({ db, clock, publicUrl, log }: SessionDeps) {
  return async ({ session, origin }: Credentials): Promise<SignedIn> => {
    const now = clock.now()
    const signedIn = await requireSession({ db, publicUrl }, session, now)
    const { id, csrf, last_seen_at } = signedIn.session
    if (session!.writes) {
      const isOurs = origin === undefined || isOwnOrigin(publicUrl, origin)
      if (!isOurs || !isEqual(session!.csrf ?? '', csrf)) throw csrfRefused()
    }
    if (now.getTime() - last_seen_at.getTime() > SEEN_EVERY_MS) {
      // The request neither waits for this nor fails with it.
      updateSeen(db, id, now).catch((err) =>
        log.warn({ err }, 'could not record that a session was used'),
      )
    }
    return signedIn
  }
}

/**
 * Returns the session for a cookie, with the memberships of its person. Throws `session_ended`
 * (401).
 */
export async function requireSession(
  { db, publicUrl }: Pick<SessionDeps, 'db' | 'publicUrl'>,
  cookie: Pick<SessionCredentials, 'token' | 'isHostBound' | 'live'> | undefined,
  now: Date,
): Promise<SignedIn> {
  // Over TLS, the server never sets the plain cookie, but a page on a neighbouring host can.
  if (!cookie || (publicUrl.startsWith('https:') && !cookie.isHostBound)) throw sessionEnded()
  const session = await selectSession(db, hashOf(cookie.token), now, addMs(now, -IDLE_MS))
  if (!session) throw sessionEnded()
  return { session, members: await selectMemberships(db, session.person_id, cookie.live) }
}

/** Turns sessions into API callers, and passes everything else to `proveKey`. */
export function sessionAuthenticator(deps: SessionDeps, proveKey: Authenticate): Authenticate {
  const prove = sessionVerifier(deps)
  async function proveMember(credentials: Credentials): Promise<Caller> {
    const signedIn = await prove(credentials)
    return callerOf(signedIn, credentials, deps.clock.now())
  }
  return (credentials) => (credentials.session ? proveMember(credentials) : proveKey(credentials))
}

/**
 * Returns the caller that a session acts as, for the named business or, by default, the person's
 * first. Throws `business_not_found` (404) for someone else's business and for one that does not
 * exist, and `two_factor_required` (403) if the business requires a second factor that the session
 * lacks.
 */
export function callerOf(
  { session, members }: SignedIn,
  { businessId: named, session: asked }: Pick<Credentials, 'businessId' | 'session'>,
  now: Date,
): Caller {
  const member = memberOf(members, named)
  if (!member) throw notAMember()
  if (lacksSecondFactor(session, member)) throw twoFactorRequired()
  const live = asked?.live ?? false
  return {
    businessId: member.business_id,
    live,
    keyId: session.person_id,
    person: {
      id: session.person_id,
      name: session.name,
      role: member.role,
      isReauthenticated: isReauthenticated(session, now),
      hasSecondFactor: session.has_second_factor,
    },
    scopes: scopesOf(member.role, live),
    expiresAt: session.expires_at,
    timeZone: member.time_zone,
    now: live ? now : addMs(now, member.test_clock_offset_ms),
  }
}

/**
 * Returns the membership in the named business or, by default, the first. Ignores businesses that
 * are not active.
 */
export function memberOf(members: readonly Membership[], named: string | undefined) {
  const wanted = named === undefined ? undefined : toId(named)
  return members.find(
    ({ business_id, status }) =>
      status === 'Active' && (named === undefined || business_id === wanted),
  )
}

export const lacksSecondFactor = (session: Session, member: Membership): boolean =>
  member.requires_two_factor && !session.has_second_factor

const twoFactorRequired = () =>
  new Problem(
    'forbidden',
    'two_factor_required',
    'This business requires two-factor authentication. Set it up, or sign in with it.',
  )

const notAMember = () =>
  new Problem('not_found', 'business_not_found', 'You are not a member of a business with this id.')

function isEqual(sent: string, kept: string): boolean {
  const one = Buffer.from(sent)
  const other = Buffer.from(kept)
  return one.length === other.length && timingSafeEqual(one, other)
}

const DAY_MS = 24 * 3_600_000

/**
 * Deletes expired sessions, links and challenges, and failed attempts from the previous day. Logs
 * the requests of members that never got a response. People belong to neither mode, so test clocks
 * don't affect this job.
 */
export const peopleJob: Job = {
  name: 'people',
  everyMs: 60_000,
  run: async (db, now, only) => {
    if (only !== undefined) return 0
    const noted = await logInterruptedRequests(db, now)
    return Math.max(noted, await deleteExpired(db, now, addMs(now, -DAY_MS), JOB_ROWS_MAX))
  },
}
