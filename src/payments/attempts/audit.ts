import { sql } from '../../db/sql.ts'
import type { AuditCheck } from '../../ledger/audit.ts'
import { orderCheck } from '../../provider-orders/audit.ts'

/** The states of transactions that received money. */
const isPaidState = sql`t.status in ('Successful', 'PartiallyRefunded', 'Refunded', 'Reversed')`

/** Whether the ledger must contain the payment, because Tradepost received the money. */
const isInBooks = sql`(t.paid_at is not null and t.channel <> 'OFFLINE')`

const paidShares = sql`(
  select s.business_id, s.live, s.transaction_id as id, s.subaccount_id, s.amount_minor, s.fee_minor
  from transaction_shares s
  join transactions t on (t.business_id, t.live, t.id) = (s.business_id, s.live, s.transaction_id)
  where t.paid_at is not null and t.channel <> 'OFFLINE')`

/** Rules for subaccounts' shares of payments. The settlement checks cover their balances. */
export const shareChecks: readonly AuditCheck[] = [
  {
    name: 'share-sums',
    what: 'a payment’s shares do not exceed the amount kept, and their fees do not exceed its fee',
    table: 'transactions',
    sql: sql`
      select business_id, live, id, format(
        'its shares total %s of the %s kept, and pay %s of the fee of %s',
        shared_minor, applied_minor, borne_minor, fee_minor) as problem
      from (
        select t.business_id, t.live, t.id, t.fee_minor, s.shared_minor, s.borne_minor,
          case when t.paid_at is null then t.amount_minor
            else t.paid_minor - t.excess_minor
              - case when t.fee_bearer = 'customer'
                  then least(t.fee_minor, t.payable_minor - t.amount_minor) else 0 end
          end as applied_minor
        from transactions t
        join (
          select business_id, live, transaction_id as id, sum(amount_minor) as shared_minor,
            sum(fee_minor) as borne_minor
          from transaction_shares
          group by business_id, live, transaction_id
        ) as s using (business_id, live, id)
      ) as payments
      where shared_minor > applied_minor or borne_minor > fee_minor`,
  },
  {
    name: 'share-journals',
    what: 'a payment’s journal credits each subaccount’s share and debits its part of the fee',
    table: 'transactions',
    sql: sql`
      select business_id, live, id, format(
        'subaccount %s has a share of %s and pays %s of the fee; the ledger has %s and %s',
        subaccount_id, amount_minor, fee_minor, given_minor, taken_minor) as problem
      from ${paidShares} as shares
      full join (
        select j.business_id, j.live, j.cause_id as id, a.subject_id as subaccount_id,
          coalesce(sum(l.amount_minor) filter (where l.kind = 'share'), 0) as given_minor,
          coalesce(sum(l.amount_minor) filter (where l.kind = 'fee'), 0) as taken_minor
        from ledger_journals j
        join ledger_transfers l
          on (l.business_id, l.live, l.journal_id) = (j.business_id, j.live, j.id)
        join ledger_accounts a on (a.business_id, a.live, a.id) = (l.business_id, l.live,
          case when l.kind = 'share' then l.credit_account_id else l.debit_account_id end)
        where j.cause_type = 'transaction' and j.verb = 'settle' and l.kind in ('share', 'fee')
          and a.kind = 'subaccount'
        group by j.business_id, j.live, j.cause_id, a.subject_id
      ) as books using (business_id, live, id, subaccount_id)
      where coalesce(amount_minor, 0) <> coalesce(given_minor, 0)
        or coalesce(fee_minor, 0) <> coalesce(taken_minor, 0)`,
  },
  {
    name: 'share-entries',
    what: 'each share of a received payment has one entry: the share less its part of the fee',
    table: 'transactions',
    sql: sql`
      select business_id, live, id, format(
        'subaccount %s has a share of %s less %s, but %s entries with a total of %s',
        subaccount_id, amount_minor, fee_minor, coalesce(entries, 0), coalesce(entered_minor, 0)
        ) as problem
      from ${paidShares} as shares
      full join (
        select business_id, live, transaction_id as id, subaccount_id, count(*) as entries,
          sum(amount_minor) as entered_minor
        from subaccount_entries
        where kind = 'share'
        group by business_id, live, transaction_id, subaccount_id
      ) as entered using (business_id, live, id, subaccount_id)
      where coalesce(amount_minor - fee_minor, 0) <> coalesce(entered_minor, 0) or entries > 1`,
  },
]

/** The simulator's accounts are not looked up. */
export const chargeOrderCheck = orderCheck({
  kind: 'charge',
  noun: 'payment',
  table: 'transactions',
  records: sql`(
    select business_id, live, id, reference, status from transactions
    where (channel in ('USSD', 'CARD') or channel = 'BANK_TRANSFER' and provider <> 'simulator')
      and provider <> 'none')`,
  isOpen: sql`r.status = 'Pending'`,
  // The payer may have paid at the last moment.
  mayBeOpen: sql`r.status = 'Abandoned'`,
  isGenerated: true,
  canRestart: true,
})

/**
 * Rules for payments, the accounts opened for them, and deposits into those accounts. Each check
 * sums whole tables and then joins them with a hash join, because looking up each of a million rows
 * would take hours.
 */
export const transactionChecks: readonly AuditCheck[] = [
  {
    name: 'payment-states',
    what: 'a transaction has a paid status if, and only if, it has a payment time and paid amount',
    table: 'transactions',
    sql: sql`
      select business_id, live, id, format(
        'it is %s, but the paid amount is %s (%s owed back) and the payment time is %s',
        status, coalesce(paid_minor::text, 'not set'), excess_minor,
        coalesce(paid_at::text, 'not set')) as problem
      from transactions t
      where (${isPaidState}) <> (paid_at is not null)
        or (paid_at is null) <> (paid_minor is null)
        or excess_minor > coalesce(paid_minor, 0)`,
  },
  {
    name: 'settlements',
    what: 'a paid transaction’s journal has the same amount, fee and overpayment',
    table: 'transactions',
    sql: sql`
      select business_id, live, id, problem
      from (
        select t.business_id, t.live, t.id, case
          when ${isInBooks} and s.journal_id is null
            then format('it is %s with %s paid, but no journal settles it',
              t.status, t.paid_minor)
          when not ${isInBooks} and s.journal_id is not null
            then format('it is %s (%s), not paid through Tradepost, but journal %s settles it',
              t.status, t.channel, s.journal_id)
          when (t.paid_minor, t.fee_minor, t.excess_minor) is distinct from
            (s.paid_minor, s.fee_minor, s.excess_minor) and ${isInBooks}
            then format(
              'it has %s paid, a fee of %s and %s owed back, but journal %s has %s, %s and %s',
              t.paid_minor, t.fee_minor, t.excess_minor, s.journal_id,
              s.paid_minor, s.fee_minor, s.excess_minor)
          end as problem
        from transactions t
        left join (
          select j.business_id, j.live, j.cause_id, j.id as journal_id,
            coalesce(sum(l.amount_minor) filter (where a.kind = 'provider_clearing'), 0)
              as paid_minor,
            coalesce(sum(l.amount_minor) filter (where l.kind = 'fee'), 0) as fee_minor,
            coalesce(sum(l.amount_minor) filter (where l.kind = 'overpayment'), 0)
              as excess_minor
          from ledger_journals j
          left join ledger_transfers l
            on (l.business_id, l.live, l.journal_id) = (j.business_id, j.live, j.id)
          left join ledger_accounts a
            on (a.business_id, a.live, a.id) = (l.business_id, l.live, l.debit_account_id)
          where j.cause_type = 'transaction' and j.verb = 'settle'
          group by j.business_id, j.live, j.cause_id, j.id
        ) as s on (s.business_id, s.live, s.cause_id) = (t.business_id, t.live, t.id)
      ) as compared
      where problem is not null`,
  },
  {
    name: 'settled',
    what: 'every transaction journal refers to an existing transaction',
    table: 'ledger_journals',
    sql: sql`
      select business_id, live, id,
        format('its transaction %s (%s) does not exist', cause_id, verb) as problem
      from ledger_journals j
      where cause_type = 'transaction' and not exists (
        select from transactions t
        where (t.business_id, t.live, t.id) = (j.business_id, j.live, j.cause_id))`,
  },
  {
    name: 'virtual-accounts',
    what: 'an account is Paid after one accepted deposit, and Open while its payment is Pending',
    table: 'virtual_accounts',
    sql: sql`
      select v.business_id, v.live, v.id, format(
        'it is %s with %s accepted deposits, and its transaction %s is %s',
        v.status, coalesce(d.accepted, 0), v.transaction_id, coalesce(t.status, 'missing'))
        as problem
      from virtual_accounts v
      left join (
        select business_id, live, virtual_account_id as id, count(*) as accepted
        from deposits
        where status = 'Accepted'
        group by business_id, live, virtual_account_id
      ) as d using (business_id, live, id)
      left join transactions t
        on (t.business_id, t.live, t.id) = (v.business_id, v.live, v.transaction_id)
      where coalesce(d.accepted, 0) <> case when v.status = 'Paid' then 1 else 0 end
        or (v.status = 'Paid' and t.paid_at is null)
        or (v.status = 'Open' and t.status is distinct from 'Pending')`,
  },
  ...shareChecks,
  chargeOrderCheck,
]
