import { sql } from '../../db/sql.ts'
import { NUMBER_CONTENT, NUMBERS_SINCE } from '../../encryption/account-numbers.ts'
import { type AuditCheck, causeCheck } from '../../ledger/audit.ts'
import type { ProtectedRows } from '../../ledger/row-notes.ts'
import { orderCheck } from '../../provider-orders/audit.ts'

/** Rules for transfers and their journals. Each check joins whole tables with a hash join. */
export const transferChecks: readonly AuditCheck[] = [
  {
    name: 'transfer-states',
    what: 'a transfer has a completion time if, and only if, it has ended',
    table: 'transfers',
    sql: sql`
      select business_id, live, id, format('it is %s, but its completion time is %s', status,
        coalesce(completed_at::text, 'not set')) as problem
      from transfers
      where (status in ('Successful', 'Failed', 'Rejected')) <> (completed_at is not null)`,
  },
  orderCheck({
    kind: 'transfer',
    noun: 'transfer',
    table: 'transfers',
    records: sql`transfers`,
    isOpen: sql`status in ('Pending', 'Blocked')`,
    isGenerated: true,
  }),
  {
    name: 'transfer-holds',
    what: 'a transfer’s money is on hold while it is open, then paid out or returned',
    table: 'transfers',
    sql: sql`
      select business_id, live, id, format('it is %s%s, for %s plus a fee of %s, but the ' ||
        'ledger held %s, paid %s plus a fee of %s, voided %s and returned %s (%s)',
        status, case when reversed_at is not null then ' (returned)' end, amount_minor, fee_minor,
        held, paid, fee, voided, returned, coalesce(verbs, 'no journal')) as problem
      from (
        select t.business_id, t.live, t.id, t.status, t.reversed_at, t.amount_minor, t.fee_minor,
          j.verbs, coalesce(j.held, 0) as held, coalesce(j.paid, 0) as paid,
          coalesce(j.fee, 0) as fee, coalesce(j.voided, 0) as voided,
          coalesce(j.returned, 0) as returned,
          t.amount_minor + t.fee_minor as total,
          case
            when t.status in ('Unverified', 'Pending', 'Blocked') then 'hold'
            when t.status = 'Successful' then 'hold post'
            when t.reversed_at is not null then 'hold post return'
            else 'hold void'
          end as expected
        from transfers t
        left join (
          select j.business_id, j.live, j.cause_id as id,
            string_agg(distinct j.verb, ' ' order by j.verb) as verbs,
            sum(l.amount_minor) filter (where j.verb = 'hold') as held,
            sum(l.amount_minor) filter (where j.verb = 'post' and l.kind = 'payout') as paid,
            sum(l.amount_minor) filter (where j.verb = 'post' and l.kind = 'fee') as fee,
            sum(l.amount_minor) filter (where j.verb = 'void') as voided,
            sum(l.amount_minor) filter (where j.verb = 'return') as returned
          from ledger_journals j
          join ledger_transfers l
            on (l.business_id, l.live, l.journal_id) = (j.business_id, j.live, j.id)
          where j.cause_type = 'transfer' and l.kind <> 'provider_fee'
          group by j.business_id, j.live, j.cause_id
        ) as j using (business_id, live, id)
      ) as compared
      where verbs is distinct from expected or held <> total
        or (expected like '%post%') <> (paid = amount_minor)
        or (expected like '%post%' and fee <> fee_minor)
        or (expected like '%void') <> (voided = total)
        or (expected like '%return') <> (returned = total)`,
  },
  causeCheck('transfer', 'transfer', sql`transfers`),
]

/** Where a transfer's money goes, its narration, and who created and approved it. */
export const protectedTransfers: ProtectedRows = {
  kind: 'transfer-recipient',
  since: NUMBERS_SINCE,
  table: 'transfers',
  rows: sql`select business_id, live, id, created_at, to_json(array[bank_code, ${NUMBER_CONTENT},
    account_name, narration, created_by::text, created_with, created_by_name,
    created_by_person::text, approved_by::text, approved_with, approved_by_name,
    approved_by_person::text])::text as content from transfers`,
}
