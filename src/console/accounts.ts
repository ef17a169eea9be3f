import type { Database, Db, Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import { addMs } from '../lib/clock.ts'
import { isEmail } from '../lib/email.ts'
import { invalid, Problem } from '../lib/problem.ts'
import { linkNotFound } from './links.ts'
import { checkPassword, hashPassword, isPassword } from './passwords.ts'
import {
  insertMember,
  insertPerson,
  type PersonRow,
  selectByEmail,
  selectLink,
  takeLink,
  updateFailed,
  updateSucceeded,
} from './queries-people.ts'
import { hashOf } from './sessions.ts'

/** From so many failures one after the other on, the next try waits. */
const FAILURES_FREE = 5
const WAIT_MS = 60_000
const WAIT_MS_MAX = 3_600_000

interface SignUp {
  token: string
  name?: string | undefined
  email?: string | undefined
  password: string
}

/**
 * Makes an account by a link, or lets who has one join by its password. Answers the person. Throws
 * `link_not_found` (404), 400 naming what is wrong, and as `provePassword` for an account there is.
 */
export async function signUp(
  { db, ids }: { db: Database; ids: Ids },
  { token, name, email: given, password }: SignUp,
  now: Date,
): Promise<number> {
  const hash = hashOf(token)
  const link = await selectLink(db, hash, now)
  if (!link || link.kind === 'password' || !link.business_id || !link.role) throw linkNotFound()
  const email = (link.email ?? given ?? '').trim().toLowerCase()
  if (!isEmail(email)) throw invalid({ email: ['must be an e-mail address'] })

  const known = await selectByEmail(db, email)
  if (known) await provePassword(db, known, password, now)
  const fresh = known ? undefined : await newPerson(name, email, password)

  return db.transaction(async (tx) => {
    const taken = await takeLink(tx, hash, now)
    if (!taken?.business_id || !taken.role) throw linkNotFound()
    const personId = known?.id ?? (await addPerson(tx, ids, { ...fresh!, email, now }))
    await insertMember(tx, { businessId: taken.business_id, personId, role: taken.role, now })
    return personId
  })
}

async function newPerson(name: string | undefined, email: string, password: string) {
  const called = name?.trim()
  if (!called) throw invalid({ name: ['is required'] })
  checkPassword(password, [email.split('@')[0] ?? '', called])
  return { name: called, passwordHash: await hashPassword(password) }
}

async function addPerson(
  tx: Tx,
  ids: Ids,
  row: { name: string; passwordHash: string; email: string; now: Date },
): Promise<number> {
  const id = await ids.next(tx)
  if (!(await insertPerson(tx, { id, ...row }))) {
    throw invalid({ email: ['has an account: sign up again with its password'] })
  }
  return id
}

/** One answer for an address that nobody has and for a password that is wrong. */
const signInFailed = () =>
  new Problem('unauthenticated', 'sign_in_failed', 'The address or the password is wrong.')

/**
 * Finds who signs in. The same work is done and the same is said whether there is nobody or the
 * password is wrong. Throws `sign_in_failed` (401) and `sign_in_locked` (429).
 */
export async function findByPassword(
  db: Db,
  email: string,
  password: string,
  now: Date,
): Promise<PersonRow> {
  const person = await selectByEmail(db, email.trim())
  if (!person) {
    await isPassword(undefined, password)
    throw signInFailed()
  }
  await provePassword(db, person, password, now)
  return person
}

/** Throws unless the password is theirs; each failure from the fifth on waits twice as long. */
export async function provePassword(
  db: Db,
  person: PersonRow,
  password: string,
  now: Date,
): Promise<void> {
  refuseLocked(person, now)
  if (await isPassword(person.password_hash, password)) return
  await noteFailure(db, person, now)
  throw signInFailed()
}

/** Counts a wrong password or code. */
export async function noteFailure(db: Db, { id, failure_count }: PersonRow, now: Date) {
  const over = failure_count + 1 - FAILURES_FREE
  const waitMs = over < 0 ? 0 : Math.min(WAIT_MS * 2 ** over, WAIT_MS_MAX)
  await updateFailed(db, id, waitMs > 0 ? addMs(now, waitMs) : null)
}

export const forgetFailures = (db: Db, { id }: PersonRow) => updateSucceeded(db, id)

function refuseLocked({ locked_until }: PersonRow, now: Date): void {
  if (!locked_until || locked_until <= now) return
  throw new Problem('rate_limited', 'sign_in_locked', 'Too many wrong tries: wait a little.', {
    retryAfterSeconds: Math.ceil((locked_until.getTime() - now.getTime()) / 1000),
  })
}
