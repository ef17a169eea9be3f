import { sql } from '../../db/sql.ts'
import { NUMBER_CONTENT, NUMBERS_SINCE } from '../../encryption/account-numbers.ts'
import { type AuditCheck, causeCheck } from '../../ledger/audit.ts'
import type { ProtectedRows } from '../../ledger/row-notes.ts'
import { orderCheck } from '../../provider-orders/audit.ts'

/**
 * Rules for settlements and the entries they pay. Each check joins whole tables with a hash join.
 */
export const settlementChecks: readonly AuditCheck[] = [
  {
    name: 'settlement-states',
    what: 'a settlement has a payment time if, and only if, it was paid',
    table: 'settlements',
    sql: sql`
      select business_id, live, id, format('it is %s, but its payment time is %s', status,
        coalesce(paid_at::text, 'not set')) as problem
      from settlements
      where (status = 'Paid' or returned_at is not null) <> (paid_at is not null)
        or (returned_at is not null and status <> 'Failed')`,
  },
  orderCheck({
    kind: 'settlement',
    noun: 'settlement',
    table: 'settlements',
    records: sql`settlements`,
    isOpen: sql`status = 'Pending'`,
    isGenerated: true,
  }),
  {
    name: 'settlement-lines',
    what: 'a settlement’s amount is the sum of its lines; a Failed settlement has no lines',
    table: 'settlements',
    sql: sql`
      select business_id, live, id, format(
        'it is %s, for %s in %s lines, but has %s in %s lines (%s subaccounts or currencies)',
        s.status, s.amount_minor, s.entry_count, coalesce(e.amount_minor, 0),
        coalesce(e.lines, 0), coalesce(e.owners, 0)) as problem
      from settlements s
      left join (
        select e.business_id, e.live, e.settlement_id as id, count(*) as lines,
          sum(e.amount_minor) as amount_minor,
          count(distinct (e.subaccount_id, e.currency)) as owners,
          min(e.subaccount_id) as subaccount_id, min(e.currency) as currency
        from subaccount_entries e
        where e.settlement_id is not null
        group by e.business_id, e.live, e.settlement_id
      ) as e using (business_id, live, id)
      where case when s.status = 'Failed' then e.lines is not null
        else (s.amount_minor, s.entry_count, s.subaccount_id, s.currency, 1) is distinct from
          (e.amount_minor, e.lines, e.subaccount_id, e.currency, e.owners) end`,
  },
  {
    name: 'settlement-entries',
    what: 'every settled entry refers to an existing settlement',
    table: 'subaccount_entries',
    sql: sql`
      select e.business_id, e.live, e.id,
        format('its settlement %s does not exist', e.settlement_id) as problem
      from subaccount_entries e
      left join settlements s
        on (s.business_id, s.live, s.id) = (e.business_id, e.live, e.settlement_id)
      where e.settlement_id is not null and s.id is null`,
  },
  {
    name: 'settlement-balances',
    what: 'a subaccount’s open entries add up to its ledger balance',
    table: 'subaccounts',
    sql: sql`
      select business_id, live, id, format('its open entries total %s %s, but its balance is %s',
        coalesce(open_minor, 0), currency, coalesce(balance_minor, 0)) as problem
      from (
        select business_id, live, subaccount_id as id, currency, sum(amount_minor) as open_minor
        from subaccount_entries
        where settlement_id is null
        group by business_id, live, subaccount_id, currency
      ) as entries
      full join (
        select business_id, live, subject_id as id, currency,
          credits_minor - debits_minor as balance_minor
        from ledger_accounts
        where kind = 'subaccount'
      ) as accounts using (business_id, live, id, currency)
      where coalesce(open_minor, 0) <> coalesce(balance_minor, 0)`,
  },
  {
    name: 'settlement-holds',
    what: 'a settlement’s money is on hold while it is Pending, then paid out or returned',
    table: 'settlements',
    sql: sql`
      select business_id, live, id, format(
        'it is %s%s, for %s, but the ledger held %s, paid %s, voided %s and returned %s (%s)',
        status, case when returned_at is not null then ' (returned)' end, amount_minor, held, paid,
        voided, returned, coalesce(verbs, 'no journal')) as problem
      from (
        select s.business_id, s.live, s.id, s.status, s.returned_at, s.amount_minor, j.verbs,
          coalesce(j.held, 0) as held, coalesce(j.paid, 0) as paid,
          coalesce(j.voided, 0) as voided, coalesce(j.returned, 0) as returned,
          case
            when s.status = 'Pending' then 'hold'
            when s.status = 'Paid' then 'hold post'
            when s.returned_at is not null then 'hold post return'
            else 'hold void'
          end as expected
        from settlements s
        left join (
          select j.business_id, j.live, j.cause_id as id,
            string_agg(distinct j.verb, ' ' order by j.verb) as verbs,
            sum(l.amount_minor) filter (where j.verb = 'hold') as held,
            sum(l.amount_minor) filter (where j.verb = 'post') as paid,
            sum(l.amount_minor) filter (where j.verb = 'void') as voided,
            sum(l.amount_minor) filter (where j.verb = 'return') as returned
          from ledger_journals j
          join ledger_transfers l
            on (l.business_id, l.live, l.journal_id) = (j.business_id, j.live, j.id)
          where j.cause_type = 'settlement' and l.kind <> 'provider_fee'
          group by j.business_id, j.live, j.cause_id
        ) as j using (business_id, live, id)
      ) as compared
      where verbs is distinct from expected or held <> amount_minor
        or (expected like '%post%') <> (paid = amount_minor)
        or (expected like '%void') <> (voided = amount_minor)
        or (expected like '%return') <> (returned = amount_minor)`,
  },
  causeCheck('settlement', 'settlement', sql`settlements`),
]

/** Where a settlement's money goes. */
export const protectedSettlements: ProtectedRows = {
  kind: 'settlement-account',
  since: NUMBERS_SINCE,
  table: 'settlements',
  rows: sql`select business_id, live, id, created_at, to_json(array[bank_code, ${NUMBER_CONTENT},
    account_name])::text as content from settlements`,
}
