import { afterAll, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { flutterwave } from '../../../test/providers/doubles/flutterwave/flutterwave.ts'
import { paystack } from '../../../test/providers/doubles/paystack/paystack.ts'
import { startDouble } from '../../../test/providers/doubles/start.ts'
import { routesApply } from '../../providers/providers.fixture.ts'
import { INVOICES } from '../../sales/invoices/invoices.fixture.ts'
import { memberOf } from '../people/people.fixture.ts'
import { connectLive, liveOwner } from './providers.fixture.ts'

const BALANCE = '/api/user-service/external/v1/wallet/balance'
const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const TRANSACTIONS = '/api/transaction-service/external/v1/transactions'
const RESOLVE = '/api/transaction-service/external/v1/bank/resolve'

const server = await startServer({ jobs: false })
const double = await startDouble((kit) => paystack(kit), { now: new Date() })
const other = await startDouble((kit) => flutterwave(kit, { secretHash: 'a-secret-hash-of-16' }), {
  now: new Date(),
})
const { db, clock, runJob } = server
afterAll(async () => expect(await findings(server)).toEqual([]))

type Business = Awaited<ReturnType<typeof connectLive>>

/** Creates an invoice, and chooses on its page to pay by bank transfer. */
async function invoiceToPay({ businessId, live }: Business, amount: number) {
  const created = await live.post(INVOICES, { customerEmail: 'ada@example.com', amount })
  expect(created.status).toBe(201)
  const { reference, hostedUrl } = created.body.data
  const path = new URL(hostedUrl).pathname
  const paid = await fetch(`${server.url}${path}/pay`, {
    method: 'POST',
    body: new URLSearchParams({ channel: 'BANK_TRANSFER' }),
    redirect: 'manual',
  })
  expect(paid.status).toBe(303)
  // The provider is asked once the payer sees the page.
  const page = await (await fetch(server.url + path)).text()
  const account = await db.one<{ account_number: string; bank_name: string }>`
    select account_number, bank_name from virtual_accounts
    where business_id = ${businessId} and live order by id desc limit 1`
  expect(page).toContain(account.account_number)
  const status = async () => (await live.get(`${INVOICES}/${reference}`)).body.data.status
  return { accountNumber: account.account_number, status }
}

const available = async ({ live }: Business) =>
  (await live.get(BALANCE)).body.data[0].available as number

test('an invoice is paid in live mode after a notification of the provider', async () => {
  const business = await connectLive(server, double)
  const { accountNumber, status } = await invoiceToPay(business, 5_000)
  double.provider.payer.transferTo(accountNumber, 500_000n)
  await double.notices.settled()
  expect(double.notices.sent.at(-1)?.statuses).toEqual([200])
  expect(await status()).toBe('Sent')
  await runJob('provider-notices')
  expect(await status()).toBe('Paid')
  const [payment] = (await business.live.get(TRANSACTIONS)).body.data
  const orders = await business.owner.get(`/console/payments/${payment.id}/orders`)
  expect(orders.body.data).toMatchObject([{ provider: 'paystack', fee: 188.13, feeMinor: 18_813 }])
  const connection = { status: 'Active', balances: [{ currency: 'NGN', available: 0 }] }
  expect((await business.owner.get('/console/providers')).body.data).toMatchObject([connection])
  await runJob('provider-balances')
  const { body } = await business.owner.get('/console/providers')
  expect(body.data).toMatchObject([
    { status: 'Active', firstNoticeAt: expect.any(String), balances: [{ available: 4_811.87 }] },
  ])
  const one = await business.owner.get(`/console/providers/${business.connectionId}`)
  expect(one.body.data.balances).toEqual(body.data[0].balances)
  expect(Date.parse(body.data[0].balancesAt)).toBeGreaterThan(Date.parse(body.data[0].checkedAt))
  expect(body.data[0].checks[0]).toMatchObject({ name: 'notice_url', isDone: true })
})

test('an invoice is paid in live mode if the notification comes before the lookup shows it', async () => {
  const business = await connectLive(server, double)
  const { accountNumber, status } = await invoiceToPay(business, 5_000)
  double.fault({ on: 'GET /transaction/verify/*', kind: 'unknown_status', times: 1 })
  double.provider.payer.transferTo(accountNumber, 500_000n)
  await double.notices.settled()
  await runJob('provider-notices')
  expect(await status()).toBe('Sent')
  clock.advance(61_000)
  await runJob('provider-notices')
  expect(await status()).toBe('Paid')
})

test('an invoice is paid in live mode by a lookup alone, if every notification is lost', async () => {
  const business = await connectLive(server, double)
  double.notices.mode = 'drop'
  const { accountNumber, status } = await invoiceToPay(business, 2_500)
  double.provider.payer.transferTo(accountNumber, 250_000n)
  await runJob('provider-notices')
  expect(await status()).toBe('Sent')
  clock.advance(40 * 60_000)
  await double.advance(40 * 60_000)
  await runJob('charge-orders')
  expect(await status()).toBe('Paid')
  double.notices.mode = 'send'
})

test('a payment by USSD is found by a lookup, with the code of the payer’s bank', async () => {
  const { businessId, live } = await connectLive(server, double)
  double.notices.mode = 'drop'
  const body = { channel: 'USSD', amount: 800, bankCode: '058' }
  const started = await live.post(
    '/api/transaction-service/external/v1/transaction-with-ussd',
    body,
  )
  expect(started.status).toBe(200)
  const row = () => db.one<{ status: string; ussd_codes: { ussdCode: string }[] }>`
    select status, ussd_codes::json as ussd_codes from transactions
    where business_id = ${businessId} and live`
  const [code, ...others] = (await row()).ussd_codes
  expect(others).toEqual([])
  double.provider.payer.dial(code!.ussdCode)
  clock.advance(61_000)
  await runJob('charge-orders')
  expect((await row()).status).toBe('Successful')
  double.notices.mode = 'send'
})

test('a transfer goes out in live mode, to the bank and the holder that the provider knows', async () => {
  const business = await connectLive(server, double)
  const { accountNumber } = await invoiceToPay(business, 5_000)
  double.provider.payer.transferTo(accountNumber, 500_000n)
  await double.notices.settled()
  await runJob('provider-notices')
  const before = await available(business)
  expect(before).toBeGreaterThan(4_000)

  const { live } = business
  const account = { bankCode: '057', accountNumber: '0123456789' }
  const resolved = await live.get(`${RESOLVE}?bankCode=057&accountNumber=0123456789`)
  expect(resolved.status).toBe(200)
  const accountName = resolved.body.data.accountName
  const request = { ...account, accountName, amount: 1_000, narration: 'Wages' }
  const sent = await live.post(TRANSFERS, request)
  expect(sent.status).toBeLessThan(300)
  const { reference } = sent.body.data
  await runJob('transfer-orders')
  const [order] = await db.many<{ sent_reference: string; connection_id: number }>`
    select sent_reference, connection_id from provider_orders
    where business_id = ${business.businessId} and kind = 'transfer'`
  expect(order!.connection_id).toBe(business.connectionId)
  expect(double.books.executed.get(order!.sent_reference)).toBe(1)
  double.provider.bank.settle(order!.sent_reference, 'success')
  await double.notices.settled()
  await runJob('provider-notices')
  const shown = await live.get(`${TRANSFERS}/${reference}`)
  expect(shown.body.data.status).toBe('Successful')
  const orders = `/console/transfers/${shown.body.data.id}/orders`
  expect((await business.owner.get(orders)).body.data).toMatchObject([
    {
      attempt: 1,
      connectionId: business.connectionId,
      title: 'Paystack',
      reference: order!.sent_reference,
      state: 'Successful',
      sentAt: expect.any(String),
    },
  ])
  const stranger = await liveOwner(server, (await server.newBusiness()).businessId)

  expect((await stranger.get(orders)).body.data).toEqual([])
  const viewer = await memberOf(server, 'viewer', business.businessId)
  viewer.choose(business.businessId, 'live')
  expect((await viewer.get(orders)).status).toBe(403)
  expect(await available(business)).toBeLessThan(before - 999)
})

test('a transfer that the provider holds up says what to do there, and cannot be withdrawn', async () => {
  const business = await connectLive(server, double)
  const { accountNumber } = await invoiceToPay(business, 5_000)
  double.provider.payer.transferTo(accountNumber, 500_000n)
  await double.notices.settled()
  await runJob('provider-notices')
  double.provider.owner.setOtp(true)
  const account = { bankCode: '057', accountNumber: '0123456789' }
  const sent = await business.live.post(TRANSFERS, { ...account, amount: 1_000 })
  expect(sent.status).toBeLessThan(300)
  await runJob('transfer-orders')
  double.provider.owner.setOtp(false)
  const { id, status } = (await business.live.get(`${TRANSFERS}/${sent.body.data.reference}`)).body
    .data
  expect(status).toBe('Blocked')
  const orders = await business.owner.get(`/console/transfers/${id}/orders`)
  expect(orders.body.data).toMatchObject([
    {
      state: 'Blocked',
      canWithdraw: false,
      message: expect.stringContaining('with the one-time password'),
    },
  ])
})

test('Flutterwave serves the same: a payment after a notification, and a transfer', async () => {
  const business = await connectLive(server, other)
  const { accountNumber, status } = await invoiceToPay(business, 5_000)
  other.provider.payer.transferTo(accountNumber, 500_000n)
  await other.notices.settled()
  expect(other.notices.sent.at(-1)?.statuses).toEqual([200])
  await runJob('provider-notices')
  expect(await status()).toBe('Paid')

  // Flutterwave pays out only what it has settled.
  other.provider.owner.settleToWallet()
  const account = { bankCode: '057', accountNumber: '0123456789' }
  const sent = await business.live.post(TRANSFERS, { ...account, amount: 1_000, narration: 'Pay' })
  expect(sent.status).toBeLessThan(300)
  await runJob('transfer-orders')
  const order = await db.one<{ sent_reference: string }>`
    select sent_reference from provider_orders
    where business_id = ${business.businessId} and kind = 'transfer'`
  other.provider.bank.settle(order.sent_reference, 'SUCCESSFUL')
  await other.notices.settled()
  await runJob('provider-notices')
  expect(other.books.executed.get(order.sent_reference)).toBe(1)
  const shown = await business.live.get(`${TRANSFERS}/${sent.body.data.reference}`)
  expect(shown.body.data.status).toBe('Successful')
})

test('no account at Flutterwave is shown whose payer would have to send another amount', async () => {
  const { live } = await connectLive(server, other)
  const { owner, payer } = other.provider
  const created = await live.post(INVOICES, { customerEmail: 'ada@example.com', amount: 5_000 })
  const { reference, hostedUrl } = created.body.data
  const url = `${server.url}${new URL(hostedUrl).pathname}`
  /** Returns the number of the account that the page shows. */
  async function choose(): Promise<string | undefined> {
    const body = new URLSearchParams({ channel: 'BANK_TRANSFER' })
    await fetch(`${url}/pay`, { method: 'POST', body, redirect: 'manual' })
    return /\b78\d{8}\b/.exec(await (await fetch(url)).text())?.[0]
  }
  owner.set({ feesPaidBy: 'payer' })
  expect(await choose()).toBeUndefined()
  owner.set({ feesPaidBy: 'business' })
  clock.advance(6 * 60_000)
  await other.advance(6 * 60_000)
  payer.transferTo((await choose())!, 500_000n)
  await other.notices.settled()
  await runJob('provider-notices')
  expect((await live.get(`${INVOICES}/${reference}`)).body.data.status).toBe('Paid')
})

test('a business without a connection has no live provider, and one with a connection has', async () => {
  const { keys } = await server.newBusiness()
  const path = `${RESOLVE}?bankCode=057&accountNumber=0123456789`
  expect(await server.as(keys.liveSecret).get(path)).toMatchObject({
    status: 503,
    body: { errorCode: 'live_provider_missing' },
  })
  const business = await connectLive(server, double)
  expect((await business.live.get(path)).status).toBe(200)
  const missing = async () => (await business.owner.get('/console/me')).body.data.liveMissing
  expect(await missing()).toEqual([])
  const stranger = await memberOf(server, 'owner', (await server.newBusiness()).businessId)
  expect((await stranger.get('/console/me')).body.data.liveMissing).toEqual(['payments', 'payouts'])
})

test('the holder of an account is asked of another provider if the first is down', async () => {
  const { owner, live } = await connectLive(server, double)
  const credentials = {
    secret_key: other.provider.secretKey(),
    secret_hash: other.provider.secretHash(),
  }
  const second = { provider: 'flutterwave', credentials, baseUrl: other.baseUrl }
  expect((await owner.post('/console/providers', second)).status).toBe(200)
  await runJob('bank-lists')
  await routesApply()
  const asked = () => other.calls.filter(({ operation }) => /resolve/.test(operation)).length
  const resolve = (accountNumber: string) =>
    live.get(`${RESOLVE}?bankCode=057&accountNumber=${accountNumber}`)
  expect((await resolve('0123456789')).status).toBe(200)
  const before = asked()
  // Nobody else is asked about an account that does not exist.
  expect((await resolve('9999456789')).status).toBe(404)
  expect(asked()).toBe(before)

  double.fault({ on: '*', kind: 'refuse' })
  expect((await resolve('0123456789')).body.data.accountName).toBe('ACCOUNT HOLDER 6789')
  expect(asked()).toBe(before + 1)
  const account = { account_number: '0123456789', bank: '057', percentage_charge: 0 }
  const path = '/api/transaction-service/external/v1/subaccounts'
  const made = await live.post(path, { ...account, business_name: 'Riders' })
  expect(made.body.data.verified).toBe(true)
})

test('a transfer that may be with another account is not sent again with a new key', async () => {
  const business = await connectLive(server, double)
  const { owner, live, businessId, connectionId } = business
  const { accountNumber, status } = await invoiceToPay(business, 5_000)
  double.provider.payer.transferTo(accountNumber, 500_000n)
  await double.notices.settled()
  await runJob('provider-notices')
  expect(await status()).toBe('Paid')
  double.fault({ on: 'POST /transfer', kind: 'reset_after_effect', times: 1 })
  const account = { bankCode: '057', accountNumber: '0123456789' }
  const { accountName } = (await live.get(`${RESOLVE}?bankCode=057&accountNumber=0123456789`)).body
    .data
  const sent = await live.post(TRANSFERS, { ...account, accountName, amount: 1_000 })
  expect(sent.status).toBeLessThan(300)
  await runJob('transfer-orders')
  clock.advance(60_000)

  const credentials = { secret_key: double.provider.owner.rotateKey() }
  const replaced = await owner.post(`/console/providers/${connectionId}/credentials`, {
    credentials,
  })
  expect(replaced.status).toBe(200)
  await routesApply()
  // What another account would say.
  double.fault({ on: 'GET /transfer/verify/*', kind: 'not_found_for' })
  const orders = () => db.many<{ attention: string | null; resent: boolean }>`
    select attention, coalesce(last_sent_at > sent_at, false) as resent from provider_orders
    where business_id = ${businessId} and kind = 'transfer'`
  for (let i = 0; i < 8; i++) {
    clock.advance(11 * 60_000)
    await runJob('transfer-orders')
    expect(await orders()).toMatchObject([{ resent: false }])
  }
  expect(await orders()).toMatchObject([{ attention: 'not_found' }])
})
