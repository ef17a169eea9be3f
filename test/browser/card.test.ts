import type { Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cardShop } from '../../src/payments/attempts/card.fixture.ts'
import { addSecret, connect, setRoutes } from '../../src/providers/providers.fixture.ts'
import { findings } from '../corruption/findings.ts'
import { startServer } from '../harness.ts'
import { paystack } from '../providers/doubles/paystack/paystack.ts'
import { startDouble } from '../providers/doubles/start.ts'
import { overflowOf, seriousOf, withBrowser } from './chromium.ts'

const { newPage } = withBrowser()
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
const NO_SCRIPT = { ...PHONE, javaScriptEnabled: false }
const double = await startDouble((kit) => paystack(kit, {}), { now: new Date() })

const RECEIPT = 'Payment received. Thank you!'

async function openShop(options: { live?: boolean } = {}) {
  const server = await startServer({ isReachable: true, simulatorDelayMs: 400 })
  onTestFinished(server.close)
  return { server, shop: await cardShop(server, options) }
}

const sees = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()
/** Needs the script. */
async function expectFine(page: Page): Promise<void> {
  await expect.poll(() => overflowOf(page)).toBe(0)
  expect(await seriousOf(page)).toEqual([])
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

describe('a payer pays by card', () => {
  test.each([
    ['with the script', PHONE],
    ['without the script', NO_SCRIPT],
  ])('on the simulator, %s', async (_, options) => {
    const { server, shop } = await openShop()
    const { path } = await shop.invoice(5_000)
    const { page, trouble } = await newPage(server.url + path, options)
    await press(page, 'Pay by card')
    await sees(page, 'Simulated card page')
    if (options === PHONE) await expectFine(page)

    await press(page, 'Leave without paying')
    await sees(page, 'Checking your payment')
    if (options === PHONE) await expectFine(page)
    await page.getByRole('link', { name: 'Continue to the secure page' }).click()
    await press(page, 'Decline the card')
    await sees(page, 'That payment didn’t go through')
    await press(page, 'Pay by card')
    await press(page, 'Pay ₦5,000.00')
    await sees(page, RECEIPT)
    expect(trouble()).toEqual([])
    expect(await findings(server)).toEqual([])
  })

  test('that is confirmed late, and sees the page change by itself', async () => {
    const { server, shop } = await openShop()
    const { path } = await shop.checkout(5_000)
    const { page, trouble } = await newPage(server.url + path, PHONE)
    await press(page, 'Pay by card')
    await press(page, 'Pay, but confirm it late')
    await sees(page, 'Checking your payment')
    await sees(page, RECEIPT)
    expect(trouble()).toEqual([])
  })

  test('on the page of a provider, on another site', async () => {
    const { server, shop } = await openShop({ live: true })
    const { businessId, invoice } = shop
    const { baseUrl } = double
    const connectionId = await connect(server, businessId, { live: true, baseUrl })
    await addSecret(server, connectionId, double.provider.secretKey())
    await setRoutes(server, businessId, [{ service: 'CARD', connectionId, live: true }])
    const { path } = await invoice(5_000)
    const { page } = await newPage(server.url + path, PHONE)
    await press(page, 'Pay by card')
    await sees(page, 'Pay NGN 5000.00')
    // A payer who goes back sees the way to the same page.
    await page.goBack()
    await page.getByRole('link', { name: 'Continue to the secure page' }).click()
    await press(page, 'Pay with a card that is declined')
    await press(page, 'Pay with card')
    await sees(page, RECEIPT)
    expect(await findings(server)).toEqual([])
  })
})
