import type { Tx } from '../../db/database.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { sessionEnded, sessionOf } from '../../http/auth.ts'
import { success } from '../../http/errors.ts'
import type { PublicInput } from '../../http/route.ts'
import { addMs } from '../../lib/clock.ts'
import { invalid, Problem } from '../../lib/problem.ts'
import { type Actor, appendOfPerson } from '../audit-log/log.ts'
import { emailPerson, type NoticeDeps, queueNotice, queuePersonEmail } from './mails.ts'
import { createPersonLink, LINK_LIFETIMES_MS, linkNotFound } from './one-time-links.ts'
import {
  consumeLink,
  countLinks,
  deleteLinksOf,
  deleteSecondFactor,
  lockCredentials,
  lockPerson,
  type PersonRow,
  selectByEmail,
  selectLink,
  selectMailingBusiness,
  selectPerson,
  updateEmailProved,
  updateOwnPassword,
  updatePassword,
} from './queries.ts'
import { deleteByHash, deletePasskeysOf, selectPasskeys } from './queries-sessions.ts'
import { cookieFor, endSessions, hashOf, startSession } from './sessions.ts'
import { browserTokens, rememberBrowser } from './throttle.ts'

/**
 * Mails a reset link if an account has this email address. The caller cannot tell whether one does.
 */
export async function mailPasswordLink(deps: ConsoleDeps, email: string, now: Date): Promise<void> {
  const { db, publicUrl } = deps
  const found = await selectByEmail(db, email.trim())
  if (!found) return
  await db.transaction(async (tx) => {
    // The lock makes simultaneous requests count each other's links.
    const person = await lockPerson(tx, found.id)
    if (!person || (await hasEnoughLinks(tx, person.id, 'password', now))) return
    const businessId = await selectMailingBusiness(tx, person, now)
    if (businessId === undefined) return
    const about = { kind: 'password', personId: person.id } as const
    const { token } = await createPersonLink(tx, publicUrl, about, now)
    const to = { businessId, personId: person.id, to: person.email }
    await queueNotice(tx, deps, to, { what: 'password', token }, now)
  })
}

/**
 * Resets the password using a mailed link. Ends every session, and invalidates every other such
 * link and all known browsers. An account's first reset also removes anything that someone without
 * access to the mailbox could have set up, and the email lists the remaining passkeys. Returns the
 * cookie that makes this browser known again, so that failed sign-ins by strangers cannot lock out
 * the owner. Throws `link_not_found` (404), and 400 for an invalid password.
 */
export async function resetPassword(
  deps: ConsoleDeps,
  { token, password }: { token: string; password: string },
  { browsers, ...place }: Pick<Actor, 'ip' | 'requestId'> & { browsers: readonly string[] },
  now: Date,
): Promise<string> {
  const hash = hashOf(token)
  const link = await selectLink(deps.db, hash, now)
  const isOne = link?.kind === 'password' && link.person_id !== null
  const person = isOne ? await selectPerson(deps.db, link.person_id!) : undefined
  if (!person) throw linkNotFound()
  const passwordHash = await newHash(deps, person, password, 'password')
  const cookie = await deps.db.transaction(async (tx) => {
    if (!(await consumeLink(tx, hash, now))) throw linkNotFound()
    await updatePassword(tx, person.id, passwordHash, now)
    await deleteLinksOf(tx, person.id)
    await endSessions(tx, person.id, null)
    const isCleared = await recordEmailProof(tx, person.id, now)
    const browser = { publicUrl: deps.publicUrl, tokens: browsers }
    const known = await rememberBrowser(tx, browser, { personId: person.id, sessionId: null }, now)
    const actor = { ...place, personId: person.id, name: person.name }
    const detail = 'Reset the password with an emailed link'
    await tellOfReset(tx, deps, person, isCleared, now)
    await appendOfPerson(tx, actor, { action: 'person.password', detail, at: now })
    return known
  })
  return cookie
}

/** Emails the result of the reset, with a link that removes unknown passkeys. */
async function tellOfReset(
  tx: Tx,
  deps: ConsoleDeps,
  person: PersonRow,
  isCleared: boolean,
  now: Date,
): Promise<void> {
  const rows = await selectPasskeys(tx, person.id)
  const passkeys = rows.map(({ name, created_at }) => ({ name, at: created_at.toISOString() }))
  const link =
    passkeys.length > 0
      ? await createPersonLink(tx, deps.publicUrl, { kind: 'passkeys', personId: person.id }, now)
      : undefined
  const left = { isCleared, passkeys, ...(link && { token: link.token }) }
  await queuePersonEmail(tx, deps, person, { what: 'password_reset', ...left }, now)
}

/** Changes the signed-in person's password, and ends all their other sessions. */
export async function changePassword(
  deps: ConsoleDeps,
  { person, sessionId, newPassword }: { person: PersonRow; sessionId: number; newPassword: string },
  actor: Actor,
  now: Date,
): Promise<void> {
  const passwordHash = await newHash(deps, person, newPassword, 'newPassword')
  await deps.db.transaction(async (tx) => {
    if (!(await updateOwnPassword(tx, person, passwordHash, now))) throw sessionEnded()
    await deleteLinksOf(tx, person.id)
    await endSessions(tx, person.id, sessionId)
    const detail = 'Changed the password'
    await appendOfPerson(tx, actor, { action: 'person.password', detail, at: now })
  })
  await emailPerson(deps, person, { what: 'password_changed' }, now)
}

function newHash(
  { passwordCost }: ConsoleDeps,
  { email, name }: PersonRow,
  password: string,
  field: string,
): Promise<string> {
  checkPassword(password, [email.split('@')[0] ?? '', name], field)
  return hashPassword(password, passwordCost)
}

// Loaded at the first sign-in, because a server without dashboard users does not need it.
const argon2 = () => import('@node-rs/argon2')

/** OWASP's minimum for argon2id, which takes 18 ms on one core. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const LENGTH_MIN = 12
const LENGTH_MAX = 128

/** Common passwords that are long enough to be allowed, from lists of leaked passwords (2026). */
const COMMON = [
  '123456789012',
  '1234567890123',
  '12345678901234',
  '1q2w3e4r5t6y',
  'abcdefghijkl',
  'administrator',
  'iloveyou1234',
  'password1234',
  'password12345',
  'password123456',
  'passwordpassword',
  'qwerty123456',
  'qwertyuiop12',
  'qwertyuiop123',
  'qwertyuiopas',
  'qwertyuiopasdf',
  'tradepost123',
  'tradepost1234',
  'welcome12345',
]

/** Normalises a password, because keyboards can encode the same character differently. */
const normal = (password: string) => password.normalize('NFKC')

/**
 * Throws 400 naming `field` for passwords that are too short, too long or easy to guess. `about` is
 * what others know about the person.
 */
export function checkPassword(password: string, about: readonly string[], field = 'password') {
  const text = normal(password)
  const length = [...text].length
  if (length < LENGTH_MIN)
    throw invalid({ [field]: [`must have at least ${LENGTH_MIN} characters`] })
  if (length > LENGTH_MAX)
    throw invalid({ [field]: [`must have at most ${LENGTH_MAX} characters`] })
  const lower = text.toLowerCase()
  const isKnown = about.some((one) => one.length > 3 && lower.includes(one.toLowerCase()))
  const isPlain = new Set(lower).size < 5 || COMMON.includes(lower)
  if (isKnown || isPlain) throw invalid({ [field]: ['is too easy to guess'] })
}

export const hashPassword = (password: string, cost = COST): Promise<string> =>
  inTurn(async () => (await argon2()).hash(normal(password), cost))

/** The hash of nobody's password. Checking it takes as long as checking a real one. */
let nobody: Promise<string> | undefined

/** Returns whether the password is right. Takes just as long if the account does not exist. */
export async function isPassword(
  kept: string | undefined,
  password: string,
  cost = COST,
): Promise<boolean> {
  nobody ??= hashPassword('nobody has this password', cost)
  const against = kept ?? (await nobody)
  const isRight = await inTurn(async () => (await argon2()).verify(against, normal(password)))
  return kept !== undefined && isRight
}

/** Hashes two passwords at a time, so that sign-ins leave CPU time for everything else. */
const AT_ONCE = 2
let running = 0
const waiting: (() => void)[] = []
/** With this many people ahead in the queue, a sign-in would take longer than anyone would wait. */
const WAITING_MAX = 100

/** Throws 429 while too many people are signing in, before the attempt is counted. */
export function requireSignInCapacity(): void {
  if (waiting.length < WAITING_MAX) return
  const message = 'Too many people are signing in right now. Try again in a moment.'
  throw new Problem('rate_limited', 'rate_limited', message, { retryAfterSeconds: 5 })
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  running++
  try {
    return await work()
  } finally {
    running--
    waiting.shift()?.()
  }
}

/** The maximum number of links of one kind that a person is sent within half an hour. */
const LINKS_MAX = 3

/**
 * Returns whether a person has already requested `LINKS_MAX` links of one kind. The caller must
 * have locked the person's row.
 */
const hasEnoughLinks = async (
  tx: Tx,
  personId: number,
  kind: 'password' | 'email',
  now: Date,
): Promise<boolean> =>
  (await countLinks(tx, personId, kind, addMs(now, -LINK_LIFETIMES_MS.password))) >= LINKS_MAX

/**
 * Records that a person used a link mailed to the account's email address. Until this first proof,
 * anyone could have created the account, so it removes every other way into the account: passkeys,
 * authenticator app, recovery codes, sessions and known browsers. Returns whether a second factor
 * was removed.
 */
export async function recordEmailProof(tx: Tx, personId: number, now: Date): Promise<boolean> {
  if (!(await updateEmailProved(tx, personId, now))) return false
  // Ends the sessions first, because a passkey can only be added in a session that lasts until the
  // commit.
  await endSessions(tx, personId, null)
  return deleteSecondFactor(tx, personId, now)
}

/** Mails a link that confirms the email address, unless it is already confirmed. */
export async function mailEmailLink(
  { publicUrl, ...deps }: Omit<NoticeDeps, 'db'> & { publicUrl: string },
  tx: Tx,
  personId: number,
  now: Date,
): Promise<void> {
  const person = await lockPerson(tx, personId)
  if (!person || person.email_proved_at) return
  const businessId = await selectMailingBusiness(tx, person, now)
  if (businessId === undefined || (await hasEnoughLinks(tx, personId, 'email', now))) return
  const { token } = await createPersonLink(tx, publicUrl, { kind: 'email', personId }, now)
  const to = { businessId, personId, to: person.email }
  await queueNotice(tx, deps, to, { what: 'email', token }, now)
}

/**
 * Confirms the signed-in person's email address. Removes nothing from the account, because the
 * person is already authenticated. Throws `link_not_found` (404), including for another account's
 * link.
 */
export async function confirmEmail(
  { db }: ConsoleDeps,
  token: string,
  actor: Actor,
  now: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    const link = await consumeLink(tx, hashOf(token), now)
    if (link?.kind !== 'email' || link.person_id !== actor.personId) throw linkNotFound()
    await updateEmailProved(tx, actor.personId, now)
    const detail = 'Confirmed the email address'
    await appendOfPerson(tx, actor, { action: 'person.email', detail, at: now })
  })
}

/**
 * Removes all of a person's passkeys using a mailed link, and ends the sessions opened with them.
 * Throws `link_not_found` (404).
 */
export async function removePasskeysByLink(
  deps: ConsoleDeps,
  token: string,
  place: Pick<Actor, 'ip' | 'requestId'>,
  now: Date,
): Promise<void> {
  const link = await selectLink(deps.db, hashOf(token), now)
  if (link?.kind !== 'passkeys' || link.person_id === null) throw linkNotFound()
  const person = await deps.db.transaction(async (tx) => {
    const locked = await lockPerson(tx, link.person_id!)
    if (!locked || !(await consumeLink(tx, hashOf(token), now))) throw linkNotFound()
    await endSessions(tx, locked.id, null)
    const removed = await deletePasskeysOf(tx, locked.id)
    const actor = { ...place, personId: locked.id, name: locked.name }
    const detail = `Removed ${removed} passkeys with an emailed link`
    await appendOfPerson(tx, actor, { action: 'person.passkey', detail, at: now })
    return locked
  })
  await emailPerson(deps, person, { what: 'passkeys_removed' }, now)
}

/** Thrown if the credentials of the account changed during a sign-in. */
export const credentialsChanged = () =>
  new Problem(
    'unauthenticated',
    'sign_in_failed',
    'This account has just been changed. Sign in again.',
  )

/**
 * Starts a session for a verified person in the requesting browser. Ends the browser's previous
 * session, so that a planted cookie cannot give access to the account. From then on, the browser is
 * known, and failed sign-ins elsewhere do not delay it. Throws `sign_in_failed` (401) if the
 * password has changed or the passkey has been removed since the person was verified.
 */
export async function startBrowserSession(
  { db, ids, publicUrl }: ConsoleDeps,
  { ip, userAgent, requestId, now, reply, request }: PublicInput,
  person: PersonRow,
  { by, passkeyId }: { by: string; passkeyId?: string },
) {
  const { id: personId, name } = person
  const before = sessionOf(request)
  const browser = { publicUrl, tokens: browserTokens(request, publicUrl) }
  const cookies = await db.transaction(async (tx) => {
    if (!(await lockCredentials(tx, person, passkeyId))) throw credentialsChanged()
    if (before) await deleteByHash(tx, hashOf(before.token))
    const who = { personId, ip, userAgent, passkeyId }
    const { id: sessionId, token } = await startSession(tx, ids, who, now)
    const known = await rememberBrowser(tx, browser, { personId, sessionId }, now)
    const actor = { personId, name, ip, requestId }
    await appendOfPerson(tx, actor, { action: 'session.begin', detail: `Signed in ${by}`, at: now })
    return [cookieFor(publicUrl, token), known]
  })
  reply.header('set-cookie', cookies)
  return success('Signed in.', null)
}
