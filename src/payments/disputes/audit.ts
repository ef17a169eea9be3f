import { sql } from '../../db/sql.ts'
import { type AuditCheck, causeCheck } from '../../ledger/audit.ts'
import { orderCheck } from '../../provider-orders/audit.ts'

/** Rules for disputes, and for the money that they hold and take. */
export const disputeChecks: readonly AuditCheck[] = [
  {
    name: 'disputed-payments',
    what: 'a payment’s disputed and reversed amounts are those of its disputes',
    table: 'transactions',
    sql: sql`
      select t.business_id, t.live, t.id, format(
        'it counts %s as disputed and %s as reversed, but its disputes total %s and %s',
        t.disputed_minor, t.reversed_minor, coalesce(d.disputed, 0), coalesce(d.reversed, 0))
        as problem
      from transactions t
      left join (
        select business_id, live, transaction_id as id,
          sum(coalesce(lost_minor, amount_minor)) as disputed,
          sum(coalesce(lost_minor, 0)) as reversed
        from disputes
        group by business_id, live, transaction_id
      ) as d using (business_id, live, id)
      where t.disputed_minor <> coalesce(d.disputed, 0)
        or t.reversed_minor <> coalesce(d.reversed, 0)
        or (d.disputed is not null and t.paid_minor is null)`,
  },
  {
    name: 'dispute-states',
    what: 'a dispute that was won took nothing, and one that was lost or accepted took something',
    table: 'disputes',
    sql: sql`
      select business_id, live, id, format('it is %s, and the provider took %s', status,
        coalesce(lost_minor::text, 'nothing yet')) as problem
      from disputes
      where (status = 'Won' and lost_minor <> 0) or (status in ('Lost', 'Accepted')
        and lost_minor = 0)`,
  },
  {
    name: 'dispute-holds',
    what: 'a dispute’s money is on hold while it is open; then the provider took it, or it is back',
    table: 'disputes',
    sql: sql`
      select business_id, live, id, format('it is %s, with %s overpaid and %s of the wallet on ' ||
        'hold and %s lost, but the ledger held %s and %s, paid %s to connection %s, returned %s ' ||
        'and counts %s as owed', status, excess_minor, held_minor,
        coalesce(lost_minor::text, 'nothing yet'), held_excess, held_own, paid, connection_id,
        returned, owed) as problem
      from (
        select d.business_id, d.live, d.id, d.status, d.excess_minor, d.held_minor, d.lost_minor,
          d.connection_id, coalesce(j.held_excess, 0) as held_excess,
          coalesce(j.held_own, 0) as held_own, coalesce(j.paid, 0) as paid,
          coalesce(j.returned, 0) as returned, coalesce(j.owed, 0) as owed
        from disputes d
        left join (
          select j.business_id, j.live, j.cause_id as id,
            sum(l.amount_minor) filter (where j.verb = 'hold' and o.kind = 'refunds')
              as held_excess,
            sum(l.amount_minor) filter (where j.verb = 'hold' and o.kind = 'wallet_available')
              as held_own,
            sum(l.amount_minor) filter (where o.kind = 'held' and c.kind = 'provider_clearing')
              as paid,
            sum(l.amount_minor) filter (where o.kind = 'held' and c.kind <> 'provider_clearing')
              as returned,
            sum(l.amount_minor) filter (where o.kind = 'receivable'
              and c.kind = 'provider_clearing') as owed
          from ledger_journals j
          join ledger_transfers l
            on (l.business_id, l.live, l.journal_id) = (j.business_id, j.live, j.id)
          join ledger_accounts o
            on (o.business_id, o.live, o.id) = (l.business_id, l.live, l.debit_account_id)
          join ledger_accounts c
            on (c.business_id, c.live, c.id) = (l.business_id, l.live, l.credit_account_id)
          where j.cause_type = 'dispute'
          group by j.business_id, j.live, j.cause_id
        ) as j using (business_id, live, id)
      ) as compared
      where held_excess <> excess_minor or held_own <> held_minor
        or paid <> least(coalesce(lost_minor, 0), excess_minor + held_minor)
        or returned <> case when lost_minor is null then 0
          else greatest(excess_minor + held_minor - lost_minor, 0) end
        or owed <> greatest(coalesce(lost_minor, 0) - excess_minor - held_minor, 0)`,
  },
  {
    name: 'dispute-connections',
    what: 'a dispute is booked with its own connection, which has the payment’s order',
    table: 'disputes',
    sql: sql`
      select d.business_id, d.live, d.id, case
        when b.connection_id <> d.connection_id
          then format('it belongs to connection %s, but was booked with %s', d.connection_id,
            b.connection_id)
        else format('it belongs to connection %s, which has no order of transaction %s',
          d.connection_id, d.transaction_id) end as problem
      from disputes d
      left join (
        select distinct j.business_id, j.live, j.cause_id as id, a.subject_id as connection_id
        from ledger_journals j
        join ledger_transfers l
          on (l.business_id, l.live, l.journal_id) = (j.business_id, j.live, j.id)
        join ledger_accounts a
          on (a.business_id, a.live, a.id) = (l.business_id, l.live, l.credit_account_id)
        where j.cause_type = 'dispute' and a.kind = 'provider_clearing'
      ) as b using (business_id, live, id)
      left join (
        select distinct business_id, live, subject_id as transaction_id, connection_id
        from provider_orders where kind = 'charge'
      ) as o on (o.business_id, o.live, o.transaction_id, o.connection_id)
        = (d.business_id, d.live, d.transaction_id, d.connection_id)
      where b.connection_id <> d.connection_id or o.connection_id is null`,
  },
  causeCheck('dispute', 'dispute', sql`disputes`),
  orderCheck({
    kind: 'dispute_response',
    noun: 'response to a dispute',
    table: 'dispute_responses',
    records: sql`dispute_responses`,
    isOpen: sql`status = 'Sending'`,
    isSent: sql`status = 'Sent'`,
    isGenerated: true,
  }),
]
