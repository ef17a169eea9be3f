import type { Db, Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import { conflict } from '../lib/problem.ts'
import { appendAudit, OPERATOR, selectBusinessIds } from './audit-log.ts'
import { queueNotice } from './notices.ts'
import { deleteSecondFactor, selectPeople } from './queries-operator.ts'
import { selectByEmail } from './queries-people.ts'
import { endSessions } from './sessions.ts'

/** Everybody with an account, the oldest first. */
export async function listPeople(db: Db) {
  const rows = await selectPeople(db)
  return rows.map((row) => ({
    personId: row.id,
    email: row.email,
    name: row.name,
    twoFactor: row.has_totp,
    passkeys: row.passkeys,
    memberships: row.memberships,
    createdAt: row.created_at,
  }))
}

/**
 * Lets somebody in by the password alone who lost phone and recovery codes: removes the app, the
 * codes and the passkeys, as whoever found the phone may have those; ends all sessions and forgets
 * all browsers. Each business of theirs has it in its audit log, and they get a mail. Throws
 * an error where nobody has the address, and `two_factor_state` (409) with nothing to remove.
 */
export async function resetSecondFactor(tx: Tx, ids: Ids, email: string, now: Date) {
  const person = await selectByEmail(tx, email.trim())
  if (!person) throw new Error(`nobody has the address ${email}: see tradepost people list`)
  // First the sessions: a passkey is only added in one that lasts until the commit.
  const endedSessions = await endSessions(tx, person.id, null)
  if (!(await deleteSecondFactor(tx, person.id, now)))
    throw conflict('two_factor_state', 'This person has no second factor to remove.')
  const businessIds = await selectBusinessIds(tx, person.id)
  const [first] = businessIds
  if (first !== undefined) {
    const to = { businessId: first, personId: person.id, to: person.email }
    // A server beside this looks for mails by itself.
    await queueNotice(tx, { ids, nudge: () => {} }, to, { what: 'two_factor_reset' }, now)
  }
  const about = { action: 'person.two_factor', object: person.email, at: now }
  const detail = `Removed the second factor of ${person.name}, and ended their sessions`
  for (const businessId of businessIds)
    await appendAudit(tx, OPERATOR, { ...about, detail, businessId })
  return { personId: person.id, email: person.email, name: person.name, endedSessions, businessIds }
}
