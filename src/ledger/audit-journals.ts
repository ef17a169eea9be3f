import { sql } from '../db/sql.ts'
import type { AuditCheck } from './audit.ts'

/** What must be true of journals, of holds, and of the events beside them. */
export const journalChecks: readonly AuditCheck[] = [
  {
    name: 'empty-journals',
    what: 'every journal has transfers',
    table: 'ledger_journals',
    sql: sql`
      select business_id, live, id,
        format('the journal (%s of %s %s) has no transfer', verb, cause_type, cause_id) as problem
      from ledger_journals j
      where not exists (
        select from ledger_transfers t
        where (t.business_id, t.live, t.journal_id) = (j.business_id, j.live, j.id))`,
  },
  {
    name: 'orphan-transfers',
    what: 'every transfer has its journal',
    table: 'ledger_transfers',
    sql: sql`
      select business_id, live, id, format('its journal %s does not exist', journal_id) as problem
      from ledger_transfers t
      where not exists (
        select from ledger_journals j
        where (j.business_id, j.live, j.id) = (t.business_id, t.live, t.journal_id))`,
  },
  {
    name: 'causes',
    what: 'a cause is posted once with each verb, and a hold ends once',
    table: 'ledger_journals',
    sql: sql`
      select business_id, live, max(id) as id, format('%s %s was posted %s times (%s)',
        cause_type, cause_id, count(*), string_agg(verb, ', ' order by id)) as problem
      from ledger_journals
      group by business_id, live, cause_type, cause_id,
        case when verb in ('post', 'void') then 'end of a hold' else verb end
      having count(*) > 1`,
  },
  {
    name: 'holds',
    what: 'no cause takes more out of held than it put in, and nothing stays of a hold that ended',
    table: 'ledger_journals',
    sql: sql`
      select business_id, live, max(journal_id) as id,
        format('%s %s has %s left in held', cause_type, cause_id, sum(amount)) ||
          case when bool_or(ended) then ' although its hold ended' else '' end as problem
      from (
        select j.business_id, j.live, j.id, j.cause_type, j.cause_id, a.id,
          case when a.id = t.credit_account_id then t.amount_minor else -t.amount_minor end,
          j.verb in ('post', 'void')
        from ledger_accounts a
        join ledger_transfers t on (t.business_id, t.live) = (a.business_id, a.live)
          and a.id in (t.debit_account_id, t.credit_account_id)
        join ledger_journals j
          on (j.business_id, j.live, j.id) = (t.business_id, t.live, t.journal_id)
        where a.kind = 'held'
      ) as moves (business_id, live, journal_id, cause_type, cause_id, account_id, amount, ended)
      group by business_id, live, cause_type, cause_id, account_id
      having sum(amount) < 0 or (bool_or(ended) and sum(amount) <> 0)`,
  },
  {
    name: 'events',
    what: 'the events of each object are numbered from 1 without a gap',
    table: 'events',
    sql: sql`
      select business_id, live, id, format('the event of %s %s has number %s after %s',
        object_type, object_id, sequence, previous) as problem
      from (
        select business_id, live, id, object_type, object_id, sequence,
          coalesce(lag(sequence) over (
            partition by business_id, live, object_type, object_id order by sequence
          ), 0) as previous
        from (
          select business_id, live, id, object_type, object_id, sequence from events
          union all
          select business_id, live, id, object_type, object_id, sequence from forgotten_events
        ) as every
      ) as numbered
      where sequence <> previous + 1`,
  },
]
