import { type Sql, sql } from '../../db/sql.ts'
import type { AuditCheck } from '../../ledger/audit.ts'

/** A deleted page keeps its link, so that no other page can take it. */
const LINKED: readonly { check: string; table: string; pages: Sql }[] = [
  {
    check: 'linked-pages',
    table: 'split_pages',
    pages: sql`select business_id, live, id, slug as link from split_pages`,
  },
  {
    check: 'linked-payment-pages',
    table: 'payment_pages',
    pages: sql`select business_id, live, id, custom_link as link from payment_pages`,
  },
]

const everyPage = LINKED.map(({ pages }) => pages).reduce(
  (some, others) => sql`${some} union all ${others}`,
)

/** Each check joins whole tables on columns that PostgreSQL can hash. */
export const pageLinkChecks: readonly AuditCheck[] = [
  {
    name: 'page-links',
    what: 'each link matches its page',
    table: 'page_links',
    sql: sql`
      select l.business_id, l.live, l.page_id as id,
        format('the link is %s, but its page %s', l.link,
          coalesce('has ' || p.link, 'does not exist')) as problem
      from page_links l
      left join (${everyPage}) p
        on (p.business_id, p.live, p.id) = (l.business_id, l.live, l.page_id)
      where p.link is distinct from l.link`,
  },
  ...LINKED.map(({ check, table, pages }) => ({
    name: check,
    what: `each row in ${table} has a link`,
    table,
    sql: sql`
      select p.business_id, p.live, p.id, format('its link %s is missing', p.link) as problem
      from (${pages}) p
      left join page_links l
        on (p.business_id, p.live, p.id, p.link) = (l.business_id, l.live, l.page_id, l.link)
      where l.link is null`,
  })),
]
