import type { Db } from '../db/database.ts'
import { makeOwnerLink } from './links.ts'
import { deleteOwnerLinks, selectOwned, selectUnowned } from './queries-people.ts'

/**
 * The link for the first owner of a business; undefined when somebody owns it. With an address only
 * that address can sign up with it, and earlier links end.
 */
export async function ownerLinkFor(
  db: Db,
  publicUrl: string,
  { businessId, email }: { businessId: number; email?: string | undefined },
  now: Date,
): Promise<string | undefined> {
  if (await selectOwned(db, businessId)) return undefined
  if (email !== undefined) await deleteOwnerLinks(db, businessId)
  return (await makeOwnerLink(db, publicUrl, { businessId, email }, now)).url
}

/** What a server that starts can say of how the first owner gets in. */
export interface FirstOwner {
  /** The link, of the only business there is; never for a log, which others read. */
  link?: string
  /** The command that prints one, where some business has no owner. */
  command?: string
}

/** How the owners sign up that are missing; nothing where every business has one. */
export async function firstOwner(
  db: Db,
  publicUrl: string,
  isTerminal: boolean,
  now: Date,
): Promise<FirstOwner> {
  const [first, ...others] = await selectUnowned(db)
  if (!first) return {}
  const command = 'npx tradepost business owner-link'
  if (others.length > 0) return { command: `${command} --business ID` }
  if (!first.is_only) return { command: `${command} --business ${first.id}` }
  if (!isTerminal) return { command }
  const link = await ownerLinkFor(db, publicUrl, { businessId: first.id }, now)
  return link === undefined ? {} : { link }
}
