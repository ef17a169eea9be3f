import { afterAll, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { allChecks } from '../audit.ts'
import { type Member, memberOf } from '../business/people/people.fixture.ts'
import { runAudit } from '../ledger/audit.ts'
import { openDisputedShop } from '../payments/disputes/disputes.fixture.ts'
import { openMissing } from '../provider-orders/differences.ts'
import { connect, routesApply, setRoutes } from '../providers/providers.fixture.ts'

const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({
    simulator,
    paystack: {
      ...simulator,
      payOut: async () => ({ kind: 'unknown', reason: 'timed_out' }),
      lookUpPayout: async () => ({ kind: 'unknown', reason: 'timed_out' }),
    },
  }),
})
const { db, ids, clock, runJob } = server
const TRANSFERS = '/api/transaction-service/external/v1/transfers'

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

test('200 counts what waits for a person, as far as the role can see it', async () => {
  const shop = await openDisputedShop(server)
  const { businessId, paid, dispute, contest, post } = shop
  const waiting = async (member: Member) => (await member.get('/console/waiting')).body.data
  expect(await waiting(shop.owner)).toEqual({ disputes: 0, differences: 0, orders: 0 })

  const first = await dispute(await paid(500))
  await dispute(await paid(700))
  const connectionId = await connect(server, businessId)
  const notice = { about: 'payment', type: 'charge.success', reference: null } as const
  const tenant = { businessId, live: false }
  const rest = { accountNumber: null, providerId: '90210', isLast: true }
  await db.transaction((tx) =>
    openMissing(tx, ids, { tenant, connectionId, ...notice, ...rest }, clock.now()),
  )
  await setRoutes(server, businessId, [{ service: 'PAYOUTS', connectionId }])
  await routesApply()
  await post(TRANSFERS, { amount: 100, bankCode: '058', accountNumber: '0123456785' })
  await runJob('transfer-orders')
  expect(await waiting(shop.owner)).toEqual({ disputes: 2, differences: 1, orders: 0 })

  // The response to the first one is on its way.
  await contest(first)
  clock.advance(16 * 60_000)
  expect(await waiting(shop.owner)).toEqual({ disputes: 1, differences: 1, orders: 1 })
  const support = await memberOf(server, 'support', businessId)
  expect(await waiting(support)).toEqual({ disputes: 1, differences: 0, orders: 0 })
  shop.owner.choose(businessId, 'live')
  expect(await waiting(shop.owner)).toEqual({ disputes: 0, differences: 0, orders: 0 })
})
