import type { Database, Db, Tx } from '../../db/database.ts'
import { isLockTimeout } from '../../db/failures.ts'
import type { Ids } from '../../db/ids.ts'
import type { ConsoleDeps } from '../../deps.ts'
import type { Background } from '../../http/after-response.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import { conflict, invalid, Problem } from '../../lib/problem.ts'
import { isEmail, isOneLine } from '../../lib/schemas.ts'
import { command } from '../../root.ts'
import { changeDetails } from '../account/service.ts'
import { protectedMembers } from '../audit-log/audit.ts'
import { appendAboutPerson, appendAudit, OPERATOR } from '../audit-log/log.ts'
import { emailPerson, type NoticeDeps, queueNotice, queuePersonEmail } from './mails.ts'
import { createOwnerLink, linkNotFound } from './one-time-links.ts'
import {
  consumeLink,
  deleteInvitationsBy,
  deleteMember,
  deleteOwnerLinks,
  deleteSecondFactor,
  hasOwner,
  insertMember,
  insertPerson,
  lockCredentials,
  type PersonRow,
  selectBusinessesWithoutOwner,
  selectByEmail,
  selectLink,
  selectPeople,
  selectPerson,
  updateRole,
} from './queries.ts'
import {
  checkPassword,
  credentialsChanged,
  hashPassword,
  isPassword,
  mailEmailLink,
  recordEmailProof,
  requireSignInCapacity,
} from './recovery.ts'
import type { Role } from './roles.ts'
import { endSessions, hashOf } from './sessions.ts'
import {
  type CountedAttempt,
  countAttempt,
  FAILURES_FREE,
  forgetAttempts,
  type Source,
  uncountAttempt,
} from './throttle.ts'
import { codeNeeded, codeWrong, spendCode } from './two-factor.ts'

const NAME_LENGTH_MAX = 100

interface AccountDeps extends NoticeDeps, Pick<ConsoleDeps, 'passwordCost'> {
  db: Database
  ids: Ids
  background: Background
  takeStranger(ip: string): void
  publicUrl: string
}

interface SignUp {
  token: string
  name?: string | undefined
  email?: string | undefined
  password: string
  code?: string | undefined
  /** A new name for the business, which only its first owner can give. */
  businessName?: string | undefined
}

interface Place extends Source {
  requestId: string
}

/**
 * Creates an account with a link. If the email address already has an account, its owner can join
 * with their password and code. Returns the person. Throws `link_not_found` (404), 400 naming the
 * invalid fields and, for an existing account, the same errors as `verifyCredentials`.
 */
export async function signUp(
  deps: AccountDeps,
  { token, name, email: given, password, code, businessName }: SignUp,
  { requestId, ...source }: Place,
  now: Date,
): Promise<PersonRow> {
  const { db } = deps
  const hash = hashOf(token)
  const link = await selectLink(db, hash, now)
  if (!link?.business_id || !link.role) throw linkNotFound()
  const email = (link.email ?? given ?? '').trim().toLowerCase()
  if (!isEmail(email)) throw invalid({ email: ['must be an email address'] })

  const isKnown = (await selectByEmail(db, email)) !== undefined
  const known = isKnown
    ? await verifyCredentials(deps, { email, password, code }, source, now)
    : undefined
  const fresh = known ? undefined : await newPerson(deps, { name, email, password })

  return db.transaction(async (tx) => {
    const taken = await consumeLink(tx, hash, now)
    if (!taken?.business_id || !taken.role) throw linkNotFound()
    const { business_id: businessId, role } = taken
    // Deletes the links that the server printed at earlier starts, so that nobody who reads old
    // logs becomes an owner too.
    if (taken.kind === 'owner') await deleteOwnerLinks(tx, businessId)
    const isMailed = taken.kind === 'invitation' && !taken.is_copied
    const personId = known
      ? await admit(tx, deps, known, isMailed, now)
      : await addPerson(tx, deps.ids, { ...fresh!, email, provedAt: isMailed ? now : null, now })
    const isNew = await insertMember(tx, { businessId, personId, role, now })
    if (isNew) await writeRowNote(tx, protectedMembers, { businessId, live: false }, personId)
    if (taken.kind === 'owner' && businessName?.trim())
      await nameBusiness(tx, businessId, businessName, now)
    if (!isMailed) await mailEmailLink(deps, tx, personId, now)
    const actor = { ip: source.ip, requestId, personId, name: known?.name ?? fresh!.name }
    const detail = isNew ? `${email} joined as ${role}` : `${email} was already a member`
    await appendAudit(tx, actor, {
      businessId,
      action: 'member.join',
      object: email,
      detail,
      at: now,
    })
    return (await selectPerson(tx, personId))!
  })
}

async function nameBusiness(tx: Tx, businessId: number, name: string, now: Date): Promise<void> {
  try {
    await changeDetails(tx, businessId, { name }, now)
  } catch (error) {
    // In this form, `name` is the person's name.
    const faults = error instanceof Problem ? error.fields.name : undefined
    throw faults ? invalid({ businessName: faults }) : error
  }
}

/**
 * Changes a member's role; null ends the membership. Revokes the invitations that the member sent.
 * The caller must hold the lock on the team.
 */
export async function setRole(tx: Tx, businessId: number, personId: number, role: Role | null) {
  if (role) await updateRole(tx, businessId, personId, role)
  else await deleteMember(tx, businessId, personId)
  await writeRowNote(tx, protectedMembers, { businessId, live: false }, personId)
  await deleteInvitationsBy(tx, businessId, personId)
}

/**
 * Lets a person join with an existing account. A mailed link can also be the first proof of their
 * email address.
 */
async function admit(
  tx: Tx,
  deps: AccountDeps,
  known: PersonRow,
  isMailed: boolean,
  now: Date,
): Promise<number> {
  if (!(await lockCredentials(tx, known))) throw credentialsChanged()
  if (isMailed && (await recordEmailProof(tx, known.id, now))) {
    await queuePersonEmail(tx, deps, known, { what: 'email_proved' }, now)
  }
  return known.id
}

async function newPerson(
  { passwordCost }: AccountDeps,
  { name, email, password }: { name: string | undefined; email: string; password: string },
) {
  const called = name?.trim()
  if (!called) throw invalid({ name: ['is required'] })
  // The name appears in emails to other people, and in the audit log.
  if (!isOneLine(called, NAME_LENGTH_MAX)) throw invalid({ name: ['must be a single line'] })
  checkPassword(password, [email.split('@')[0] ?? '', called])
  return { name: called, passwordHash: await hashPassword(password, passwordCost) }
}

async function addPerson(
  tx: Tx,
  ids: Ids,
  row: { name: string; passwordHash: string; email: string; provedAt: Date | null; now: Date },
): Promise<number> {
  const id = await ids.next(tx)
  if (!(await insertPerson(tx, { id, ...row }))) {
    throw invalid({ email: ['already has an account; enter its password to join'] })
  }
  return id
}

/**
 * Used for an unknown email address and for a wrong password, so that the response reveals neither.
 */
const signInFailed = () =>
  new Problem('unauthenticated', 'sign_in_failed', 'The email address or the password is wrong.')

interface Shown {
  email: string
  password: string
  code?: string | undefined
}

/**
 * Verifies a person by password and, with two-factor authentication, by code. Takes the same time
 * and gives the same error for an unknown email address and for a wrong password. Throws
 * `sign_in_failed`, `code_needed` and `code_wrong` (401), and `sign_in_locked` (429).
 */
export async function verifyCredentials(
  deps: AccountDeps,
  { email, password, code }: Shown,
  source: Source,
  now: Date,
): Promise<PersonRow> {
  const { db, background } = deps
  requireSignInCapacity()
  const attempt = await countAttempt(deps, email, source, now)
  const person = await selectByEmail(db, email.trim())
  const fail = (problem: Problem): never => {
    // Runs in the background, because the response time must not reveal whether the account exists.
    if (person) background.run(() => noteFailure(deps, person, { problem, attempt, source }, now))
    throw problem
  }
  const isRight = await isPassword(person?.password_hash, password, deps.passwordCost)
  if (!person || !isRight) return fail(signInFailed())
  if (person.totp_secret && !code) {
    await uncountAttempt(db, attempt)
    throw codeNeeded()
  }
  if (person.totp_secret && !(await spendCode(deps, person, code!, now))) return fail(codeWrong())
  await forgetAttempts(db, attempt)
  return person
}

/** How often to try to record a refused sign-in while others keep the audit log locked. */
const TRIES_MAX = 3

/**
 * Records a failure in the audit log, and emails the person once. Does not log attempts during a
 * wait.
 */
async function noteFailure(
  deps: AccountDeps,
  person: PersonRow,
  { problem, attempt, source }: { problem: Problem; attempt: CountedAttempt; source: Source },
  now: Date,
): Promise<void> {
  const { ip, sessionId } = source
  const isOwn = sessionId !== undefined
  const wrong = problem.code === 'code_wrong' ? 'wrong code' : 'wrong password'
  const entry = {
    action: attempt.isLast ? 'session.locked' : 'session.refused',
    object: person.email,
    detail: `Refused a sign-in: ${wrong}${attempt.isLast ? '; the next attempt is delayed' : ''}`,
    at: now,
  }
  const name = isOwn ? person.name : 'Not signed in'
  const actor = { personId: null, name, ip, requestId: null }
  const append = (triesLeft: number): Promise<unknown> =>
    deps.db
      .transaction((tx) => appendAboutPerson(tx, person.id, actor, entry))
      .catch((error: unknown) => {
        if (triesLeft === 0 || !isLockTimeout(error)) throw error
        return append(triesLeft - 1)
      })
  await append(TRIES_MAX - 1)
  if (attempt.failures === FAILURES_FREE) await emailPerson(deps, person, { what: 'locked' }, now)
}

/**
 * Verifies a signed-in person, by password only. Throws `sign_in_failed` (401) and `sign_in_locked`
 * (429).
 */
export async function verifyPassword(
  deps: AccountDeps,
  person: PersonRow,
  password: string,
  source: Source,
  now: Date,
): Promise<void> {
  await verifyCredentials(deps, { email: person.email, password }, source, now).catch(
    (problem: unknown) => {
      if ((problem as Problem).code !== 'code_needed') throw problem
    },
  )
}

/** Lists everyone with an account, oldest first. */
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
 * Restores password access for a person who has lost their phone and recovery codes. Removes the
 * app, the codes and the passkeys, because someone who finds the phone may have them. Also ends all
 * sessions and forgets all browsers. Logs the reset in each of the person's businesses, and emails
 * the person. Throws an error if no account has the email address, and `two_factor_state` (409) if
 * there is nothing to remove.
 */
export async function resetSecondFactor(
  tx: Tx,
  { ids, keyring }: Pick<NoticeDeps, 'ids' | 'keyring'>,
  email: string,
  now: Date,
) {
  const person = await selectByEmail(tx, email.trim())
  if (!person)
    throw new Error(`no account has the email address ${email}; see tradepost people list`)
  // Ends the sessions first, because a passkey can only be added in a session that lasts until the
  // commit.
  const endedSessions = await endSessions(tx, person.id, null)
  if (!(await deleteSecondFactor(tx, person.id, now)))
    throw conflict('two_factor_state', 'This person does not use two-factor authentication.')
  const businessIds = await appendAboutPerson(tx, person.id, OPERATOR, {
    action: 'person.two_factor',
    object: person.email,
    detail: `Removed two-factor authentication for ${person.name} and ended their sessions`,
    at: now,
  })
  const [first] = businessIds
  if (first !== undefined) {
    const to = { businessId: first, personId: person.id, to: person.email }
    // No nudge is needed: a running server regularly checks for queued emails.
    await queueNotice(tx, { ids, keyring, nudge: () => {} }, to, { what: 'two_factor_reset' }, now)
  }
  return { personId: person.id, email: person.email, name: person.name, endedSessions, businessIds }
}

/**
 * Returns the sign-up link for a business's first owner; undefined if the business has an owner.
 * With `email`, only that address can use the link, and previous links stop working.
 */
export async function ownerLinkFor(
  db: Db,
  publicUrl: string,
  { businessId, email }: { businessId: number; email?: string | undefined },
  now: Date,
): Promise<string | undefined> {
  if (await hasOwner(db, businessId)) return undefined
  if (email !== undefined) await deleteOwnerLinks(db, businessId)
  return (await createOwnerLink(db, publicUrl, { businessId, email }, now)).url
}

/** What a server prints when it starts, to let the first owner sign up. */
export interface FirstOwner {
  /**
   * The link, if there is only one business. Must never be logged, because others can read the log.
   */
  link?: string
  /** The command that prints a link, if any business has no owner. */
  command?: string
}

/** Returns how first owners can sign up. Empty if every business has an owner. */
export async function firstOwner(
  db: Db,
  publicUrl: string,
  isTerminal: boolean,
  now: Date,
): Promise<FirstOwner> {
  const [first, ...others] = await selectBusinessesWithoutOwner(db)
  if (!first) return {}
  const ownerLink = `${command()} business owner-link`
  if (others.length > 0) return { command: `${ownerLink} --business ID` }
  if (!first.is_only) return { command: `${ownerLink} --business ${first.id}` }
  if (!isTerminal) return { command: ownerLink }
  const link = await ownerLinkFor(db, publicUrl, { businessId: first.id }, now)
  return link === undefined ? {} : { link }
}
