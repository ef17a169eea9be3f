import { asOwner, type startServer } from '../harness.ts'
import type { Damage as DamageTo } from './findings.ts'

/* A shop with one record of every kind, to damage. */

const INVOICES = '/api/payment-service/external/v1/invoices'
const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const SUBACCOUNTS = '/api/transaction-service/external/v1/subaccounts'
const SPLIT_PAGES = '/api/transaction-service/external/v1/split-page'
const PRODUCTS = '/api/payment-service/external/v1/products'
const SETTINGS = '/api/user-service/external/v1/profile/settings'

type Server = Awaited<ReturnType<typeof startServer>>

/** The ids of the rows that tests damage. */
export interface Rows {
  business: number
  /** Paid by a transfer with ₦200 too much: its transaction, virtual account and deposit. */
  paid: number
  transfer: number
  account: number
  deposit: number
  /** Partially paid, in cash. */
  part: number
  cash: number
  /** With a virtual account that waits for a transfer. */
  open: number
  pending: number
  waiting: number
  /** A completed transfer, and one that needs approval, with the journal of its hold. */
  sent: number
  held: number
  hold: number
  /** Gets 40 % of each payment on the split page. */
  subaccount: number
  splitPage: number
  /** Sold in two sizes; this is one of them. */
  product: number
  variant: number
  wallet: number
  journal: number
  key: number
  /** The only event of `cash`. */
  event: number
}

export type Damage = DamageTo<Rows>

export const lastOf = (
  object: number,
) => `delete from events where object_id = ${object} and sequence =
  (select max(sequence) from events where object_id = ${object})`

/** The business that the tests damage. */
export async function openShop(server: Server): Promise<Rows> {
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

  const { rows } = await asOwner(server.name, (client) =>
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
