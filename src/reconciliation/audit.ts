import { sql } from '../db/sql.ts'
import { type AuditCheck, causeCheck } from '../ledger/audit.ts'

export const reconciliationChecks: readonly AuditCheck[] = [
  causeCheck('difference', 'difference', sql`provider_differences`),
  causeCheck('provider-settlement', 'provider_settlement', sql`provider_settlements`),
  {
    name: 'reconciled-days',
    what: 'a closed day has no open difference, and no money that nothing explains',
    table: 'reconciliation_days',
    sql: sql`
      select d.business_id, d.live, d.connection_id || ' ' || d.day as id, format(
        'it is closed, but %s of its differences are open, %s of its entries are not finished, and '
          || '%s is not explained', coalesce(o.open, 0), d.waiting, coalesce(b.amounts, 'nothing'))
        as problem
      from reconciliation_days d
      left join (
        select business_id, live, connection_id, day, count(*) as open
        from provider_differences where status = 'Open' and day is not null
        group by business_id, live, connection_id, day
      ) as o using (business_id, live, connection_id, day)
      left join (
        select business_id, live, connection_id, day,
          string_agg(unexplained_minor || ' ' || currency, ', ' order by currency) as amounts
        from reconciliation_balances where unexplained_minor <> 0
        group by business_id, live, connection_id, day
      ) as b using (business_id, live, connection_id, day)
      where d.status = 'Closed'
        and (o.open is not null or b.amounts is not null or d.waiting > 0)`,
  },
  {
    name: 'closed-differences',
    what: 'a difference that was closed with a journal has that journal, with its amount',
    table: 'provider_differences',
    sql: sql`
      select d.business_id, d.live, d.id, format(
        'it was closed as %s with journal %s, which %s', d.resolution, d.closed_with_journal,
        case when j.id is null then 'does not exist'
          else format('moves %s of %s', coalesce(j.amount_minor, 0),
            abs(d.theirs_minor - d.ours_minor)) end) as problem
      from provider_differences d
      left join (
        select j.business_id, j.live, j.id, j.cause_id,
          sum(t.amount_minor) filter (where t.kind = 'difference'
            or d.kind = 'provider_fees') as amount_minor
        from ledger_journals j
        join ledger_transfers t
          on (t.business_id, t.live, t.journal_id) = (j.business_id, j.live, j.id)
        join ledger_accounts d
          on (d.business_id, d.live, d.id) = (t.business_id, t.live, t.debit_account_id)
        where j.cause_type = 'difference'
        group by j.business_id, j.live, j.id, j.cause_id
      ) as j
        on (j.business_id, j.live, j.id) = (d.business_id, d.live, d.closed_with_journal)
      where d.closed_with_journal is not null
        and (j.id is null or j.cause_id <> d.id
          or d.class <> 'missing_here'
            and j.amount_minor <> abs(d.theirs_minor - d.ours_minor))`,
  },
  {
    name: 'provider-settlements',
    what: 'what a provider has paid out to the bank is booked once, with its amount',
    table: 'provider_settlements',
    sql: sql`
      select s.business_id, s.live, s.id, format(
        'it is %s with %s %s, but %s is booked', s.status, s.amount_minor, s.currency,
        coalesce(j.amount_minor, 0)) as problem
      from provider_settlements s
      left join (
        select j.business_id, j.live, j.cause_id as id, sum(t.amount_minor) as amount_minor
        from ledger_journals j
        join ledger_transfers t
          on (t.business_id, t.live, t.journal_id) = (j.business_id, j.live, j.id)
        where j.cause_type = 'provider_settlement'
        group by j.business_id, j.live, j.cause_id
      ) as j using (business_id, live, id)
      where s.status = 'Successful' and coalesce(j.amount_minor, 0) <> s.amount_minor`,
  },
]
