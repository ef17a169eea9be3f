import type { Db } from '../db/database.ts'
import { makeOwnerLink } from './links.ts'
import { deleteOwnerLinks, selectOwned } from './queries-people.ts'

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

/** The same for the one business of a new server, to be shown to whoever starts it. */
export async function firstOwnerLink(
  db: Db,
  publicUrl: string,
  now: Date,
): Promise<string | undefined> {
  const [first, ...others] = await db.many<{ id: number }>`
    select id from businesses order by id limit 2`
  if (!first || others.length > 0) return undefined
  return ownerLinkFor(db, publicUrl, { businessId: first.id }, now)
}
