import { type Sql, sql } from '../../db/sql.ts'
import { EVERY_NUMBER } from '../../events/forget.ts'
import type { AuditCheck } from '../../ledger/audit.ts'

/** Whatever has events, by the type of object that they name. */
const COUNTED: readonly { type: string; table: string; objects: Sql }[] = [
  {
    type: 'business',
    table: 'business_settings',
    objects: sql`select business_id, live, business_id as id, event_sequence
      from business_settings`,
  },
  {
    type: 'api_key',
    table: 'api_keys',
    objects: sql`select business_id, live, id, event_sequence from api_keys`,
  },
  {
    type: 'wallet',
    table: 'ledger_accounts',
    objects: sql`select business_id, live, id, event_sequence from ledger_accounts`,
  },
  {
    type: 'invoice',
    table: 'invoices',
    objects: sql`select business_id, live, id, event_sequence from invoices`,
  },
  {
    type: 'transaction',
    table: 'transactions',
    objects: sql`select business_id, live, id, event_sequence from transactions`,
  },
  {
    type: 'transfer',
    table: 'transfers',
    objects: sql`select business_id, live, id, event_sequence from transfers`,
  },
  {
    type: 'refund',
    table: 'refunds',
    objects: sql`select business_id, live, id, event_sequence from refunds`,
  },
  {
    type: 'utility_payment',
    table: 'utility_payments',
    objects: sql`select business_id, live, id, event_sequence from utility_payments`,
  },
  {
    type: 'order',
    table: 'orders',
    objects: sql`select business_id, live, id, event_sequence from orders`,
  },
  {
    type: 'virtual_account',
    table: 'virtual_accounts',
    objects: sql`select business_id, live, id, event_sequence from virtual_accounts`,
  },
  {
    type: 'settlement',
    table: 'settlements',
    objects: sql`select business_id, live, id, event_sequence from settlements`,
  },
  {
    type: 'subaccount',
    table: 'subaccounts',
    objects: sql`select business_id, live, id, event_sequence from subaccounts`,
  },
  {
    type: 'download',
    table: 'download_grants',
    objects: sql`select business_id, live, id, event_sequence from download_grants`,
  },
  {
    type: 'split_page',
    table: 'split_pages',
    objects: sql`select business_id, live, id, event_sequence from split_pages`,
  },
  {
    type: 'payment_page',
    table: 'payment_pages',
    objects: sql`select business_id, live, id, event_sequence from payment_pages`,
  },
  {
    type: 'product',
    table: 'products',
    objects: sql`select business_id, live, id, event_sequence from products`,
  },
  {
    type: 'discount',
    table: 'discounts',
    objects: sql`select business_id, live, id, event_sequence from discounts`,
  },
  {
    type: 'webhook',
    table: 'webhooks',
    objects: sql`select business_id, live, id, event_sequence from webhooks`,
  },
  {
    type: 'simulated_event',
    table: 'simulated_events',
    objects: sql`select business_id, live, id, event_sequence from simulated_events
      where kind = 'simulated_event'`,
  },
  {
    type: 'webhook_test',
    table: 'simulated_events',
    objects: sql`select business_id, live, id, event_sequence from simulated_events
      where kind = 'webhook_test'`,
  },
]

/** What must be true of events and of the objects that they tell of. */
export const eventChecks: readonly AuditCheck[] = [
  ...COUNTED.map(({ type, table, objects }) => ({
    // Ids are unique over all tables, so an object is found without its type: the events are
    // counted from their index alone, and then joined by hash.
    name: `${type}-events`,
    what: `each ${type} has as many events as it has counted, and the last has that number`,
    table,
    sql: sql`
      select business_id, live, id, format('it has counted %s events, but has %s%s',
        o.event_sequence, coalesce(e.events, 0),
        ', the last with the number ' || nullif(e.last, e.events)) as problem
      from (${objects}) as o
      left join (
        select business_id, live, object_id as id, count(*) as events, max(sequence) as last
        from (${EVERY_NUMBER}) as every
        group by business_id, live, object_id
      ) as e using (business_id, live, id)
      where o.event_sequence <> coalesce(e.events, 0)
        or o.event_sequence <> coalesce(e.last, 0)`,
  })),
  {
    name: 'event-objects',
    what: 'every event is about something that exists',
    table: 'events',
    sql: sql`
      select business_id, live, id,
        format('the %s %s that it is about does not exist', object_type, object_id) as problem
      from events e
      where not exists (
        select from (${everyObject()}) as o
        where (o.business_id, o.live, o.type, o.id)
          = (e.business_id, e.live, e.object_type, e.object_id))`,
  },
]

function everyObject(): Sql {
  return COUNTED.map(
    ({ type, objects }) =>
      sql`select business_id, live, ${type}::text as type, id from (${objects}) as one`,
  ).reduce((some, one) => sql`${some} union all ${one}`)
}
