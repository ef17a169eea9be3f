import { sql } from '../../db/sql.ts'
import { type AuditCheck, causeCheck } from '../../ledger/audit.ts'
import { orderCheck } from '../../provider-orders/audit.ts'

/**
 * Rules for refunds and for the balances that they were taken from. Each check joins whole tables
 * with a hash join.
 */
export const refundChecks: readonly AuditCheck[] = [
  {
    name: 'refunded-payments',
    what: 'a payment’s refund totals match its refunds, and its status is consistent with them',
    table: 'transactions',
    sql: sql`
      select t.business_id, t.live, t.id, format(
        'it is %s with %s paid (%s overpaid), %s refunding and %s refunded; ' ||
        'its refunds took %s (%s overpaid) and paid %s to the payer', t.status,
        coalesce(t.paid_minor::text, 'nothing'),
        t.excess_minor, t.refunding_minor, t.refunded_minor, coalesce(r.taken, 0),
        coalesce(r.excess, 0), coalesce(r.given, 0)) as problem
      from transactions t
      left join (
        select business_id, live, transaction_id as id,
          sum(amount_minor) filter (where status <> 'Failed') as taken,
          sum(excess_minor) filter (where status <> 'Failed') as excess,
          sum(amount_minor) filter (where status = 'Processed') as given
        from refunds
        group by business_id, live, transaction_id
      ) as r using (business_id, live, id)
      where t.refunding_minor <> coalesce(r.taken, 0)
        or t.refunded_minor <> coalesce(r.given, 0)
        or t.refunding_minor > coalesce(t.paid_minor, 0)
        or coalesce(r.excess, 0) > t.excess_minor
        or (t.channel = 'OFFLINE' and t.refunding_minor > 0)
        or not case t.status
          when 'PartiallyRefunded' then t.refunded_minor > 0
            and t.refunded_minor + t.reversed_minor < t.paid_minor
          when 'Refunded' then t.refunded_minor > 0
            and t.refunded_minor + t.reversed_minor >= t.paid_minor
          when 'Reversed' then t.reversed_minor > 0
            and t.refunded_minor + t.reversed_minor >= t.paid_minor
          else t.refunded_minor = 0 end`,
  },
  {
    name: 'refund-states',
    what: 'a refund has a completion time if, and only if, it is Processed',
    table: 'refunds',
    sql: sql`
      select business_id, live, id, format('it is %s, but its completion time is %s', status,
        coalesce(processed_at::text, 'not set')) as problem
      from refunds
      where (status = 'Processed') <> (processed_at is not null)`,
  },
  orderCheck({
    kind: 'refund',
    noun: 'refund',
    table: 'refunds',
    records: sql`refunds`,
    isOpen: sql`status in ('Pending', 'Processing', 'NeedsAttention')`,
    isSent: sql`status in ('Processed', 'NeedsAttention')`,
  }),
  {
    name: 'refund-holds',
    what: 'a refund’s money is on hold while it is open, then paid out or returned',
    table: 'refunds',
    sql: sql`
      select business_id, live, id, format('it is %s, for %s (%s overpaid, %s from ' ||
        'subaccounts), but the ledger held %s (%s and %s), paid %s and returned %s (%s)',
        status, amount_minor,
        excess_minor, shared, held, held_excess, held_shared, paid, voided,
        coalesce(verbs, 'no journal')) as problem
      from (
        select r.business_id, r.live, r.id, r.status, r.amount_minor, r.excess_minor,
          coalesce(s.shared, 0) as shared, j.verbs, coalesce(j.held, 0) as held,
          coalesce(j.held_excess, 0) as held_excess, coalesce(j.held_shared, 0) as held_shared,
          coalesce(j.paid, 0) as paid, coalesce(j.voided, 0) as voided
        from refunds r
        left join (
          select business_id, live, refund_id as id, sum(amount_minor) as shared
          from refund_shares
          group by business_id, live, refund_id
        ) as s using (business_id, live, id)
        left join (
          select j.business_id, j.live, j.cause_id as id,
            string_agg(distinct j.verb, ' ' order by j.verb) as verbs,
            sum(l.amount_minor) filter (where j.verb = 'hold') as held,
            sum(l.amount_minor) filter (where j.verb = 'hold' and a.kind = 'refunds')
              as held_excess,
            sum(l.amount_minor) filter (where j.verb = 'hold' and a.kind = 'subaccount')
              as held_shared,
            sum(l.amount_minor) filter (where j.verb = 'post') as paid,
            sum(l.amount_minor) filter (where j.verb = 'void') as voided
          from ledger_journals j
          join ledger_transfers l
            on (l.business_id, l.live, l.journal_id) = (j.business_id, j.live, j.id)
          join ledger_accounts a
            on (a.business_id, a.live, a.id) = (l.business_id, l.live, l.debit_account_id)
          where j.cause_type = 'refund' and l.kind <> 'provider_fee'
          group by j.business_id, j.live, j.cause_id
        ) as j using (business_id, live, id)
      ) as compared
      where held <> amount_minor or held_excess <> excess_minor or held_shared <> shared
        or paid <> case when status = 'Processed' then amount_minor else 0 end
        or voided <> case when status = 'Failed' then amount_minor else 0 end`,
  },
  causeCheck('refund', 'refund', sql`refunds`),
  {
    name: 'refunded-shares',
    what: 'a share’s refunded amount is the sum taken from it by refunds that have not failed',
    table: 'transaction_shares',
    sql: sql`
      select business_id, live, transaction_id as id, format(
        'the share of subaccount %s (%s) counts %s as refunded, but its refunds total %s',
        subaccount_id, coalesce((s.amount_minor - s.fee_minor)::text, 'missing'),
        coalesce(s.refunded_minor, 0), coalesce(r.taken, 0)) as problem
      from transaction_shares s
      full join (
        select r.business_id, r.live, r.transaction_id, p.subaccount_id,
          sum(p.amount_minor) as taken
        from refunds r
        join refund_shares p on (p.business_id, p.live, p.refund_id)
          = (r.business_id, r.live, r.id)
        where r.status <> 'Failed'
        group by r.business_id, r.live, r.transaction_id, p.subaccount_id
      ) as r using (business_id, live, transaction_id, subaccount_id)
      where coalesce(s.refunded_minor, 0) <> coalesce(r.taken, 0)`,
  },
  {
    name: 'refund-entries',
    what: 'each share of a refund has an entry, and another that reverses it if the refund failed',
    table: 'refunds',
    sql: sql`
      select business_id, live, refund_id as id, format(
        'subaccount %s paid %s and the refund is %s, but its entries took %s and returned %s',
        subaccount_id, coalesce(amount_minor, 0), coalesce(status, 'missing'), coalesce(taken, 0),
        coalesce(returned, 0)) as problem
      from (
        select p.business_id, p.live, p.refund_id, p.subaccount_id, p.amount_minor, r.status
        from refund_shares p
        join refunds r on (r.business_id, r.live, r.id) = (p.business_id, p.live, p.refund_id)
      ) as shares
      full join (
        select business_id, live, refund_id, subaccount_id,
          -sum(amount_minor) filter (where kind = 'refund') as taken,
          sum(amount_minor) filter (where kind = 'refund_failed') as returned
        from subaccount_entries
        where refund_id is not null
        group by business_id, live, refund_id, subaccount_id
      ) as entries using (business_id, live, refund_id, subaccount_id)
      where coalesce(amount_minor, 0) <> coalesce(taken, 0)
        or coalesce(returned, 0) <> case when status = 'Failed' then amount_minor else 0 end`,
  },
]
