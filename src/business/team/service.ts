import type { Tx } from '../../db/database.ts'
import type { ConsoleDeps } from '../../deps.ts'
import { secondFactorNeeded } from '../../http/auth.ts'
import { recordChanged } from '../../http/etag.ts'
import type { Person } from '../../lib/caller.ts'
import { conflict, invalid, notFound, Problem } from '../../lib/problem.ts'
import { isEmail } from '../../lib/schemas.ts'
import { reviewLimits } from '../account/approval.ts'
import { setRequiresTwoFactor } from '../account/service.ts'
import { type Actor, appendAudit } from '../audit-log/log.ts'
import { setRole } from '../people/accounts.ts'
import { queueNotice } from '../people/mails.ts'
import { copyInvitationLink, createInvitation, removeInvitation } from '../people/one-time-links.ts'
import type { Role } from '../people/roles.ts'
import { openPeople } from './mails.ts'
import { lockTeam, selectMemberEmail, selectNameOf, selectRequiresTwoFactor } from './queries.ts'

/** The member who changes the team. */
export interface Editor {
  actor: Actor
  person: Person
  businessId: number
  now: Date
}

/**
 * Emails a person a link to join. Throws `member_exists` (409), 400 for an invalid email address,
 * and `owner_needed` (403).
 */
export async function invite(
  { db, ids, keyring, nudge, publicUrl }: ConsoleDeps,
  { actor, person, businessId, now }: Editor,
  { email: given, role, business }: { email: string; role: Role; business: string },
): Promise<void> {
  const email = given.trim().toLowerCase()
  if (!isEmail(email)) throw invalid({ email: ['must be an email address'] })
  await db.transaction(async (tx) => {
    await refuseUnlessOwner(tx, businessId, person, [role])
    if (await selectMemberEmail(tx, businessId, email)) throw isMember()
    const invitation = { businessId, role, email, invitedBy: person.id }
    const token = await createInvitation(tx, publicUrl, invitation, now)
    const notice = { what: 'invitation', token, business, role, by: person.name } as const
    await queueNotice(
      tx,
      { ids, keyring, nudge },
      { businessId, personId: person.id, to: email },
      notice,
      now,
    )
    const detail = `Invited ${email} as ${role}`
    await appendAudit(tx, actor, {
      businessId,
      action: 'member.invite',
      object: email,
      detail,
      at: now,
    })
  })
}

/**
 * Creates an invitation link to pass on by hand, and replaces any previous copy. It differs from
 * the emailed link, because using it does not prove who owns the mailbox. Throws the same errors as
 * `revokeInvitation`.
 */
export async function copyInvitation(
  { db, publicUrl }: ConsoleDeps,
  { actor, person, businessId, now }: Editor,
  id: string,
): Promise<string> {
  return db.transaction(async (tx) => {
    const { email, role, url } = await copyInvitationLink(tx, publicUrl, { businessId, id }, now)
    await refuseUnlessOwner(tx, businessId, person, [role])
    const detail = `Copied the invitation link for ${email} (${role})`
    const entry = { businessId, action: 'invitation.copy', object: email, detail, at: now }
    await appendAudit(tx, actor, entry)
    return url
  })
}

/** Revokes an invitation. Throws `invitation_not_found` (404) and `owner_needed` (403). */
export async function revokeInvitation(
  { db }: ConsoleDeps,
  { actor, person, businessId, now }: Editor,
  id: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { email, role } = await removeInvitation(tx, businessId, id)
    await refuseUnlessOwner(tx, businessId, person, [role])
    const detail = `Revoked the invitation for ${email} (${role})`
    const entry = { businessId, action: 'invitation.revoke', object: email, detail, at: now }
    await appendAudit(tx, actor, entry)
  })
}

/**
 * Changes a member's role, if `isMeant` accepts the current one. Throws the same errors as
 * `removeMember`, and `record_changed` (412).
 */
export async function changeRole(
  deps: ConsoleDeps,
  { actor, person, businessId, now }: Editor,
  { personId, role, isMeant }: { personId: number; role: Role; isMeant(before: Role): boolean },
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const before = await refuseWrongChange(tx, businessId, person, personId, role)
    if (!isMeant(before)) throw recordChanged()
    if (before === role) return
    const named = await selectNameOf(tx, businessId, personId)
    await setRole(tx, businessId, personId, role)
    await reviewLimits(tx, openPeople(deps), businessId, now)
    const detail = `Changed the role of ${named?.email} from ${before} to ${role}`
    const object = named?.email ?? null
    await appendAudit(tx, actor, { businessId, action: 'member.role', object, detail, at: now })
  })
}

/**
 * Removes a member. Their access ends with the next request. Throws `member_not_found` (404),
 * `owner_needed` (403) if anyone other than an owner adds or removes an owner, and `last_owner`
 * (409).
 */
export async function removeMember(
  deps: ConsoleDeps,
  { actor, person, businessId, now }: Editor,
  personId: number,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await refuseWrongChange(tx, businessId, person, personId, null)
    const named = await selectNameOf(tx, businessId, personId)
    await setRole(tx, businessId, personId, null)
    await reviewLimits(tx, openPeople(deps), businessId, now)
    const detail = `Removed ${named?.email}`
    const object = named?.email ?? null
    await appendAudit(tx, actor, { businessId, action: 'member.remove', object, detail, at: now })
  })
}

/**
 * Sets whether members of the business must have a second factor. Throws `owner_needed` (403), and
 * `second_factor_needed` (403) for an owner who has none, because they would be locked out.
 */
export async function requireTwoFactor(
  { db }: ConsoleDeps,
  { actor, person, businessId, now }: Editor,
  sessionId: number,
  required: boolean,
): Promise<void> {
  await db.transaction(async (tx) => {
    const team = await lockTeam(tx, businessId)
    const isOwner = team.some((one) => one.person_id === person.id && one.role === 'owner')
    if (!isOwner) throw ownerNeeded('Only an owner can require two-factor authentication.')
    if (!(await setRequiresTwoFactor(tx, businessId, sessionId, required))) {
      if ((await selectRequiresTwoFactor(tx, businessId)) === required) return
      throw secondFactorNeeded(
        'Set up two-factor authentication on your account before you require it.',
      )
    }
    const detail = required
      ? 'Turned on the two-factor requirement'
      : 'Turned off the two-factor requirement'
    await appendAudit(tx, actor, { businessId, action: 'team.two_factor', detail, at: now })
  })
}

/**
 * Checks that a change to the team, which the caller has locked, is allowed. Returns the member's
 * role.
 */
async function refuseWrongChange(
  tx: Tx,
  businessId: number,
  editor: Person,
  personId: number,
  role: Role | null,
): Promise<Role> {
  const team = await lockTeam(tx, businessId)
  const member = team.find(({ person_id }) => person_id === personId)
  if (!member) throw notFound('member')
  refuseUnless(team, editor, [member.role, role])
  const owners = team.filter((one) => one.role === 'owner')
  if (member.role === 'owner' && role !== 'owner' && owners.length === 1) throw lastOwner()
  return member.role
}

async function refuseUnlessOwner(tx: Tx, businessId: number, editor: Person, roles: Role[]) {
  refuseUnless(await lockTeam(tx, businessId), editor, roles)
}

/** The caller may have lost their role since they were authenticated. */
function refuseUnless(
  team: readonly { person_id: number; role: Role }[],
  { id }: Person,
  roles: readonly (Role | null)[],
): void {
  const role = team.find(({ person_id }) => person_id === id)?.role
  if (role === 'owner' || (role === 'admin' && !roles.includes('owner'))) return
  throw ownerNeeded('Only an owner can create, invite or remove owners.')
}

const ownerNeeded = (message: string) => new Problem('forbidden', 'owner_needed', message)

const lastOwner = () =>
  conflict(
    'last_owner',
    'The business needs at least one owner. Make another member an owner first.',
  )

const isMember = () =>
  conflict('member_exists', 'This email address already belongs to a member.', {
    email: ['already belongs to a member'],
  })
