import type { Db } from '../db/database.ts'
import { addMs } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { randomText } from '../lib/random.ts'
import { insertLink, type LinkKind, type LinkRow } from './queries-people.ts'
import { hashOf } from './sessions.ts'

const DAY_MS = 24 * 3_600_000

/** How long each kind of link is good. */
export const LIVES_MS = { owner: 7 * DAY_MS, invitation: 7 * DAY_MS, password: 30 * 60_000 }

const PATHS = { owner: 'sign-up', invitation: 'invitation', password: 'reset-password' }

type NewLink = Omit<LinkRow, 'business'> & { invitedBy?: number }

/** Makes a link that works once; what it holds is told nowhere else, and kept as a hash. */
export async function makeLink(db: Db, publicUrl: string, link: NewLink, now: Date) {
  const token = randomText(43)
  const expiresAt = addMs(now, LIVES_MS[link.kind])
  await insertLink(db, hashOf(token), {
    ...link,
    invitedBy: link.invitedBy ?? null,
    expiresAt,
    now,
  })
  return { token, url: urlOfLink(publicUrl, link.kind, token), expiresAt }
}

/** Where a link leads: below the server's own address, whatever a request calls it. */
export const urlOfLink = (publicUrl: string, kind: LinkKind, token: string): string =>
  `${publicUrl}/${PATHS[kind]}?token=${token}`

/** The link with which the first owner of a business makes the account. */
export const makeOwnerLink = (db: Db, publicUrl: string, businessId: number, now: Date) =>
  makeLink(
    db,
    publicUrl,
    { kind: 'owner', business_id: businessId, role: 'owner', email: null, person_id: null },
    now,
  )

export const linkNotFound = () =>
  new Problem('not_found', 'link_not_found', 'This link was used already, or it has expired.')
