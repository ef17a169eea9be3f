import type pg from 'pg'
import { day, type List } from './lists.ts'
import type { Filling } from './lists-filling.ts'

const MONEY = '/api/transaction-service/external/v1'

const aDay = `startDate=${day(100)}&endDate=${day(100)}`

const TRANSFERS = `${MONEY}/transfers?limit=20`
const CHECKOUTS = '/api/payment-service/external/v1/initialize-checkout?limit=20'
const SUBACCOUNTS = `${MONEY}/subaccounts/all?limit=20`
const SPLIT_PAGES = `${MONEY}/split-page/all?limit=20&sort=desc`

const queries: List['queries'] = {
  transfers: TRANSFERS,
  'transfers, page 40': `${TRANSFERS}&page=40`,
  'transfers, Successful': `${TRANSFERS}&status=Successful`,
  'transfers, Failed': `${TRANSFERS}&status=Failed`,
  'transfers, reference': `${TRANSFERS}&transferReference=pay-500`,
  'transfers, a bank': `${TRANSFERS}&bankCode=058`,
  'transfers, a rare bank': `${TRANSFERS}&bankCode=044`,
  'transfers, a bank, Rejected': `${TRANSFERS}&bankCode=058&status=Rejected`,
  'transfers, a rare bank, Failed': `${TRANSFERS}&bankCode=044&status=Failed`,
  'transfers, a bank, a day': `${TRANSFERS}&bankCode=058&${aDay}`,
  'transfers, an account': `${TRANSFERS}&accountNumber=0000000500`,
  'transfers, an account, Failed': `${TRANSFERS}&accountNumber=0000000500&status=Failed`,
  checkouts: CHECKOUTS,
  'checkouts, page 40': `${CHECKOUTS}&page=40`,
  'checkouts, Open': `${CHECKOUTS}&state=Open`,
  'checkouts, Expired': `${CHECKOUTS}&state=Expired`,
  'checkouts, Cancelled': `${CHECKOUTS}&state=Cancelled`,
  'checkouts, a day': `${CHECKOUTS}&${aDay}`,
  'search checkouts, an email address': `${CHECKOUTS}&search=payer500@example.com`,
  'search checkouts, a common start': `${CHECKOUTS}&search=payer`,
  'search checkouts, a rarer start': `${CHECKOUTS}&search=payer50`,
  'search checkouts, Cancelled': `${CHECKOUTS}&search=payer5&state=Cancelled`,
  'search checkouts, a reference': `${CHECKOUTS}&search=CHK_500`,
  refunds: `${MONEY}/refunds`,
  'refunds, Processed': `${MONEY}/refunds?status=Processed`,
  'refunds, a day': `${MONEY}/refunds?${aDay}`,
  'subaccounts, newest': `${SUBACCOUNTS}&page=1&sort=desc&sortKey=createdAt`,
  'subaccounts, by name': `${SUBACCOUNTS}&page=1&sort=asc&sortKey=business_name`,
  'subaccounts, by charge': `${SUBACCOUNTS}&page=1&sort=asc&sortKey=percentage_charge`,
  'subaccounts, by id': `${SUBACCOUNTS}&page=20&sort=asc&sortKey=id`,
  'split pages': `${SPLIT_PAGES}&page=1`,
  'split pages, active': `${SPLIT_PAGES}&page=1&status=true`,
  'split pages, fixed': `${SPLIT_PAGES}&page=1&splitType=fixed`,
  settlements: `${MONEY}/settlements`,
  'settlements, Paid': `${MONEY}/settlements?status=Paid`,
  'settlements, a day': `${MONEY}/settlements?${aDay}`,
  "wallet's ledger": '/api/user-service/external/v1/wallet/ledger',
  "wallet's ledger, debits": '/api/user-service/external/v1/wallet/ledger?type=debit',
}

export const MONEY_LISTS: List = { things: 'rows of each', path: '', queries, fill: fillMoney }

/**
 * Creates this many transfers, checkouts, refunds, subaccounts, split pages, settlements and wallet
 * movements.
 */
async function fillMoney(client: pg.Client, { businessId, rows, firstId }: Filling): Promise<void> {
  const { rows: wallets } = await client.query(
    `select id, kind from ledger_accounts where business_id = $1 and not live`,
    [businessId],
  )
  const idOf = (kind: string) => wallets.find((account) => account.kind === kind)?.id
  const available = idOf('wallet_available')
  const provider = idOf('provider_clearing')
  for (const statement of statements(businessId, rows, firstId, available, provider)) {
    await client.query(statement)
    // So that checks of the foreign keys of the next table read an index instead of this table.
    await client.query(`analyze ${/insert into (\w+)/.exec(statement)?.[1]}`)
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
      date_trunc('milliseconds', now() - interval '${SPREAD_DAYS} days' * (1 - n / ${rows}.0))
        as created
    from generate_series(1::bigint, ${rows}) n) numbered`
  const id = (table: number) => `${firstId} + ${table} * 10000000 + n`
  const of = `${businessId}, false`
  return [
    `insert into subaccounts (business_id, live, id, reference, status, business_name, bank_code,
       bank_name, account_number_plain, account_name, verified, charge_basis_points, currency,
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
       amount_minor, fee_minor, currency, bank_code, bank_name, account_number_plain,
       provider, created_at, updated_at)
     select ${of}, ${id(2)}, 'TRF_' || n, 'pay-' || n,
       case when r < 90 then 'Successful' when r < 98 then 'Failed' else 'Rejected' end,
       100000 + n, 2500, 'NGN', case when n % 50 = 0 then '044' else '058' end, 'Bank',
       lpad(n::text, 10, '0'), 'simulator', created, created
     from ${numbered}`,
    `insert into checkouts (business_id, live, id, reference, secret, status, amount_minor,
       currency, channels, customer_email, expires_at, created_at, updated_at)
     select ${of}, ${id(9)}, 'CHK_' || n, '',
       case when n > ${rows} - 200 then 'Open' when r < 60 then 'Paid' when r < 95 then 'Expired'
         else 'Cancelled' end,
       100000, 'NGN', '{USSD}', 'payer' || n || '@example.com', created + interval '30 minutes',
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
       amount_minor, currency, entry_count, bank_code, bank_name, account_number_plain,
       provider, created_at, updated_at)
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
