import type pg from 'pg'
import type { Filling } from './lists-asking.ts'

/**
 * Creates this many transfers, refunds, subaccounts, split pages, settlements and wallet movements.
 */
export async function fillMoney(
  client: pg.Client,
  { businessId, rows, firstId }: Filling,
): Promise<void> {
  const { rows: wallets } = await client.query(
    `select id, kind from ledger_accounts where business_id = $1 and not live`,
    [businessId],
  )
  const idOf = (kind: string) => wallets.find((account) => account.kind === kind)?.id
  const available = idOf('wallet_available')
  const provider = idOf('provider_clearing')
  for (const statement of statements(businessId, rows, firstId, available, provider)) {
    await client.query(statement)
  }
}

const SPREAD_DAYS = 730

// n * 48271 % 100 spreads values in the same way in each run. Each table has its own ids.
function statements(
  businessId: number,
  rows: number,
  firstId: number,
  available: string,
  provider: string,
): string[] {
  const numbered = `(
    select n, n * 48271 % 100 as r,
      date_trunc('milliseconds', now() - interval '${SPREAD_DAYS} days' * (${rows} - n) / ${rows})
        as created
    from generate_series(1::bigint, ${rows}) n) numbered`
  const id = (table: number) => `${firstId} + ${table} * 10000000 + n`
  const of = `${businessId}, false`
  return [
    `insert into subaccounts (business_id, live, id, reference, status, business_name, bank_code,
       bank_name, account_number, account_name, verified, charge_basis_points, currency,
       created_at, updated_at)
     select ${of}, ${id(0)}, 'ACCT_' || n, 'Active', 'Rider ' || md5(n::text), '058',
       'Guaranty Trust Bank', lpad(n::text, 10, '0'), 'ADA OBI', true, n % 10000, 'NGN', created,
       created
     from ${numbered}`,
    `insert into split_pages (business_id, live, id, reference, name, slug, active, split_type,
       category, currency, created_at, updated_at)
     select ${of}, ${id(1)}, 'SPL_' || n, 'Page ' || n, 'page-' || n, r < 90,
       case when r % 10 < 8 then 'percentage' else 'fixed' end, r % 20 = 0, 'NGN', created, created
     from ${numbered}`,
    `insert into transfers (business_id, live, id, reference, transfer_reference, status,
       amount_minor, fee_minor, currency, bank_code, bank_name, account_number, provider,
       created_at, updated_at)
     select ${of}, ${id(2)}, 'TRF_' || n, 'pay-' || n,
       case when r < 90 then 'Successful' when r < 98 then 'Failed' else 'Rejected' end,
       100000 + n, 2500, 'NGN', '058', 'Guaranty Trust Bank', lpad(n::text, 10, '0'), 'simulator',
       created, created
     from ${numbered}`,
    `insert into transactions (business_id, live, id, reference, purpose, purpose_id, status,
       channel, amount_minor, fee_minor, fee_bearer, payable_minor, paid_minor, refunding_minor,
       refunded_minor, currency, provider, paid_at, expires_at, created_at, updated_at)
     select ${of}, ${id(3)}, 'TRX_' || n, 'charge', ${id(3)}, 'Refunded', 'USSD', 100000, 1500,
       'business', 100000, 100000, 100000, 100000, 'NGN', 'simulator', created, created, created,
       created
     from ${numbered}`,
    `insert into refunds (business_id, live, id, reference, transaction_id, status, amount_minor,
       currency, provider, created_at, updated_at)
     select ${of}, ${id(4)}, 'RFD_' || n, ${id(3)},
       case when r < 95 then 'Processed' else 'Failed' end, 100000, 'NGN', 'simulator', created,
       created
     from ${numbered}`,
    `insert into settlements (business_id, live, id, reference, subaccount_id, status,
       amount_minor, currency, entry_count, bank_code, bank_name, account_number, provider,
       created_at, updated_at)
     select ${of}, ${id(5)}, 'STL_' || n, ${id(0)}, case when r < 95 then 'Paid' else 'Failed' end,
       100000, 'NGN', 1, '058', 'Guaranty Trust Bank', lpad(n::text, 10, '0'), 'simulator',
       created, created
     from ${numbered}`,
    `insert into ledger_journals (business_id, live, id, cause_type, cause_id, verb, created_at)
     select ${of}, ${id(6)}, 'transfer', ${id(2)}, 'hold', created from ${numbered}`,
    `insert into ledger_transfers (business_id, live, id, journal_id, debit_account_id,
       credit_account_id, amount_minor, currency, kind, created_at)
     select ${of}, ${id(7)}, ${id(6)},
       case when r < 50 then ${available} else ${provider} end,
       case when r < 50 then ${provider} else ${available} end, 100, 'NGN', 'charge', created
     from ${numbered}`,
  ]
}
