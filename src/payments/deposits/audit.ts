import { sql } from '../../db/sql.ts'
import type { AuditCheck } from '../../ledger/audit.ts'
import { orderCheck } from '../../provider-orders/audit.ts'

export const depositChecks: readonly AuditCheck[] = [
  {
    name: 'deposits',
    what: 'an accepted deposit paid its virtual account’s transaction, and the amounts match',
    table: 'deposits',
    sql: sql`
      select d.business_id, d.live, d.id, case
        when v.id is null and d.account_number is not null
          then format('it was accepted, but account %s does not exist',
            coalesce(d.virtual_account_id::text, d.account_number))
        when v.transaction_id <> d.transaction_id
          then format('it is for transaction %s, but its account is for %s', d.transaction_id,
            v.transaction_id)
        when t.id is null then format('it was accepted, but transaction %s does not exist',
          coalesce(d.transaction_id, v.transaction_id))
        else format('it is for %s %s, but its transaction %s is %s with %s %s paid',
          d.amount_minor, d.currency, t.id, t.status, coalesce(t.paid_minor::text, '0'),
          t.currency)
        end as problem
      from deposits d
      left join virtual_accounts v
        on (v.business_id, v.live, v.id) = (d.business_id, d.live, d.virtual_account_id)
      left join transactions t
        on (t.business_id, t.live, t.id) = 
          (d.business_id, d.live, coalesce(d.transaction_id, v.transaction_id))
      where d.status = 'Accepted' and (t.paid_at is null or v.transaction_id <> d.transaction_id
        or (v.id is null and d.account_number is not null)
        or (t.paid_minor, t.currency) is distinct from (d.amount_minor, d.currency))`,
  },
  {
    name: 'held-deposits',
    what: 'a deposit that the provider holds is booked as unallocated, and no other is',
    table: 'deposits',
    sql: sql`
      select d.business_id, d.live, d.id, format(
        'it is %s (%s) with %s %s, but %s is booked as unallocated',
        d.status, coalesce(d.return_status, 'not returned'), d.amount_minor, d.currency,
        coalesce(j.amount_minor, 0)) as problem
      from deposits d
      left join (
        select j.business_id, j.live, j.cause_id as id,
          sum(case j.verb when 'receive' then t.amount_minor else -t.amount_minor end)
            filter (where t.kind = 'deposit') as amount_minor
        from ledger_journals j
        join ledger_transfers t
          on (t.business_id, t.live, t.journal_id) = (j.business_id, j.live, j.id)
        where j.cause_type = 'deposit'
        group by j.business_id, j.live, j.cause_id
      ) as j using (business_id, live, id)
      where coalesce(j.amount_minor, 0)
        <> case when d.return_status in ('Held', 'Returning') then d.amount_minor else 0 end`,
  },
  orderCheck({
    kind: 'deposit_return',
    noun: 'return of a deposit',
    table: 'deposits',
    records: sql`(
      select business_id, live, id, reference, coalesce(return_status, status) as status
      from deposits)`,
    isOpen: sql`status = 'Returning'`,
  }),
]
