import { sql } from '../../db/sql.ts'
import type { AuditCheck } from '../../ledger/audit.ts'
import { BEFORE_DIGESTS } from '../../ledger/row-notes.ts'

/** Every combination of cause type and verb that the code posts. */
const KNOWN_CAUSES = [
  'business fund',
  'simulation fund',
  'transaction settle',
  'transfer hold',
  'transfer post',
  'transfer void',
  'transfer return',
  'refund hold',
  'refund post',
  'refund void',
  'utility_payment hold',
  'utility_payment post',
  'utility_payment void',
  'settlement hold',
  'settlement post',
  'settlement void',
]

/**
 * Rules for the causes of all movements. The checks that compare the journals with a cause's own
 * records are in the cause's folder.
 */
export const walletChecks: readonly AuditCheck[] = [
  {
    name: 'known-causes',
    what: 'every journal has a known cause, and simulated money exists only in test mode',
    table: 'ledger_journals',
    sql: sql`
      select business_id, live, id, case
        when cause_type || ' ' || verb <> all (${KNOWN_CAUSES}::text[])
          then format('its cause is unknown: %s of %s %s', verb, cause_type, cause_id)
        else format('its cause is only allowed in test mode: %s of %s %s',
          verb, cause_type, cause_id)
        end as problem
      from ledger_journals
      where cause_type || ' ' || verb <> all (${KNOWN_CAUSES}::text[])
        or (live and cause_type in ('simulation', 'business'))`,
  },
  {
    name: 'opening-money',
    what: 'a test wallet’s opening balance belongs to the same business',
    table: 'ledger_journals',
    sql: sql`
      select j.business_id, j.live, j.id,
        format('it is the opening balance of business %s', j.cause_id) as problem
      from ledger_journals j
      left join businesses b on b.id = j.cause_id
      where j.cause_type = 'business' and (b.id is null or b.id <> j.business_id)`,
  },
  {
    name: 'simulated-money',
    what: 'every manual test wallet top-up is recorded with its amount',
    table: 'ledger_journals',
    sql: sql`
      select j.business_id, j.live, j.id, case
        when f.id is null then format('its simulation %s does not exist', j.cause_id)
        else format('it moves %s, but its simulation %s moved %s %s',
          l.amounts, f.id, f.amount_minor, f.currency) end as problem
      from ledger_journals j
      left join simulated_fundings f
        on (f.business_id, f.live, f.id) = (j.business_id, j.live, j.cause_id)
      left join (
        select business_id, live, journal_id,
          string_agg(amount_minor || ' ' || currency, ', ' order by id) as amounts
        from ledger_transfers group by business_id, live, journal_id
      ) as l on (l.business_id, l.live, l.journal_id) = (j.business_id, j.live, j.id)
      left join (${BEFORE_DIGESTS}) as old
        on (old.business_id, old.live) = (j.business_id, j.live)
      where j.cause_type = 'simulation' and case
        when f.id is null then j.created_at < old.until is not true
        else l.amounts is distinct from f.amount_minor || ' ' || f.currency end`,
  },
]
