import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { paystack as doubleOf } from '../../../test/providers/doubles/paystack/paystack.ts'
import { startDouble } from '../../../test/providers/doubles/start.ts'
import { LEASE_MS } from '../../provider-orders/statements.ts'
import { setTracer } from '../../tracing/tracing.ts'
import { newSentReference } from '../connector/connector.fixture.ts'
import { DEADLINE_MS_MAX } from '../connector/http-connector.ts'
import type { PayoutOrder } from '../connector/types.ts'
import { openHttpProviders } from '../http-provider.ts'
import { paystack } from '../paystack/connector.ts'
import { addSecret, connect, routesApply, setRoutes } from '../providers.fixture.ts'
import { openProviders } from '../providers.ts'
import { HTTP_CONNECTORS } from '../registry.ts'
import { callExpiryJob, callHealthOf, openCalls } from './calls.ts'

const server = await startServer({ jobs: false })
const { db, ids, clock, keyring } = server
const double = await startDouble((kit) => doubleOf(kit))
double.provider.owner.topUp(1_000_000_000n)

const warnings: object[] = []
const log = { warn: (fields: object) => void warnings.push(fields) } as never

/** A business with an account at the double, in a separate process. */
async function account() {
  const { businessId } = await server.newBusiness()
  const tenant = { businessId, live: true }
  const id = await connect(server, businessId, { live: true })
  await db.run`update provider_connections set base_url = ${double.baseUrl} where id = ${id}`
  await addSecret(server, id, double.provider.secretKey())
  await setRoutes(server, businessId, [{ service: 'PAYOUTS', connectionId: id, live: true }])
  await routesApply()
  const calls = openCalls({ db, ids, clock, log })
  const http = openHttpProviders({ db, keyring, clock }, calls)
  const providers = openProviders(db, { paystack: http.bind(paystack) }, calls)
  const about = { tenant, order: { kind: 'transfer', subjectId: 7, attempt: 1 }, now: clock.now() }
  const order: PayoutOrder = {
    reference: newSentReference('TRF'),
    amount_minor: 500_000n,
    currency: 'NGN',
    bankCode: '057',
    accountNumber: '0123456789',
    accountName: 'ADA OBI',
    narration: null,
  }
  const provider = await providers.holder(id)
  // The bank map has not been read.
  const { payOut, lookUpPayout } = http.bind(paystack)(provider.connection)
  const watched = calls.watched({ ...provider, payOut, lookUpPayout }, provider.connection)
  const pay = () => watched.payOut(about, { ...order, reference: newSentReference('TRF') })
  const lookUp = (reference: string) => {
    const { amount_minor, currency } = order
    const sent = { reference, amount_minor, currency, refs: {}, sentAt: clock.now() }
    return watched.lookUpPayout(about, sent)
  }
  const rows = () => db.many<Record<string, unknown>>`
    select call_class, kind, operation, status, outcome, request, response from provider_calls
    where connection_id = ${id} order by at, id`
  const stored = (count: number) =>
    expect.poll(async () => (await rows()).length, { timeout: 20_000 }).toBe(count)
  return { tenant, id, calls, providers, pay, lookUp, rows, stored, http }
}

test('each exchange is recorded without secrets, counted, and summed up for people', async () => {
  const { tenant, id, calls, pay, rows, stored, http } = await account()
  const spans: object[] = []
  const untraced = setTracer({
    begin(name, { attributes }) {
      const span = { name, ...attributes }
      // The jobs of other servers in this process go on.
      if (name.startsWith('provider ')) spans.push(span)
      return { set: (more) => void Object.assign(span, more), fail: () => {}, end: () => {} }
    },
  })
  expect(await pay()).toMatchObject({ kind: 'done' })
  untraced()
  const named = { 'tradepost.provider': 'paystack', 'tradepost.connection': id }
  expect(spans).toEqual([{ name: 'provider payOut', ...named, 'tradepost.outcome': 'done' }])
  await stored(2)
  expect(await rows()).toMatchObject([
    { call_class: 'order', kind: 'transfer', operation: 'POST /transferrecipient', status: 201 },
    { call_class: 'order', kind: 'transfer', operation: 'POST /transfer', outcome: 'response' },
  ])
  expect(JSON.stringify(await rows())).not.toContain(double.provider.secretKey())
  const health = await callHealthOf({ db, calls }, tenant, id, clock.now())
  expect(health).toMatchObject({
    figures: [{ calls: 'order', count: 2, failed: 0, lastResponseAt: expect.any(Date) }],
    suspended: [],
  })
  const registry = new Registry()
  calls.measure(registry)
  expect(await registry.metrics()).toContain(
    'tradepost_provider_calls_total{provider="paystack",operation="payOut",outcome="done"} 1',
  )
  // Records are kept for 90 days.
  expect(await callExpiryJob.run(db, clock.now())).toBe(0)
  const later = new Date(clock.now().getTime() + 91 * 24 * 3_600_000)
  expect(await callExpiryJob.run(db, later)).toBeGreaterThan(1)
  http.close()
})

test('a connection whose key is refused gets no new orders, and people can see why', async () => {
  const { tenant, id, calls, providers, pay, http } = await account()
  double.fault({ on: '*', kind: 'status', status: 401 })
  expect(await pay()).toMatchObject({ kind: 'notNow', code: 'credentials_refused', isUnsent: true })
  await double.clearFaults()
  const suspended = [{ service: 'PAYOUTS', why: 'credentials_refused' }]
  expect((await callHealthOf({ db, calls }, tenant, id, clock.now())).suspended).toEqual(suspended)
  expect(warnings).toContainEqual(expect.objectContaining({ connection: id, ...suspended[0] }))
  const query = { service: 'PAYOUTS', currency: 'NGN', amount_minor: 500_000n } as const
  await expect(providers.choose(tenant, query)).rejects.toMatchObject({
    code: 'provider_unavailable',
  })
  expect((await providers.preview(db, tenant, query)).skipped).toMatchObject([
    { connectionId: id, why: 'suspended' },
  ])
  const waiting = await providers.choose(tenant, { ...query, canWait: true })
  expect(waiting.connection.id).toBe(id)
  const { candidates, skipped } = await providers.preview(db, tenant, { ...query, canWait: true })
  expect(candidates).toMatchObject([{ connectionId: id, share: 1, isSuspended: true }])
  expect(skipped).toEqual([])
  const registry = new Registry()
  calls.measure(registry)
  expect(await registry.metrics()).toContain(
    `tradepost_provider_suspended{connection="${id}",service="PAYOUTS",reason="credentials_refused"} 1`,
  )
  calls.reset(id)
  expect((await providers.choose(tenant, query)).connection.id).toBe(id)
  http.close()
})

test('a state that we do not know is logged once for each look-up, and nothing else of it', async () => {
  const { id, lookUp, pay, http } = await account()
  expect(await pay()).toMatchObject({ kind: 'done' })
  const { reference } = double.books.entries.findLast(({ kind }) => kind === 'payout')!
  expect(await lookUp(reference!)).toMatchObject({ kind: 'done' })
  const found = () => warnings.filter((fields) => 'word' in fields)
  expect(found()).toEqual([])
  double.fault({ on: 'GET /transfer/verify/*', kind: 'unknown_status' })
  expect(await lookUp(reference!)).toMatchObject({ value: { status: 'Pending' } })
  const fields = { connection: id, provider: 'paystack', operation: 'lookUpPayout' }
  expect(found()).toEqual([{ ...fields, word: 'awaiting-moonrise' }])
  http.close()
})

test('after 429, nothing is sent for as long as the provider asks', async () => {
  const { pay, rows, stored, http } = await account()
  double.fault({ on: '*', kind: 'status', status: 429, retryAfter: 300 })
  expect(await pay()).toMatchObject({ kind: 'notNow', code: 'rate_limited' })
  await double.clearFaults()
  await stored(1)
  const before = double.calls.length
  expect(await pay()).toMatchObject({ kind: 'notNow', code: 'rate_limited', isUnsent: true })
  expect(double.calls).toHaveLength(before)
  await stored(2)
  expect(await rows()).toMatchObject([{ status: 429 }, { status: null, outcome: 'rate_limited' }])
  http.close()
})

test('no call can take longer than its order is claimed for', () => {
  expect(LEASE_MS).toBeGreaterThan(DEADLINE_MS_MAX)
  for (const { deadlinesMs } of Object.values(HTTP_CONNECTORS)) {
    expect(Math.max(...Object.values(deadlinesMs))).toBeLessThanOrEqual(DEADLINE_MS_MAX)
  }
})
