import { sql } from '../../db/sql.ts'
import { staleIndexEntries } from '../../db/text-search.ts'
import type { AuditCheck } from '../../ledger/audit.ts'
import { PAYMENT_PAGES } from './service.ts'

/** src/business/links/audit.ts checks the links of the pages. */
export const paymentPageChecks: readonly AuditCheck[] = [
  {
    name: 'payment-page-counts',
    what: 'a payment page’s counts are never negative, and each checkout is paid at most once',
    table: 'payment_pages',
    sql: sql`
      select business_id, live, id, case
          when views is null then 'it has no counts'
          else format('it counts %s views, %s checkouts (%s open) and %s payments totalling %s',
            views, checkouts, open_checkouts, payments, paid_minor)
        end as problem
      from payment_pages left join (
        select business_id, live, page_id as id, views, checkouts, open_checkouts, payments,
          amount_minor as paid_minor
        from payment_page_counts
      ) counts using (business_id, live, id)
      where views is null or least(views, checkouts, open_checkouts, payments, paid_minor) < 0
        or open_checkouts + payments > checkouts
        or (payments = 0 and paid_minor <> 0)`,
  },
  {
    name: 'published-pages',
    what: 'each Published payment page has something to pay for',
    table: 'payment_pages',
    sql: sql`
      select business_id, live, id,
        format('it is Published and %s, but has neither an amount nor products', amount_type)
          as problem
      from payment_pages left join (
        select distinct business_id, live, page_id as id, true as has_products
        from payment_page_products
      ) products using (business_id, live, id)
      where deleted_at is null and status = 'Published' and amount_type <> 'variable'
        and amount_minor is null and has_products is null`,
  },
  {
    name: 'payment-page-split-pages',
    what: 'a payment page’s split page exists and has the same currency',
    table: 'payment_pages',
    sql: sql`
      select p.business_id, p.live, p.id, format('its split page %s %s', split_page_id,
        coalesce('is in ' || s.currency, 'does not exist')) as problem
      from payment_pages p left join split_pages s
        on (s.business_id, s.live, s.id) = (p.business_id, p.live, p.split_page_id)
      where deleted_at is null and split_page_id is not null
        and s.currency is distinct from p.currency`,
  },
  {
    name: 'payment-page-texts',
    what: 'each payment page can be found by its title and description',
    table: 'payment_pages',
    sql: sql`
      select business_id, live, id,
        'its search text does not match its title and description' as problem
      ${staleIndexEntries(PAYMENT_PAGES, sql`deleted_at is null`)}`,
  },
]
