import { addMs } from '../lib/clock.ts'
import type { Actor } from './audit-log.ts'
import { appendOfPerson } from './audit-log.ts'
import { rememberBrowser } from './browsers.ts'
import type { ConsoleDeps } from './deps.ts'
import { LIVES_MS, linkNotFound, makeLink } from './links.ts'
import { queueNotice, tellPerson } from './notices.ts'
import { checkPassword, hashPassword } from './passwords.ts'
import { selectBusinessIds } from './queries-audit.ts'
import {
  countLinks,
  deletePasswordLinks,
  type PersonRow,
  selectByEmail,
  selectLink,
  selectPerson,
  takeLink,
  updatePassword,
} from './queries-people.ts'
import { endSessions, hashOf } from './sessions.ts'

/** So many links to one person within their time; further ones would only be a nuisance. */
const LINKS_MAX = 3

/** Mails a link to whoever has the address; whether anybody has is not told. */
export async function mailPasswordLink(deps: ConsoleDeps, email: string, now: Date): Promise<void> {
  const { db, publicUrl } = deps
  const person = await selectByEmail(db, email.trim())
  if (!person) return
  await db.transaction(async (tx) => {
    const [businessId] = await selectBusinessIds(tx, person.id)
    if (businessId === undefined) return
    if ((await countLinks(tx, person.id, addMs(now, -LIVES_MS.password))) >= LINKS_MAX) return
    const about = { business_id: null, role: null, email: null, person_id: person.id }
    const { token } = await makeLink(tx, publicUrl, { kind: 'password', ...about }, now)
    const to = { businessId, personId: person.id, to: person.email }
    await queueNotice(tx, deps, to, { what: 'password', token }, now)
  })
}

/**
 * Sets another password by a link that was mailed; every session ends, every other such link, and
 * what browsers are known by. Answers the cookie by which this one is known anew: whoever keeps the
 * address waiting does not keep its owner. Throws `link_not_found` (404), and 400 for a password
 * that is none.
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
    await deletePasswordLinks(tx, person.id)
    await endSessions(tx, person.id, null)
    const browser = { publicUrl: deps.publicUrl, tokens: browsers }
    const known = await rememberBrowser(tx, browser, { personId: person.id, sessionId: null }, now)
    const actor = { ...place, personId: person.id, name: person.name }
    const detail = 'Set another password by a mailed link'
    await appendOfPerson(tx, actor, { action: 'person.password', detail, at: now })
    return known
  })
  await tellPerson(deps, person, { what: 'password_changed' }, now)
  return cookie
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
    await updatePassword(tx, person.id, passwordHash, now)
    await deletePasswordLinks(tx, person.id)
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
