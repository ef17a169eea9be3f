import { type Sql, sql } from '../../db/sql.ts'
import { ALL_EVENT_NUMBERS, EVENT_DIGEST, FORGOTTEN_DIGEST } from '../../events/digest.ts'
import type { AuditCheck } from '../../ledger/audit.ts'
import {
  BEFORE_DIGESTS,
  beforeNotes,
  type ProtectedRows,
  ROW_NOTE_DIGEST,
} from '../../ledger/row-notes.ts'
import { DIGEST_SEAL_CONTENT } from '../../ledger/seals.ts'

/** The tables that contain objects with events, by object type. */
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
    type: 'dispute',
    table: 'disputes',
    objects: sql`select business_id, live, id, event_sequence from disputes`,
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
    type: 'deposit',
    table: 'deposits',
    objects: sql`select business_id, live, id, event_sequence from deposits`,
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

export const eventChecks: readonly AuditCheck[] = [
  ...COUNTED.map(({ type, table, objects }) => ({
    // Ids are unique across all tables, so the object type is not needed: this counts events using
    // only their index, and then joins them to the objects by hash.
    name: `${type}-events`,
    what: `the event count of each ${type} equals its number of events and the last event’s number`,
    table,
    sql: sql`
      select business_id, live, id, format('its event count is %s, but it has %s events%s',
        o.event_sequence, coalesce(e.events, 0),
        ', the last numbered ' || nullif(e.last, e.events)) as problem
      from (${objects}) as o
      left join (
        select business_id, live, object_id as id, count(*) as events, max(sequence) as last
        from (${ALL_EVENT_NUMBERS}) as every
        group by business_id, live, object_id
      ) as e using (business_id, live, id)
      where o.event_sequence <> coalesce(e.events, 0)
        or o.event_sequence <> coalesce(e.last, 0)`,
  })),
  {
    name: 'event-objects',
    what: 'every event refers to an existing object',
    table: 'events',
    sql: sql`
      select business_id, live, id,
        format('its object, the %s %s, does not exist', object_type, object_id) as problem
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

/**
 * Selects every digest of one kind, whether or not it is sealed: `business_id, live, id, digest`.
 */
const digestsOf = (kind: 'event' | 'forgotten' | 'row'): Sql => sql`
  select s.business_id, s.live, u.id, u.digest
  from digest_seals s, unnest(s.ids, s.digests) as u (id, digest) where s.kind = ${kind}
  union all
  select s.business_id, s.live, u.id, u.digest
  from digests_unsealed s, unnest(s.ids, s.digests) as u (id, digest) where s.kind = ${kind}`

export const digestChecks: readonly AuditCheck[] = [
  {
    name: 'event-digests',
    what: 'no event has changed since its digest was created',
    table: 'events',
    sql: sql`
      select e.business_id, e.live, e.id, case
        when d.id is not null then 'it was changed'
        when e.salt is null then 'the server did not write it: it has no digest'
        else 'its digest is missing' end as problem
      from events e
      left join (${BEFORE_DIGESTS}) as old
        on (old.business_id, old.live) = (e.business_id, e.live)
      left join (${digestsOf('event')}) as d
        on (d.business_id, d.live, d.id) = (e.business_id, e.live, e.id)
      where case when d.id is not null then e.salt is null or d.digest <> ${EVENT_DIGEST}
        else e.salt is not null or e.created_at < old.until is not true end`,
  },
  {
    name: 'forgotten-events',
    what: 'each forgotten event has been deleted, and its digest records that it was forgotten',
    table: 'forgotten_events',
    sql: sql`
      select e.business_id, e.live, e.id, case
        when d.id is null then 'the server did not forget it: it has no digest'
        when t.id is not null then 'it still exists'
        else 'it was changed' end as problem
      from forgotten_events e
      left join events t on (t.business_id, t.live, t.id) = (e.business_id, e.live, e.id)
      left join (${digestsOf('forgotten')}) as d
        on (d.business_id, d.live, d.id) = (e.business_id, e.live, e.id)
      where d.id is null or t.id is not null or d.digest <> ${FORGOTTEN_DIGEST}`,
  },
  {
    name: 'lost-events',
    what: 'every event with a digest still exists or was forgotten',
    table: 'events',
    sql: sql`
      select d.business_id, d.live, d.id, 'it is missing, but its digest still exists' as problem
      from (${digestsOf('event')}) as d
      left join events e on (e.business_id, e.live, e.id) = (d.business_id, d.live, d.id)
      left join forgotten_events f
        on (f.business_id, f.live, f.id) = (d.business_id, d.live, d.id)
      where e.id is null and f.id is null
      union all
      select d.business_id, d.live, d.id, 'it was forgotten, but the record of this is missing'
      from (${digestsOf('forgotten')}) as d
      left join forgotten_events f
        on (f.business_id, f.live, f.id) = (d.business_id, d.live, d.id)
      where f.id is null`,
  },
  {
    name: 'row-notes',
    what: 'every row note with a digest still exists',
    table: 'row_notes',
    sql: sql`
      select d.business_id, d.live, d.id, 'it is missing, but its digest still exists' as problem
      from (${digestsOf('row')}) as d
      left join row_notes n on (n.business_id, n.live, n.id) = (d.business_id, d.live, d.id)
      where n.id is null`,
  },
  {
    // Each seal is compared with the previous seal's stored hash, so that only the changed seal is
    // reported.
    name: 'digest-seals',
    what: 'digest seals are unchanged and numbered from 1 without gaps',
    table: 'digest_seals',
    sql: sql`
      select s.business_id, s.live, s.seq as id, case when s.seq <> s.previous + 1
        then format('seals %s to %s are missing', s.previous + 1, s.seq - 1)
        else 'the seal or its hash was changed' end as problem
      from (
        select *, lag(seq, 1, 0::bigint) over chain as previous,
          lag(hash, 1, decode(repeat('00', 32), 'hex')) over chain as previous_hash
        from digest_seals
        window chain as (partition by business_id, live order by seq)
      ) as s
      where s.seq <> s.previous + 1 or s.hash <> sha256(s.previous_hash || ${DIGEST_SEAL_CONTENT})`,
  },
  {
    name: 'digest-chain-ends',
    what: 'each digest chain ends at its chain head',
    table: 'digest_seals',
    sql: sql`
      select business_id, live, coalesce(c.seq, 0) as id,
        format('the last seal (%s) does not match the chain head (%s) in number and hash',
          coalesce(s.seq, 0), coalesce(c.seq, 0)) as problem
      from digest_chains c
      full join (
        select distinct on (business_id, live) business_id, live, seq, hash from digest_seals
        order by business_id, live, seq desc
      ) as s using (business_id, live)
      where coalesce(s.seq, 0) <> coalesce(c.seq, 0)
        or (c.seq > 0 and s.hash is distinct from c.hash)`,
  },
]

/** Checks that rows of one kind still match the last digests recorded for them. */
export const protectedRowsCheck = ({
  kind,
  since,
  table,
  rows,
  unwritten,
}: ProtectedRows): AuditCheck => ({
  name: `${kind}-notes`,
  what: `no row in ${table} has changed since the server last wrote it`,
  table,
  sql: sql`
    select coalesce(r.business_id, n.business_id) as business_id, coalesce(r.live, n.live) as live,
      coalesce(r.id, n.subject_id) as id, case
        when n.id is null then 'the server did not write it: it has no note'
        when r.id is null then 'it is missing'
        when d.id is null then 'its note has no digest any more'
        else 'it differs from its last note' end as problem
    from (${rows}) as r
    full join (
      select distinct on (business_id, live, subject_id) * from row_notes
      where kind = ${kind}
      order by business_id, live, subject_id, number desc
    ) as n on (n.business_id, n.live, n.subject_id) = (r.business_id, r.live, r.id)
    left join (${digestsOf('row')}) as d
      on (d.business_id, d.live, d.id) = (n.business_id, n.live, n.id)
    left join (
      select * from (${beforeNotes(since)}) as every
      where not exists (select from row_notes_begun where kind = ${kind})
    ) as old on (old.business_id, old.live) = (r.business_id, r.live)
    where case
      when n.id is null then r.content is distinct from ${unwritten ?? null}::text
        and r.created_at < old.until is not true
      when d.id is null then true
      else d.digest <> ${ROW_NOTE_DIGEST} end`,
})
