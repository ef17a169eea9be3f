import { type Sql, sql } from '../../db/sql.ts'
import type { AuditCheck } from '../../ledger/audit.ts'
import { BEFORE_DIGESTS } from '../../ledger/row-notes.ts'

/** Every combination of cause type and verb that the code posts. */
const KNOWN_CAUSES = [
  'business fund',
  'simulation fund',
  'funding fund',
  'transaction settle',
  'transaction provider_fee',
  'deposit receive',
  'deposit return',
  'deposit accept',
  'deposit provider_fee',
  'funding provider_fee',
  'transfer provider_fee',
  'refund provider_fee',
  'settlement provider_fee',
  'utility_payment provider_fee',
  'difference receive',
  'difference accept',
  'provider_settlement settle',
  'recovery take',
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
  'settlement return',
  'dispute hold',
  'dispute post',
  'dispute void',
]

/** Selects the journals with a transfer from or to an account of a connection. */
const journalsAt = (account: Sql) => sql`
  select j.business_id, j.live, j.id, j.cause_type, j.cause_id, a.subject_id as connection_id
  from ledger_accounts a
  join ledger_transfers t on (t.business_id, t.live, ${account}) = (a.business_id, a.live, a.id)
  join ledger_journals j on (j.business_id, j.live, j.id) = (t.business_id, t.live, t.journal_id)
  where a.kind in ('provider_clearing', 'provider_fees')`

/** Selects transfers with the kinds and subjects of their accounts. */
const movesOf = (condition: Sql) => sql`
  select t.business_id, t.live, t.id, d.kind as debit, d.subject_id as debit_subject,
    c.kind as credit, c.subject_id as credit_subject
  from ledger_transfers t
  join ledger_journals j on (j.business_id, j.live, j.id) = (t.business_id, t.live, t.journal_id)
  join ledger_accounts d
    on (d.business_id, d.live, d.id) = (t.business_id, t.live, t.debit_account_id)
  join ledger_accounts c
    on (c.business_id, c.live, c.id) = (t.business_id, t.live, t.credit_account_id)
  where ${condition}`

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
    name: 'connection-accounts',
    what: 'an account for a connection belongs to the same business and mode as the connection',
    table: 'ledger_accounts',
    sql: sql`
      select a.business_id, a.live, a.id, case
        when c.id is null then format('its connection %s does not exist', a.subject_id)
        else format('its connection %s is for the %s mode of %s', c.id,
          case when c.live then 'live' else 'test' end,
          coalesce('business ' || c.business_id, 'every business')) end as problem
      from ledger_accounts a
      left join provider_connections c on c.id = a.subject_id
      where a.kind in ('provider_clearing', 'provider_fees', 'bank')
        and (c.id is null or c.live <> a.live or c.business_id <> a.business_id)`,
  },
  {
    name: 'connections-used',
    what: 'money that a provider moved is booked with the connection that had the order',
    table: 'ledger_journals',
    sql: sql`
      select business_id, live, id, format('it books %s %s with connection %s, but %s had the order',
        replace(cause_type, '_', ' '), cause_id, connection_id, array_to_string(connections, ', '))
        as problem
      from (
        ${journalsAt(sql`t.debit_account_id`)} union ${journalsAt(sql`t.credit_account_id`)}
      ) as booked
      join (
        select business_id, live, case kind when 'charge' then 'transaction'
            when 'bill' then 'utility_payment' when 'deposit_return' then 'deposit'
            else kind end as cause_type, subject_id as cause_id,
          coalesce(array_agg(distinct connection_id) filter (where state = 'Successful'),
            array_agg(distinct connection_id)) as connections
        from provider_orders
        where sent_at is not null
        group by business_id, live, kind, subject_id
      ) as ordered using (business_id, live, cause_type, cause_id)
      where connection_id <> all (connections)`,
  },
  {
    name: 'provider-fees',
    what: 'a provider takes its fee from what it holds, and only the wallet pays the fee',
    table: 'ledger_transfers',
    sql: sql`
      select business_id, live, id, format('it is a provider’s fee from %s %s to %s %s',
        debit, debit_subject, credit, credit_subject) as problem
      from (${movesOf(sql`t.kind = 'provider_fee'`)}) as moves
      where (debit, credit) <> ('wallet_available', 'provider_fees')
        and (debit, credit, debit_subject)
          is distinct from ('provider_fees', 'provider_clearing', credit_subject)`,
  },
  {
    name: 'recoveries',
    what: 'a recovery takes money from the wallet, and only for what the business owes',
    table: 'ledger_transfers',
    sql: sql`
      select business_id, live, id, format('it is a recovery from %s to %s', debit, credit)
        as problem
      from (${movesOf(sql`j.cause_type = 'recovery'`)}) as moves
      where debit <> 'wallet_available' or credit not in ('provider_fees', 'receivable')`,
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
