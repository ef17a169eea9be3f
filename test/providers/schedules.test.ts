import { afterAll, expect, test } from 'vitest'
import { openCalls } from '../../src/providers/calls/calls.ts'
import type { HttpConnector } from '../../src/providers/connector/http-connector.ts'
import type { HttpClient } from '../../src/providers/connector/transport.ts'
import type { Connection } from '../../src/providers/connector/types.ts'
import { flutterwave } from '../../src/providers/flutterwave/connector.ts'
import { openHttpProviders } from '../../src/providers/http-provider.ts'
import { paystack } from '../../src/providers/paystack/connector.ts'
import type { ConnectorFactory } from '../../src/providers/providers.ts'
import { findings } from '../corruption/findings.ts'
import { startServer } from '../harness.ts'
import { fc } from '../property.ts'
import type { FaultRule } from './doubles/faults.ts'
import { faultRules } from './doubles/schedules.ts'
import { type Doubles, netOf, openDoubles, openLiveShop, type ProviderName } from './live-shop.ts'

/*
 * Whatever happens between us and the providers, in whatever order: nothing is lost, nothing is
 * ordered twice, and our books are the providers'.
 */

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Longer than anybody waits for a response here. */
const HANG_MS = 1_000

/** A connector with short deadlines, so that a schedule can have timeouts, and without limits. */
const hasty = (connector: HttpConnector): HttpConnector => ({
  ...connector,
  deadlinesMs: { resolve: 2_000, open: 400, order: 400, lookUp: 400, list: 5_000 },
  limits: { perSecond: 1_000, ordersPerSecond: 1_000, atOnce: 8 },
})
let bound: Record<ProviderName, ConnectorFactory>
const factoryOf =
  (name: ProviderName): ConnectorFactory =>
  (connection: Connection) =>
    bound[name](connection)
const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({
    simulator,
    paystack: factoryOf('paystack'),
    flutterwave: factoryOf('flutterwave'),
  }),
})
const log = { debug() {}, info() {}, warn() {}, error() {} }
// Connections do not rest after 429: a rest takes a second, and so do the days of a schedule.
const calls = { ...openCalls({ ...server, log }), resting: (http: HttpClient) => http }
const { bind } = openHttpProviders(server, calls)
bound = { paystack: bind(hasty(paystack)), flutterwave: bind(hasty(flutterwave)) }

// ---------------------------------------------------------------------------------- schedules

/** The requests that order something, at either provider. */
const REQUESTS = {
  pay: ['POST /charge', 'POST /charges*'],
  transfer: ['POST /transfer', 'POST /transfer/bulk', 'POST /transfers', 'POST /bulk-transfers'],
  refund: ['POST /refund', 'POST /transactions/*'],
  bill: ['POST /billers/*'],
} as const

/** What can happen to such a request. A provider that changes amounts lies: no books fit that. */
const ORDER_FAULTS: readonly [Omit<FaultRule, 'on'>, ...Omit<FaultRule, 'on'>[]] = [
  { kind: 'reset_after_read' },
  { kind: 'hang_before_effect', ms: HANG_MS },
  { kind: 'status', status: 503 },
  { kind: 'status', status: 429, retryAfter: 1 },
  { kind: 'hang_after_effect', ms: HANG_MS },
  { kind: 'reset_after_effect' },
  { kind: 'status_after_effect', status: 502 },
  { kind: 'status_after_effect', status: 429 },
  { kind: 'cut_body' },
  { kind: 'html' },
  { kind: 'html', status: 404 },
  { kind: 'status_after_effect', status: 400 },
  { kind: 'status_after_effect', status: 402 },
  { kind: 'huge' },
  { kind: 'redirect' },
  { kind: 'missing_field', field: 'data' },
  { kind: 'unknown_status' },
]

/** What can happen to lookups, connections and notices. Lookups that lag are in `LAGS`. */
const otherRules = faultRules(['GET *'])
  .filter(({ kind }) => !['wrong_amount', 'other_currency', 'not_found_for'].includes(kind))
  .map((rule): FaultRule => ({ ...rule, ...(/^hang/.test(rule.kind) && { ms: HANG_MS }) }))

const NOT_PAYOUTS = ['GET /transaction*', 'GET /refund*', 'GET /bills/*']

/** For how long lookups do not find the orders of the first turn. */
const LAGS = {
  none: {},
  /** As long as the connectors assume at most. */
  assumed: { payouts_ms: 5 * MINUTE_MS, others_ms: 5 * MINUTE_MS },
  /** So long that a payout is sent again. Then only its reference protects it. */
  longer: { payouts_ms: 4 * 60 * MINUTE_MS, others_ms: 5 * MINUTE_MS },
} as const

interface Order {
  act: keyof typeof REQUESTS
  naira: number
  /** How many transfers, and whether a payer pays. */
  count: number
  dials: boolean
  /** What happens to the first requests. */
  fault: (typeof ORDER_FAULTS)[number] | null
  times: number
}

interface Turn {
  faults: { at: ProviderName; rule: FaultRule }[]
  notices: 'send' | 'hold' | 'drop'
  orders: Order[]
  /** Of what the providers have taken, every nth fails; none if null. */
  settles: { failing: number | null } | null
  delivers: { order: 'reversed' | 'shuffled'; copies: number } | null
  forgery: 'unsigned' | 'other_key' | 'cut_signature'
  passes_ms: number
  clears: boolean
}

interface Schedule {
  lag: keyof typeof LAGS
  turns: Turn[]
}

const order: fc.Arbitrary<Order> = fc.record({
  act: fc.constantFrom('pay', 'transfer', 'transfer', 'refund', 'bill'),
  naira: fc.integer({ min: 1_000, max: 2_000 }),
  count: fc.constantFrom(1, 1, 2, 6),
  dials: fc.boolean(),
  fault: fc.option(fc.constantFrom(...ORDER_FAULTS), { freq: 4, nil: null }),
  times: fc.integer({ min: 1, max: 2 }),
})
const turn: fc.Arbitrary<Turn> = fc.record({
  faults: fc.array(
    fc.record({
      at: fc.constantFrom<ProviderName>('paystack', 'flutterwave'),
      rule: otherRules,
    }),
    { maxLength: 2 },
  ),
  notices: fc.constantFrom('send', 'hold', 'drop'),
  orders: fc.array(order, { minLength: 2, maxLength: 5 }),
  settles: fc.option(
    fc.record({ failing: fc.option(fc.integer({ min: 2, max: 4 }), { nil: null }) }),
    { nil: null },
  ),
  delivers: fc.option(
    fc.record({
      order: fc.constantFrom('reversed', 'shuffled'),
      copies: fc.integer({ min: 1, max: 3 }),
    }),
    { nil: null },
  ),
  forgery: fc.constantFrom('unsigned', 'other_key', 'cut_signature'),
  passes_ms: fc.constantFrom(5_000, MINUTE_MS, 12 * MINUTE_MS, 3 * 60 * MINUTE_MS),
  clears: fc.boolean(),
})

/** Transfers that are executed without a response, and looked up while the lookups lag. */
const unanswered: fc.Arbitrary<Turn> = fc
  .record({
    turn,
    fault: fc.constantFrom(
      ...ORDER_FAULTS.filter(({ kind }) =>
        ['hang_after_effect', 'reset_after_effect'].includes(kind),
      ),
    ),
    count: fc.constantFrom(5, 6),
    passes_ms: fc.constantFrom(30_000, MINUTE_MS),
  })
  .map(({ turn, fault, count, passes_ms }) => {
    const naira = 1_000
    const transfers: Order = { act: 'transfer', naira, count, dials: false, fault, times: count }
    const orders = [transfers, ...turn.orders]
    return { ...turn, faults: [], orders, passes_ms, clears: true }
  })

const turns = fc.array(turn, { minLength: 2, maxLength: 4 })
const schedulesWith = (lag: Schedule['lag']): fc.Arbitrary<Schedule> => {
  if (lag === 'none') return turns.map((all) => ({ lag, turns: all }))
  return fc.tuple(unanswered, turns).map(([first, rest]) => {
    // Long enough for the proof that an order never arrived, and not for its lookup.
    const passes = lag === 'longer' ? { passes_ms: 12 * MINUTE_MS, clears: true } : {}
    return { lag, turns: [first, ...rest.map((one) => ({ ...one, ...passes }))] }
  })
}

// ----------------------------------------------------------------------------------- the test

/** They stay open until the end, because orders that wait for a person are still looked up. */
const opened: Doubles[] = []
afterAll(() =>
  Promise.all(opened.flatMap((all) => Object.values(all).map((double) => double.close()))),
)

async function follow({ lag, turns }: Schedule): Promise<void> {
  const doubles = await openDoubles(server.clock.now())
  opened.push(doubles)
  const both = Object.values(doubles)
  const since = server.clock.now()
  const shop = await openLiveShop(server, doubles)
  // Each has something to pay out from the start.
  while ((await Promise.all([shop.heldAt('paystack'), shop.heldAt('flutterwave')])).includes(0n)) {
    await shop.pay(30_000)
    await shop.noticed()
  }
  doubles.flutterwave.provider.owner.settleToWallet()
  const { payouts_ms, others_ms } = { payouts_ms: 0, others_ms: 0, ...LAGS[lag] }
  for (const double of both) {
    double.fault({ on: 'GET /transfer*', kind: 'not_found_for', ms: payouts_ms })
    for (const on of NOT_PAYOUTS) double.fault({ on, kind: 'not_found_for', ms: others_ms })
  }
  for (const one of turns) await take(shop, doubles, one, lag)

  for (const double of both) {
    await double.clearFaults()
    double.notices.mode = 'send'
    await double.notices.deliver('shuffled', 2)
  }
  for (const ms of [...Array(6).fill(13 * MINUTE_MS), DAY_MS, 3 * DAY_MS]) {
    await shop.test()
    await shop.settle()
    await shop.run()
    await shop.advance(ms)
  }
  await shop.run()
  // What the days made fail has been ordered again.
  for (let more = 0; more < 6 && (await unheard(shop)).length > 0; more++) {
    await shop.settle()
    await shop.advance(13 * MINUTE_MS)
    await shop.run()
  }
  await expectTheSameBooks(shop, doubles)
  if (lag !== 'longer') expect(await sentAgain(shop)).toEqual([])
  expect(await shop.reconcile(since)).toEqual([])
  expect(await findings(server)).toEqual([])
}

type Shop = Awaited<ReturnType<typeof openLiveShop>>

async function take(shop: Shop, doubles: Doubles, turn: Turn, lag: Schedule['lag']): Promise<void> {
  const both = Object.values(doubles)
  const taking = turn.faults.map(({ at, rule }) => doubles[at].fault(rule))
  for (const { notices } of both) notices.mode = turn.notices
  for (const { act, naira, count, dials, fault, times } of turn.orders) {
    // Who takes a refusal for true after such a lag pays twice, whatever else happens.
    const isTrusted = fault?.kind === 'status_after_effect' && lag === 'longer'
    const rule = isTrusted ? { ...fault, status: 502 } : fault
    // Each transfer of a batch that Paystack has refused is sent again, as it takes none twice.
    const isRefusal = rule?.status !== undefined && [400, 402, 404].includes(rule.status)
    for (const double of !rule ? [] : isRefusal ? [doubles.flutterwave] : both) {
      taking.push(...REQUESTS[act].map((on) => double.fault({ ...rule!, on, times })))
    }
    if (act === 'pay') await shop.pay(naira, dials)
    else if (act === 'transfer') await shop.transfer(count)
    else await shop[act](naira)
  }
  await shop.run()
  const failing = turn.settles?.failing ?? null
  if (turn.settles) await shop.settle((nth) => failing === null || nth % failing !== 0)
  for (const { notices } of both) {
    if (turn.delivers) await notices.deliver(turn.delivers.order, turn.delivers.copies)
    if (notices.sent.length > 0) expect(await notices.forge(turn.forgery)).toBe(401)
  }
  await shop.advance(turn.passes_ms)
  if (turn.clears) await Promise.all(taking.map((take) => take()))
  await shop.run()
}

/** The requests for payouts and bills that their provider had executed before. */
async function sentAgain(shop: Shop): Promise<object[]> {
  const orders = (await shop.orders()).filter(({ kind }) => kind !== 'charge')
  return orders.filter((order) => {
    const { calls, books } = shop.doubleOf(order)
    const reference = order.sent_reference
    const sent = calls.filter((call) => call.method === 'POST' && call.reference === reference)
    const { status = null, hadEffect = true } = sent.at(-1) ?? {}
    return books.executed.has(reference) && status !== null && !hadEffect
  })
}

/** The open orders that no person has to look at. Payments end without anybody. */
const unheard = async (shop: Shop) =>
  (await shop.orders()).filter(
    ({ kind, is_open, attention }) => is_open && kind !== 'charge' && attention === null,
  )

/** Whatever a person has not to look at has ended as it did at the provider, and once. */
async function expectTheSameBooks(shop: Shop, doubles: Doubles): Promise<void> {
  const orders = await shop.orders()
  const open = orders.filter((order) => order.is_open && order.kind !== 'charge')
  expect(await unheard(shop)).toEqual([])
  for (const order of orders) {
    const { kind, state, sent_reference } = order
    if (order.is_open || kind === 'charge') continue
    const isPaid = netOf(shop.doubleOf(order), sent_reference) !== 0n
    expect([order, isPaid]).toEqual([order, state === 'Successful'])
  }
  for (const [at, double] of Object.entries(doubles)) {
    expect(double.takeProblems()).toEqual([])
    const unheard_minor = open
      .filter((order) => shop.doubleOf(order) === double)
      .reduce((sum, { sent_reference }) => sum + netOf(double, sent_reference), 0n)
    const held_minor = await shop.heldAt(at as ProviderName)
    expect(held_minor + unheard_minor).toBe(double.books.balance_minor('NGN'))
  }
}

const isThorough = process.env.FAULTS === '1'

test.each(['none', 'assumed', 'longer'] as const)(
  'nothing is lost or ordered twice, whatever happens, while lookups lag: %s',
  { timeout: 180_000 },
  async (lag) => {
    await fc.assert(fc.asyncProperty(schedulesWith(lag), follow), {
      numRuns: isThorough ? 4 : 2,
      endOnFailure: true,
    })
  },
)
