import { expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { balancesIn } from '../../money/wallet/wallet.fixture.ts'
import type { IncomingPayment } from '../../providers/connector/types.ts'
import { connect, setRoutes } from '../../providers/providers.fixture.ts'

/* Payments that a provider lists when it is asked for a charge. */

const INVOICES = '/api/payment-service/external/v1/invoices'
const VERIFY = '/api/transaction-service/external/v1/transactions/verify'
const EVENTS = '/api/user-service/external/v1/events'
const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'

/** What the provider lists for each charge, by the amount that was asked for. */
const listed = new Map<bigint, IncomingPayment[]>()
const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({
    simulator,
    paystack: {
      ...simulator,
      isSimulator: false,
      async lookUpCharge(_about, { amount_minor }) {
        const payments = listed.get(amount_minor!) ?? []
        const status = payments.length > 0 ? 'Successful' : 'Pending'
        return { kind: 'done', value: { status, message: 'Paid', payments } }
      },
    },
  }),
})
const { db } = server

let last = 0
const payment = (amount_minor: bigint, more: Partial<IncomingPayment> = {}): IncomingPayment => ({
  providerId: `${++last}`,
  ...{ amount_minor, currency: 'NGN', fee_minor: null, receivedAt: server.clock.now() },
  ...{ disposition: 'kept', sender: null },
  ...more,
})

/** A business whose money goes through its own account with a provider. */
async function openShop() {
  const { businessId, keys } = await server.newBusiness()
  const { get, post } = server.as(keys.testSecret)
  const connectionId = await connect(server, businessId)
  await setRoutes(server, businessId, [
    { service: 'BANK_TRANSFER', connectionId },
    { service: 'USSD', connectionId },
  ])
  /** Opens an account for an invoice. Returns the reference of the payment. */
  async function account(amount: number) {
    const invoice = { customerEmail: 'ada@example.com', amount }
    const { body } = await post(INVOICES, invoice)
    const token = new URL(body.data.hostedUrl).pathname.split('/')[2]!
    const form = new URLSearchParams({ channel: 'BANK_TRANSFER' })
    await fetch(`${server.url}/i/${token}/pay`, { method: 'POST', body: form, redirect: 'manual' })
    const { reference } = await db.one<{ reference: string }>`
      select reference from transactions
      where business_id = ${businessId} order by id desc limit 1`
    const { account_number: number } = await db.one<{ account_number: string }>`
      select account_number from virtual_accounts
      where business_id = ${businessId} order by id desc limit 1`
    return { reference, number }
  }
  const verify = async (reference: string) => (await get(`${VERIFY}/${reference}`)).body.data
  const deposits = () => db.many`
    select status, reason, return_status, amount_minor, provider_fee_minor from deposits
    where business_id = ${businessId} order by id`
  const events = async (type: string) =>
    (await get(`${EVENTS}?type=${type}`)).body.data.map((one: { data: object }) => one.data)
  const balances = () => balancesIn(db, { businessId })
  const at = (kind: string) => `${kind} ${connectionId}`
  return { post, account, verify, deposits, events, balances, at }
}

test('200 a payment into an account is accepted once', async () => {
  const { account, verify, deposits, balances, at } = await openShop()
  const { reference } = await account(1_000)
  expect(await verify(reference)).toMatchObject({ status: 'Pending' })
  listed.set(1_000_00n, [payment(1_000_00n, { fee_minor: 5_00n })])
  for (let i = 0; i < 3; i++) {
    expect(await verify(reference)).toMatchObject({ status: 'Successful' })
  }
  expect(await deposits()).toMatchObject([{ status: 'Accepted', return_status: null }])
  expect(await balances()).toEqual({
    [at('provider_clearing')]: 995_00,
    wallet_available: 980_00,
    fees: 15_00,
  })
  expect(await findings(server)).toEqual([])
})

test('200 a payment that is not accepted is booked if the provider keeps it', async () => {
  const { account, verify, deposits, events, balances, at } = await openShop()
  const { reference } = await account(3_000)
  const sender = { name: 'ADA OBI', bankName: 'Zenith Bank', accountLast4: '6789' }
  listed.set(3_000_00n, [
    payment(2_500_00n, { fee_minor: 35_00n, sender }),
    payment(2_000_00n, { disposition: 'returning' }),
  ])
  for (let i = 0; i < 2; i++) {
    expect(await verify(reference)).toMatchObject({ status: 'Pending' })
  }
  expect(await deposits()).toEqual([
    {
      ...{ status: 'Rejected', reason: 'amount_too_low', return_status: 'Held' },
      ...{ amount_minor: 2_500_00n, provider_fee_minor: 35_00n },
    },
    {
      ...{ status: 'Rejected', reason: 'amount_too_low', return_status: 'ReturnedByProvider' },
      ...{ amount_minor: 2_000_00n, provider_fee_minor: null },
    },
  ])
  expect(await balances()).toEqual({
    [at('provider_clearing')]: 2_465_00,
    [at('provider_fees')]: 35_00,
    unallocated: 2_500_00,
  })
  expect(await events('bank.transfer.rejected')).toMatchObject([
    { returnStatus: 'ReturnedByProvider', sender: null },
    { returnStatus: 'Held', sender: { accountName: 'ADA OBI', accountNumber: '******6789' } },
  ])
  expect(await findings(server)).toEqual([])
})

test('200 a second payment and one in another currency do not settle anything', async () => {
  const { post, verify, deposits, balances, at } = await openShop()
  const { body } = await post(USSD, { channel: 'USSD', amount: 700 })
  const { reference } = body.data
  listed.set(700_00n, [payment(700_00n, { currency: 'USD' }), payment(700_00n), payment(700_00n)])
  for (let i = 0; i < 2; i++) {
    expect(await verify(reference)).toMatchObject({ status: 'Successful', amount: 700 })
  }
  expect(await deposits()).toMatchObject([
    { status: 'Rejected', reason: 'wrong_currency', return_status: 'Held' },
    { status: 'Accepted' },
    { status: 'Rejected', reason: 'already_paid', return_status: 'Held' },
  ])
  expect(await balances()).toMatchObject({ wallet_available: 689_50, fees: 10_50 })
  expect((await balances())[at('provider_clearing')]).toBeDefined()
  expect(await findings(server)).toEqual([])
})

test('409 the simulator does not decide what a real provider has', async () => {
  const { post, account, deposits, balances } = await openShop()
  const { number: accountNumber } = await account(1_100)
  const { body } = await post(USSD, { channel: 'USSD', amount: 800 })
  const { reference } = body.data
  const refused = { status: 409, body: { errorCode: 'not_simulated' } }
  expect(await post('/api/simulator/deposit', { accountNumber, amount: 1_100 })).toMatchObject(
    refused,
  )
  expect(await post('/api/simulator/ussd', { reference, outcome: 'success' })).toMatchObject(
    refused,
  )
  expect([await deposits(), await balances()]).toEqual([[], {}])
})
