import type { Db, Tx } from '../../db/database.ts'
import type { Tenant } from '../../lib/caller.ts'

/** Returns whether the link was free. Only one of two simultaneous calls succeeds. */
export async function insertLink(
  tx: Tx,
  { businessId, live }: Tenant,
  pageId: number,
  link: string,
): Promise<boolean> {
  const count = await tx.run`
    insert into page_links (link, business_id, live, page_id)
    values (${link}, ${businessId}, ${live}, ${pageId})
    on conflict do nothing`
  return count === 1
}

export function deleteLink(tx: Tx, { businessId, live }: Tenant, pageId: number, link: string) {
  return tx.run`
    delete from page_links
    where link = ${link} and business_id = ${businessId} and live = ${live}
      and page_id = ${pageId}`
}

/** Returns which of these links already belong to a page. */
export async function selectTakenLinks(db: Db, links: readonly string[]): Promise<Set<string>> {
  const rows = await db.many<{ link: string }>`
    select link from page_links where link = any(${links}::text[])`
  return new Set(rows.map(({ link }) => link))
}
