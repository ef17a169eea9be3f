import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { Sql } from '../db/sql.ts'
import type { Connector, RoutingQuery } from './connector/types.ts'
import { connect, pause, setRoutes } from './providers.fixture.ts'
import { openProviders } from './providers.ts'

const server = await startServer({ jobs: false })
const { db } = server

const nothing = {} as Connector
const open = () => openProviders(db, { simulator: nothing, paystack: nothing })

const PAYING: RoutingQuery = { service: 'PAYOUTS', currency: 'NGN', amount_minor: 50_000n }

async function shop() {
  const { businessId } = await server.newBusiness()
  const tenant = { businessId, live: false }
  const account = (options = {}) => connect(server, businessId, options)
  const routes = (all: Parameters<typeof setRoutes>[2]) => setRoutes(server, businessId, all)
  /** The connections for a new order, best first. */
  const found = async (query: Partial<RoutingQuery> = {}, live = false) => {
    const all = await open().candidates({ businessId, live }, { ...PAYING, ...query })
    return all.map(({ connection }) => connection.id)
  }
  return { businessId, tenant, account, routes, found }
}

describe('without routes', () => {
  test('the simulator serves test mode, and nothing serves live mode', async () => {
    const { found, tenant } = await shop()
    expect(await found()).toEqual([1])
    await expect(found({}, true)).rejects.toMatchObject({ code: 'live_provider_missing' })
    expect(await open().channels(tenant)).toEqual(['BANK_TRANSFER', 'USSD', 'CARD'])
    expect(await open().channels({ ...tenant, live: true })).toEqual([])
  })
})

describe('routes', () => {
  test('decide about their own service, mode and business only', async () => {
    const { found, account, routes, businessId } = await shop()
    const other = await shop()
    const [test, live] = [await account(), await account({ live: true })]
    await routes([
      { service: 'PAYOUTS', connectionId: test },
      { service: 'USSD', connectionId: live, live: true },
      // Leads into the other mode, so it is ignored.
      { service: 'BANK_TRANSFER', connectionId: test, live: true },
    ])
    expect(await found()).toEqual([test])
    expect(await found({ service: 'USSD' })).toEqual([1])
    expect(await found({ service: 'USSD' }, true)).toEqual([live])
    expect(await open().channels({ businessId, live: true })).toEqual(['USSD'])
    await other.routes([{ service: 'PAYOUTS', connectionId: test }])
    expect(await other.found()).toEqual([1])
  })

  test('match amount, bank and currency, and leave out connections that cannot serve it', async () => {
    const { found, account, routes } = await shop()
    const [small, large, gtb] = [await account(), await account(), await account()]
    await routes([
      { service: 'PAYOUTS', connectionId: small, most_minor: 50_000n, priority: 2 },
      { service: 'PAYOUTS', connectionId: large, least_minor: 50_000n, priority: 3 },
      { service: 'PAYOUTS', connectionId: gtb, banks: ['058'], priority: 1 },
    ])
    expect(await found({ bankCode: '058' })).toEqual([gtb, small, large])
    expect(await found({ bankCode: '011' })).toEqual([small, large])
    expect(await found({ bankCode: '011', except: [small] })).toEqual([large])
    expect(await found({ bankCode: '011', amount_minor: 50_001n })).toEqual([large])
    expect(await found({ bankCode: '011', amount_minor: 49_999n })).toEqual([small])
    await expect(found({ currency: 'USD' })).rejects.toMatchObject({ code: 'provider_unavailable' })
  })

  test('of one priority are drawn by weight, and the same for the same key', async () => {
    const { found, account, routes } = await shop()
    const [often, rarely] = [await account(), await account()]
    await routes([
      { service: 'PAYOUTS', connectionId: often, weight: 9 },
      { service: 'PAYOUTS', connectionId: rarely, weight: 1 },
    ])
    const keys = Array.from({ length: 200 }, (_, i) => `TRF_${i}`)
    const firsts = await Promise.all(keys.map(async (key) => (await found({ key }))[0]))
    const share = firsts.filter((id) => id === often).length / keys.length
    expect(share).toBeGreaterThan(0.8)
    expect(share).toBeLessThan(0.97)
    const again = await Promise.all(keys.map(async (key) => (await found({ key }))[0]))
    expect(again).toEqual(firsts)
    const keyless = await Promise.all(keys.map(async () => (await found())[0]))
    expect(new Set(keyless)).toEqual(new Set([often, rarely]))
  })

  test('for holders of accounts are not needed if a routed connection knows them', async () => {
    const { found, account, routes } = await shop()
    const [silent, knowing] = [
      await account(),
      await account({ settings: { services: ['ACCOUNTS'] } }),
    ]
    const asked = { service: 'ACCOUNTS', currency: 'NGN' } as const
    await routes([{ service: 'PAYOUTS', connectionId: silent }])
    expect(await found(asked)).toEqual([1])
    await routes([silent, knowing].map((connectionId) => ({ service: 'PAYOUTS', connectionId })))
    expect(await found(asked)).toEqual([knowing])
    // The simulator does not answer for a real account, not even while it is paused.
    await pause(server, knowing)
    await expect(found(asked)).rejects.toMatchObject({ code: 'provider_unavailable' })
  })

  test('to a provider that this version does not know do not prevent the others', async () => {
    const { found, account, routes, tenant } = await shop()
    const [unknown, known] = [await account({ provider: 'flutterwave' }), await account()]
    const to = (connectionId: number, priority: number) =>
      (['PAYOUTS', 'USSD'] as const).map((service) => ({ service, connectionId, priority }))
    await routes([...to(unknown, 1), ...to(known, 2)])
    expect(await found()).toEqual([known])
    await routes(to(unknown, 1))
    await expect(found()).rejects.toMatchObject({ code: 'provider_unavailable' })
    expect(await open().channels(tenant)).toEqual(['BANK_TRANSFER', 'CARD'])
  })

  test('to a paused or removed connection get no new orders, but it is asked about its own', async () => {
    const { found, account, routes } = await shop()
    const [paused, removed] = [
      await account({ status: 'Paused' }),
      await account({ status: 'Removed' }),
    ]
    await routes([paused, removed].map((connectionId) => ({ service: 'PAYOUTS', connectionId })))
    await expect(found()).rejects.toMatchObject({ code: 'provider_unavailable' })
    for (const id of [paused, removed]) expect((await open().holder(id)).connection.id).toBe(id)
    await expect(open().holder(999_999_999)).rejects.toThrow('No provider has the connection')
  })

  test('apply a second after they change, also for a process that has read the ones before', async () => {
    const { account, routes, tenant } = await shop()
    const providers = open()
    const connectionId = async () => (await providers.choose(tenant, PAYING)).connection.id
    // However slow this machine is, no more time passes than the test says.
    const began = performance.now()
    const now = vi.spyOn(performance, 'now').mockReturnValue(began)
    onTestFinished(() => now.mockRestore())
    expect(await connectionId()).toBe(1)
    const account1 = await account()
    await routes([{ service: 'PAYOUTS', connectionId: account1 }])
    now.mockReturnValue(began + 900)
    expect(await connectionId()).toBe(1)
    now.mockReturnValue(began + 1_100)
    expect(
      await db.transaction(
        async (tx) => (await providers.choose(tenant, PAYING, tx)).connection.id,
      ),
    ).toBe(account1)
    expect(await connectionId()).toBe(account1)
  })
})

test('the database refuses play money in live mode, and shared accounts', async () => {
  const { businessId } = await server.newBusiness()
  const id = await connect(server, businessId)
  const change = (set: string) =>
    db.run`update provider_connections set ${new Sql([set], [])} where id = ${id}`
  await expect(change('live = true')).rejects.toThrow('provider_connections_mode')
  await expect(change('business_id = null')).rejects.toThrow('provider_connections_owner')
  await expect(change(`environment = 'simulated'`)).rejects.toThrow(
    'provider_connections_simulated',
  )
})
