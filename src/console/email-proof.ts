import type { Tx } from '../db/database.ts'
import { addMs } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { type Actor, appendOfPerson } from './audit-log.ts'
import type { ConsoleDeps } from './deps.ts'
import { LIVES_MS, linkNotFound, makePersonLink } from './links.ts'
import { type NoticeDeps, queueNotice, tellPerson } from './notices.ts'
import { deleteSecondFactor } from './queries-operator.ts'
import { deletePasskeysOf } from './queries-passkeys.ts'
import {
  countLinks,
  lockPerson,
  selectLink,
  selectMailingBusiness,
  takeLink,
  updateEmailProved,
} from './queries-people.ts'
import { endSessions, hashOf } from './sessions.ts'

/** So many links of a kind to one person within half an hour; more would only be a nuisance. */
const LINKS_MAX = 3

/** Whether somebody asked for enough links of a kind just now. Their row must be locked. */
export const hasEnoughLinks = async (
  tx: Tx,
  personId: number,
  kind: 'password' | 'email',
  now: Date,
): Promise<boolean> =>
  (await countLinks(tx, personId, kind, addMs(now, -LIVES_MS.password))) >= LINKS_MAX

/**
 * Notes that somebody used a link that was mailed to the address of an account. Before the first
 * proof, anyone could have made the account, so everything else that opens it ends then: passkeys,
 * authenticator app, recovery codes, sessions and known browsers. Answers whether a second factor
 * was removed.
 */
export async function proveEmail(tx: Tx, personId: number, now: Date): Promise<boolean> {
  if (!(await updateEmailProved(tx, personId, now))) return false
  // First the sessions: a passkey is only added in one that lasts until the commit.
  await endSessions(tx, personId, null)
  return deleteSecondFactor(tx, personId, now)
}

/** Mails a link that confirms the address, where nothing has proved it yet. */
export async function mailEmailLink(
  { ids, nudge, publicUrl }: Pick<NoticeDeps, 'ids' | 'nudge'> & { publicUrl: string },
  tx: Tx,
  personId: number,
  now: Date,
): Promise<void> {
  const person = await lockPerson(tx, personId)
  if (!person || person.email_proved_at) return
  const businessId = await selectMailingBusiness(tx, person, now)
  if (businessId === undefined || (await hasEnoughLinks(tx, personId, 'email', now))) return
  const { token } = await makePersonLink(tx, publicUrl, { kind: 'email', personId }, now)
  const to = { businessId, personId, to: person.email }
  await queueNotice(tx, { ids, nudge }, to, { what: 'email', token }, now)
}

/**
 * Confirms the address of the person who is signed in. They showed what opens the account, so
 * nothing is removed. Throws `link_not_found` (404) for the link of another account, too.
 */
export async function confirmEmail(
  { db }: ConsoleDeps,
  token: string,
  actor: Actor,
  now: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    const link = await takeLink(tx, hashOf(token), now)
    if (link?.kind !== 'email' || link.person_id !== actor.personId) throw linkNotFound()
    await updateEmailProved(tx, actor.personId, now)
    const detail = 'Confirmed the email address'
    await appendOfPerson(tx, actor, { action: 'person.email', detail, at: now })
  })
}

/**
 * Removes all passkeys of a person by a mailed link, and ends what was begun with them. Throws
 * `link_not_found` (404).
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
    if (!locked || !(await takeLink(tx, hashOf(token), now))) throw linkNotFound()
    await endSessions(tx, locked.id, null)
    const removed = await deletePasskeysOf(tx, locked.id)
    const actor = { ...place, personId: locked.id, name: locked.name }
    const detail = `Removed ${removed} passkeys by a mailed link`
    await appendOfPerson(tx, actor, { action: 'person.passkey', detail, at: now })
    return locked
  })
  await tellPerson(deps, person, { what: 'passkeys_removed' }, now)
}

/** For a sign-in that was overtaken by a change of what opens the account. */
export const overtaken = () =>
  new Problem('unauthenticated', 'sign_in_failed', 'Sign in again: this account was just changed.')
