import type { Db, Tx } from '../../db/database.ts'
import { addMs } from '../../lib/clock.ts'
import { notFound, Problem } from '../../lib/problem.ts'
import { randomText } from '../../lib/tokens.ts'
import {
  deleteInvitation,
  deleteInvitationsTo,
  insertLink,
  type LinkKind,
  type NewLinkRow,
  updateCopied,
} from './queries.ts'
import type { Role } from './roles.ts'
import { hashOf } from './sessions.ts'

const DAY_MS = 24 * 3_600_000

/** How long each kind of link is valid. */
export const LINK_LIFETIMES_MS = {
  owner: 7 * DAY_MS,
  invitation: 7 * DAY_MS,
  password: 30 * 60_000,
  email: 7 * DAY_MS,
  passkeys: 7 * DAY_MS,
}

const PATHS = {
  owner: 'sign-up',
  invitation: 'invitation',
  password: 'reset-password',
  email: 'confirm-email',
  passkeys: 'remove-passkeys',
}

type NewLink = NewLinkRow & { invitedBy?: number }

/**
 * Creates a link that works once. Its token is only available here: the database stores its hash.
 */
export async function createLink(db: Db, publicUrl: string, link: NewLink, now: Date) {
  const token = newToken()
  const expiresAt = addMs(now, LINK_LIFETIMES_MS[link.kind])
  await insertLink(db, hashOf(token), {
    ...link,
    invitedBy: link.invitedBy ?? null,
    expiresAt,
    now,
  })
  return { token, url: urlOfLink(publicUrl, link.kind, token), expiresAt }
}

const newToken = () => randomText(43)

/**
 * Returns a link's URL. It always starts with the server's own URL, whatever host a request names.
 */
export const urlOfLink = (publicUrl: string, kind: LinkKind, token: string): string =>
  `${publicUrl}/${PATHS[kind]}?token=${token}`

/** Creates the sign-up link for a business's first owner, for one email address or any. */
export const createOwnerLink = (
  db: Db,
  publicUrl: string,
  { businessId, email = null }: { businessId: number; email?: string | null | undefined },
  now: Date,
) =>
  createLink(
    db,
    publicUrl,
    { kind: 'owner', business_id: businessId, role: 'owner', email, person_id: null },
    now,
  )

/** Creates a link for managing an account, to be mailed to the account's email address. */
export const createPersonLink = (
  db: Db,
  publicUrl: string,
  { kind, personId }: { kind: 'password' | 'email' | 'passkeys'; personId: number },
  now: Date,
) => {
  const about = { business_id: null, role: null, email: null, person_id: personId }
  return createLink(db, publicUrl, { kind, ...about }, now)
}

interface NewInvitation {
  businessId: number
  role: Role
  email: string
  invitedBy: number
}

/**
 * Creates an invitation to join a business and returns its token. Any previous link stops working.
 */
export async function createInvitation(
  tx: Tx,
  publicUrl: string,
  { businessId, role, email, invitedBy }: NewInvitation,
  now: Date,
): Promise<string> {
  await deleteInvitationsTo(tx, businessId, email)
  const about = { business_id: businessId, role, email, person_id: null, invitedBy }
  return (await createLink(tx, publicUrl, { kind: 'invitation', ...about }, now)).token
}

/** Creates a second link for an invitation, replacing any previous copy. Throws 404. */
export async function copyInvitationLink(
  tx: Tx,
  publicUrl: string,
  { businessId, id }: { businessId: number; id: string },
  now: Date,
) {
  const token = newToken()
  const link = { hash: Buffer.from(id, 'base64url'), copied: hashOf(token), now }
  const invitation = await updateCopied(tx, businessId, link)
  if (!invitation) throw notFound('invitation')
  return { ...invitation, url: urlOfLink(publicUrl, 'invitation', token) }
}

/** Returns the removed invitation. Throws 404. */
export async function removeInvitation(tx: Tx, businessId: number, id: string) {
  const invitation = await deleteInvitation(tx, businessId, Buffer.from(id, 'base64url'))
  if (!invitation) throw notFound('invitation')
  return invitation
}

export const linkNotFound = () =>
  new Problem('not_found', 'link_not_found', 'This link has already been used or has expired.')
