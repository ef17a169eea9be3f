import { describe, expect, test } from 'vitest'
import { rounds, times } from '../../../test/concurrency.ts'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { memberOf } from '../../business/people/people.fixture.ts'
import type { Connector, IncomingPayment, Outcome } from '../../providers/connector/types.ts'
import { connect, routesApply, setRoutes } from '../../providers/providers.fixture.ts'
import { balancesIn } from '../wallet/wallet.fixture.ts'

const ACCOUNT = '/api/user-service/external/v1/wallet/funding-account'
const LEDGER = '/api/user-service/external/v1/wallet/ledger'
const EVENTS = '/api/user-service/external/v1/events?type=wallet.funded'

const MINUTE_MS = 60_000

/** What the real provider says next, instead of opening an account. */
const said: { next: Outcome<never> | undefined } = { next: undefined }
let refusesAll = false
/** What people do while it is asked, once. */
let meanwhile: (() => Promise<unknown>) | undefined
/** The references with which it was asked. */
const asked: string[] = []
/** What it lists for each account. */
const listed = new Map<string, IncomingPayment[]>()

const paying = (simulator: Connector): Connector => ({
  ...simulator,
  isSimulator: false,
  async openFundingAccount(about, holder) {
    asked.push(holder.reference)
    const { next } = said
    said.next = undefined
    const others = meanwhile
    meanwhile = undefined
    await others?.()
    if (refusesAll) return { kind: 'refused', code: 'declined', message: 'Not now' }
    return next ?? simulator.openFundingAccount!(about, holder)
  },
  listFundingPayments: async (_about, { accountNumber }) => ({
    kind: 'done',
    value: listed.get(accountNumber) ?? [],
  }),
})

const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({ simulator, paystack: paying(simulator) }),
})
const { db, clock } = server

async function openShop() {
  const { businessId, keys } = await server.newBusiness()
  const { get, post } = server.as(keys.testSecret)
  const balances = () => balancesIn(db, { businessId })
  const events = async () => (await get(EVENTS)).body.data
  return { businessId, keys, get, post, balances, events }
}

/** A business whose test mode is connected to a provider with funding accounts. */
async function openConnected() {
  const shop = await openShop()
  const connectionId = await connect(server, shop.businessId)
  await setRoutes(server, shop.businessId, [{ service: 'FUNDING', connectionId }])
  return { ...shop, connectionId }
}

let last = 0
const payment = (amount_minor: bigint, more: Partial<IncomingPayment> = {}): IncomingPayment => ({
  providerId: `F-${++last}`,
  amount_minor,
  currency: 'NGN',
  fee_minor: null,
  receivedAt: clock.now(),
  disposition: 'kept',
  sender: { name: 'ADA OBI', bankName: null, accountLast4: null },
  ...more,
})

describe('GET and POST wallet/funding-account', () => {
  test('200 opens one account, however many requests ask for it', async () => {
    const { get, post } = await openShop()
    expect(await get(ACCOUNT)).toMatchObject({
      status: 404,
      body: { errorCode: 'funding_account_not_found' },
    })
    const opened = await Promise.all(Array.from({ length: 8 }, () => post(ACCOUNT, {})))
    const { status, body } = await get(ACCOUNT)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      reference: expect.stringMatching(/^FAC_/),
      status: 'Open',
      accountNumber: expect.stringMatching(/^99\d{8}$/),
      bankCode: '035',
      currency: 'NGN',
    })
    for (const one of opened) expect([one.status, one.body.data]).toEqual([200, body.data])
    // Two requests must meet within microseconds to disturb each other.
    for (let round = 0; round < rounds(60); round++) {
      const other = await openShop()
      const same = await times(8, () => other.post(ACCOUNT, {}))
      expect(new Set(same.map(({ status, body }) => `${status} ${body.data?.id}`)).size).toBe(1)
      expect(same[0]!.status).toBe(200)
    }
  })

  test('404 with instructions in live mode without a provider that offers one', async () => {
    const { keys } = await openShop()
    const live = server.as(keys.liveSecret)
    for (const response of [await live.get(ACCOUNT), await live.post(ACCOUNT, {})]) {
      expect(response).toMatchObject({
        status: 404,
        body: {
          errorCode: 'funding_account_unavailable',
          message: expect.stringMatching(/invoice/),
        },
      })
    }
  })

  test('404 for another business’s account', async () => {
    const [one, other] = [await openShop(), await openShop()]
    await one.post(ACCOUNT, {})
    expect((await other.get(ACCOUNT)).status).toBe(404)
  })

  test('500 if the outcome is unknown, and then asks again with the same reference', async () => {
    const { post } = await openConnected()
    asked.length = 0
    said.next = { kind: 'unknown', reason: 'timed_out' }
    expect(await post(ACCOUNT, {})).toMatchObject({
      status: 500,
      body: { errorCode: 'outcome_unknown' },
    })
    expect((await post(ACCOUNT, {})).status).toBe(200)
    expect(asked).toHaveLength(2)
    expect(asked[0]).toBe(asked[1])
  })

  test('409 if the provider refuses, 503 if it cannot at the moment, and then opens it', async () => {
    const { post } = await openConnected()
    said.next = { kind: 'refused', code: 'declined', message: 'Not for this business' }
    expect(await post(ACCOUNT, {})).toMatchObject({
      status: 409,
      body: { errorCode: 'provider_refused', message: expect.stringMatching(/Not for this/) },
    })
    said.next = { kind: 'notNow', code: 'provider_down', message: 'Down' }
    expect((await post(ACCOUNT, {})).status).toBe(503)
    expect((await post(ACCOUNT, {})).status).toBe(200)
  })

  describe('of two requests at once of which the provider refuses one', () => {
    const declined = { kind: 'refused', code: 'declined', message: 'Asked twice' } as const

    test('200 for both if the refused one ends last', async () => {
      const { get, post } = await openConnected()
      said.next = declined
      meanwhile = async () => expect((await post(ACCOUNT, {})).status).toBe(200)
      const { status, body } = await post(ACCOUNT, {})
      expect([status, body.data]).toEqual([200, (await get(ACCOUNT)).body.data])
    })

    test('409 for the refused one if it ends first, and the account is kept', async () => {
      const { get, post } = await openConnected()
      asked.length = 0
      meanwhile = async () => {
        said.next = declined
        expect(await post(ACCOUNT, {})).toMatchObject({
          status: 409,
          body: { errorCode: 'provider_refused' },
        })
      }
      const { status, body } = await post(ACCOUNT, {})
      expect([status, body.data]).toEqual([200, (await get(ACCOUNT)).body.data])
      expect(asked).toHaveLength(2)
      expect(body.data).toMatchObject({ reference: asked[0], status: 'Open' })
    })

    test('409 for all if it refuses all', async () => {
      const { get, post } = await openConnected()
      refusesAll = true
      const replies = await Promise.all(Array.from({ length: 8 }, () => post(ACCOUNT, {})))
      refusesAll = false
      expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(409))
      expect((await get(ACCOUNT)).status).toBe(404)
    })
  })
})

describe('a payment into the funding account', () => {
  test('200 is in the wallet at once in test mode, with its event', async () => {
    const { get, post, balances, events } = await openShop()
    const { accountNumber } = (await post(ACCOUNT, {})).body.data
    const paid = await post('/api/simulator/deposit', { accountNumber, amount: 5_000 })
    expect(paid.status).toBe(200)
    expect(paid.body.data).toMatchObject({ status: 'Accepted', accepted: true, reason: null })
    const { reference } = paid.body.data
    expect(reference).toMatch(/^FND_/)
    expect(await balances()).toEqual({ 'provider_clearing 1': 500_000, wallet_available: 500_000 })
    expect((await events())[0].data).toMatchObject({
      amount: 5_000,
      source: { type: 'funding', reference },
    })
    const [entry] = (await get(LEDGER)).body.data
    expect(entry).toMatchObject({ kind: 'funding', cause: { type: 'funding', reference } })
    await server.runJob('simulator')
    expect(await balances()).toMatchObject({ wallet_available: 500_000 })
    expect(await findings(server)).toEqual([])
  })

  test('200 is booked once, without the provider’s fee, however often it is listed', async () => {
    const { connectionId, post, balances, events } = await openConnected()
    const { accountNumber } = (await post(ACCOUNT, {})).body.data
    listed.set(accountNumber, [
      payment(50_000_00n, { fee_minor: 300_00n }),
      payment(1_000_00n),
      payment(7_00n, { disposition: 'returning' }),
    ])
    const before = (await events()).length
    clock.advance(11 * MINUTE_MS)
    await Promise.all([server.runJob('funding'), server.runJob('funding')])
    clock.advance(11 * MINUTE_MS)
    await server.runJob('funding')
    expect(await balances()).toEqual({
      [`provider_clearing ${connectionId}`]: 5_070_000,
      wallet_available: 5_070_000,
    })
    expect((await events()).length - before).toBe(2)
    expect(await findings(server)).toEqual([])
  })

  test('200 is into another account after the connection of the first was removed', async () => {
    const { businessId, connectionId, get, post, balances } = await openConnected()
    const first = (await post(ACCOUNT, {})).body.data
    listed.set(first.accountNumber, [payment(500_00n)])
    clock.advance(11 * MINUTE_MS)
    await server.runJob('funding')
    const owner = await memberOf(server, 'owner', businessId)
    const path = `/console/providers/${connectionId}`
    expect((await owner.post(`${path}/pause`)).status).toBe(200)
    const removed = await owner.post(`${path}/remove`, { force: true, reason: 'Closed' })
    expect(removed.status).toBe(200)
    const other = await connect(server, businessId)
    await setRoutes(server, businessId, [{ service: 'FUNDING', connectionId: other }])
    await routesApply()
    expect((await get(ACCOUNT)).body.errorCode).toBe('funding_account_not_found')
    const opened = await Promise.all(Array.from({ length: 5 }, () => post(ACCOUNT, {})))
    const second = (await get(ACCOUNT)).body.data
    expect(second.reference).not.toBe(first.reference)
    for (const one of opened) expect([one.status, one.body.data]).toEqual([200, second])
    listed.set(second.accountNumber, [payment(700_00n)])
    clock.advance(11 * MINUTE_MS)
    await server.runJob('funding')
    expect(await balances()).toEqual({
      [`provider_clearing ${connectionId}`]: 500_00,
      [`provider_clearing ${other}`]: 700_00,
      wallet_available: 1_200_00,
    })
    expect(await findings(server)).toEqual([])
  })

  test('200 that is not booked with its amount is found by the audit', async () => {
    const { businessId, post } = await openShop()
    const { accountNumber } = (await post(ACCOUNT, {})).body.data
    await post('/api/simulator/deposit', { accountNumber, amount: 20 })
    await db.run`
      update funding_payments set amount_minor = 1 where business_id = ${businessId}`
    expect(await findings(server)).toEqual([
      expect.objectContaining({ check: 'funding-payments', table: 'funding_payments' }),
    ])
  })
})

test('400 for topping up a wallet by hand in live mode', async () => {
  const { keys } = await openShop()
  const live = server.as(keys.liveSecret)
  expect((await live.post('/api/simulator/wallet', { amount: 1 })).status).toBe(400)
})
