import { describe, expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { makeSplitPage } from '../../../payments/attempts/attempts.fixture.ts'
import { openShop } from '../../checkout/checkout.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server
/** The payer; pages without goods do not ask for an address and ignore it. */
const EMAIL = { email: 'ada@example.com', address: '1 Allen Avenue, Ikeja' }
const PAGES = '/api/payment-service/external/v1/payment-pages'

let made = 0

/** A shop whose split page gives two stalls ₦400 and ₦300 of each payment. */
async function open() {
  const shop = await openShop(server)
  const split = await makeSplitPage(shop.post, [400, 300], { splitType: 'fixed' })
  const newPage = async (content: Record<string, unknown>) => {
    const customLink = `shared-${++made}`
    const pageId = await shop.page({ customLink, splitPageId: split.id, ...content })
    return { pageId, link: `/pay/${customLink}` }
  }
  return { shop, split, newPage }
}

async function look(path: string, language = 'en') {
  const headers = { 'accept-language': language }
  const response = await fetch(server.url + path, { headers, redirect: 'manual' })
  return { status: response.status, html: await response.text() }
}

async function send(path: string, fields: Record<string, string>, language = 'en') {
  const response = await fetch(server.url + path, {
    method: 'POST',
    body: new URLSearchParams({ ...EMAIL, ...fields }),
    headers: { 'accept-language': language },
    redirect: 'manual',
  })
  return { status: response.status, html: await response.text() }
}

const checkouts = async ({ businessId }: { businessId: number }) =>
  (
    await db.one<{ n: number }>`
    select count(*)::int as n from checkouts where business_id = ${businessId}`
  ).n

describe('a page with suggested amounts', () => {
  test('400 for a chosen amount and a different typed one, of which the typed one stays', async () => {
    const shop = await openShop(server)
    const content = { amountType: 'variable', amount: undefined, suggestedAmounts: [1000, 2500] }
    await shop.page({ customLink: 'suggested', ...content })
    const both = await send('/pay/suggested', { suggested: '2500.00', amount: '2,000' })
    expect(both.status).toBe(400)
    expect(both.html).toContain('You chose ₦2,500.00 and also typed another amount.')
    expect(both.html).toContain('value="2,000"')
    expect(both.html).toContain('value="2500.00"')
    expect(both.html).not.toMatch(/ checked/)
    expect(await checkouts(shop)).toBe(0)
    for (const amount of ['', '2,500', '₦2500.00']) {
      const one = await send('/pay/suggested', { suggested: '2500.00', amount })
      expect([amount, one.status]).toEqual([amount, 303])
    }
    expect(await checkouts(shop)).toBe(3)
  })
})

describe('a page with fixed shares', () => {
  test('400 names the true minimum, which the form shows from the start', async () => {
    const { shop, split, newPage } = await open()
    const { body } = await shop.get(`/api/transaction-service/external/v1/split-page/${split.id}`)
    const { link } = await newPage({
      amountType: 'minimum',
      amount: 500,
      suggestedAmounts: [600, 900],
    })
    for (const path of [new URL(body.data.url).pathname, link]) {
      const { html } = await look(path)
      expect(html).toContain('Minimum ₦700.00.')
      expect(html).not.toContain('₦600.00')
      const little = await send(path, { amount: '699.99' })
      expect(little.status).toBe(400)
      expect(little.html).toContain('Please pay at least ₦700.00.')
      const french = await send(path, { amount: '5' }, 'fr')
      expect(french.html).toMatch(/Payez au moins 700,00/)
      expect((await send(path, { amount: '700' })).status).toBe(303)
    }
    expect(await checkouts(shop)).toBe(2)
  })

  test('400 rejects a code that would leave less than the shares', async () => {
    const { shop, newPage } = await open()
    await shop.discount({ code: 'HALF', value: 50 })
    await shop.discount({ code: 'FREE', value: 100 })
    const { link } = await newPage({ amount: 1000, allowDiscountCodes: true })
    const { status, html } = await send(link, { discountCode: 'half', name: 'Ada' })
    expect(status).toBe(400)
    expect(html).toContain('This code isn’t valid here. Change it or leave it blank.')
    expect(html).toContain('href="#discountCode"')
    expect(html).toContain('value="Ada"')
    expect(await checkouts(shop)).toBe(0)
    // If nothing is paid, nothing is shared.
    expect((await send(link, { discountCode: 'free' })).status).toBe(303)
    expect((await send(link, {})).status).toBe(303)
  })

  test('400 names the minimum for goods', async () => {
    const { shop, newPage } = await open()
    const productId = await shop.product({ price: 300 })
    const { link } = await newPage({
      amountType: 'variable',
      amount: undefined,
      productIds: productId,
    })
    const { status, html } = await send(link, { [`q-${productId}`]: '2' })
    expect(status).toBe(400)
    expect(html).toContain('Please pay at least ₦700.00.')
    expect((await send(link, { [`q-${productId}`]: '3' })).status).toBe(303)
  })

  test('404 if its amount is less than the shares, or the split page is inactive', async () => {
    const { shop, split, newPage } = await open()
    const { link: small } = await newPage({ amount: 699 })
    const { link: right } = await newPage({ amount: 700 })
    expect(await look(small)).toMatchObject({
      status: 404,
      html: expect.stringContaining('Not open right now'),
    })
    expect((await look(right)).status).toBe(200)
    const path = `/api/transaction-service/external/v1/split-page/${split.id}`
    expect((await shop.put(path, { status: false })).status).toBe(200)
    expect((await look(right)).status).toBe(404)
    expect((await send(right, {})).status).toBe(404)
  })
})

describe('form limits', () => {
  test('400 for more than the most that can be paid at once, with delivery', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ price: 99_999_999_999 })
    await shop.deliveryFee(productId, 'Lagos', '1.01')
    const customLink = `dear-${++made}`
    await shop.page({
      customLink,
      amountType: 'variable',
      amount: undefined,
      productIds: productId,
    })
    const form = { [`q-${productId}`]: '1', deliveryLocation: 'Lagos' }
    const { status, html } = await send(`/pay/${customLink}`, form)
    expect(status).toBe(400)
    expect(html).toContain('You can pay up to ₦100,000,000,000.00 at a time.')
    expect(await checkouts(shop)).toBe(0)
  })

  test('303 removes invisible characters from text', async () => {
    const shop = await openShop(server)
    const customLink = `plain-${++made}`
    const customFields = [{ label: 'Child', name: 'child', type: 'text', required: true }]
    const pageId = await shop.page({ customLink, collectAddress: true, customFields })
    const { status } = await send(`/pay/${customLink}`, {
      name: 'A\u0000d\u202ea\u2069',
      address: '1 Allen\u0007 Avenue\r\nIkeja',
      'f-child': 'Bola\u0000',
    })
    expect(status).toBe(303)
    const row = await db.one`
      select c.customer_name, c.answers::text as answers, o.delivery_address
      from checkouts c join orders o on o.id = c.order_id where c.page_id = ${pageId}`
    expect(row).toEqual({
      customer_name: 'Ada',
      answers: JSON.stringify([{ label: 'Child', name: 'child', value: 'Bola' }]),
      delivery_address: '1 Allen Avenue\r\nIkeja',
    })
    expect((await shop.get(`${PAGES}/get-page-details?pageId=${pageId}`)).status).toBe(200)
  })
})
