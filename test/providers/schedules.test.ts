import { afterAll, expect, test } from 'vitest'
import { openCalls } from '../../src/providers/calls/calls.ts'
import type { HttpConnector } from '../../src/providers/connector/http-connector.ts'
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
const { bind } = openHttpProviders(server, openCalls({ ...server, log }))
bound = { paystack: bind(hasty(paystack)), flutterwave: bind(hasty(flutterwave)) }

// ---------------------------------------------------------------------------------- schedules

const ORDERS = [
  'POST /charge*',
  'POST /transfer',
  'POST /transfer/bulk',
  'POST /refund',
  'POST /transfers',
  'POST /bulk-transfers',
  'POST /transactions/*',
  'POST /billers/*',
] as const
const LOOKUPS = ['GET /transfer*', 'GET /transaction*', 'GET /refund*', 'GET /bills/*'] as const

/** A provider that names other amounts is not faulty but lies: no books could be right then. */
const LIES = ['wrong_amount', 'other_currency']

const rules = fc
  .oneof(
    { weight: 2, arbitrary: faultRules([...ORDERS]) },
    { weight: 1, arbitrary: faultRules([...LOOKUPS]) },
  )
  .filter(({ kind, on }) => !LIES.includes(kind) && (kind !== 'not_found_for' || /^GET/.test(on)))
  .map((rule): FaultRule => {
    // A lookup can lag by as much as the connectors assume, and not by more.
    if (rule.kind === 'not_found_for') return { on: rule.on, kind: rule.kind, ms: 5 * MINUTE_MS }
    // Nobody answers before the deadline.
    if (/^hang/.test(rule.kind)) return { ...rule, nth: 1, ms: 1_000 }
    return { ...rule, nth: 1 }
  })

type Order =
  | { act: 'pay'; naira: number; dials: boolean }
  | { act: 'transfer'; count: number }
  | { act: 'refund' | 'bill'; naira: number }

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

const naira = fc.integer({ min: 1_000, max: 2_000 })
const order: fc.Arbitrary<Order> = fc.oneof(
  fc.record({ act: fc.constant('pay' as const), naira, dials: fc.boolean() }),
  fc.record({ act: fc.constant('transfer' as const), count: fc.constantFrom(1, 2, 6) }),
  fc.record({ act: fc.constantFrom('refund' as const, 'bill' as const), naira }),
)
const turn: fc.Arbitrary<Turn> = fc.record({
  faults: fc.array(
    fc.record({ at: fc.constantFrom<ProviderName>('paystack', 'flutterwave'), rule: rules }),
    { minLength: 1, maxLength: 4 },
  ),
  notices: fc.constantFrom('send' as const, 'hold' as const, 'drop' as const),
  orders: fc.array(order, { minLength: 1, maxLength: 3 }),
  settles: fc.option(
    fc.record({ failing: fc.option(fc.integer({ min: 2, max: 4 }), { nil: null }) }),
    { nil: null },
  ),
  delivers: fc.option(
    fc.record({
      order: fc.constantFrom('reversed' as const, 'shuffled' as const),
      copies: fc.integer({ min: 1, max: 3 }),
    }),
    { nil: null },
  ),
  forgery: fc.constantFrom('unsigned' as const, 'other_key' as const, 'cut_signature' as const),
  passes_ms: fc.constantFrom(5_000, MINUTE_MS, 12 * MINUTE_MS, 3 * 60 * MINUTE_MS),
  clears: fc.boolean(),
})

// ----------------------------------------------------------------------------------- the test

/** They stay open until the end, because orders that wait for a person are still looked up. */
const opened: Doubles[] = []
afterAll(() =>
  Promise.all(opened.flatMap((all) => Object.values(all).map((double) => double.close()))),
)

async function follow(schedule: readonly Turn[]): Promise<void> {
  const doubles = await openDoubles(server.clock.now())
  opened.push(doubles)
  const both = Object.values(doubles)
  const since = server.clock.now()
  const shop = await openLiveShop(server, doubles)
  // Something to pay out from the start.
  for (const _ of both) await shop.pay(30_000)
  doubles.flutterwave.provider.owner.settleToWallet()
  await shop.noticed()
  for (const one of schedule) await take(shop, doubles, one)

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
  await expectTheSameBooks(shop, doubles)
  expect(await shop.reconcile(since)).toEqual([])
  expect(await findings(server)).toEqual([])
}

type Shop = Awaited<ReturnType<typeof openLiveShop>>

async function take(shop: Shop, doubles: Doubles, turn: Turn): Promise<void> {
  const both = Object.values(doubles)
  for (const { at, rule } of turn.faults) doubles[at].fault(rule)
  for (const { notices } of both) notices.mode = turn.notices
  for (const order of turn.orders) {
    if (order.act === 'pay') await shop.pay(order.naira, order.dials)
    else if (order.act === 'transfer') await shop.transfer(order.count)
    else await shop[order.act](order.naira)
  }
  await shop.run()
  const failing = turn.settles?.failing ?? null
  if (turn.settles) await shop.settle((nth) => failing === null || nth % failing !== 0)
  for (const { notices } of both) {
    if (turn.delivers) await notices.deliver(turn.delivers.order, turn.delivers.copies)
    if (notices.sent.length > 0) expect(await notices.forge(turn.forgery)).toBe(401)
  }
  await shop.advance(turn.passes_ms)
  if (turn.clears) for (const double of both) await double.clearFaults()
  await shop.run()
}

/** Whatever a person has not to look at has ended as it did at the provider, and once. */
async function expectTheSameBooks(shop: Shop, doubles: Doubles): Promise<void> {
  const orders = await shop.orders()
  const open = orders.filter((order) => order.is_open && order.kind !== 'charge')
  expect(open.filter(({ attention }) => attention === null)).toEqual([])
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
/** How long new schedules start for, and how many there are at most. */
const LIMITS = isThorough ? { ms: 25_000, runs: 200 } : { ms: 4_000, runs: 6 }

test('nothing is lost or ordered twice, whatever happens', { timeout: 180_000 }, async () => {
  const began = performance.now()
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 4 }), async (schedule) => {
      if (performance.now() - began < LIMITS.ms) await follow(schedule)
    }),
    { numRuns: LIMITS.runs, endOnFailure: true },
  )
})
