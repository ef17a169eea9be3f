import { sql } from '../../db/sql.ts'
import { type AuditCheck, causeCheck } from '../../ledger/audit.ts'

/** Whether a payment is from a connection at which its account has never been. */
const isElsewhere = sql`p.connection_id <> all(a.former_connection_ids || a.connection_id)`

export const fundingChecks: readonly AuditCheck[] = [
  {
    name: 'funding-payments',
    what: 'every payment into a funding account is in the wallet, with its amount and connection',
    table: 'funding_payments',
    sql: sql`
      select p.business_id, p.live, p.id, case
        when a.id is null then format('its account %s does not exist', p.funding_account_id)
        when ${isElsewhere}
          then format('it is from connection %s, but its account is at %s', p.connection_id,
            a.connection_id)
        else format('it is for %s %s from connection %s, but %s was booked', p.amount_minor,
          p.currency, p.connection_id, coalesce(booked.moves, 'nothing')) end as problem
      from funding_payments p
      left join funding_accounts a
        on (a.business_id, a.live, a.id) = (p.business_id, p.live, p.funding_account_id)
      left join (
        select j.business_id, j.live, j.cause_id as id,
          string_agg(t.amount_minor || ' ' || t.currency || ' from connection ' || d.subject_id,
            ', ' order by t.id) as moves
        from ledger_journals j
        join ledger_transfers t
          on (t.business_id, t.live, t.journal_id) = (j.business_id, j.live, j.id)
        join ledger_accounts d
          on (d.business_id, d.live, d.id) = (t.business_id, t.live, t.debit_account_id)
        where j.cause_type = 'funding' and t.kind = 'funding'
        group by j.business_id, j.live, j.cause_id
      ) as booked on (booked.business_id, booked.live, booked.id) = (p.business_id, p.live, p.id)
      where a.id is null or ${isElsewhere}
        or booked.moves is distinct from
          p.amount_minor || ' ' || p.currency || ' from connection ' || p.connection_id`,
  },
  causeCheck('funding', 'funding', sql`funding_payments`),
]
