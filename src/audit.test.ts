import { describe, expect, test } from 'vitest'
import { asOwner, startServer } from '../test/harness.ts'
import { allChecks } from './audit.ts'
import { type AuditCheck, auditChecks, runAudit } from './ledger/audit.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const SUBACCOUNTS = '/api/transaction-service/external/v1/subaccounts'
const SPLIT_PAGES = '/api/transaction-service/external/v1/split-page'
const PRODUCTS = '/api/payment-service/external/v1/products'
const SETTINGS = '/api/user-service/external/v1/profile/settings'

const server = await startServer({ sweepers: false, plantsEvents: true })
const { db, name } = server

/** The ids of the rows that may be damaged. */
interface Rows {
  business: number
  /** Paid by a transfer of ₦200 too much: its transaction, account and deposit. */
  paid: number
  transfer: number
  account: number
  deposit: number
  /** Of which a part was paid in cash. */
  part: number
  cash: number
  /** With an account that waits for a transfer. */
  open: number
  pending: number
  waiting: number
  /** A transfer that was paid, and one that waits for approval, with the journal of its hold. */
  sent: number
  held: number
  hold: number
  /** With 40 % of the split page. */
  subaccount: number
  splitPage: number
  /** Sold in two sizes, of which this is one. */
  product: number
  variant: number
  wallet: number
  journal: number
  key: number
  /** The only one about `cash`. */
  event: number
}

/** A business of its own for each test, so that each finds the damage of its own. */
async function shop(): Promise<Rows> {
  const { businessId: business, keys } = await server.newBusiness()
  const { get, post, put } = server.as(keys.testSecret)
  await put(SETTINGS, { virtualAccountPolicy: 'accept_over' })
  const invoice = async (amount: number) => {
    const { body } = await post(INVOICES, { customerEmail: 'ada@example.com', amount })
    return body.data as { id: number; reference: string; hostedUrl: string }
  }
  const account = async ({ hostedUrl }: { hostedUrl: string }) => {
    const page = server.url + new URL(hostedUrl).pathname
    const form = new URLSearchParams({ channel: 'BANK_TRANSFER' })
    await fetch(`${page}/pay`, { method: 'POST', body: form, redirect: 'manual' })
    return /\b99\d{8}\b/.exec((await get(new URL(hostedUrl).pathname)).text)![0]
  }
  const [paid, part, open] = [await invoice(10_000), await invoice(2_000), await invoice(700)]
  const transfer = async (account: string) => {
    const body = { amount: 900, bankCode: '058', accountNumber: account }
    return (await post(TRANSFERS, body)).body.data.reference as string
  }
  const [sent, held] = [await transfer('0000000001'), await transfer('0000000005')]
  await post('/api/simulator/transfer', { reference: sent, outcome: 'success' })
  const subaccount = { business_name: 'Ngozi', account_number: '0123456789', percentage_charge: 5 }
  const { subaccount_code } = (await post(SUBACCOUNTS, subaccount)).body
  const shares = [{ subaccount: subaccount_code, share: 40 }]
  await post(SPLIT_PAGES, { name: 'Dues', subaccounts: shares })
  const options = [{ name: 'Size', values: ['S', 'M'] }]
  await post(`${PRODUCTS}/create-product`, { name: 'Shirt', price: 900, quantity: 3, options })
  const accountNumber = await account(paid)
  await post('/api/simulator/deposit', { accountNumber, amount: 10_200 })
  await post(`${INVOICES}/${part.reference}/mark-paid`, { amount: 500 })
  await account(open)

  const { rows } = await asOwner(name, (client) =>
    client.query<Record<keyof Rows, string>>(
      `select
        (select id from invoices where reference = $1) as paid,
        (select id from transactions where invoice_reference = $1) as transfer,
        (select virtual_account_id from deposits where business_id = $4) as account,
        (select id from deposits where business_id = $4) as deposit,
        (select id from invoices where reference = $2) as part,
        (select id from transactions where invoice_reference = $2) as cash,
        (select id from invoices where reference = $3) as open,
        (select id from transactions where invoice_reference = $3) as pending,
        (select id from virtual_accounts where business_id = $4 and status = 'Open') as waiting,
        (select id from ledger_accounts where business_id = $4 and kind = 'wallet_available')
          as wallet,
        (select id from subaccounts where business_id = $4) as subaccount,
        (select id from split_pages where business_id = $4) as "splitPage",
        (select id from products where business_id = $4) as product,
        (select max(id) from product_variants where business_id = $4) as variant,
        (select id from transfers where reference = $5) as sent,
        (select id from transfers where reference = $6) as held,
        (select id from ledger_journals where cause_id = (
          select id from transfers where reference = $6)) as hold,
        (select id from ledger_journals where cause_id = (
          select id from transactions where invoice_reference = $1)) as journal,
        (select min(id) from api_keys where business_id = $4 and not live) as key,
        (select id from events where object_id in (
          select id from transactions where invoice_reference = $2)) as event`,
      [paid.reference, part.reference, open.reference, business, sent, held],
    ),
  )
  const ids = Object.entries(rows[0]!).map(([row, id]) => [row, Number(id)])
  return { business, ...Object.fromEntries(ids) }
}

/** What the audit finds of one business. */
async function findingsOf(business: number): Promise<string[]> {
  const found = await runAudit(db, allChecks)
  return found
    .filter(({ businessId }) => businessId === business)
    .map(({ check, table, id, live, problem }) => {
      expect([live, problem.length > 10]).toEqual([false, true])
      return `${check}: ${table} ${id}`
    })
    .sort()
}

type Damage = [title: string, sql: (of: Rows) => string, found: (of: Rows) => string[]]

const invoices: Damage[] = [
  [
    'a Paid invoice of which nothing was paid',
    ({ paid }) => `update invoices set paid_minor = 0 where id = ${paid}`,
    ({ paid }) => [`invoice-payments: invoices ${paid}`, `invoice-states: invoices ${paid}`],
  ],
  [
    'a Paid invoice set back to Sent',
    ({ paid }) => `update invoices set status = 'Sent', paid_at = null where id = ${paid}`,
    ({ paid }) => [`invoice-states: invoices ${paid}`],
  ],
  [
    'a Paid invoice set back to Sent, and to nothing paid',
    ({ paid }) =>
      `update invoices set status = 'Sent', paid_at = null, paid_minor = 0 where id = ${paid}`,
    ({ paid }) => [`invoice-payments: invoices ${paid}`],
  ],
  [
    'an invoice PartiallyPaid by nobody',
    ({ open }) => `update invoices set status = 'PartiallyPaid' where id = ${open}`,
    ({ open }) => [`invoice-states: invoices ${open}`],
  ],
  [
    'an invoice of which more was paid than came in',
    ({ part }) => `update invoices set paid_minor = paid_minor + 1 where id = ${part}`,
    ({ part }) => [`invoice-payments: invoices ${part}`],
  ],
  [
    'an invoice that is gone',
    ({ part }) => `with gone as (delete from events where object_id = ${part})
      delete from invoices where id = ${part}`,
    ({ cash }) => [`paid-invoices: transactions ${cash}`],
  ],
]

const payments: Damage[] = [
  [
    'a payment of more, all of it owed back',
    ({ transfer }) => `update transactions set paid_minor = paid_minor + 1,
      excess_minor = excess_minor + 1 where id = ${transfer}`,
    ({ transfer, deposit }) => [
      `deposits: deposits ${deposit}`,
      `settlements: transactions ${transfer}`,
    ],
  ],
  [
    'a payment of which nothing is owed back any more',
    ({ transfer }) => `update transactions set excess_minor = 0 where id = ${transfer}`,
    ({ transfer, paid }) => [
      `invoice-payments: invoices ${paid}`,
      `settlements: transactions ${transfer}`,
    ],
  ],
  [
    'a payment of which more is owed back than came in',
    ({ cash }) => `update transactions set excess_minor = paid_minor + 1 where id = ${cash}`,
    ({ cash, part }) => [
      `invoice-payments: invoices ${part}`,
      `payment-states: transactions ${cash}`,
    ],
  ],
  [
    'a payment with another fee',
    ({ transfer }) => `update transactions set fee_minor = fee_minor - 1 where id = ${transfer}`,
    ({ transfer }) => [`settlements: transactions ${transfer}`],
  ],
  [
    'a Successful transaction set to Failed',
    ({ transfer }) => `update transactions set status = 'Failed' where id = ${transfer}`,
    ({ transfer }) => [`payment-states: transactions ${transfer}`],
  ],
  [
    'a Successful transaction set to Failed with all that tells of its payment',
    ({ transfer }) => `update transactions set status = 'Failed', paid_at = null,
      paid_minor = null, excess_minor = 0 where id = ${transfer}`,
    ({ transfer, paid, deposit, account }) => [
      `deposits: deposits ${deposit}`,
      `invoice-payments: invoices ${paid}`,
      `settlements: transactions ${transfer}`,
      `virtual-accounts: virtual_accounts ${account}`,
    ],
  ],
  [
    'an invented payment',
    ({ open, business }) => `insert into transactions (business_id, live, id, reference, purpose,
        purpose_id, status, channel, amount_minor, fee_minor, fee_bearer, payable_minor,
        paid_minor, currency, provider, paid_at, expires_at, created_at, updated_at)
      select business_id, live, -id, 'TRX_' || -id, 'invoice', id, 'Successful', 'USSD', 700, 0,
        'business', 700, 700, 'NGN', 'simulator', created_at, created_at, created_at, created_at
      from invoices where business_id = ${business} and id = ${open}`,
    ({ open }) => [`invoice-payments: invoices ${open}`, `settlements: transactions ${-open}`],
  ],
  [
    'a payment in cash that is said to have come through us',
    ({ cash }) => `update transactions set channel = 'USSD' where id = ${cash}`,
    ({ cash }) => [`settlements: transactions ${cash}`],
  ],
  [
    'a payment that is said to have come past us',
    ({ transfer }) => `update transactions set channel = 'OFFLINE' where id = ${transfer}`,
    ({ transfer }) => [`settlements: transactions ${transfer}`],
  ],
  [
    'a journal of a transaction that does not exist',
    ({ journal }) => `update ledger_journals set cause_id = -cause_id where id = ${journal}`,
    ({ journal, transfer }) => [
      `settled: ledger_journals ${journal}`,
      `settlements: transactions ${transfer}`,
    ],
  ],
]

const arrivals: Damage[] = [
  [
    'a deposit that is gone',
    ({ deposit }) => `delete from deposits where id = ${deposit}`,
    ({ account }) => [`virtual-accounts: virtual_accounts ${account}`],
  ],
  [
    'a deposit of another amount',
    ({ deposit }) => `update deposits set amount_minor = 1 where id = ${deposit}`,
    ({ deposit }) => [`deposits: deposits ${deposit}`],
  ],
  [
    'a deposit that was sent back after all',
    ({ deposit }) => `update deposits set status = 'Rejected' where id = ${deposit}`,
    ({ account }) => [`virtual-accounts: virtual_accounts ${account}`],
  ],
  [
    'a deposit of nobody',
    ({ deposit }) => `update deposits set virtual_account_id = null where id = ${deposit}`,
    ({ deposit, account }) => [
      `deposits: deposits ${deposit}`,
      `virtual-accounts: virtual_accounts ${account}`,
    ],
  ],
  [
    'a deposit on an account that waits',
    ({ deposit, waiting }) =>
      `update deposits set virtual_account_id = ${waiting} where id = ${deposit}`,
    ({ deposit, account, waiting }) => [
      `deposits: deposits ${deposit}`,
      `virtual-accounts: virtual_accounts ${account}`,
      `virtual-accounts: virtual_accounts ${waiting}`,
    ],
  ],
  [
    'an account that is open again',
    ({ account }) => `update virtual_accounts set status = 'Open' where id = ${account}`,
    ({ account }) => [`virtual-accounts: virtual_accounts ${account}`],
  ],
  [
    'an account left open by what was given up',
    ({ pending }) => `update transactions set status = 'Abandoned' where id = ${pending}`,
    ({ waiting }) => [`virtual-accounts: virtual_accounts ${waiting}`],
  ],
]

const transfers: Damage[] = [
  [
    'a transfer that was paid, and is said to have failed',
    ({ sent }) => `update transfers set status = 'Failed' where id = ${sent}`,
    ({ sent }) => [`transfer-holds: transfers ${sent}`],
  ],
  [
    'a transfer that waits, and is said to have been paid',
    ({ held }) => `update transfers set status = 'Successful', completed_at = created_at
      where id = ${held}`,
    ({ held }) => [`transfer-holds: transfers ${held}`],
  ],
  [
    'a transfer that is said to have come back',
    ({ sent }) => `update transfers set status = 'Failed', reversed_at = completed_at
      where id = ${sent}`,
    ({ sent }) => [`transfer-holds: transfers ${sent}`],
  ],
  [
    'a transfer of another amount, with a fee that makes up for it',
    ({ sent }) => `update transfers set amount_minor = amount_minor + 1, fee_minor = fee_minor - 1
      where id = ${sent}`,
    ({ sent }) => [`transfer-holds: transfers ${sent}`],
  ],
  [
    'a transfer for which less is held',
    ({ held }) => `update transfers set fee_minor = fee_minor + 1 where id = ${held}`,
    ({ held }) => [`transfer-holds: transfers ${held}`],
  ],
  [
    'a transfer that nobody will order',
    ({ held }) => `update transfers set status = 'Pending' where id = ${held}`,
    ({ held }) => [`transfer-states: transfers ${held}`],
  ],
  [
    'a transfer that ended at no time',
    ({ sent }) => `update transfers set completed_at = null where id = ${sent}`,
    ({ sent }) => [`transfer-states: transfers ${sent}`],
  ],
  [
    'a hold of a transfer that does not exist',
    ({ hold }) => `update ledger_journals set cause_id = -cause_id where id = ${hold}`,
    ({ held, hold }) => [
      `transfer-holds: transfers ${held}`,
      `transfer-journals: ledger_journals ${hold}`,
    ],
  ],
]

const splits: Damage[] = [
  [
    'a share that its page does not count',
    ({ splitPage }) => `update split_page_shares set share = 41 where split_page_id = ${splitPage}`,
    ({ splitPage }) => [`split-page-shares: split_pages ${splitPage}`],
  ],
  [
    'a page that counts a share it does not have',
    ({ splitPage }) => `delete from split_page_shares where split_page_id = ${splitPage}`,
    ({ splitPage }) => [`split-page-shares: split_pages ${splitPage}`],
  ],
  [
    'a page that nothing leads to',
    ({ splitPage }) => `delete from page_links where page_id = ${splitPage}`,
    ({ splitPage }) => [`linked-pages: split_pages ${splitPage}`],
  ],
  [
    'a link to nothing',
    ({ splitPage }) => `insert into page_links (link, business_id, live, page_id)
      select 'no-' || ${splitPage}, business_id, live, -id from split_pages
      where id = ${splitPage}`,
    ({ splitPage }) => [`page-links: page_links ${-splitPage}`],
  ],
  [
    'a page renamed behind its search',
    ({ splitPage }) => `update split_pages set name = 'Levies' where id = ${splitPage}`,
    ({ splitPage }) => [`split-page-texts: split_pages ${splitPage}`],
  ],
  [
    'a subaccount that no search finds',
    ({ subaccount }) => `delete from search_texts where id = ${subaccount}`,
    ({ subaccount }) => [`subaccount-texts: subaccounts ${subaccount}`],
  ],
  [
    'the last event of a subaccount gone',
    ({ subaccount }) => lastOf(subaccount),
    ({ subaccount }) => [`subaccount-events: subaccounts ${subaccount}`],
  ],
  [
    'the last event of a split page gone',
    ({ splitPage }) => lastOf(splitPage),
    ({ splitPage }) => [`split_page-events: split_pages ${splitPage}`],
  ],
]

const products: Damage[] = [
  [
    'a product without stock',
    ({ product }) => `delete from stock_items where id = ${product}`,
    ({ product }) => [`product-stock: products ${product}`],
  ],
  [
    'stock of a product beside that of its variants',
    ({ product }) => `update stock_items set on_hand = 1 where id = ${product}`,
    ({ product }) => [`product-stock: products ${product}`],
  ],
  [
    'a variant without stock',
    ({ variant }) => `delete from stock_items where id = ${variant}`,
    ({ variant }) => [`variant-stock: product_variants ${variant}`],
  ],
  [
    'a variant that is gone and could be bought',
    ({ variant }) => `update product_variants set deleted_at = created_at where id = ${variant}`,
    ({ product, variant }) => [
      `product-variants: products ${product}`,
      `variant-stock: product_variants ${variant}`,
    ],
  ],
  [
    'a variant of another size that there is not',
    ({ variant }) => `update product_variants set value_ids = '{1}' where id = ${variant}`,
    ({ variant }) => [`variant-values: product_variants ${variant}`],
  ],
  [
    'an option that is gone',
    ({ product }) => `delete from product_options where product_id = ${product}`,
    ({ product, variant }) => [
      `product-variants: products ${product}`,
      `variant-values: product_variants ${variant - 1}`,
      `variant-values: product_variants ${variant}`,
    ],
  ],
  [
    'a slug with a slash',
    ({ product }) => `update products set slug = 'shirts/shirt' where id = ${product}`,
    ({ product }) => [`product-slugs: products ${product}`],
  ],
  [
    'a product that is found by the name of another one',
    ({ product }) => `update search_texts set text = 'shoe' where id = ${product}`,
    ({ product }) => [`product-texts: products ${product}`],
  ],
  [
    'a product that was deleted and is still found',
    ({ product }) => `update products set deleted_at = created_at where id = ${product}`,
    ({ product }) => [`product-texts: products ${product}`],
  ],
  [
    'the last event of a product gone',
    ({ product }) => lastOf(product),
    ({ product }) => [`product-events: products ${product}`],
  ],
]

const lastOf = (object: number) => `delete from events where object_id = ${object} and sequence =
  (select max(sequence) from events where object_id = ${object})`

const events: Damage[] = [
  [
    'the last event of an invoice gone',
    ({ paid }) => lastOf(paid),
    ({ paid }) => [`invoice-events: invoices ${paid}`],
  ],
  [
    'all events of an invoice gone',
    ({ paid }) => `delete from events where object_id = ${paid}`,
    ({ paid }) => [`invoice-events: invoices ${paid}`],
  ],
  [
    'the last event of a transaction gone',
    ({ transfer }) => lastOf(transfer),
    ({ transfer }) => [`transaction-events: transactions ${transfer}`],
  ],
  [
    'the last event of a transfer gone',
    ({ sent }) => lastOf(sent),
    ({ sent }) => [`transfer-events: transfers ${sent}`],
  ],
  [
    'the last event of an account gone',
    ({ waiting }) => lastOf(waiting),
    ({ waiting }) => [`virtual_account-events: virtual_accounts ${waiting}`],
  ],
  [
    'the last event of a wallet gone',
    ({ wallet }) => lastOf(wallet),
    ({ wallet }) => [`wallet-events: ledger_accounts ${wallet}`],
  ],
  [
    'an event of a key that was never told',
    ({ key }) => `update api_keys set event_sequence = 1 where id = ${key}`,
    ({ key }) => [`api_key-events: api_keys ${key}`],
  ],
  [
    'an event of a business that was never told',
    ({ business }) => `update business_settings set event_sequence = 1
      where business_id = ${business} and not live`,
    ({ business }) => [`business-events: business_settings ${business}`],
  ],
  [
    'an event about nothing',
    ({ event }) => `update events set object_type = 'gift' where id = ${event}`,
    ({ event }) => [`event-objects: events ${event}`],
  ],
]

const damages = [
  ...invoices,
  ...payments,
  ...arrivals,
  ...transfers,
  ...splits,
  ...products,
  ...events,
]

/** Damaged in tests of their own, beside what they check. */
const ELSEWHERE = [
  /^refund/,
  /^settlement-/,
  /^utility/,
  /^share-/,
  /^stock-/,
  /^media-/,
  /^branding-/,
  /^digital-/,
  /^download-/,
  /^discount-/,
  /^published-/,
  /payment.page/,
  /^checkout-/,
  /^order/,
  /^page-counts$/,
  /^simulated_event-/,
  /^webhook/,
  /^partner-/,
  /^audit-log/,
  /^owners$/,
]

describe('the audit of the slices', () => {
  test('finds nothing in a shop as it should be', async () => {
    const { business } = await shop()
    expect(await findingsOf(business)).toEqual([])
  })

  test('every check has its damage here', () => {
    const tried = damages.flatMap(([, , found]) => found({} as Rows))
    const slices = allChecks.filter(
      (check) => !auditChecks.includes(check) && !ELSEWHERE.some((names) => names.test(check.name)),
    )
    const isTried = ({ name }: AuditCheck) => tried.some((one) => one.startsWith(`${name}:`))
    expect(slices.filter((check) => !isTried(check))).toEqual([])
    expect(slices.length).toBeGreaterThan(14)
  })

  test.each(damages)('names %s', async (_title, sql, expected) => {
    const rows = await shop()
    await asOwner(name, (client) => client.query(sql(rows)))
    expect(await findingsOf(rows.business)).toEqual(expected(rows).sort())
  })
})
