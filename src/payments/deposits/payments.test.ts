import { describe, expect, test } from 'vitest'
import { times, untilDone } from '../../../test/concurrency.ts'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { changeFees } from '../../business/account/service.ts'
import { memberOf } from '../../business/people/people.fixture.ts'
import { addMs } from '../../lib/clock.ts'
import { balancesIn } from '../../money/wallet/wallet.fixture.ts'
import type {
  ChargeState,
  IncomingPayment,
  Payer,
  RefundOrder,
  RefundState,
} from '../../providers/connector/types.ts'
import { connect, setRoutes } from '../../providers/providers.fixture.ts'

/* Payments that a provider lists when it is asked for a charge. */

const INVOICES = '/api/payment-service/external/v1/invoices'
const VERIFY = '/api/transaction-service/external/v1/transactions/verify'
const EVENTS = '/api/user-service/external/v1/events'
const DEPOSITS = '/api/transaction-service/external/v1/deposits'
const REFUNDS = '/api/transaction-service/external/v1/refunds'
const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'
const SETTINGS = '/api/user-service/external/v1/profile/settings'

const MINUTE_MS = 60_000

/** The payers of the accounts that the provider has opened. */
const opened: Payer[] = []
/** What the provider lists for each charge, by the amount that was asked for. */
const listed = new Map<bigint, IncomingPayment[]>()
/** What it says instead, for some. */
const stated = new Map<bigint, Partial<ChargeState>>()
/** What people do while it is asked for a charge, once. */
const meanwhile: { next?: () => Promise<unknown> } = {}
const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({
    simulator,
    paystack: {
      ...simulator,
      isSimulator: false,
      async lookUpCharge(_about, { amount_minor }) {
        const others = meanwhile.next
        delete meanwhile.next
        await others?.()
        const payments = listed.get(amount_minor!) ?? []
        const status = payments.length > 0 ? 'Successful' : 'Pending'
        const value = { status, message: 'Paid', payments, ...stated.get(amount_minor!) } as const
        return { kind: 'done', value }
      },
      async refund(_about, order) {
        refunded.push(order)
        return { kind: 'done', value: { status: 'Pending', message: 'Taken', ...refunds.next } }
      },
      lookUpRefund: async () => ({
        kind: 'done',
        value: { status: 'Pending', message: 'Taken', ...refunds.next },
      }),
      async openVirtualAccount(about, order) {
        opened.push(order.payer)
        const outcome = await simulator.openVirtualAccount(about, order)
        const { now } = about
        const expiresAt = order.amount_minor === 1_400_00n ? addMs(now, 10 * MINUTE_MS) : null
        return outcome.kind === 'done'
          ? { ...outcome, value: { ...outcome.value, bankCode: null, expiresAt } }
          : outcome
      },
    },
  }),
})
const { db } = server

/** What it was asked to send back, and what it says about that. */
const refunded: RefundOrder[] = []
const refunds: { next: Partial<RefundState> } = { next: {} }

let last = 0
const payment = (amount_minor: bigint, more: Partial<IncomingPayment> = {}): IncomingPayment => ({
  providerId: `${++last}`,
  amount_minor,
  currency: 'NGN',
  fee_minor: null,
  receivedAt: server.clock.now(),
  disposition: 'kept',
  sender: null,
  ...more,
})

/** A business whose money goes through its own account with a provider. */
async function openShop() {
  const { businessId, keys } = await server.newBusiness()
  const { get, post, put } = server.as(keys.testSecret)
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
    return { reference, number, invoiceReference: body.data.reference }
  }
  /** Changes the percentage that the operator charges for transfers. */
  async function charge(percentBasisPoints: number) {
    const rule = { percentBasisPoints, flat_minor: 0n }
    const change = { channel: 'BANK_TRANSFER', rule } as const
    await db.transaction((tx) => changeFees(tx, businessId, change, server.clock.now()))
  }
  const invoice = async (reference: string) => (await get(`${INVOICES}/${reference}`)).body.data
  const verify = async (reference: string) => (await get(`${VERIFY}/${reference}`)).body.data
  const deposits = () => db.many`
    select status, reason, return_status, amount_minor, provider_fee_minor from deposits
    where business_id = ${businessId} order by id`
  const events = async (type: string) =>
    (await get(`${EVENTS}?type=${type}`)).body.data.map((one: { data: object }) => one.data)
  const balances = () => balancesIn(db, { businessId })
  const at = (kind: string) => `${kind} ${connectionId}`
  const order = (reference: string) => db.one<{
    state: string | null
    next_at: Date | null
    ended_at: Date | null
    attention: string | null
  }>`
    select state, next_at, ended_at, attention from provider_orders
    where business_id = ${businessId} and reference = ${reference}`
  /** Tells the server that something happened to a payment. */
  async function notice(reference: string) {
    await db.run`
      update simulator_orders set notify = true where reference = (
        select sent_reference from provider_orders where reference = ${reference})`
    await server.runJob('simulator')
  }
  const found = { deposits, events, balances, at, order, notice }
  return { businessId, connectionId, post, put, charge, account, invoice, verify, ...found }
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
      status: 'Rejected',
      reason: 'amount_too_low',
      return_status: 'Held',
      amount_minor: 2_500_00n,
      provider_fee_minor: 35_00n,
    },
    {
      status: 'Rejected',
      reason: 'amount_too_low',
      return_status: 'ReturnedByProvider',
      amount_minor: 2_000_00n,
      provider_fee_minor: null,
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

test('200 a payment keeps its fee if the operator raises the rate and a part is due', async () => {
  const { post, put, charge, account, invoice, verify, balances, at } = await openShop()
  expect((await put(SETTINGS, { feeBearer: 'customer' })).status).toBe(200)
  const { reference, invoiceReference } = await account(1_050)
  const paid = await post(`${INVOICES}/${invoiceReference}/mark-paid`, { amount: 10 })
  expect(paid.status).toBe(200)
  await charge(500)
  const payable_minor = 1_065_75n
  listed.set(payable_minor, [payment(payable_minor)])
  expect(await verify(reference)).toMatchObject({
    status: 'Successful',
    fees: 15.75,
    netAmount: 1_040,
    overpaidAmount: 10,
  })
  expect(await invoice(invoiceReference)).toMatchObject({ status: 'Paid', amountPaid: 1_050 })
  expect(await balances()).toEqual({
    [at('provider_clearing')]: 1_065_75,
    wallet_available: 1_040_00,
    fees: 15_75,
    refunds: 10_00,
  })
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

const runJobs = async () => {
  await server.runJob('transaction-expiry')
  await server.runJob('charge-orders')
}

test('200 a payment that arrived in time is found after the account has expired', async () => {
  const { account, verify, deposits, balances } = await openShop()
  const inTime = await account(1_200)
  const late = await account(1_300)
  listed.set(1_200_00n, [payment(1_200_00n)])
  server.clock.advance(31 * MINUTE_MS)
  listed.set(1_300_00n, [payment(1_300_00n)])
  await runJobs()
  expect(await deposits()).toHaveLength(2)
  expect(await verify(inTime.reference)).toMatchObject({ status: 'Successful', late: true })
  expect(await verify(late.reference)).toMatchObject({ status: 'Abandoned' })
  expect(await balances()).toMatchObject({ wallet_available: 1_182_00, unallocated: 1_300_00 })
  expect(await findings(server)).toEqual([])
})

test('200 a payment is late if the invoice was voided before it arrived', async () => {
  const { post, account, invoice, verify, deposits } = await openShop()
  const before = await account(1_210)
  const after = await account(1_220)
  listed.set(1_210_00n, [payment(1_210_00n)])
  server.clock.advance(MINUTE_MS)
  for (const { invoiceReference } of [before, after]) {
    expect((await post(`${INVOICES}/${invoiceReference}/void`)).status).toBe(200)
  }
  server.clock.advance(MINUTE_MS)
  listed.set(1_220_00n, [payment(1_220_00n)])
  server.clock.advance(31 * MINUTE_MS)
  await runJobs()
  const found = (await deposits()) as { amount_minor: bigint }[]
  expect(found.toSorted((a, b) => Number(a.amount_minor - b.amount_minor))).toMatchObject([
    { status: 'Accepted', amount_minor: 1_210_00n },
    { reason: 'account_expired', return_status: 'Held', amount_minor: 1_220_00n },
  ])
  expect(await verify(before.reference)).toMatchObject({ overpaidAmount: 1_210 })
  expect(await invoice(before.invoiceReference)).toMatchObject({ status: 'Void' })
  expect(await findings(server)).toEqual([])
})

test('200 an account expires when the provider says, and is looked up until three days later', async () => {
  const { businessId, account, verify, order } = await openShop()
  const { reference } = await account(1_400)
  expect(opened.at(-1)).toEqual({ email: 'ada@example.com', name: null, phone: null })
  const { expires_at, bank_code } = await db.one<{ expires_at: Date; bank_code: string | null }>`
    select expires_at, bank_code from virtual_accounts
    where business_id = ${businessId} and bank_code is null`
  expect(bank_code).toBeNull()
  expect((await verify(reference)).expiresAt).toBe(expires_at.toISOString())
  server.clock.advance(11 * MINUTE_MS)
  await runJobs()
  expect(await verify(reference)).toMatchObject({ status: 'Abandoned' })
  const begun = await order(reference)
  for (const minutes of [30, 10, 60, 24 * 60]) {
    server.clock.advance(minutes * MINUTE_MS)
    await runJobs()
    const { next_at, ended_at } = await order(reference)
    expect([next_at! > server.clock.now(), ended_at]).toEqual([true, null])
  }
  expect((await order(reference)).next_at).toEqual(addMs(begun.next_at!, 72 * 60 * MINUTE_MS))
  server.clock.advance(48 * 60 * MINUTE_MS)
  await runJobs()
  expect(await order(reference)).toMatchObject({ next_at: null, ended_at: expect.any(Date) })
  expect(await findings(server)).toEqual([])
})

test('200 a payment of another amount does not stop the lookups of others', async () => {
  const { post, verify, order } = await openShop()
  const begin = async (amount: number) =>
    (await post(USSD, { channel: 'USSD', amount })).body.data.reference
  const [odd, right] = [await begin(901), await begin(902)]
  stated.set(901_00n, { status: 'Successful', amount_minor: 900_00n, currency: 'NGN' })
  stated.set(902_00n, { status: 'Successful', amount_minor: 902_00n, currency: 'NGN' })
  for (let i = 0; i < 2; i++) {
    server.clock.advance(2 * MINUTE_MS)
    await server.runJob('charge-orders')
  }
  expect(await verify(right)).toMatchObject({ status: 'Successful' })
  expect(await verify(odd)).toMatchObject({ status: 'Pending' })
  expect(await order(odd)).toMatchObject({ attention: 'different', ended_at: null })
  const differences = await db.many`
    select field, ours_minor, theirs_minor from provider_differences`
  expect(differences).toEqual([{ field: 'amount', ours_minor: 901_00n, theirs_minor: 900_00n }])
  expect(await findings(server)).toEqual([])
})

describe('a payment that the provider holds', () => {
  /** Receives a payment that is too small for an account. */
  async function openHeld(amount: number) {
    const shop = await openShop()
    const { reference: transaction, invoiceReference } = await shop.account(amount)
    const amount_minor = BigInt(amount) * 100n
    const paid = payment(amount_minor - 500_00n, { fee_minor: 10_00n })
    listed.set(amount_minor, [paid])
    await shop.verify(transaction)
    const [{ reference }] = (await shop.events('deposit.held')) as [{ reference: string }]
    const decide = (what: 'return' | 'accept') => shop.post(`${DEPOSITS}/${reference}/${what}`)
    const run = async () => {
      server.clock.advance(2 * MINUTE_MS)
      await server.runJob('deposit_return-orders')
    }
    return { ...shop, reference, transaction, invoiceReference, paid, decide, run }
  }
  const held = { status: 409, body: { errorCode: 'deposit_state' } }

  test('200 is returned once', async () => {
    const { decide, run, paid, transaction, deposits, events, balances, at } = await openHeld(2_100)
    const asked = await times(5, () => untilDone(() => decide('return')))
    expect(asked.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    const returning = asked.find(({ status }) => status === 200)!
    expect(returning.body.data).toMatchObject({
      status: 'Rejected',
      reason: 'amount_too_low',
      returnStatus: 'Returning',
      transactionReference: transaction,
      amount: 1_600,
      providerFee: 10,
    })
    expect(await decide('accept')).toMatchObject(held)
    refunds.next = {}
    await run()
    expect(refunded.at(-1)).toMatchObject({ paymentId: paid.providerId, amount_minor: 1_600_00n })
    expect(refunded.at(-1)!.reference).not.toBe(refunded.at(-1)!.charge.reference)
    refunds.next = { status: 'Successful', fee_minor: 5_00n }
    await run()
    await run()
    expect(await deposits()).toMatchObject([{ return_status: 'Returned' }])
    expect(await events('deposit.returned')).toHaveLength(1)
    expect(await balances()).toEqual({
      [at('provider_clearing')]: -15_00,
      [at('provider_fees')]: 15_00,
    })
    expect(await decide('return')).toMatchObject(held)
    expect(await findings(server)).toEqual([])
  })

  test('200 is held again if the provider cannot return it, and can be returned later', async () => {
    const { decide, run, deposits, events, balances } = await openHeld(2_200)
    for (const { status, is, count } of [
      { status: 'Failed', is: 'Held', count: 2 },
      { status: 'Successful', is: 'Returned', count: 2 },
    ] as const) {
      expect((await decide('return')).status).toBe(200)
      refunds.next = { status }
      await run()
      expect(await deposits()).toMatchObject([{ return_status: is }])
      expect(await events('deposit.held')).toHaveLength(count)
    }
    const references = refunded.slice(-2).map(({ reference }) => reference)
    expect(references[1]).toBe(`${references[0]}-2`)
    expect(await balances()).not.toHaveProperty('unallocated')
    expect(await findings(server)).toEqual([])
  })

  test('200 is accepted for its transaction, although the amount is wrong', async () => {
    const shop = await openHeld(2_300)
    const { decide, transaction, verify, deposits, events, balances, at } = shop
    const asked = await times(5, () => untilDone(() => decide('accept')))
    expect(asked.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    expect(await verify(transaction)).toMatchObject({ status: 'Successful', paidAmount: 1_800 })
    expect(await shop.invoice(shop.invoiceReference)).toMatchObject({ status: 'PartiallyPaid' })
    expect(await deposits()).toMatchObject([{ status: 'Accepted', return_status: null }])
    expect(await events('deposit.accepted')).toMatchObject([{ status: 'Accepted' }])
    expect(await balances()).toEqual({
      [at('provider_clearing')]: 1_790_00,
      [at('provider_fees')]: 10_00,
      wallet_available: 1_773_00,
      fees: 27_00,
    })
    expect(await findings(server)).toEqual([])
  })

  test('200 is accepted after the operator has lowered a fee that it did not cover', async () => {
    const shop = await openShop()
    const { charge, account, invoice, verify, balances, at } = shop
    expect((await shop.put(SETTINGS, { feeBearer: 'customer' })).status).toBe(200)
    const { reference, invoiceReference } = await account(1_000)
    listed.set(1_015_00n, [payment(1_012_00n)])
    expect(await verify(reference)).toMatchObject({ status: 'Pending' })
    await charge(100)
    const [{ reference: deposit }] = (await shop.events('deposit.held')) as [{ reference: string }]
    expect((await shop.post(`${DEPOSITS}/${deposit}/accept`)).status).toBe(200)
    const paid = { status: 'Successful', fees: 12, netAmount: 1_000, overpaidAmount: 0 }
    expect(await verify(reference)).toMatchObject(paid)
    expect(await invoice(invoiceReference)).toMatchObject({ status: 'Paid', amountPaid: 1_000 })
    expect(await balances()).toEqual({
      [at('provider_clearing')]: 1_012_00,
      wallet_available: 1_000_00,
      fees: 12_00,
    })
    expect(await findings(server)).toEqual([])
  })

  test('200 the refund of an accepted payment names that payment', async () => {
    const { decide, transaction, paid, post } = await openHeld(2_400)
    expect((await decide('accept')).status).toBe(200)
    const refund = await post(REFUNDS, { transactionReference: transaction, amount: 100 })
    expect(refund.status).toBe(201)
    await server.runJob('refund-orders')
    expect(refunded.at(-1)).toMatchObject({ paymentId: paid.providerId, amount_minor: 100_00n })
  })

  test('409 a second payment cannot be accepted', async () => {
    const { post, account, verify, notice, events, deposits } = await openShop()
    const { reference } = await account(2_500)
    listed.set(2_500_00n, [payment(2_500_00n), payment(2_500_00n)])
    await verify(reference)
    await notice(reference)
    const [{ reference: deposit }] = (await events('deposit.held')) as [{ reference: string }]
    expect(await post(`${DEPOSITS}/${deposit}/accept`)).toMatchObject({
      status: 409,
      body: { errorCode: 'deposit_not_acceptable' },
    })
    expect(await deposits()).toMatchObject([
      { status: 'Accepted' },
      { reason: 'already_paid', return_status: 'Held' },
    ])
    expect(await post(`${DEPOSITS}/DEP_unknown/return`)).toMatchObject({ status: 404 })
    expect(await findings(server)).toEqual([])
  })

  test('409 a payment in another currency cannot be accepted, only returned', async () => {
    const { post, account, verify, events, deposits, balances } = await openShop()
    const { reference } = await account(2_550)
    listed.set(2_550_00n, [payment(2_550_00n, { currency: 'USD' })])
    await verify(reference)
    const [{ reference: deposit }] = (await events('deposit.held')) as [{ reference: string }]
    const before = await balances()
    expect(await post(`${DEPOSITS}/${deposit}/accept`)).toMatchObject({
      status: 409,
      body: { errorCode: 'deposit_not_acceptable' },
    })
    expect(await balances()).toEqual(before)
    expect(await verify(reference)).toMatchObject({ status: 'Pending' })
    expect(await deposits()).toMatchObject([{ reason: 'wrong_currency', return_status: 'Held' }])
    expect((await post(`${DEPOSITS}/${deposit}/return`)).status).toBe(200)
    expect(await findings(server)).toEqual([])
  })

  test('409 a payment of which the fee would leave nothing cannot be accepted', async () => {
    const shop = await openShop()
    const { businessId, put, account, verify, deposits, balances } = shop
    expect((await put(SETTINGS, { feeBearer: 'customer' })).status).toBe(200)
    const rule = { percentBasisPoints: 0, flat_minor: 25_00n, flatWaivedBelow_minor: 0n }
    const change = { channel: 'BANK_TRANSFER', rule } as const
    await db.transaction((tx) => changeFees(tx, businessId, change, server.clock.now()))
    const { reference } = await account(2_575)
    listed.set(2_600_00n, [payment(1n)])
    expect(await verify(reference)).toMatchObject({ status: 'Pending' })
    const [{ reference: deposit }] = (await shop.events('deposit.held')) as [{ reference: string }]
    const before = await balances()
    expect(await shop.post(`${DEPOSITS}/${deposit}/accept`)).toMatchObject({
      status: 409,
      body: { errorCode: 'deposit_not_acceptable' },
    })
    expect(await balances()).toEqual(before)
    expect(await deposits()).toMatchObject([{ reason: 'amount_too_low', return_status: 'Held' }])
    expect(await findings(server)).toEqual([])
  })

  test('200 is returned if the provider sends it back by itself', async () => {
    const { transaction, verify, events, balances, invoiceReference, invoice } =
      await openHeld(2_600)
    stated.set(2_600_00n, { status: 'Reversed' })
    for (let i = 0; i < 2; i++) {
      expect(await verify(transaction)).toMatchObject({
        status: 'Failed',
        gatewayResponse: 'Paid and returned by the provider',
      })
    }
    expect(await events('deposit.returned')).toHaveLength(1)
    expect(await balances()).not.toHaveProperty('unallocated')
    expect(await invoice(invoiceReference)).toMatchObject({ amountPaid: 0 })
    expect(await findings(server)).toEqual([])
  })

  test('200 is accepted while the provider says that it sent it back: needs a person', async () => {
    const { businessId, transaction, verify, decide, order, deposits } = await openHeld(2_610)
    stated.set(2_610_00n, { status: 'Reversed' })
    meanwhile.next = async () => expect((await decide('accept')).status).toBe(200)
    expect(await verify(transaction)).toMatchObject({ status: 'Successful', paidAmount: 2_110 })
    expect(await deposits()).toMatchObject([{ status: 'Accepted', return_status: null }])
    expect(await order(transaction)).toMatchObject({
      state: 'Successful',
      attention: 'contradiction',
    })
    const differences = await db.many`
      select field from provider_differences where business_id = ${businessId}`
    expect(differences).toEqual([{ field: 'status' }])
    expect(await findings(server)).toEqual([])
  })

  test('409 its connection cannot be removed until it has been returned', async () => {
    const { businessId, connectionId, post, account, verify, events } = await openShop()
    const { reference } = await account(2_620)
    listed.set(2_620_00n, [payment(2_620_00n), payment(2_620_00n)])
    await verify(reference)
    const [{ reference: deposit }] = (await events('deposit.held')) as [{ reference: string }]
    const owner = await memberOf(server, 'owner', businessId)
    const path = `/console/providers/${connectionId}`
    expect((await owner.post(`${path}/pause`)).status).toBe(200)
    const remove = () => owner.post(`${path}/remove`, { force: true, reason: 'Closed' })
    const inUse = { status: 409, body: { errorCode: 'connection_in_use' } }
    expect(await remove()).toMatchObject(inUse)
    refunds.next = { status: 'Successful' }
    expect((await post(`${DEPOSITS}/${deposit}/return`)).status).toBe(200)
    expect(await remove()).toMatchObject(inUse)
    server.clock.advance(2 * MINUTE_MS)
    await server.runJob('deposit_return-orders')
    expect((await remove()).status).toBe(200)
    expect(await findings(server)).toEqual([])
  })
})

test('200 a payment that was settled and then taken back needs a person', async () => {
  const { businessId, account, verify, notice, order, balances } = await openShop()
  const { reference } = await account(2_700)
  listed.set(2_700_00n, [payment(2_700_00n)])
  await verify(reference)
  const before = await balances()
  stated.set(2_700_00n, { status: 'Reversed' })
  for (let i = 0; i < 2; i++) await notice(reference)
  expect(await verify(reference)).toMatchObject({ status: 'Successful' })
  expect(await order(reference)).toMatchObject({ attention: 'contradiction' })
  const differences = await db.many`
    select field, evidence -> 'provider' ->> 'status' as theirs from provider_differences
    where business_id = ${businessId} and kind = 'charge' and field = 'status'`
  expect(differences).toEqual([{ field: 'status', theirs: 'Reversed' }])
  expect(await balances()).toEqual(before)
  expect(await findings(server)).toEqual([])
})
