import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { bookProviderFee } from '../../ledger/ledger.ts'
import { connect, reporting, type Said, setRoutes } from '../../providers/providers.fixture.ts'
import { balancesIn } from './wallet.fixture.ts'

const MONEY = '/api/transaction-service/external/v1'
const USER = '/api/user-service/external/v1'
const BILLS = '/api/payment-service/external/v1/utility/transactions'
const CHARGE_FEE = { lookUpCharge: { fee_minor: 268_75n } }
const PAYOUT_FEE = { payOut: { fee_minor: 10_75n }, lookUpPayout: { fee_minor: 10_75n } }

/** What the provider reports besides states. */
const said: Said = {}
const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({ simulator, paystack: reporting(simulator, said) }),
})
const { db, ids, clock, runJob } = server

beforeEach(() => {
  for (const operation of Object.keys(said)) delete said[operation]
})
afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const range = (length: number) => Array.from({ length }, (_, i) => i)

/** A business whose money goes through its own account with a provider. */
async function openShop(feesPaidBy: 'business' | 'operator' = 'business') {
  const { businessId, keys } = await server.newBusiness()
  const tenant = { businessId, live: false }
  const { get, post } = server.as(keys.testSecret)
  const connectionId = await connect(server, businessId, { settings: { feesPaidBy } })
  const services = ['BANK_TRANSFER', 'USSD', 'PAYOUTS', 'UTILITY'] as const
  await setRoutes(
    server,
    businessId,
    services.map((service) => ({ service, connectionId })),
  )
  const at = (kind: string) => `${kind} ${connectionId}`
  const balances = () => balancesIn(db, tenant)
  const done = async (path: string, body: object) => {
    const response = await post(path, body)
    expect([response.status, response.body.errors]).toEqual([expect.any(Number), undefined])
    expect(response.status).toBeLessThan(300)
    return response.body.data
  }
  async function pay(amount: number, more: object = {}) {
    const charge = { channel: 'USSD', amount, ...more }
    const { reference, transactionId } = await done(`${MONEY}/transaction-with-ussd`, charge)
    await done('/api/simulator/ussd', { reference, outcome: 'success' })
    return { reference: reference as string, id: transactionId as number }
  }
  async function refund(transactionId: number, amount: number) {
    const { reference } = await done(`${MONEY}/refunds`, { transactionId, amount })
    await done('/api/simulator/refund', { reference, outcome: 'success' })
  }
  async function send(amount: number) {
    const account = { bankCode: '058', accountNumber: '0123456785' }
    const { reference } = await done(`${MONEY}/transfers`, { amount, ...account })
    await done('/api/simulator/transfer', { reference, outcome: 'success' })
    return reference as string
  }
  const events = async (type: string) => {
    const { data } = (await get(`${USER}/events?type=${type}&sort=ASC&limit=100`)).body
    // biome-ignore lint/suspicious/noExplicitAny: as in the harness
    return (data as { data: any }[]).map((one) => one.data)
  }
  const transfersOf = async (type: string, id: number) =>
    (
      await db.many<{ kind: string }>`
        select t.kind from ledger_transfers t
        join ledger_journals j on j.business_id = t.business_id and j.id = t.journal_id
        where j.business_id = ${businessId} and j.cause_type = ${type} and j.cause_id = ${id}
        order by t.id`
    ).map(({ kind }) => kind)
  return {
    businessId,
    tenant,
    connectionId,
    get,
    post,
    done,
    at,
    balances,
    pay,
    refund,
    send,
    events,
    transfersOf,
  }
}

describe('the figures of one connection', () => {
  test('200 a payment, a refund, a transfer and its return', async () => {
    Object.assign(said, CHARGE_FEE, PAYOUT_FEE)
    const { at, balances, pay, refund, send, done, events } = await openShop()

    const payment = await pay(10_000)
    const paid = { [at('provider_clearing')]: 973_125, wallet_available: 948_125, fees: 25_000 }
    expect(await balances()).toEqual(paid)
    expect(await events('wallet.funded')).toMatchObject([
      { amountMinor: 948_125, availableAfterMinor: 100_948_125 },
    ])

    await refund(payment.id, 5_000)
    expect(await balances()).toEqual({
      [at('provider_clearing')]: 473_125,
      wallet_available: 448_125,
      fees: 25_000,
    })

    const transfer = await send(2_000)
    const left = { [at('provider_clearing')]: 272_050, fees: 26_000 }
    expect(await balances()).toEqual({
      ...left,
      wallet_available: 247_125,
      [at('provider_fees')]: 1_075,
    })
    await runJob('recoveries')
    expect(await balances()).toEqual({ ...left, wallet_available: 246_050 })

    await done('/api/simulator/transfer', { reference: transfer, outcome: 'returned' })
    expect(await balances()).toEqual({
      [at('provider_clearing')]: 472_050,
      wallet_available: 447_050,
      fees: 25_000,
    })
  })

  test('200 a fee that is known only later', async () => {
    const { at, balances, pay, tenant, connectionId, transfersOf } = await openShop()
    const { id } = await pay(10_000)
    expect(await transfersOf('transaction', id)).toEqual(['charge', 'fee'])
    const through = { connectionId, fee_minor: 268_75n, feesPaidBy: 'business' } as const
    const fee = { cause: { type: 'transaction', id }, through, currency: 'NGN', now: clock.now() }
    const book = () => db.transaction((tx) => bookProviderFee(tx, ids, tenant, fee))
    expect([await book(), await book()]).toEqual([true, false])
    await runJob('recoveries')
    expect(await balances()).toEqual({
      [at('provider_clearing')]: 973_125,
      wallet_available: 948_125,
      fees: 25_000,
    })
  })

  test('200 a bill with a commission and a fee', async () => {
    said.vend = said.lookUpVend = { commission_minor: 30_00n, fee_minor: 5_00n }
    const { at, balances, post } = await openShop()
    const airtime = { customerId: '08031234567', packageSlug: 'mtn-airtime-top-up' }
    expect((await post(`${BILLS}/customer-enquiry`, airtime)).status).toBe(200)
    const { body } = await post(`${BILLS}/process-payment`, { ...airtime, amount: 1_000 })
    expect(body.responseCode).toBe('00')
    expect(await balances()).toEqual({
      [at('provider_clearing')]: -97_500,
      [at('provider_fees')]: 500,
      wallet_available: -97_000,
    })
  })
})

describe('a provider’s fee', () => {
  test('200 adds no entries while it is not known', async () => {
    const { pay, send, at, balances, transfersOf } = await openShop()
    const { id } = await pay(1_000)
    await send(100)
    expect(await transfersOf('transaction', id)).toEqual(['charge', 'fee'])
    expect(Object.keys(await balances())).not.toContain(at('provider_fees'))
  })

  test('200 never takes more than the payment brought, so that shared payments settle', async () => {
    Object.assign(said, CHARGE_FEE)
    const { at, balances, pay, done, events } = await openShop()
    const stall = { business_name: 'Stall', bank: 58, account_number: '0123456701' }
    const { subaccount_code: subaccount } = await done(`${MONEY}/subaccounts`, {
      ...stall,
      percentage_charge: 0,
    })
    const page = { name: 'Market', subaccounts: [{ subaccount, share: 97 }] }
    const { id: pageId } = await done(`${MONEY}/split-page`, page)
    await pay(10_000, { pageId })
    const { [at('provider_clearing')]: held, ...rest } = await balances()
    expect(held).toBe(973_125)
    const { [at('provider_fees')]: owed, wallet_available, ...others } = rest
    // Of the 300 that the page leaves the business, our fee takes 250.
    expect([owed, wallet_available]).toEqual([26_875 - 5_000, undefined])
    expect(others).toMatchObject({ fees: 25_000 })
    expect(await events('wallet.funded')).toEqual([])
  })

  test('200 stays with the operator, if the operator pays it', async () => {
    Object.assign(said, CHARGE_FEE)
    const { at, balances, pay } = await openShop('operator')
    await pay(10_000)
    await runJob('recoveries')
    expect(await balances()).toEqual({
      [at('provider_clearing')]: 973_125,
      [at('provider_fees')]: 26_875,
      wallet_available: 975_000,
      fees: 25_000,
    })
  })

  test('200 shows in the wallet’s ledger and as an event when it is taken later', async () => {
    Object.assign(said, PAYOUT_FEE)
    const { get, send, events } = await openShop()
    await send(2_000)
    await runJob('recoveries')
    const [entry] = (await get(`${USER}/wallet/ledger?limit=1`)).body.data
    expect(entry).toMatchObject({ type: 'debit', kind: 'provider_fee', amountMinor: 1_075 })
    expect(entry.cause).toMatchObject({ type: 'recovery', reference: null })
    const debited = (await events('wallet.debited')).at(-1)
    const source = { type: 'recovery', reference: entry.reference }
    expect(debited).toMatchObject({ amountMinor: 1_075, availableAfterMinor: 99_797_925, source })
  })

  test('200 is taken once by many processes, while the wallet is in use', async () => {
    Object.assign(said, PAYOUT_FEE)
    const { at, balances, send, done } = await openShop()
    for (let i = 0; i < 3; i++) await send(2_000)
    const fund = () => done('/api/simulator/wallet', { amount: 1 })
    await Promise.all(range(24).map((i) => (i % 2 ? fund() : runJob('recoveries'))))
    expect(await balances()).toEqual({
      [at('provider_clearing')]: -603_225,
      'provider_clearing 1': 1_200,
      wallet_available: -603_000 - 3_225 + 1_200,
      fees: 3_000,
    })
    expect(await findings(server)).toEqual([])
  })

  test('200 of a settlement is taken from the business’s wallet', async () => {
    Object.assign(said, PAYOUT_FEE)
    const { at, balances, pay, done } = await openShop()
    const stall = { business_name: 'Stall', bank: 58, account_number: '0123456702' }
    const made = await done(`${MONEY}/subaccounts`, { ...stall, percentage_charge: 0 })
    const shares = [{ subaccount: made.subaccount_code, share: 50 }]
    const page = await done(`${MONEY}/split-page`, { name: 'Market', subaccounts: shares })
    await pay(1_000, { pageId: page.id })
    if (!made.verified) await done(`${MONEY}/subaccounts/${made.reference}/confirm-account`, {})
    await done('/api/simulator/settlement', {})
    await runJob('settlement-orders')
    clock.advance(1_000)
    await runJob('simulator')
    await runJob('recoveries')
    expect(await balances()).toEqual({
      [at('provider_clearing')]: 48_925,
      wallet_available: 47_425,
      fees: 1_500,
    })
  })
})
