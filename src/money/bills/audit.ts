import { sql } from '../../db/sql.ts'
import { type AuditCheck, causeCheck } from '../../ledger/audit.ts'
import { orderCheck } from '../../provider-orders/audit.ts'

/**
 * Rules for utility payments and their journals. Each check joins whole tables with a hash join.
 */
export const utilityChecks: readonly AuditCheck[] = [
  {
    name: 'utility-states',
    what: 'a utility payment has a completion time if, and only if, it has ended',
    table: 'utility_payments',
    sql: sql`
      select business_id, live, id, format('it is %s, but its completion time is %s', status,
        coalesce(completed_at::text, 'not set')) as problem
      from utility_payments
      where (status = 'Pending') <> (completed_at is null)`,
  },
  orderCheck({
    kind: 'bill',
    noun: 'utility payment',
    table: 'utility_payments',
    records: sql`utility_payments`,
    isOpen: sql`status = 'Pending'`,
    isGenerated: true,
  }),
  {
    name: 'utility-vouchers',
    what: 'only a Successful utility payment has a token or PINs',
    table: 'utility_payments',
    sql: sql`
      select business_id, live, id, format('it is %s, but has a token or PINs', status) as problem
      from utility_payments
      where status <> 'Successful'
        and (token_value is not null or token_units is not null or pins <> '{}')`,
  },
  {
    name: 'utility-holds',
    what: 'a utility payment’s money is on hold while it is Pending, then paid out or returned',
    table: 'utility_payments',
    sql: sql`
      select business_id, live, id, format('it is %s, for %s plus a fee of %s, but the ' ||
        'ledger held %s, paid %s plus a fee of %s, and returned %s (%s)',
        status, amount_minor, fee_minor, held, paid, fee, voided, coalesce(verbs, 'no journal'))
        as problem
      from (
        select p.business_id, p.live, p.id, p.status, p.amount_minor, p.fee_minor, j.verbs,
          coalesce(j.held, 0) as held, coalesce(j.paid, 0) as paid, coalesce(j.fee, 0) as fee,
          coalesce(j.voided, 0) as voided, p.amount_minor + p.fee_minor as total,
          case p.status when 'Pending' then 'hold' when 'Successful' then 'hold post'
            else 'hold void' end as expected
        from utility_payments p
        left join (
          select j.business_id, j.live, j.cause_id as id,
            string_agg(distinct j.verb, ' ' order by j.verb) as verbs,
            sum(l.amount_minor) filter (where j.verb = 'hold') as held,
            sum(l.amount_minor) filter (where j.verb = 'post' and l.kind = 'vend') as paid,
            sum(l.amount_minor) filter (where j.verb = 'post' and l.kind = 'fee') as fee,
            sum(l.amount_minor) filter (where j.verb = 'void') as voided
          from ledger_journals j
          join ledger_transfers l
            on (l.business_id, l.live, l.journal_id) = (j.business_id, j.live, j.id)
          where j.cause_type = 'utility_payment' and l.kind <> 'provider_fee'
          group by j.business_id, j.live, j.cause_id
        ) as j using (business_id, live, id)
      ) as compared
      where verbs is distinct from expected or held <> total
        or (status = 'Successful' and (paid <> amount_minor or fee <> fee_minor))
        or (status = 'Failed' and voided <> total)`,
  },
  causeCheck('utility', 'utility_payment', sql`utility_payments`),
]
