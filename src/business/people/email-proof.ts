import type { Tx } from '../../db/database.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { sessionOf } from '../../http/auth.ts'
import { success } from '../../http/errors.ts'
import type { PublicInput } from '../../http/route.ts'
import { addMs } from '../../lib/clock.ts'
import { Problem } from '../../lib/problem.ts'
import { type Actor, appendOfPerson } from '../audit-log/log.ts'
import { browserTokens, rememberBrowser } from './known-browsers.ts'
import { emailPerson, type NoticeDeps, queueNotice } from './mails.ts'
import { createPersonLink, LINK_LIFETIMES_MS, linkNotFound } from './one-time-links.ts'
import {
  consumeLink,
  countLinks,
  deleteSecondFactor,
  lockCredentials,
  lockPerson,
  type PersonRow,
  selectLink,
  selectMailingBusiness,
  updateEmailProved,
} from './queries.ts'
import { deleteByHash, deletePasskeysOf } from './queries-sessions.ts'
import { cookieFor, endSessions, hashOf, startSession } from './sessions.ts'

/** The maximum number of links of one kind that a person is sent within half an hour. */
const LINKS_MAX = 3

/**
 * Returns whether a person has already requested `LINKS_MAX` links of one kind. The caller must
 * have locked the person's row.
 */
export const hasEnoughLinks = async (
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
