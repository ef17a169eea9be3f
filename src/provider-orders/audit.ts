import { Sql, sql } from '../db/sql.ts'
import type { AuditCheck } from '../ledger/audit.ts'
import { BASE62 } from '../lib/tokens.ts'
import type { OrderKindName } from './queries.ts'

interface Records {
  kind: OrderKindName
  /** The noun shown to people for one of these records. */
  noun: string
  table: string
  records: Sql
  /** Whether the order for a record `r` must still be sent or looked up. */
  isOpen: Sql
  /** Whether the order for a record that has ended can still be looked up. */
  mayBeOpen?: Sql
  /** Whether the order must already have been sent. */
  isSent?: Sql
  /** Whether Tradepost generated the record's reference, from which the sent one is derived. */
  isGenerated?: boolean
  /** Whether a record can have several open orders, because a payer can pay any of them. */
  canRestart?: boolean
}

const POWERS = Array.from({ length: 20 }, (_, i) => 62n ** BigInt(19 - i)).join(', ')

/** `sentReferenceOf` in SQL, for reference `r.reference` and attempt `o.attempt`. */
const derived = new Sql(
  [
    `lower(left(r.reference, 3)) || '-' || (
      select string_agg(substr('abcdefghijklmnopqrstuvwxyz234567',
        ((case when k < 12 then high else low end >> (5 * (11 - k % 12))) & 31)::integer + 1, 1),
        '' order by k)
      from (select div(n, 1152921504606846976)::bigint as high,
          mod(n, 1152921504606846976)::bigint as low
        from (select
            sum((position(substr(r.reference, 4 + i::integer, 1) in '${BASE62}') - 1) * power) as n
          from unnest(array[${POWERS}]::numeric[]) with ordinality as p (power, i)) as number)
        as halves, generate_series(0, 23) as k)
    || case when o.attempt = 1 then '' else '-' || o.attempt end`,
  ],
  [],
)

/** Old orders were sent under the record's reference. */
const isDerived = sql`o.sent_reference = case
  when o.reference_format = 2 then ${derived}
  when o.attempt = 1 then r.reference
  else r.reference || '-' || o.attempt
end`

/**
 * Checks that orders are not lost, duplicated or sent under a different reference. Each open record
 * must have exactly one order that a job will find, and other records must have none.
 */
export const orderCheck = ({
  kind,
  noun,
  table,
  records,
  isOpen,
  mayBeOpen = sql`false`,
  isSent = sql`false`,
  isGenerated = false,
  canRestart = false,
}: Records): AuditCheck => ({
  name: `${kind}-orders`,
  what: `each open ${noun} has one order to send or look up; no other ${noun} has one`,
  table,
  sql: sql`
    select business_id, live, id, format(
      'it is %s, and %s of its orders are due to be sent or looked up (sent as: %s)',
      r.status, count(o.next_at), coalesce(string_agg(o.sent_reference, ', '), 'none'))
      as problem
    from ${records} r
    left join (
      select business_id, live, subject_id as id, attempt, sent_reference, reference_format,
        sent_at, next_at, ended_at
      from provider_orders where kind = ${kind}
    ) o using (business_id, live, id)
    group by business_id, live, id, r.reference, r.status
    having case when ${mayBeOpen} then false
        when ${isOpen} and ${canRestart} then count(o.next_at) = 0
        else count(o.next_at) <> case when ${isOpen} then 1 else 0 end end
      or (${isSent} and count(o.sent_at) = 0)
      or bool_or(${isGenerated} and o.ended_at is null and not ${isDerived})`,
})

export const providerOrderChecks: readonly AuditCheck[] = [
  {
    name: 'order-connections',
    what: 'the connection of an order belongs to the business and mode of the order',
    table: 'provider_orders',
    sql: sql`
      select o.business_id, o.live, o.subject_id as id,
        format('the %s order was given to connection %s, which belongs to %s in %s mode', o.kind,
          o.connection_id, coalesce('business ' || c.business_id, 'no business'),
          case when c.live then 'live' else 'test' end) as problem
      from provider_orders o join provider_connections c on c.id = o.connection_id
      where c.live <> o.live or c.business_id <> o.business_id`,
  },
]
