import { type Sql, sql } from '../../../db/sql.ts'
import { staleIndexEntries } from '../../../db/text-search.ts'
import type { AuditCheck } from '../../../ledger/audit.ts'
import { PRODUCTS } from '../record/service.ts'
import { SLUG } from './schemas.ts'

/** The options of all products, each with its position within its product. */
const PLACES: Sql = sql`
  select business_id, live, product_id, id, row_number() over (
      partition by business_id, live, product_id order by position, id) as place
  from product_options`

export const productChecks: readonly AuditCheck[] = [
  {
    name: 'product-stock',
    what: 'each product has a stock row, which is empty if the product has variants',
    table: 'products',
    sql: sql`
      select business_id, live, p.id, case when s.id is null then 'it has no stock row'
        else 'it has variants, but also its own stock' end as problem
      from products p
      left join stock_items s using (business_id, live, id)
      left join (
        select business_id, live, product_id as id, count(*) as variants
        from product_variants where deleted_at is null
        group by business_id, live, product_id
      ) v using (business_id, live, id)
      where s.product_id is distinct from p.id
        or (v.variants > 0 and (s.tracked or s.on_hand <> 0))`,
  },
  {
    name: 'variant-stock',
    what: 'each variant has a stock row, which is empty once the variant is deleted',
    table: 'product_variants',
    sql: sql`
      select business_id, live, v.id, case when s.id is null then 'it has no stock row'
        else 'it was deleted, but still has stock' end as problem
      from product_variants v
      left join stock_items s using (business_id, live, id)
      where s.product_id is distinct from v.product_id
        or (v.deleted_at is not null and (s.tracked or s.on_hand <> 0))`,
  },
  {
    name: 'variant-values',
    what: 'each variant has one value for each of its product’s options, in order',
    table: 'product_variants',
    sql: sql`
      select v.business_id, v.live, v.id,
        format('it has %s values, %s of which match the product’s %s options',
          cardinality(v.value_ids), coalesce(f.fitting, 0), coalesce(o.options, 0)) as problem
      from product_variants v
      left join (
        select business_id, live, product_id, count(*) as options
        from product_options group by business_id, live, product_id
      ) o using (business_id, live, product_id)
      left join (
        select u.business_id, u.live, u.id, count(*) as fitting
        from (
          select business_id, live, id, product_id, value_id, place
          from product_variants
            cross join lateral unnest(value_ids) with ordinality as t (value_id, place)
          where deleted_at is null
        ) u
        join product_option_values w
          on (w.business_id, w.live, w.id) = (u.business_id, u.live, u.value_id)
        join (${PLACES}) p on (p.business_id, p.live, p.product_id, p.id, p.place)
          = (u.business_id, u.live, u.product_id, w.option_id, u.place)
        group by u.business_id, u.live, u.id
      ) f on (f.business_id, f.live, f.id) = (v.business_id, v.live, v.id)
      where v.deleted_at is null
        and (cardinality(v.value_ids) is distinct from o.options
          or f.fitting is distinct from o.options)`,
  },
  {
    name: 'product-variants',
    what: 'a product has a variant for each combination of its options’ values',
    table: 'products',
    sql: sql`
      select business_id, live, id, format('its options make %s variants, but it has %s',
        coalesce(wanted, 0), coalesce(variants, 0)) as problem
      from products
      left join (
        select business_id, live, product_id as id, round(exp(sum(ln(n)))) as wanted
        from (
          select o.business_id, o.live, o.product_id, o.id, count(*) as n
          from product_options o join product_option_values v
            on (v.business_id, v.live, v.option_id) = (o.business_id, o.live, o.id)
          group by o.business_id, o.live, o.product_id, o.id
        ) counted
        group by business_id, live, product_id
      ) o using (business_id, live, id)
      left join (
        select business_id, live, product_id as id, count(*) as variants
        from product_variants where deleted_at is null
        group by business_id, live, product_id
      ) v using (business_id, live, id)
      where coalesce(wanted, 0) <> coalesce(variants, 0)`,
  },
  {
    name: 'product-slugs',
    what: 'each product has a valid slug',
    table: 'products',
    sql: sql`
      select business_id, live, id, format('its slug is invalid: %s', slug) as problem
      from products where slug !~ ${SLUG}`,
  },
  {
    name: 'product-texts',
    what: 'each product can be found by its name and SKU, unless it was deleted',
    table: 'products',
    sql: sql`
      select business_id, live, id, case when deleted_at is null
        then 'its search text does not match its name and SKU'
        else 'it was deleted, but can still be found' end as problem
      ${staleIndexEntries(PRODUCTS, sql`deleted_at is null`)}`,
  },
]
