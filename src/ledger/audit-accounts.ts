import { sql } from '../db/sql.ts'
import type { AuditCheck } from './audit.ts'

/** What must be true of accounts and of the transfers between them. */
export const accountChecks: readonly AuditCheck[] = [
  {
    name: 'balances',
    what: 'the two sums of an account are those of its transfers',
    table: 'ledger_accounts',
    sql: sql`
      select a.business_id, a.live, a.id, format(
        'its %s %s account has debits of %s, credits of %s, but its transfers add up to %s, %s',
        a.currency, a.kind, a.debits_minor, a.credits_minor,
        coalesce(debits, 0), coalesce(credits, 0)) as problem
      from ledger_accounts a
      left join (
        select business_id, live, id, sum(debit) as debits, sum(credit) as credits
        from (
          select business_id, live, debit_account_id, amount_minor, 0 from ledger_transfers
          union all
          select business_id, live, credit_account_id, 0, amount_minor from ledger_transfers
        ) as sides (business_id, live, id, debit, credit)
        group by business_id, live, id
      ) as sums using (business_id, live, id)
      where (a.debits_minor, a.credits_minor) <> (coalesce(debits, 0), coalesce(credits, 0))`,
  },
  {
    name: 'overdrawn',
    what: 'no account but the money at the provider is below zero',
    table: 'ledger_accounts',
    sql: sql`
      select business_id, live, id, format('its %s %s account is at %s',
        currency, kind, credits_minor - debits_minor) as problem
      from ledger_accounts
      where kind <> 'provider_clearing' and credits_minor < debits_minor`,
  },
  {
    name: 'currencies',
    what: 'all debits of a currency are all its credits',
    table: 'ledger_accounts',
    sql: sql`
      select business_id, live, currency as id, format('all debits are %s, all credits %s',
        sum(debits_minor), sum(credits_minor)) as problem
      from ledger_accounts
      group by business_id, live, currency
      having sum(debits_minor) <> sum(credits_minor)`,
  },
  {
    name: 'transfers',
    what: 'a transfer moves more than 0 between two accounts of its tenant and its currency',
    table: 'ledger_transfers',
    sql: sql`
      select business_id, live, id, problem
      from (
        select t.business_id, t.live, t.id, case
          when t.amount_minor <= 0 then format('its amount is %s', t.amount_minor)
          when t.debit_account_id = t.credit_account_id
            then format('it debits and credits the same account, %s', d.id)
          when d.id is null
            then format('its debit account %s is none of this tenant', t.debit_account_id)
          when c.id is null
            then format('its credit account %s is none of this tenant', t.credit_account_id)
          when d.currency <> t.currency
            then format('it is in %s, its debit account %s in %s', t.currency, d.id, d.currency)
          when c.currency <> t.currency
            then format('it is in %s, its credit account %s in %s', t.currency, c.id, c.currency)
          end as problem
        from ledger_transfers t
        left join ledger_accounts d
          on (d.business_id, d.live, d.id) = (t.business_id, t.live, t.debit_account_id)
        left join ledger_accounts c
          on (c.business_id, c.live, c.id) = (t.business_id, t.live, t.credit_account_id)
      ) as looked_at
      where problem is not null`,
  },
]
