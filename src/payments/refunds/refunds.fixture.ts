import type { startServer } from '../../../test/harness.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'
const SUBACCOUNTS = '/api/transaction-service/external/v1/subaccounts'
const SPLIT_PAGES = '/api/transaction-service/external/v1/split-page'
const SETTINGS = '/api/user-service/external/v1/profile/settings'
const WALLET = '/api/user-service/external/v1/wallet/balance'
const EVENTS = '/api/user-service/external/v1/events'
const BY_REFERENCE = '/api/transaction-service/v1/refund-by-reference'
export const REFUNDS = '/api/transaction-service/external/v1/refunds'

type Server = Awaited<ReturnType<typeof startServer>>

/** Each test has its own business, so that no other test changes its wallet and events. */
export async function openShop(server: Server, settings: object = {}) {
  const { db, url } = server
  const { keys, businessId } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const { get, post, put } = caller
  if (Object.keys(settings).length > 0) await put(SETTINGS, settings)

  const transactionOf = (invoiceReference: string) =>
    db.one<{ id: number; reference: string }>`
      select id, reference from transactions
      where business_id = ${businessId} and invoice_reference = ${invoiceReference}
      order by id desc limit 1`

  async function invoice(amount: number) {
    const { body } = await post(INVOICES, { customerEmail: 'ada@example.com', amount })
    const path = new URL(body.data.hostedUrl).pathname
    const page = (below = '', form?: Record<string, string>) =>
      fetch(`${url}${path}${below}`, {
        redirect: 'manual',
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      })
    return { reference: body.data.reference as string, page }
  }

  /** Creates an invoice and pays it by transfer. `received` is the amount that arrives. */
  async function paid(amount: number, received = amount) {
    const { reference, page } = await invoice(amount)
    await page('/pay', { channel: 'BANK_TRANSFER' })
    const accountNumber = /\b99\d{8}\b/.exec(await (await page()).text())![0]
    await post('/api/simulator/deposit', { accountNumber, amount: received })
    return transactionOf(reference)
  }

  /** A split page with these percentages for subaccounts. */
  async function splitPage(percents: readonly number[], feeBearer: string | null = null) {
    const subaccounts: object[] = []
    for (const shere of percents) {
      const { body } = await post(SUBACCOUNTS, {
        business_name: 'Seller',
        account_number: '0123456789',
        percentage_charge: 0,
      })
      subaccounts.push({ sub_account_id: body.subaccount_code, shere })
    }
    const page = { name: 'Market', subaccounts, ...(feeBearer && { feeBearer }) }
    const { body } = await post(SPLIT_PAGES, page)
    return body.data.id as number
  }

  /** A USSD payment of this amount, split by these percentages. */
  async function shared(
    amount: number,
    percents: readonly number[],
    feeBearer: string | null = null,
  ) {
    const pageId = await splitPage(percents, feeBearer)
    const { body } = await post(USSD, { channel: 'USSD', amount, pageId })
    const { reference, transactionId } = body.data
    await post('/api/simulator/ussd', { reference, outcome: 'success' })
    return { id: transactionId as number, reference: reference as string }
  }

  const refund = (fields: object, headers?: Record<string, string>) =>
    post(REFUNDS, fields, headers)
  const simulate = (reference: string, outcome: string) =>
    post('/api/simulator/refund', { reference, outcome })
  const wallet = async () => {
    const { available, held } = (await get(WALLET)).body.data[0]
    return { available, held } as { available: number; held: number }
  }
  const find = (reference: string, as: number | string = businessId) =>
    get(`${BY_REFERENCE}?${new URLSearchParams({ businessId: String(as), reference })}`)
  const one = async (reference: string) => (await find(reference)).body.data
  const payment = (id: number) =>
    db.one<{ status: string; refunding_minor: bigint; refunded_minor: bigint }>`
      select status, refunding_minor, refunded_minor from transactions where id = ${id}`
  /** The balances of the subaccounts, lower id first. */
  const shares = async () =>
    (
      await db.many<{ left_minor: bigint }>`
        select credits_minor - debits_minor as left_minor from ledger_accounts
        where business_id = ${businessId} and kind = 'subaccount' order by subject_id`
    ).map(({ left_minor }) => left_minor)
  /** The amount owed back to payers. */
  const owed = async () =>
    (
      await db.one<{ left_minor: bigint }>`
        select credits_minor - debits_minor as left_minor from ledger_accounts
        where business_id = ${businessId} and kind = 'refunds'`
    ).left_minor
  const told = async () => {
    const { body } = await get(`${EVENTS}?sort=ASC&limit=100`)
    return (body.data as { type: string }[])
      .map(({ type }) => type)
      .filter((type) => /^(?:refund|wallet\.debited)/.test(type))
  }
  const rows = async () =>
    (
      await db.one<{ n: number }>`
        select count(*) as n from refunds where business_id = ${businessId}`
    ).n
  return {
    keys,
    businessId,
    caller,
    get,
    post,
    put,
    invoice,
    paid,
    shared,
    transactionOf,
    refund,
    simulate,
    wallet,
    find,
    one,
    payment,
    shares,
    owed,
    told,
    rows,
  }
}

/**
 * Returns functions that run the job that requests refunds, and that simulate the bank that pays
 * them.
 */
export function openBank({ clock, runJob }: Server) {
  const order = () => runJob('refund-orders')
  /** Waits out the simulator's delay and delivers its notifications. */
  async function bankActs() {
    clock.advance(1_000)
    await runJob('simulator')
  }
  async function pass() {
    await order()
    await bankActs()
  }
  return { order, bankActs, pass }
}
