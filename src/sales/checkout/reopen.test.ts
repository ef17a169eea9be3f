import { describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { CHECKOUT, openShop } from './checkout.fixture.ts'

const PAYMENTS = '/api/payment-service/external/v1'

const server = await startServer()
const { url } = server

const post = async (path: string, form: Record<string, string> = {}) => {
  const body = new URLSearchParams(form)
  const response = await fetch(`${url}${path}`, { method: 'POST', body, redirect: 'manual' })
  return { status: response.status, to: response.headers.get('location') }
}
const look = async (path: string) => (await fetch(`${url}${path}`)).text()

/** With goods and a discount, all of which the restart must reserve again. */
async function open() {
  const shop = await openShop(server)
  const productId = await shop.product({ quantity: 2 })
  await shop.discount({ maxUses: 1 })
  const begun = await shop.begun({
    products: [{ productId, quantity: 2 }],
    discountCode: 'TEN',
    shippingAddress: '1 Allen Avenue',
  })
  return { shop, productId, begun, page: `/checkout/${begun.accessCode}` }
}

describe('restarting a checkout', () => {
  test('303 reopens an expired checkout under the same reference, however often it is requested', async () => {
    const { shop, productId, begun, page } = await open()
    server.clock.advance(31 * 60_000)
    expect(await look(page)).toContain('This payment link has expired')
    await server.runJob('checkout-expiry')
    expect(await shop.stock(productId)).toMatchObject({ reserved: 0 })
    const pressed = await Promise.all(Array.from({ length: 12 }, () => post(`${page}/again`)))
    expect(new Set(pressed.map(({ status }) => status))).toEqual(new Set([303]))
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Open' })
    expect(await shop.stock(productId)).toMatchObject({ reserved: 2 })
    expect((await shop.order(begun.orderReference)).status).toBe('Pending')
    await post(`${page}/pay`, { channel: 'BANK_TRANSFER' })
    await post(`${page}/simulate`, { outcome: 'success' })
    expect(await look(page)).toContain('Payment received. Thank you!')
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Paid', status: 'Successful' })
    expect(await findings(server)).toEqual([])
  })

  test('303 reopens a checkout that its payer cancelled; 409 for one that the business cancelled', async () => {
    const { shop, begun, page } = await open()
    await post(`${page}/cancel`)
    expect(await look(page)).toContain('Start again')
    expect((await post(`${page}/again`)).status).toBe(303)
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Open' })
    await shop.post(`${CHECKOUT}/${begun.reference}/cancel`)
    const cancelled = await look(page)
    expect(cancelled).not.toContain('Start again')
    expect(cancelled).toMatch(/<h2>This payment was cancelled by [^<]+<\/h2>/)
    expect(cancelled).toContain('for a new payment link')
    expect((await post(`${page}/again`)).status).toBe(409)
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Cancelled' })
  })

  test('200 links to no page from a checkout that the business cancelled', async () => {
    const shop = await openShop(server)
    const pageId = await shop.page()
    const begun = await shop.begun({ pageId })
    await shop.post(`${CHECKOUT}/${begun.reference}/cancel`)
    const html = await look(`/checkout/${begun.accessCode}`)
    expect(html).toContain('This payment was cancelled by Ada Ventures')
    expect(html).not.toContain('Start again')
  })

  test('409 once its goods are sold, and after a day', async () => {
    const { shop, productId, begun, page } = await open()
    await post(`${page}/cancel`)
    await shop.begun({ products: [{ productId, quantity: 1 }] })
    expect((await post(`${page}/again`)).status).toBe(409)
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Cancelled' })
    server.clock.advance(25 * 3_600_000)
    expect(await look(page)).toContain('for a new payment link')
    expect((await post(`${page}/again`)).status).toBe(409)
    expect(await findings(server)).toEqual([])
  })

  test.each([
    ['was switched off', () => ({ status: 'Inactive' })],
    ['has ended', () => ({ endsAt: new Date(server.clock.now().getTime() - 1).toISOString() })],
  ])('400 once its discount %s, with a page that says so', async (_what, change) => {
    const { shop, productId, begun, page } = await open()
    await post(`${page}/cancel`)
    const details = `${PAYMENTS}/products/update-discount-code-details`
    expect((await shop.put(details, { code: 'TEN', ...change() })).status).toBe(200)
    const refused = await fetch(`${url}${page}/again`, { method: 'POST' })
    expect(refused.status).toBe(400)
    const html = await refused.text()
    expect(html).toContain('<h1>This discount is no longer valid</h1>')
    expect(html).toMatch(/You can place a new order at [^<]+\.<\/p>/)
    const headers = { 'accept-language': 'fr' }
    const french = await fetch(`${url}${page}/again`, { method: 'POST', headers })
    expect(await french.text()).toContain('<h1>Cette remise n’est plus valable</h1>')
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Cancelled' })
    expect(await shop.stock(productId)).toMatchObject({ reserved: 0 })
    expect(await findings(server)).toEqual([])
  })

  test('303 for an Open checkout, whatever has happened to its discount', async () => {
    const { shop, begun, page } = await open()
    const details = `${PAYMENTS}/products/update-discount-code-details`
    await shop.put(details, { code: 'TEN', status: 'Inactive' })
    expect((await post(`${page}/again`)).status).toBe(303)
    await post(`${page}/pay`, { channel: 'BANK_TRANSFER' })
    await post(`${page}/simulate`, { outcome: 'success' })
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Paid' })
  })

  test('409 three days after creation, however often it was restarted', async () => {
    const { shop, begun, page } = await open()
    for (let hours = 0; hours < 69; hours += 23) {
      server.clock.advance(23 * 3_600_000)
      expect((await post(`${page}/again`)).status).toBe(303)
    }
    server.clock.advance(4 * 3_600_000)
    expect(await look(page)).not.toContain('Start again')
    expect((await post(`${page}/again`)).status).toBe(409)
    expect(await shop.seen(begun.reference)).toMatchObject({ state: 'Expired' })
    expect(await findings(server)).toEqual([])
  })

  test('200 links to the payment page where it started, filled in as before', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ quantity: 3 })
    const link = `again-${productId}`
    const more = { customLink: link, amountType: 'variable', amount: undefined }
    await shop.page({ ...more, productIds: productId })
    const form = { email: 'ada@example.com', address: '1 Allen Avenue' }
    const { to } = await post(`/pay/${link}`, { ...form, [`q-${productId}`]: '2' })
    const code = to!.split('/').at(-1)!
    const html = await look(`/pay/${link}?from=${code}`)
    expect(html).toContain('value="ada@example.com"')
    expect(html).toContain('1 Allen Avenue</textarea>')
    expect(html).toContain(`name="from" value="${code}"`)
    // The changed checkout replaces the old one, so its goods count once.
    const changed = { ...form, from: code, [`q-${productId}`]: '3' }
    const second = await post(`/pay/${link}`, changed)
    expect(second.status).toBe(303)
    expect(await look(to!)).toContain('This payment was cancelled')
    expect(await shop.stock(productId)).toMatchObject({ reserved: 3 })
    // A checkout of another page fills in nothing here.
    const other = await shop.begun({ amount: 10 })
    expect(await look(`/pay/${link}?from=${other.accessCode}`)).not.toContain('ada@example.com')
    expect(await findings(server)).toEqual([])
  })
})
