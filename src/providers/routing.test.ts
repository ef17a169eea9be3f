import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import type { Connector, RoutingQuery } from './connector/types.ts'
import { payoutsStopOf, resumePayouts, stopPayouts } from './pauses.ts'
import { connect } from './providers.fixture.ts'
import { openProviders } from './providers.ts'
import { judge, type RouteRow, type RouteRule, readRoutes, replaceRoutes } from './routing.ts'

const server = await startServer({ jobs: false })
const { db, ids, clock } = server

const nothing = {} as Connector
const LARGE = { ...nothing, offers: { PAYOUTS: { least_minor: 10_000n, most_minor: null } } }
const providers = openProviders(db, { simulator: nothing, paystack: nothing, flutterwave: LARGE })

const GTBANK = '058'
const PAYING: RoutingQuery = {
  service: 'PAYOUTS',
  currency: 'NGN',
  amount_minor: 500_000n,
  bankCode: GTBANK,
}

const ROUTE: Omit<RouteRule, 'connectionId'> = {
  service: 'PAYOUTS',
  currency: 'NGN',
  priority: 1,
  weight: 1,
  least_minor: 0n,
  most_minor: null,
  banks: [],
  isActive: true,
}

async function shop() {
  const { businessId } = await server.newBusiness()
  const tenant = { businessId, live: false }
  const account = (options = {}) => connect(server, businessId, options)
  const replace = (routes: (Partial<RouteRule> & { connectionId: number })[]) =>
    db.transaction((tx) =>
      replaceRoutes(
        tx,
        ids,
        tenant,
        routes.map((route) => ({ ...ROUTE, ...route })),
        clock.now(),
      ),
    )
  const preview = async (query: Partial<RoutingQuery> = {}) => {
    const { candidates, skipped } = await providers.preview(db, tenant, { ...PAYING, ...query })
    return {
      candidates: candidates.map(({ connectionId, share }) => [connectionId, share]),
      skipped: skipped.map(({ connectionId, why }) => [connectionId, why]),
    }
  }
  return { businessId, tenant, account, replace, preview }
}

describe('the routes of a business', () => {
  test('are replaced as a whole, and read with those that are off', async () => {
    const { tenant, account, replace } = await shop()
    const [one, other] = [await account(), await account()]
    await replace([{ connectionId: one }, { connectionId: 1, service: 'USSD' }])
    const routes = [
      { ...ROUTE, connectionId: other, banks: [GTBANK], weight: 3 },
      { ...ROUTE, connectionId: one, isActive: false, priority: 2, most_minor: 100n },
    ]
    await replace(routes)
    expect(await readRoutes(db, tenant)).toEqual(routes)
    await replace([])
    expect(await readRoutes(db, tenant)).toEqual([])
  })

  test('stay consistent when two people replace them at the same time', async () => {
    const { tenant, account, replace } = await shop()
    const accounts = [await account(), await account()]
    await Promise.all(accounts.map((connectionId) => replace([{ connectionId }])))
    expect(await readRoutes(db, tenant)).toHaveLength(1)
  })

  test('are refused with the names of the fields, and nothing changes', async () => {
    const [{ tenant, account, replace }, foreign] = [await shop(), await shop()]
    const ours = await account({ settings: { services: ['USSD'] } })
    await replace([{ connectionId: ours, service: 'USSD' }])
    const wrong = replace([
      { connectionId: await foreign.account() },
      { connectionId: await account({ live: true }) },
      { connectionId: await account({ status: 'Removed' }) },
      { connectionId: ours, priority: 101, weight: 0, currency: 'USD' },
      { connectionId: 1, least_minor: 2n, most_minor: 1n, banks: ['nobank'] },
      { connectionId: 1, least_minor: -1n, priority: 1.5 },
    ])
    const fields = [
      ...['0.connectionId', '1.connectionId', '2.connectionId', '3.service', '3.currency'],
      ...['3.priority', '3.weight', '4.mostAmount', '4.banks', '5.priority', '5.leastAmount'],
    ]
    const error = await wrong.catch((thrown) => thrown)
    expect(Object.keys(error.fields).sort()).toEqual(fields.map((one) => `routes.${one}`).sort())
    expect(await readRoutes(db, tenant)).toHaveLength(1)
  })
})

describe('the preview of an order', () => {
  test('says where it would go with which chance, and why not elsewhere', async () => {
    const { account, replace, preview } = await shop()
    const [often, rarely, later, off, paused, small, other] = await Promise.all(
      Array.from({ length: 7 }, () => account()),
    )
    await db.run`update provider_connections set status = 'Paused' where id = ${paused!}`
    const [large, unused] = [
      await account({ provider: 'flutterwave' }),
      await account({ settings: { services: ['USSD'] } }),
    ]
    await replace([
      { connectionId: often!, weight: 3 },
      { connectionId: rarely!, weight: 1 },
      { connectionId: later!, priority: 2 },
      { connectionId: off!, isActive: false },
      { connectionId: paused! },
      { connectionId: small!, most_minor: 499_999n },
      { connectionId: other!, banks: ['011'] },
      { connectionId: large },
    ])
    await db.run`update provider_routes set connection_id = ${unused}
      where connection_id = ${large}`
    const found = await preview()
    expect(found.candidates).toEqual([
      [often, 0.75],
      [rarely, 0.25],
      [later, 0],
    ])
    expect(new Map(found.skipped as [number, string][])).toEqual(
      new Map([
        [off, 'off'],
        [paused, 'not_active'],
        [small, 'amount'],
        [other, 'bank'],
        [unused, 'not_offered'],
      ]),
    )
    expect((await preview({ currency: 'USD' })).candidates).toEqual([])
  })

  test('knows what a provider accepts', async () => {
    const { account, replace, preview } = await shop()
    const connectionId = await account({ provider: 'flutterwave' })
    await replace([{ connectionId }, { connectionId, service: 'USSD' }])
    expect((await preview()).candidates).toEqual([[connectionId, 1]])
    expect(await preview({ amount_minor: 9_999n })).toEqual({
      candidates: [],
      skipped: [[connectionId, 'amount']],
    })
    expect((await preview({ service: 'USSD' })).skipped).toEqual([[connectionId, 'not_offered']])
  })

  test('agrees with the choice for the same reference, at once', async () => {
    const { tenant, account, replace, preview } = await shop()
    const accounts = await Promise.all(Array.from({ length: 5 }, () => account()))
    await replace(accounts.map((connectionId, i) => ({ connectionId, weight: i + 1 })))
    const { connection } = await providers.choose(tenant, { ...PAYING, key: 'TRF_1' })
    const again = await providers.choose(tenant, { ...PAYING, key: 'TRF_1' })
    expect(again.connection.id).toBe(connection.id)
    const { candidates } = await preview()
    const sum = candidates.reduce((total, [, share]) => total + Number(share), 0)
    expect([candidates.length, Number(sum.toFixed(6))]).toEqual([5, 1])
  })

  test('without routes is the simulator, and nothing in live mode', async () => {
    const { businessId, preview } = await shop()
    expect(await preview()).toEqual({ candidates: [[1, 1]], skipped: [] })
    const live = await providers.preview(db, { businessId, live: true }, PAYING)
    expect(live).toEqual({ candidates: [], skipped: [] })
  })
})

describe('a connection whose last calls have failed', () => {
  const route = (connection_id: number, priority: number) =>
    ({
      connection_id,
      priority,
      service: 'PAYOUTS',
      currency: 'NGN',
      weight: 1,
      least_minor: 0n,
      most_minor: null,
      banks: [],
      is_active: true,
      provider: 'paystack',
      status: 'Active',
      settings: {},
    }) as unknown as RouteRow
  const known = (...down: number[]) => ({
    connectorOf: () => nothing,
    isSuspended: (id: number) => down.includes(id),
  })
  const routes = [route(1, 1), route(2, 2)]
  const decided = (query: RoutingQuery, ...down: number[]) => {
    const { fit, shares, skipped } = judge(routes, query, known(...down))
    const ids = fit.map(({ connection_id }) => connection_id)
    return { ids, shares, skipped: skipped.map(({ route: r, why }) => [r.connection_id, why]) }
  }

  test('gets no new orders, except those that can wait and have nowhere else to go', () => {
    const waiting = { ...PAYING, canWait: true }
    expect(decided(PAYING, 1)).toEqual({ ids: [2], shares: [1], skipped: [[1, 'suspended']] })
    expect(decided(PAYING, 1, 2).ids).toEqual([])
    expect(decided(waiting, 1)).toEqual({ ids: [2, 1], shares: [1, 0], skipped: [] })
    expect(decided(waiting, 1, 2)).toEqual({ ids: [1, 2], shares: [1, 0], skipped: [] })
  })
})

test('payouts are stopped once, with who did it and why, until they are resumed', async () => {
  const { tenant } = await shop()
  const now = clock.now()
  const stop = (by: string) =>
    db.transaction((tx) =>
      stopPayouts(tx, tenant, { by, byOperator: false, reason: 'A stolen key', now }),
    )
  const resume = () => db.transaction((tx) => resumePayouts(tx, tenant, 'all', now))
  expect(await payoutsStopOf(db, tenant)).toBeUndefined()
  expect(await resume()).toBe(false)
  expect([await stop('Ada'), await stop('Ben')]).toEqual([true, false])
  expect(await payoutsStopOf(db, tenant)).toEqual({
    stoppedAt: now,
    by: 'Ada',
    resumedBy: 'owner',
    reason: 'A stolen key',
  })
  expect(await payoutsStopOf(db, { ...tenant, live: true })).toBeUndefined()
  expect(await resume()).toBe(true)
  expect(await payoutsStopOf(db, tenant)).toBeUndefined()
})
