import { sql } from '../../db/sql.ts'
import { staleIndexEntries } from '../../db/text-search.ts'
import type { AuditCheck } from '../../ledger/audit.ts'
import { SPLIT_PAGES } from './service.ts'

/** Rules for split pages. Each check joins whole tables with a hash join. */
export const splitPageChecks: readonly AuditCheck[] = [
  {
    name: 'split-page-shares',
    what: 'a split page’s total share is the sum of its shares',
    table: 'split_pages',
    sql: sql`
      select business_id, live, id, format('its total share is %s, but its shares add up to %s',
        total_share, coalesce(s.shares, 0)) as problem
      from split_pages
      left join (
        select business_id, live, split_page_id as id, sum(share) as shares
        from split_page_shares
        group by business_id, live, split_page_id
      ) as s using (business_id, live, id)
      where total_share <> coalesce(s.shares, 0)`,
  },
  {
    name: 'split-page-texts',
    what: 'each split page can be found by its name, slug and reference',
    table: 'split_pages',
    sql: sql`
      select business_id, live, id,
        'its search text does not match its name, slug and reference' as problem
      ${staleIndexEntries(SPLIT_PAGES)}`,
  },
]
