import type { Db } from '../../db/database.ts'
import { addMs } from '../../lib/clock.ts'
import { Problem } from '../../lib/problem.ts'
import { randomText } from '../../lib/tokens.ts'
import { insertLink, type LinkKind, type NewLinkRow } from './queries.ts'
import { hashOf } from './sessions.ts'

export {
  deleteInvitation,
  deleteInvitationsBy,
  deleteInvitationsTo,
  updateCopied,
} from './queries.ts'

const DAY_MS = 24 * 3_600_000

/** How long each kind of link is good. */
export const LIVES_MS = {
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

/** Makes a link that works once; what it holds is told nowhere else, and kept as a hash. */
export async function makeLink(db: Db, publicUrl: string, link: NewLink, now: Date) {
  const token = newToken()
  const expiresAt = addMs(now, LIVES_MS[link.kind])
  await insertLink(db, hashOf(token), {
    ...link,
    invitedBy: link.invitedBy ?? null,
    expiresAt,
    now,
  })
  return { token, url: urlOfLink(publicUrl, link.kind, token), expiresAt }
}

export const newToken = () => randomText(43)

/** Where a link leads: below the server's own address, whatever a request calls it. */
export const urlOfLink = (publicUrl: string, kind: LinkKind, token: string): string =>
  `${publicUrl}/${PATHS[kind]}?token=${token}`

/** The link with which the first owner of a business signs up, with one address or any. */
export const makeOwnerLink = (
  db: Db,
  publicUrl: string,
  { businessId, email = null }: { businessId: number; email?: string | null | undefined },
  now: Date,
) =>
  makeLink(
    db,
    publicUrl,
    { kind: 'owner', business_id: businessId, role: 'owner', email, person_id: null },
    now,
  )

/** A link about an account, for the mailbox of its address. */
export const makePersonLink = (
  db: Db,
  publicUrl: string,
  { kind, personId }: { kind: 'password' | 'email' | 'passkeys'; personId: number },
  now: Date,
) => {
  const about = { business_id: null, role: null, email: null, person_id: personId }
  return makeLink(db, publicUrl, { kind, ...about }, now)
}

export const linkNotFound = () =>
  new Problem('not_found', 'link_not_found', 'This link was used already, or it has expired.')
