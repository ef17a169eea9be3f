import { beforeEach, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { flutterwave } from '../../../test/providers/doubles/flutterwave/flutterwave.ts'
import { paystack } from '../../../test/providers/doubles/paystack/paystack.ts'
import { startDouble } from '../../../test/providers/doubles/start.ts'
import { balancesIn } from '../../money/wallet/wallet.fixture.ts'
import { addSecret, connect, routesApply, setRoutes } from '../../providers/providers.fixture.ts'
import { cardShop, formTargetsOf } from './card.fixture.ts'

/* Card payments in live mode, on the pages of doubles of the providers. */

const server = await startServer({ jobs: false })
const { db } = server
const now = server.clock.now()
const doubles = {
  paystack: await startDouble((kit) => paystack(kit, {}), { now }),
  flutterwave: await startDouble((kit) => flutterwave(kit, {}), { now }),
}

const CHECKING = 'Checking your payment'

describe.each(['paystack', 'flutterwave'] as const)('at %s, a payer', (provider) => {
  const double = doubles[provider]
  let shop: Awaited<ReturnType<typeof cardShop>>
  let connectionId: number

  beforeEach(async () => {
    shop = await cardShop(server, { live: true })
    const { businessId } = shop
    const { baseUrl } = double
    connectionId = await connect(server, businessId, { provider, live: true, baseUrl })
    await addSecret(server, connectionId, double.provider.secretKey())
    if (provider === 'flutterwave') {
      const hash = doubles.flutterwave.provider.secretHash()
      await addSecret(server, connectionId, hash, 1, null, 'secret_hash')
    }
    await setRoutes(server, businessId, [{ service: 'CARD', connectionId, live: true }])
  })

  const at = (kind: string) => `${kind} ${connectionId}`
  const clearing = async () => {
    const balances: Record<string, number> = await balancesIn(db, { businessId: shop.businessId })
    return balances
  }
  const payHosted = (address: string, approves = true, times = 1) => {
    const { payer } = double.provider
    return payer.payHosted(address, approves, times)
  }

  test('200 pays on its page and comes back to a receipt', async () => {
    const { invoice, open, read, chooseCard, comeBack, payments } = shop
    const { path } = await invoice(5_000)
    expect(formTargetsOf(await open(path))).toMatch(/^'self' https:.* http:\/\/127\.0\.0\.1:\*$/)
    const page = await read(path)
    expect(page).toContain('id="pay-card"')
    expect(page).not.toContain('id="pay-transfer"')

    const address = await chooseCard(path)
    expect(new URL(address).origin).toBe(double.dashboardUrl)
    expect(await comeBack(`${path}/returned`)).toContain(CHECKING)
    const back = payHosted(address)!
    expect(new URL(back).pathname).toBe(`${path}/returned`)
    expect(await comeBack(back)).toContain('Payment received. Thank you!')
    expect(await payments()).toMatchObject([
      { channel: 'CARD', status: 'Successful', payUrl: null },
    ])
    const balances = await clearing()
    expect(balances[at('provider_clearing')]).toBeGreaterThan(0)
    expect(await findings(server)).toEqual([])
  })

  test('200 whose card is declined can try another one on the same page', async () => {
    const { invoice, chooseCard, comeBack, payments } = shop
    const { path } = await invoice(5_000)
    const address = await chooseCard(path)
    payHosted(address, false)
    expect(await comeBack(`${path}/returned?status=failed`)).toContain(CHECKING)
    expect(await payments()).toMatchObject([{ status: 'Pending' }])
    expect(await chooseCard(path)).toBe(address)
    expect(await comeBack(payHosted(address)!)).toContain('Payment received')
  })

  test('200 who cancels sees that nothing is known yet, whatever the address says', async () => {
    const { invoice, comeBack, chooseCard, payments } = shop
    const { path } = await invoice(5_000)
    const address = await chooseCard(path)
    const body = new URLSearchParams({ choice: 'cancel' })
    const left = await fetch(address, { method: 'POST', body, redirect: 'manual' })
    expect(await comeBack(left.headers.get('location')!)).toContain(CHECKING)
    expect(await comeBack(`${path}/returned?status=successful`)).toContain(CHECKING)
    expect(await payments()).toMatchObject([{ status: 'Pending' }])
  })

  test('200 who never comes back is found by the next lookup', async () => {
    const { invoice, read, chooseCard, payments } = shop
    const { path } = await invoice(5_000)
    payHosted(await chooseCard(path))
    server.clock.advance(61_000)
    await server.runJob('charge-orders')
    expect(await payments()).toMatchObject([{ status: 'Successful' }])
    expect(await read(path)).toContain('Payment received')
  })

  test('200 who pays twice has paid once; the rest is held or never taken', async () => {
    const { businessId, invoice, chooseCard, comeBack, payments } = shop
    const { path } = await invoice(5_000)
    const address = await chooseCard(path)
    await comeBack(payHosted(address, true, 2)!)
    await comeBack(`${path}/returned`)
    expect(await payments()).toMatchObject([{ status: 'Successful', overpaidAmount: 0 }])
    const deposits = await db.many<{ status: string; return_status: string | null }>`
      select status, return_status from deposits where business_id = ${businessId} order by id`
    expect(deposits).toEqual(
      [
        { status: 'Accepted', return_status: null },
        { status: 'Rejected', return_status: 'Held' },
      ].slice(0, provider === 'paystack' ? 1 : 2),
    )
    expect(await findings(server)).toEqual([])
  })

  test('200 is told when the page could not be opened, and gets one a minute later', async () => {
    const { invoice, read, chooseCard, comeBack, payments } = shop
    const { path } = await invoice(5_000)
    const on = provider === 'paystack' ? 'POST /transaction/initialize' : 'POST /payments'
    double.fault({ on, kind: 'reset_after_effect', times: 1 })
    expect(await chooseCard(path)).toBe(path)
    expect(await read(path)).toContain('This payment hasn’t started yet')
    // The first page may exist, so there is no second one at once.
    expect(await chooseCard(path)).toBe(path)
    server.clock.advance(61_000)
    const address = await chooseCard(path)
    expect(new URL(address).origin).toBe(double.dashboardUrl)
    expect(await comeBack(payHosted(address)!)).toContain('Payment received')
    expect(await payments()).toMatchObject([{ status: 'Successful' }])
    expect(await findings(server)).toEqual([])
  })

  test('200 is not offered cards by a business that has stopped taking them', async () => {
    const { businessId, invoice, open, read } = shop
    const { path } = await invoice(5_000)
    await setRoutes(server, businessId, [])
    await routesApply()
    expect(await read(path)).not.toContain('id="pay-card"')
    expect((await open(`${path}/pay`, { channel: 'CARD' })).status).toBe(503)
  })

  test('200 clicks twice and gets one page', async () => {
    const { invoice, open, chooseCard } = shop
    const { path } = await invoice(5_000)
    const before = double.calls.length
    await Promise.all(Array.from({ length: 4 }, () => open(`${path}/pay`, { channel: 'CARD' })))
    expect(double.calls.length - before).toBe(1)
    expect(new URL(await chooseCard(path)).origin).toBe(double.dashboardUrl)
  })
})
