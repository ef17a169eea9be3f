import { sql } from '../../db/sql.ts'
import type { AuditCheck } from '../../ledger/audit.ts'
import { CHECKOUT_PURPOSE } from './payable.ts'

/**
 * Computes what payments contributed to each checkout: everything received, minus the amounts to be
 * returned and the fees paid on top.
 */
const payments = sql`(
  select business_id, live, purpose_id as id, count(*) as payments,
    sum(paid_minor - excess_minor
      - case when fee_bearer = 'customer' then fee_minor else 0 end) as applied_minor,
    bool_and(status in ('Refunded', 'Reversed')) filter (where paid_minor > excess_minor)
      as is_refunded,
    bool_or(status = 'Reversed') as is_reversed
  from transactions
  where purpose = ${CHECKOUT_PURPOSE} and paid_at is not null
  group by business_id, live, purpose_id)`

export const checkoutChecks: readonly AuditCheck[] = [
  {
    name: 'checkout-payments',
    what: 'a checkout is Paid if, and only if, its payments cover its amount',
    table: 'checkouts',
    sql: sql`
      select business_id, live, id, format('it is %s, and its payments cover %s of %s',
        status, coalesce(p.applied_minor, 0), amount_minor) as problem
      from checkouts c left join ${payments} p using (business_id, live, id)
      where (status = 'Paid') <> (coalesce(p.applied_minor, 0) = amount_minor)
        or (status = 'Paid') <> (paid_at is not null)
        or coalesce(p.applied_minor, 0) > amount_minor`,
  },
  {
    name: 'checkout-transactions',
    what: 'a checkout refers to one of its payments (a paid one if it is Paid), unless it is free',
    table: 'checkouts',
    sql: sql`
      select business_id, live, c.id, format('it is %s, and its transaction %s is %s, for %s %s',
        c.status, coalesce(c.transaction_id::text, 'none'), coalesce(t.status, 'missing'),
        t.purpose, t.purpose_id) as problem
      from checkouts c
      left join (
        select business_id, live, id as transaction_id, status, purpose, purpose_id, paid_at
        from transactions
      ) t using (business_id, live, transaction_id)
      where case
        when c.amount_minor = 0 then c.transaction_id is not null
        else (t.purpose, t.purpose_id) is distinct from (${CHECKOUT_PURPOSE}::text, c.id)
          or (c.status = 'Paid' and t.paid_at is null)
        end`,
  },
  {
    name: 'checkout-ways',
    what: 'every checkout payment has a checkout, and is not Pending if the checkout ended unpaid',
    table: 'transactions',
    sql: sql`
      select business_id, live, t.id, format('it is %s, and its checkout %s is %s',
        t.status, t.purpose_id, coalesce(c.status, 'missing')) as problem
      from transactions t
      left join (select business_id, live, id as purpose_id, status from checkouts) c
        using (business_id, live, purpose_id)
      where t.purpose = ${CHECKOUT_PURPOSE} and (c.status is null
        or (t.status = 'Pending' and c.status in ('Expired', 'Cancelled')))`,
  },
  {
    name: 'checkout-orders',
    what: 'an order matches its checkout in status, amount and transaction',
    table: 'orders',
    sql: sql`
      select business_id, live, o.id, format(
        'it is %s, for %s (transaction %s); checkout %s is %s, for %s (transaction %s, order %s)',
        o.status, o.amount_minor, coalesce(o.transaction_id::text, 'none'), o.checkout_id,
        coalesce(c.status, 'missing'), c.amount_minor,
        coalesce(c.transaction_id::text, 'none'), c.order_id) as problem
      from orders o
      left join (
        select business_id, live, id as checkout_id, status, amount_minor, transaction_id, order_id,
          page_id
        from checkouts
      ) c using (business_id, live, checkout_id)
      where c.order_id is distinct from o.id or c.amount_minor <> o.amount_minor
        or (c.transaction_id, c.page_id) is distinct from (o.transaction_id, o.page_id)
        or c.status <> case o.status when 'Pending' then 'Open' when 'Cancelled' then
          case when c.status = 'Expired' then 'Expired' else 'Cancelled' end else 'Paid' end
        or (o.status in ('Paid', 'Refunded')) <> (o.paid_at is not null)`,
  },
  {
    name: 'ordered',
    what: 'every order that a checkout refers to exists',
    table: 'checkouts',
    sql: sql`
      select business_id, live, c.id, format('its order %s does not exist', c.order_id) as problem
      from checkouts c
      left join (select business_id, live, id as order_id, reference from orders) o
        using (business_id, live, order_id)
      where c.order_id is not null and o.reference is null`,
  },
  {
    name: 'order-lines',
    what: 'an order’s lines add up to its subtotal',
    table: 'orders',
    sql: sql`
      select business_id, live, id, format('its subtotal is %s, but its lines add up to %s',
        subtotal_minor, l.amount_minor) as problem
      from orders o
      join (
        select business_id, live, order_id as id, sum(amount_minor) as amount_minor,
          bool_and(amount_minor = quantity * unit_price_minor) as is_multiplied
        from order_lines group by business_id, live, order_id
      ) l using (business_id, live, id)
      where l.amount_minor <> o.subtotal_minor or not l.is_multiplied`,
  },
  {
    name: 'order-refunds',
    what: 'an order is Refunded if, and only if, its payers got all payments back',
    table: 'orders',
    sql: sql`
      select business_id, live, o.id, format('it is %s, although %s of its payments are refunded',
        o.status, case when p.is_refunded then 'all' else 'not all' end) as problem
      from orders o
      join (select business_id, live, id as checkout_id, is_refunded from ${payments} p) p
        using (business_id, live, checkout_id)
      where o.status in ('Paid', 'Refunded')
        and (o.status = 'Refunded') <> coalesce(p.is_refunded, false)`,
  },
  {
    name: 'order-stock',
    what: 'an order’s stock is reserved, sold or returned, as its status and disputes require',
    table: 'orders',
    sql: sql`
      select business_id, live, id, format('it is %s and lists %s of item %s, of which %s are %s',
        order_status, coalesce(l.quantity, 0), item_id, coalesce(r.quantity, 0),
        coalesce(r.status, 'reserved')) as problem
      from (
        select business_id, live, order_id as id, coalesce(variant_id, product_id) as item_id,
          sum(quantity) as quantity
        from order_lines group by 1, 2, 3, 4
      ) l
      full join (
        select s.business_id, s.live, o.id, s.item_id, s.quantity, s.status
        from stock_reservations s
        join orders o on (o.business_id, o.live, o.checkout_id)
          = (s.business_id, s.live, s.cause_id)
      ) r using (business_id, live, id, item_id)
      left join (
        select o.business_id, o.live, o.id, o.status as order_status, p.is_reversed
        from orders o
        left join ${payments} p
          on (p.business_id, p.live, p.id) = (o.business_id, o.live, o.checkout_id)
      ) o using (business_id, live, id)
      where l.quantity is distinct from r.quantity or case o.order_status
        when 'Pending' then r.status not in ('Reserved', 'Released')
        when 'Paid' then r.status <> 'Sold'
        when 'Refunded' then r.status <> 'Returned' and not (r.status = 'Sold' and is_reversed)
        else r.status <> 'Released' end`,
  },
  {
    name: 'order-discounts',
    what: 'an order’s discount is reserved, used or released, as its status and disputes require',
    table: 'orders',
    sql: sql`
      select business_id, live, o.id, format(
        'it is %s with %s off (discount %s), but the use of the discount is %s with %s off',
        o.status, o.discount_minor, coalesce(o.discount_id::text, 'none'),
        coalesce(u.status, 'missing'), coalesce(u.discount_minor, 0)) as problem
      from orders o
      left join (
        select business_id, live, cause_id as checkout_id, discount_id, discount_minor, status
        from discount_uses
      ) u using (business_id, live, checkout_id)
      left join (select business_id, live, id as checkout_id, is_reversed from ${payments} p) p
        using (business_id, live, checkout_id)
      where o.discount_id is distinct from u.discount_id
        or o.discount_minor <> coalesce(u.discount_minor, 0)
        or case o.status
          when 'Pending' then u.status not in ('Reserved', 'Released')
          when 'Paid' then u.status <> 'Used'
          when 'Refunded' then u.status <> 'Released' and not (u.status = 'Used' and is_reversed)
          else u.status <> 'Released' end`,
  },
  {
    name: 'order-downloads',
    what: 'an order’s files can be downloaded only while it is Paid',
    table: 'orders',
    sql: sql`
      select business_id, live, o.id, format('it is %s, but %s of its downloads are not revoked',
        o.status, g.open) as problem
      from orders o
      join (
        select business_id, live, cause_id as id, count(*) filter (where revoked_at is null) as open
        from download_grants group by business_id, live, cause_id
      ) g using (business_id, live, id)
      where o.status <> 'Paid' and g.open > 0`,
  },
  {
    name: 'page-counts',
    what: 'a payment page’s counts match its checkouts, open checkouts and payments',
    table: 'payment_page_counts',
    sql: sql`
      select business_id, live, page_id as id, format(
        'it counts %s checkouts, %s open and %s paid (%s in total); there are %s, %s and %s (%s)',
        p.checkouts, p.open_checkouts, p.payments, p.amount_minor, coalesce(c.checkouts, 0),
        coalesce(c.open_checkouts, 0), coalesce(c.payments, 0), coalesce(c.amount_minor, 0))
        as problem
      from payment_page_counts p
      left join (
        select business_id, live, page_id, count(*) as checkouts,
          count(*) filter (where status = 'Open' and payer_reserves is not false)
            as open_checkouts,
          count(*) filter (where status = 'Paid') as payments,
          sum(amount_minor) filter (where status = 'Paid') as amount_minor
        from checkouts where page_id is not null
        group by business_id, live, page_id
      ) c using (business_id, live, page_id)
      where (p.checkouts, p.open_checkouts, p.payments, p.amount_minor) is distinct from (
        coalesce(c.checkouts, 0), coalesce(c.open_checkouts, 0), coalesce(c.payments, 0),
        coalesce(c.amount_minor, 0))`,
  },
]
