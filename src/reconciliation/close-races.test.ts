import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asOwner, type Reply, sessionsWaiting, startServer } from '../../test/harness.ts'
import { allChecks } from '../audit.ts'
import { runAudit } from '../ledger/audit.ts'
import type { IncomingPayment } from '../providers/connector/types.ts'
import { openShop, type Script, scripted, toMorning } from './reconciliation.fixture.ts'

/* A person closes a difference while the provider reports what it is about. */

const script = {} as Script
const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({ simulator, paystack: scripted(simulator, script) }),
})
const { db, runJob, clock } = server
const MONEY = '/api/transaction-service/external/v1'
const MINUTE_MS = 60_000

beforeAll(() => toMorning(server))
afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

type Shop = Awaited<ReturnType<typeof openShop>>

const ORDERS = ['report', 'person'] as const
type First = (typeof ORDERS)[number]

/** Both have done everything but move the money, and then continue. Returns what the person got. */
async function atOnce(
  { businessId, ask, prove }: Shop,
  first: First,
  report: () => Promise<unknown>,
  closing: { reference: string; resolution: string; transactionReference?: string },
): Promise<Reply> {
  await prove()
  const { reference, ...how } = closing
  const begin: Record<First, () => Promise<unknown>> = {
    report,
    person: () => ask(`/differences/${reference}/close`, { ...how, reason: 'Checked' }),
  }
  const begun: Partial<Record<First, Promise<unknown>>> = {}
  await asOwner(server.name, async (client) => {
    await client.query('begin')
    await client.query(`select from ledger_accounts where business_id = ${businessId} for update`)
    const inOrder = first === 'report' ? ORDERS : ORDERS.toReversed()
    for (const [i, who] of inOrder.entries()) {
      begun[who] = begin[who]()
      await expect.poll(() => sessionsWaiting(server.name), { interval: 5 }).toBe(i + 1)
    }
    await client.query('commit')
  })
  await begun.report
  return begun.person as Promise<Reply>
}

const expected = (first: First) =>
  first === 'report' ? [409, 'difference_state'] : [200, undefined]

const incoming = (): IncomingPayment => ({
  providerId: 'P1',
  amount_minor: 100_00n,
  currency: 'NGN',
  fee_minor: null,
  receivedAt: clock.now(),
  disposition: 'kept',
  sender: null,
})

const CHARGE = { channel: 'USSD', amount: 100 }

/** A shop with a wallet, and a payment that we do not have. */
async function withMissing(resolution: (typeof RESOLUTIONS)[number]) {
  const shop = await openShop(server, script)
  await shop.pay(10)
  shop.report('charge', { providerId: 'P1', amount_minor: 100_00n })
  await shop.run()
  const [{ reference }] = await shop.differences('class=missing_here')
  const to = resolution === 'allocated' && {
    transactionReference: (await shop.done(`${MONEY}/transaction-with-ussd`, CHARGE)).reference,
  }
  return { ...shop, closing: { reference, resolution, ...to } }
}

const RESOLUTIONS = ['booked', 'allocated'] as const

describe.each(ORDERS)('is booked once if the first is the %s', (first) => {
  test('a transfer that the bank returns', async () => {
    const shop = await openShop(server, script)
    const { send, run, differences, ask, balances, at, orderOf } = shop
    const { id, sent } = await orderOf(await send(50))
    await run()
    const [{ reference }] = await differences('class=missing_there')
    script.payouts.set(sent, { kind: 'done', value: { status: 'Returned', message: 'Closed' } })
    const report = () => ask(`/unresolved/transfer/${id}/look-up`, {})
    const closed = await atOnce(shop, first, report, { reference, resolution: 'accepted' })
    expect([closed.status, closed.body.errorCode]).toEqual(expected(first))
    expect(await balances()).not.toHaveProperty([at('provider_clearing')])
    // Later reports take nothing back either.
    expect((await report()).status).toBe(200)
    expect(await balances()).not.toHaveProperty([at('provider_clearing')])
  })

  test.each(RESOLUTIONS)('a payment into the account that funds the wallet: %s', async (how) => {
    const shop = await withMissing(how)
    await shop.done('/api/user-service/external/v1/wallet/funding-account', {})
    script.funding.push(incoming())
    clock.advance(11 * MINUTE_MS)
    const closed = await atOnce(shop, first, () => runJob('funding'), shop.closing)
    expect([closed.status, closed.body.errorCode]).toEqual(expected(first))
    clock.advance(11 * MINUTE_MS)
    await runJob('funding')
    expect(await shop.balances()).toMatchObject({ [shop.at('provider_clearing')]: 110_00 })
  })

  test.each(RESOLUTIONS)('a payment for an order that is still open: %s', async (how) => {
    const shop = await withMissing(how)
    const { ask, done, orderOf, balances, at } = shop
    const { id, sent } = await orderOf(
      (await done(`${MONEY}/transaction-with-ussd`, CHARGE)).reference,
    )
    const value = { status: 'Successful', message: 'Paid', payments: [incoming()] } as const
    script.charges.set(sent, { kind: 'done', value })
    const report = () => ask(`/unresolved/charge/${id}/look-up`, {})
    const closed = await atOnce(shop, first, report, shop.closing)
    expect([closed.status, closed.body.errorCode]).toEqual(expected(first))
    await report()
    expect(await balances()).toMatchObject({ [at('provider_clearing')]: 110_00 })
  })
})
