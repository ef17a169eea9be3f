import { sql } from '../../db/sql.ts'
import type { AuditCheck } from '../../ledger/audit.ts'

/** Shares of payments that came in, each with its payment's number as its id. */
const paidShares = sql`(
  select s.business_id, s.live, s.transaction_id as id, s.subaccount_id, s.amount_minor, s.fee_minor
  from transaction_shares s
  join transactions t on (t.business_id, t.live, t.id) = (s.business_id, s.live, s.transaction_id)
  where t.paid_at is not null and t.channel <> 'OFFLINE')`

/** What must be true of what subaccounts get of payments. What they have is settlements' to say. */
export const shareChecks: readonly AuditCheck[] = [
  {
    name: 'share-sums',
    what: 'the shares of a payment and its business’s part come to what was kept of it',
    table: 'transactions',
    sql: sql`
      select business_id, live, id, format(
        'its shares come to %s of %s kept, and bear %s of a fee of %s',
        shared_minor, kept_minor, borne_minor, fee_minor) as problem
      from (
        select t.business_id, t.live, t.id, t.fee_minor, s.shared_minor, s.borne_minor,
          case when t.paid_at is null then t.amount_minor
            else t.paid_minor - t.excess_minor
              - case when t.fee_bearer = 'customer'
                  then least(t.fee_minor, t.payable_minor - t.amount_minor) else 0 end
          end as kept_minor
        from transactions t
        join (
          select business_id, live, transaction_id as id, sum(amount_minor) as shared_minor,
            sum(fee_minor) as borne_minor
          from transaction_shares
          group by business_id, live, transaction_id
        ) as s using (business_id, live, id)
      ) as payments
      where shared_minor > kept_minor or borne_minor > fee_minor`,
  },
  {
    name: 'share-journals',
    what: 'a payment’s journal gives each subaccount its share and takes its part of the fee',
    table: 'transactions',
    sql: sql`
      select business_id, live, id, format(
        'subaccount %s has %s of it and bears %s of its fee, in the books %s and %s',
        subaccount_id, amount_minor, fee_minor, given_minor, taken_minor) as problem
      from ${paidShares} as shares
      full join (
        select j.business_id, j.live, j.cause_id as id, a.subject_id as subaccount_id,
          coalesce(sum(l.amount_minor) filter (where l.kind = 'share'), 0) as given_minor,
          coalesce(sum(l.amount_minor) filter (where l.kind = 'fee'), 0) as taken_minor
        from ledger_journals j
        join ledger_transfers l
          on (l.business_id, l.live, l.journal_id) = (j.business_id, j.live, j.id)
        join ledger_accounts a on (a.business_id, a.live, a.id) = (l.business_id, l.live,
          case when l.kind = 'share' then l.credit_account_id else l.debit_account_id end)
        where j.cause_type = 'transaction' and j.verb = 'settle' and l.kind in ('share', 'fee')
          and a.kind = 'subaccount'
        group by j.business_id, j.live, j.cause_id, a.subject_id
      ) as books using (business_id, live, id, subaccount_id)
      where coalesce(amount_minor, 0) <> coalesce(given_minor, 0)
        or coalesce(fee_minor, 0) <> coalesce(taken_minor, 0)`,
  },
  {
    name: 'share-entries',
    what: 'each share of a payment that came in has one entry, less its part of the fee',
    table: 'transactions',
    sql: sql`
      select business_id, live, id, format(
        'subaccount %s has %s of it, less %s, in %s entries of %s',
        subaccount_id, amount_minor, fee_minor, coalesce(entries, 0), coalesce(entered_minor, 0)
        ) as problem
      from ${paidShares} as shares
      full join (
        select business_id, live, transaction_id as id, subaccount_id, count(*) as entries,
          sum(amount_minor) as entered_minor
        from subaccount_entries
        where kind = 'share'
        group by business_id, live, transaction_id, subaccount_id
      ) as entered using (business_id, live, id, subaccount_id)
      where coalesce(amount_minor - fee_minor, 0) <> coalesce(entered_minor, 0) or entries > 1`,
  },
]
