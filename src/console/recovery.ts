import type { Tx } from '../db/database.ts'
import { sessionEnded } from '../http/auth.ts'
import type { Actor } from './audit-log.ts'
import { appendOfPerson } from './audit-log.ts'
import { rememberBrowser } from './browsers.ts'
import type { ConsoleDeps } from './deps.ts'
import { hasEnoughLinks, proveEmail } from './email-proof.ts'
import { linkNotFound, makePersonLink } from './links.ts'
import { queueNotice, tellPerson, tellPersonIn } from './notices.ts'
import { checkPassword, hashPassword } from './passwords.ts'
import { selectPasskeys } from './queries-passkeys.ts'
import {
  deleteLinksOf,
  lockPerson,
  type PersonRow,
  selectByEmail,
  selectLink,
  selectMailingBusiness,
  selectPerson,
  takeLink,
  updateOwnPassword,
  updatePassword,
} from './queries-people.ts'
import { endSessions, hashOf } from './sessions.ts'

/** Mails a link to whoever has the address; whether anybody has is not told. */
export async function mailPasswordLink(deps: ConsoleDeps, email: string, now: Date): Promise<void> {
  const { db, publicUrl } = deps
  const found = await selectByEmail(db, email.trim())
  if (!found) return
  await db.transaction(async (tx) => {
    // Of many who ask at once, each counts the links of those before.
    const person = await lockPerson(tx, found.id)
    if (!person || (await hasEnoughLinks(tx, person.id, 'password', now))) return
    const businessId = await selectMailingBusiness(tx, person, now)
    if (businessId === undefined) return
    const about = { kind: 'password', personId: person.id } as const
    const { token } = await makePersonLink(tx, publicUrl, about, now)
    const to = { businessId, personId: person.id, to: person.email }
    await queueNotice(tx, deps, to, { what: 'password', token }, now)
  })
}

/**
 * Sets another password by a link that was mailed; every session ends, every other such link, and
 * what browsers are known by. The first reset of an account also removes what somebody without the
 * mailbox could have set up; the mail lists the passkeys that remain. Answers the cookie by which
 * this browser is known again: whoever keeps the address waiting does not keep its owner. Throws
 * `link_not_found` (404), and 400 for a password that is none.
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
  const passwordHash = await newHash(person, password, 'password')
  const cookie = await deps.db.transaction(async (tx) => {
    if (!(await takeLink(tx, hash, now))) throw linkNotFound()
    await updatePassword(tx, person.id, passwordHash, now)
    await deleteLinksOf(tx, person.id)
    await endSessions(tx, person.id, null)
    const isCleared = await proveEmail(tx, person.id, now)
    const browser = { publicUrl: deps.publicUrl, tokens: browsers }
    const known = await rememberBrowser(tx, browser, { personId: person.id, sessionId: null }, now)
    const actor = { ...place, personId: person.id, name: person.name }
    const detail = 'Set another password by a mailed link'
    await tellOfReset(tx, deps, person, isCleared, now)
    await appendOfPerson(tx, actor, { action: 'person.password', detail, at: now })
    return known
  })
  return cookie
}

/** Mails what the reset left, with a link that removes passkeys of somebody else. */
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
      ? await makePersonLink(tx, deps.publicUrl, { kind: 'passkeys', personId: person.id }, now)
      : undefined
  const left = { isCleared, passkeys, ...(link && { token: link.token }) }
  await tellPersonIn(tx, deps, person, { what: 'password_reset', ...left }, now)
}

/** Changes the password of who is signed in, and ends all their other sessions. */
export async function changePassword(
  deps: ConsoleDeps,
  { person, sessionId, newPassword }: { person: PersonRow; sessionId: number; newPassword: string },
  actor: Actor,
  now: Date,
): Promise<void> {
  const passwordHash = await newHash(person, newPassword, 'newPassword')
  await deps.db.transaction(async (tx) => {
    if (!(await updateOwnPassword(tx, person, passwordHash, now))) throw sessionEnded()
    await deleteLinksOf(tx, person.id)
    await endSessions(tx, person.id, sessionId)
    const detail = 'Changed the password'
    await appendOfPerson(tx, actor, { action: 'person.password', detail, at: now })
  })
  await tellPerson(deps, person, { what: 'password_changed' }, now)
}

function newHash({ email, name }: PersonRow, password: string, field: string): Promise<string> {
  checkPassword(password, [email.split('@')[0] ?? '', name], field)
  return hashPassword(password)
}
