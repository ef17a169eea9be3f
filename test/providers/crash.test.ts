import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENQUIRE, PROCESS } from '../../src/money/bills/bills.fixture.ts'
import { findings } from '../corruption/findings.ts'
import { callerWith, startServer } from '../harness.ts'
import { otherProcess } from '../processes.ts'
import type { FaultKind } from './doubles/faults.ts'
import {
  BILL,
  type Doubles,
  netOf,
  openDoubles,
  openLiveShop,
  type ProviderName,
} from './live-shop.ts'

/* A server is killed while it moves real money, and another one goes on. */

const API = '/api/transaction-service/external/v1'
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const STARTING_MS = 60_000
const TOP_UP_MINOR = 10_000_000n

const server = await startServer({ jobs: false })
const { db, clock, connection } = server

/** They stay open until the end, because orders that wait for a person are still looked up. */
const opened: Doubles[] = []
afterAll(() =>
  Promise.all(opened.flatMap((all) => Object.values(all).map((double) => double.close()))),
)

/** Where the server is killed. The double holds the request until then. */
const POINTS: readonly [when: string, fault: FaultKind, arrives: boolean][] = [
  ['after the claim, before the order arrived', 'hang_before_effect', false],
  ['after the order arrived, before its response was stored', 'hang_after_effect', true],
]

/** The requests of each provider that order something. */
const REQUESTS = {
  paystack: { charge: 'POST /charge', payout: 'POST /transfer', refund: 'POST /refund' },
  flutterwave: {
    charge: 'POST /charges*',
    payout: 'POST /transfers',
    refund: 'POST /transactions/*',
  },
} as const

const isThorough = process.env.FAULTS === '1'
const PROVIDERS: readonly ProviderName[] = isThorough ? ['paystack', 'flutterwave'] : ['paystack']

describe.each(PROVIDERS)('a server that is killed while it calls %s', (name) => {
  let doubles: Doubles
  let shop: Awaited<ReturnType<typeof openLiveShop>>
  const main = () => doubles[name]

  beforeAll(async () => {
    doubles = await openDoubles(clock.now())
    opened.push(doubles)
    const own = ['USSD', 'PAYOUTS', 'ACCOUNTS'] as const
    shop = await openLiveShop(server, doubles, {
      paystack: [],
      flutterwave: ['UTILITY'],
      [name]: name === 'flutterwave' ? [...own, 'UTILITY'] : own,
    })
    await shop.pay(90_000)
    // Bills are paid from the balance at Flutterwave.
    if (name !== 'flutterwave') doubles.flutterwave.provider.owner.topUp(TOP_UP_MINOR)
    await shop.noticed()
    doubles.flutterwave.provider.owner.settleToWallet()
  })
  let stalls = 0
  /** Half of a payment is a subaccount's. A job settles it on the next day. */
  async function payStall(): Promise<void> {
    const account = { bank: 57, account_number: `012345678${stalls++}` }
    const subaccount = { business_name: 'Stall', percentage_charge: 0, ...account }
    const { body: made } = await shop.post(`${API}/subaccounts`, subaccount)
    const subaccounts = [{ subaccount: made.data.subaccount_code, share: 50 }]
    const { body: page } = await shop.post(`${API}/split-page`, { name: 'Market', subaccounts })
    await shop.pay(6_000, true, page.data.id)
  }
  /**
   * Lets another process do something that orders `what`, and kills it while the double holds the
   * request. Returns whether the double has executed it.
   */
  async function killedWhile(
    at: ProviderName,
    on: string,
    fault: FaultKind,
    { jobs, act }: { jobs: boolean; act?(url: string): Promise<unknown> },
  ): Promise<void> {
    const double = doubles[at]
    const since = double.calls.length
    const take = double.fault({ on, kind: fault, times: 1 })
    const { url, child } = await other(jobs)
    const doing = act?.(url)
    doing?.catch(() => {})
    const isHeld = () => double.calls.slice(since).some((call) => call.fault === fault)
    await expect.poll(isHeld, { timeout: STARTING_MS }).toBe(true)
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
    await take()
    if (doing) await expect(doing).rejects.toThrow()
  }

  const other = (jobs: boolean | readonly string[] = false) =>
    otherProcess(connection, { jobs, aheadMs: clock.now().getTime() - Date.now() })

  /** The servers that are left go on for hours, and the provider pays what it has taken. */
  async function goOn(): Promise<void> {
    for (let i = 0; i < 9; i++) {
      await shop.settle()
      await shop.advance(11 * MINUTE_MS)
      await shop.run()
    }
  }

  async function newOrders(kind: string, before: readonly { sent_reference: string }[]) {
    const known = new Set(before.map(({ sent_reference }) => sent_reference))
    const all = await shop.orders()
    return all.filter((one) => one.kind === kind && !known.has(one.sent_reference))
  }

  async function expectBooks(): Promise<void> {
    const open = (await shop.orders()).filter(({ is_open }) => is_open)
    for (const [at, double] of Object.entries(doubles)) {
      expect(double.takeProblems()).toEqual([])
      const top_up_minor = at === name || at === 'paystack' ? 0n : TOP_UP_MINOR
      const unheard_minor = open
        .filter((order) => shop.doubleOf(order) === double && order.kind !== 'charge')
        .reduce((sum, order) => sum + netOf(double, order.sent_reference), 0n)
      const held_minor = await shop.heldAt(at as ProviderName)
      const known_minor = held_minor + unheard_minor + top_up_minor
      expect([at, known_minor]).toEqual([at, double.books.balance_minor('NGN')])
    }
    expect(await findings(server)).toEqual([])
  }

  /** Checks an order that moves money out: it was executed once, or waits for a person. */
  async function expectPaidOnce(
    at: ProviderName,
    kind: string,
    before: readonly { sent_reference: string }[],
    arrives: boolean,
    repeatIsSafe: boolean,
  ): Promise<void> {
    const [order, ...others] = await newOrders(kind, before)
    expect(others).toEqual([])
    const times = doubles[at].books.executed.get(order!.sent_reference) ?? 0
    const { state, is_open, attention } = order!
    if (arrives || repeatIsSafe) {
      expect({ times, state, is_open }).toEqual({ times: 1, state: 'Successful', is_open: false })
    } else {
      // Nothing proves that it never arrived, and a second one could be paid too.
      expect({ times, is_open, attention }).toMatchObject({
        times: 0,
        is_open: true,
        attention: 'not_found',
      })
    }
    await expectBooks()
  }

  const isSafe = () => name === 'paystack'

  test.each(POINTS)('%s, pays a transfer once', async (_, fault, arrives) => {
    const before = await shop.orders()
    await shop.transfer(1)
    await killedWhile(name, REQUESTS[name].payout, fault, { jobs: true })
    await goOn()
    await expectPaidOnce(name, 'transfer', before, arrives, isSafe())
  })

  test.each(POINTS)('%s, pays a refund once', async (_, fault, arrives) => {
    const before = await shop.orders()
    await shop.refund(1_000)
    await killedWhile(name, REQUESTS[name].refund, fault, { jobs: true })
    await goOn()
    await expectPaidOnce(name, 'refund', before, arrives, false)
  })

  test.each(POINTS)('%s, buys a bill once', async (_, fault, arrives) => {
    const before = await shop.orders()
    const on = 'POST /billers/*'
    const buy = async (url: string) => {
      const { post } = callerWith(url, shop.secret)
      await post(ENQUIRE, BILL)
      return post(PROCESS, { ...BILL, amount: 1_000 })
    }
    await killedWhile('flutterwave', on, fault, { jobs: false, act: buy })
    await goOn()
    await expectPaidOnce('flutterwave', 'bill', before, arrives, false)
  })

  test.each(POINTS)('%s, starts a payment that its payer can still pay', async (_, fault) => {
    const before = await shop.orders()
    const key = { 'idempotency-key': `charge-${name}-${fault}` }
    const asked = { channel: 'USSD', amount: 3_000, bankCode: '058' }
    const path = `${API}/transaction-with-ussd`
    const start = (url: string) => callerWith(url, shop.secret).post(path, asked, key)
    await killedWhile(name, REQUESTS[name].charge, fault, { jobs: false, act: start })
    // Another server answers the payer, once the claim of the first one is over.
    await shop.advance(MINUTE_MS + 1_000)
    const { status, body } = await start(server.url)
    expect([status, body.data.ussdCode]).toEqual([200, expect.stringMatching(/^\*/)])
    main().provider.payer.dial(body.data.ussdCode)
    await goOn()
    const charges = await newOrders('charge', before)
    expect(new Set(charges.map(({ subject_id }) => subject_id)).size).toBe(1)
    expect(charges.map(({ state }) => state)).toContain('Successful')
    const paid = charges.map(({ sent_reference }) => netOf(main(), sent_reference) > 0n)
    expect(paid.filter(Boolean)).toHaveLength(1)
    await expectBooks()
  })

  test('after an order was committed that nobody has sent, pays it once', async () => {
    const before = await shop.orders()
    const { url, child } = await other()
    const account = { bankCode: '057', accountNumber: '0123456789' }
    const { post } = callerWith(url, shop.secret)
    expect((await post(`${API}/transfers`, { ...account, amount: 1_000 })).status).toBe(201)
    const [paid] = await db.many<{ id: number }>`
      select id from transactions
      where business_id = ${shop.businessId} and live and status = 'Successful' order by id limit 1`
    const refund = { transactionId: paid!.id, amount: 700 }
    expect((await post(`${API}/refunds`, refund)).status).toBe(201)
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
    await goOn()
    await expectPaidOnce(name, 'transfer', before, true, true)
    await expectPaidOnce(name, 'refund', before, true, true)
  })

  test.each(POINTS)('%s, pays a settlement once', async (_, fault, arrives) => {
    const before = await shop.orders()
    await payStall()
    await shop.noticed()
    await shop.advance(DAY_MS)
    await killedWhile(name, REQUESTS[name].payout, fault, { jobs: true })
    await goOn()
    await expectPaidOnce(name, 'settlement', before, arrives, isSafe())
  })

  test('after a settlement was committed that nobody has sent, pays it once', async () => {
    const before = await shop.orders()
    await payStall()
    await shop.noticed()
    await shop.advance(DAY_MS)
    const { child } = await other(['settlements'])
    const committed = async () => (await newOrders('settlement', before)).length
    await expect.poll(committed, { timeout: STARTING_MS }).toBe(1)
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
    const [order] = await newOrders('settlement', before)
    const sent = main().calls.filter(({ reference }) => reference === order!.sent_reference)
    expect(sent).toEqual([])
    await goOn()
    await expectPaidOnce(name, 'settlement', before, true, true)
  })
})
