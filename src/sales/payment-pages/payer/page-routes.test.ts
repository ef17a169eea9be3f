import { describe, expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { allChecks } from '../../../audit.ts'
import { runAudit } from '../../../ledger/audit.ts'
import { openShop } from '../../checkout/checkout.fixture.ts'

const server = await startServer()
const { db, clock } = server
const { get, post, put, product, page, discount, deliveryFee, subaccount } = await openShop(server)
const PAGES = '/api/payment-service/external/v1/payment-pages'

/** Adds products to a page. */
async function sells(pageId: number, productIds: readonly string[]) {
  const body = { pageId, productIds: productIds.join(',') }
  expect((await post(`${PAGES}/payment-page-add-product`, body)).status).toBe(200)
}
/** The payer; pages without goods do not ask for an address and ignore it. */
const EMAIL = { email: 'ada@example.com', address: '1 Allen Avenue, Ikeja' }
/** The smallest image. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let made = 0
const newLink = () => `page-${++made}`

/** Creates a published page and returns its link. */
async function newPage(content: Record<string, unknown> = {}) {
  const customLink = newLink()
  const pageId = await page({ customLink, ...content })
  return { pageId, link: `/pay/${customLink}` }
}

async function look(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(server.url + path, { headers, redirect: 'manual' })
  return { status: response.status, html: await response.text(), headers: response.headers }
}

async function send(path: string, fields: Record<string, string> | string[][]) {
  const body = new URLSearchParams(fields)
  const response = await fetch(server.url + path, { method: 'POST', body, redirect: 'manual' })
  const html = await response.text()
  return { status: response.status, html, to: response.headers.get('location') ?? '' }
}

/** Returns the totals of the checkout that a form led to, found by the access code in its URL. */
async function checkoutAt(to: string) {
  const [, id = ''] = /^\/checkout\/\w+-(\w+)-\w+$/.exec(to) ?? []
  return db.one<{ amount_minor: bigint; currency: string; live: boolean }>`
    select amount_minor, currency, live from checkouts where id = ${Number.parseInt(id, 36)}`
}

const checkouts = async (pageId: number) =>
  (await db.one<{ n: number }>`select count(*)::int as n from checkouts where page_id = ${pageId}`)
    .n

describe('viewing', () => {
  test('200 shows what to pay for, and counts the view', async () => {
    const { link, pageId } = await newPage({ title: 'School <fees>', amount: 2500.5 })
    const { status, html, headers } = await look(link)
    expect(status).toBe(200)
    expect(html).toContain('School &lt;fees>')
    expect(html).toContain('₦2,500.50')
    expect(html).toContain('Test mode')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    await server.runJob('page_views')
    // The server's own run may have taken the view and not written it yet.
    const counted = () => db.one`select views from payment_page_counts where page_id = ${pageId}`
    await expect.poll(counted).toEqual({ views: 1 })
  })

  test('200 is in the payer’s language', async () => {
    const { link } = await newPage()
    const { html } = await look(link, { 'accept-language': 'yo' })
    expect(html).toContain('<html lang="yo">')
    expect(html).toContain('Ẹ tẹ̀síwájú láti sanwó')
  })

  test('200 has the merchant’s colour, from a separate style sheet', async () => {
    const { link } = await newPage({ color: '#FFEE00' })
    const { html } = await look(link)
    expect(html).toContain('href="/accent/ffee00.css"')
    const style = await look('/accent/ffee00.css')
    expect(style.headers.get('content-type')).toContain('text/css')
    expect(style.html).toContain('--accent:#')
    expect((await look('/accent/nonsense.css')).status).toBe(404)
  })

  test('200 shows images on this server and none from elsewhere', async () => {
    const sent = await post(`${PAGES}/upload-page-image`, { base64: PNG })
    const own = await newPage({ image: sent.body.data.url })
    expect((await look(own.link)).html).toMatch(/<img class="banner" src="\/media\/[\w-]+"/)
    const foreign = await newPage({ image: 'https://pictures.example/a.png' })
    expect((await look(foreign.link)).html).not.toContain('pictures.example')
  })

  test('404 is a page for a link that does not or cannot exist', async () => {
    for (const link of ['nobody-has-this', '%00', 'page%00', 'PAGE', 'a'.repeat(500)]) {
      const { status, html } = await look(`/pay/${link}`)
      expect([link, status, html]).toEqual([
        link,
        404,
        expect.stringContaining('We couldn’t find this page'),
      ])
    }
    expect((await send('/pay/%00', EMAIL)).status).toBe(404)
  })

  test('404 for a page in a currency that cannot be paid', async () => {
    const { link, pageId } = await newPage()
    // As an older version created it, which accepted any currency.
    await db.transaction(
      (tx) => tx.run`update payment_pages set currency = 'USD' where id = ${pageId}`,
    )
    expect((await look(link)).status).toBe(404)
    expect((await send(link, EMAIL)).status).toBe(404)
    expect(await checkouts(pageId)).toBe(0)
  })

  test('404 for an unpublished page, 410 for an expired or deleted one', async () => {
    const closed = await newPage({ status: 'Unpublished' })
    expect(await look(closed.link)).toMatchObject({
      status: 404,
      html: expect.stringContaining('Not open right now'),
    })
    const over = await newPage({ expiresAt: new Date(clock.now().getTime() + 60_000) })
    const gone = await newPage()
    await post(`${PAGES}/delete-page`, { pageId: gone.pageId })
    clock.advance(61_000)
    expect((await look(over.link)).status).toBe(410)
    const { status, html } = await look(gone.link)
    expect([status, html]).toEqual([410, expect.stringContaining('took this page down')])
    expect((await send(over.link, EMAIL)).status).toBe(410)
    expect(await checkouts(over.pageId)).toBe(0)
  })

  test('409 when all places are taken or all goods are sold', async () => {
    const full = await newPage({ maxPayments: 1 })
    expect((await send(full.link, EMAIL)).status).toBe(303)
    const again = await look(full.link)
    expect([again.status, again.html]).toEqual([
      409,
      expect.stringContaining('Payment limit reached'),
    ])
    const sold = await newPage({ amountType: 'variable', amount: undefined })
    await sells(sold.pageId, [await product({ quantity: 0 })])
    const { status, html } = await look(sold.link)
    expect([status, html]).toEqual([409, expect.stringContaining('Sold out')])
  })
})

describe('filling in', () => {
  test('303 leads to a checkout of the page’s amount, whatever the form says', async () => {
    const { link } = await newPage({ amount: 1000 })
    const forged = {
      ...EMAIL,
      amount: '1',
      price: '1',
      currency: 'USD',
      live: 'true',
      feeBearer: 'business',
      expiresInMinutes: '480',
    }
    const { status, to } = await send(link, forged)
    expect(status).toBe(303)
    const checkout = await checkoutAt(to)
    expect(checkout).toEqual({ amount_minor: 100_000n, currency: 'NGN', live: false })
  })

  test('303 once for one form that is submitted twenty times', async () => {
    const { link, pageId } = await newPage()
    const once = /name="once" value="([^"]+)"/.exec((await look(link)).html)![1]!
    const sent = await Promise.all(Array.from({ length: 20 }, () => send(link, { ...EMAIL, once })))
    expect(new Set(sent.map(({ status, to }) => `${status} ${to}`)).size).toBe(1)
    expect(await checkouts(pageId)).toBe(1)
    // Another amount or payer leads to another checkout.
    const other = await send(link, { email: 'obi@example.com', once })
    expect(other.to).not.toBe(sent[0]!.to)
    expect(await checkouts(pageId)).toBe(2)
  })

  test('303 even if the first submission took the last unit', async () => {
    const { link, pageId } = await newPage({ maxPayments: 1 })
    const productId = await product({ price: 1000, quantity: 1 })
    await sells(pageId, [productId])
    const once = /name="once" value="([^"]+)"/.exec((await look(link)).html)![1]!
    const form = { ...EMAIL, once, [`q-${productId}`]: '1' }
    const sent = await Promise.all(Array.from({ length: 10 }, () => send(link, form)))
    sent.push(await send(link, form))
    expect(new Set(sent.map(({ status, to }) => `${status} ${to}`))).toEqual(
      new Set([`303 ${sent[0]!.to}`]),
    )
    expect(await checkouts(pageId)).toBe(1)
    expect((await send(link, { ...form, once: `${once.slice(1)}x` })).status).toBe(409)
  })

  test('303 accepts an amount as people write it; 400 keeps invalid input', async () => {
    const { link, pageId } = await newPage({
      amountType: 'minimum',
      amount: 500,
      suggestedAmounts: [1000, 2500],
    })
    const wrong = await send(link, { ...EMAIL, amount: '₦ 499.99', name: 'Ada <b>' })
    expect(wrong.status).toBe(400)
    expect(wrong.html).toContain('Please pay at least ₦500.00.')
    expect(wrong.html).toContain('value="₦ 499.99"')
    expect(wrong.html).toContain('value="Ada &lt;b>"')
    expect(wrong.html).toContain('href="#amount"')
    for (const amount of ['', '-5', 'NaN', '1e9', '0']) {
      expect([amount, (await send(link, { ...EMAIL, amount })).status]).toEqual([amount, 400])
    }
    const twice = [
      ['email', EMAIL.email],
      ['amount', '500'],
      ['amount', '900'],
    ]
    expect((await send(link, twice)).status).toBe(400)
    expect(await checkouts(pageId)).toBe(0)
    const typed = await send(link, { ...EMAIL, amount: '₦2,500.50' })
    expect((await checkoutAt(typed.to)).amount_minor).toBe(250_050n)
    const picked = await send(link, { ...EMAIL, suggested: '1000.00', amount: '' })
    expect((await checkoutAt(picked.to)).amount_minor).toBe(100_000n)
  })

  test('303 computes products, discount and delivery; 400 names each invalid field', async () => {
    const shirt = await product({ name: 'Shirt', price: 5000, quantity: 3 })
    const book = await product({ name: 'E-book', price: 1500, type: 'digital', quantity: 50 })
    const other = await product({ name: 'Not here', price: 1 })
    await deliveryFee(shirt, 'Lagos', '700')
    await discount({ code: 'TEN' })
    const { link, pageId } = await newPage({
      amountType: 'variable',
      amount: undefined,
      collectPhone: true,
      collectAddress: true,
      allowDiscountCodes: true,
      customFields: [
        { label: 'Age', name: 'age', type: 'number', required: true },
        { label: 'Size of shoe', name: 'shoe', type: 'select', options: ['41', '42'] },
      ],
    })
    await sells(pageId, [shirt, book])
    const right = {
      ...EMAIL,
      phone: '0803 555 0142',
      address: '1 Allen Avenue',
      deliveryLocation: 'Lagos',
      discountCode: 'ten',
      'f-age': '31',
      'f-shoe': '42',
      [`q-${shirt}`]: '2',
      [`q-${book}`]: '1',
      [`q-${other}`]: '9',
    }
    const wrongs: Record<string, [Record<string, string>, string]> = {
      nothing: [{ [`q-${shirt}`]: '0', [`q-${book}`]: '' }, 'at least one item'],
      minus: [{ [`q-${shirt}`]: '-1' }, 'a quantity in digits'],
      fraction: [{ [`q-${shirt}`]: '1.5' }, 'a quantity in digits'],
      stock: [{ [`q-${shirt}`]: '4' }, 'Only 3 left'],
      place: [{ deliveryLocation: 'Kano' }, 'isn’t available there'],
      noPlace: [{ deliveryLocation: '' }, 'This is required'],
      code: [{ discountCode: 'NOPE' }, 'This code isn’t valid here'],
      phone: [{ phone: 'call me' }, 'a phone number'],
      email: [{ email: 'ada' }, 'an email address'],
      address: [{ address: ' ' }, 'This is required'],
      number: [{ 'f-age': 'old' }, 'a number in digits'],
      choice: [{ 'f-shoe': '43' }, 'an option from the list'],
    }
    for (const [name, [change, says]] of Object.entries(wrongs)) {
      const { status, html } = await send(link, { ...right, ...change })
      expect([name, status, html.includes(says)]).toEqual([name, 400, true])
    }
    expect(await checkouts(pageId)).toBe(0)
    const { status, to } = await send(link, right)
    expect(status).toBe(303)
    // 2 × 5,000 + 1,500 less a tenth, plus 700 for delivery.
    expect((await checkoutAt(to)).amount_minor).toBe(1_105_000n)
    const { html } = await look(to)
    for (const said of ['Shirt', 'E-book', 'Lagos', '−₦1,150.00', '₦11,050.00', 'Size of shoe']) {
      expect(html).toContain(said)
    }
  })

  test('400 asks for the place of delivery, even if every place has a fee', async () => {
    const shirt = await product({ name: 'Shirt', price: 5000 })
    const book = await product({ name: 'E-book', price: 1500, type: 'digital' })
    await deliveryFee(shirt, 'Lagos', '700')
    await deliveryFee(shirt, 'Everywhere', '2500')
    const { link, pageId } = await newPage({ amountType: 'variable', amount: undefined })
    await sells(pageId, [shirt, book])
    const wanted = { [`q-${shirt}`]: '1' }
    const nowhere = await send(link, { ...EMAIL, ...wanted, deliveryLocation: '' })
    expect([nowhere.status, nowhere.html]).toEqual([
      400,
      expect.stringContaining('href="#deliveryLocation"'),
    ])
    const elsewhere = { ...EMAIL, ...wanted, deliveryLocation: 'Everywhere' }
    expect((await checkoutAt((await send(link, elsewhere)).to)).amount_minor).toBe(750_000n)
    expect((await send(link, { ...EMAIL, [`q-${book}`]: '1' })).status).toBe(303)
  })

  test('400 names goods that were sold in the meantime', async () => {
    const [last, other] = [await product({ quantity: 1 }), await product({ name: 'Cap' })]
    const { link, pageId } = await newPage({ amountType: 'variable', amount: undefined })
    await sells(pageId, [last, other])
    const wanted = { ...EMAIL, [`q-${last}`]: '1' }
    expect((await send(link, wanted)).status).toBe(303)
    const { status, html } = await send(link, wanted)
    expect([status, html]).toEqual([
      400,
      expect.stringContaining('Shirt: This is no longer available'),
    ])
  })

  test('303 buys several variants of a product at once, each at its price', async () => {
    const options = [{ name: 'Size', values: ['M', 'L', 'XL'] }]
    const shirt = await product({ name: 'Shirt', price: 5000, quantity: undefined, options })
    const { link, pageId } = await newPage({ amountType: 'variable', amount: undefined })
    await sells(pageId, [shirt])
    const { html } = await look(link)
    expect(html).toContain(`name="o-${shirt}-0" value="L"`)
    expect(html).not.toContain(`name="q-${shirt}-`)
    const { variants } = (
      await get(`/api/payment-service/external/v1/products/get-product-details?productId=${shirt}`)
    ).body.data
    const ids = variants.map((one: { variantId: number }) => one.variantId)
    const [medium = '', large = '', larger = ''] = ids.map((id: number) => `q-${shirt}-${id}`)
    const variantId = ids[2]
    const change = { productId: shirt, variantId, price: 6500, quantity: 4 }
    const changed = await put(
      '/api/payment-service/v1/products/update-product-variant-details',
      change,
    )
    expect([changed.status, changed.text]).toEqual([200, changed.text])
    // Once one variant has tracked stock, all do.
    const counted = { productId: shirt, variantId: ids[0], quantity: 9 }
    await put('/api/payment-service/v1/products/update-product-variant-details', counted)
    const none = await send(link, { ...EMAIL, [medium]: '0' })
    expect([none.status, none.html]).toEqual([400, expect.stringContaining('at least one item')])
    const foreign = await send(link, { ...EMAIL, [`q-${shirt}-1`]: '1', [`q-${shirt}`]: '1' })
    expect(foreign.status).toBe(400)
    const many = await send(link, { ...EMAIL, [medium]: '1', [larger]: '5' })
    expect(many.status).toBe(400)
    expect(many.html).toContain(`<a href="#${larger}">Shirt (XL): Only 4 left`)
    const bought = await send(link, { ...EMAIL, [medium]: '2', [large]: '', [larger]: '1' })
    expect(bought.status).toBe(303)
    expect((await checkoutAt(bought.to)).amount_minor).toBe(1_650_000n)
    const checkout = await look(bought.to)
    expect(checkout.html).toContain('Shirt (M)')
    expect(checkout.html).toContain('Shirt (XL)')
    expect(checkout.html).not.toContain('Shirt (L)')
  })

  test('303 buys the variant that the options select; 400 without one, or for one not on sale', async () => {
    const options = [
      { name: 'Size', values: ['M', 'L'] },
      { name: 'Colour', values: ['Red', 'Blue'] },
    ]
    const shirt = await product({ name: 'Shirt', price: 5000, quantity: undefined, options })
    const { link, pageId } = await newPage({ amountType: 'variable', amount: undefined })
    await sells(pageId, [shirt])
    const wanted = { ...EMAIL, [`q-${shirt}`]: '1', [`o-${shirt}-0`]: 'L' }
    const unchosen = await send(link, wanted)
    expect([unchosen.status, unchosen.html]).toEqual([
      400,
      expect.stringContaining('choose an option'),
    ])
    const foreign = await send(link, { ...wanted, [`o-${shirt}-1`]: 'Green' })
    expect(foreign.status).toBe(400)
    const bought = await send(link, { ...wanted, [`o-${shirt}-1`]: 'Blue' })
    expect(bought.status).toBe(303)
    expect((await look(bought.to)).html).toContain('Shirt (L, Blue)')
  })

  test('200 adds a variant, removes it and applies a code without creating a checkout', async () => {
    const options = [{ name: 'Size', values: ['M', 'L'] }]
    const shirt = await product({ name: 'Shirt', price: 5000, quantity: undefined, options })
    const { link, pageId } = await newPage({
      amountType: 'variable',
      amount: undefined,
      allowDiscountCodes: true,
    })
    await sells(pageId, [shirt])
    const half = { code: `HALF${shirt}`, type: 'percentage', value: 50 }
    expect((await discount(half)).code).toBe(half.code)
    const form = { [`q-${shirt}`]: '2', [`o-${shirt}-0`]: 'L' }
    const added = await send(link, { ...form, do: `add-${shirt}` })
    const [, line = '', id = ''] = /name="(q-\d+-(\d+))"[^>]* value="2"/.exec(added.html) ?? []
    expect([added.status, line]).toEqual([200, expect.stringContaining(`q-${shirt}-`)])
    expect(added.html).toContain('₦10,000.00')
    const both = { ...form, [line]: '2', [`o-${shirt}-0`]: 'M', [`q-${shirt}`]: '1' }
    const applied = await send(link, { ...both, discountCode: half.code, do: 'apply' })
    expect([applied.status, applied.html]).toEqual([200, expect.stringContaining('−₦7,500.00')])
    const wrong = await send(link, { ...both, discountCode: 'NONE', do: 'apply' })
    expect([wrong.status, wrong.html]).toEqual([400, expect.stringContaining('isn’t valid here')])
    const dropped = await send(link, { ...both, do: `drop-${shirt}-${id}` })
    expect(dropped.html).not.toContain(`name="${line}"`)
    expect(dropped.html).toContain('₦5,000.00')
    expect(await checkouts(pageId)).toBe(0)
  })

  test('303 accepts any amount at the URL of a split page', async () => {
    const { code } = await subaccount()
    const { status, body } = await post('/api/transaction-service/external/v1/split-page', {
      name: 'Harvest',
      subaccounts: [{ subaccount: code, share: 40 }],
    })
    expect([status, body.error]).toEqual([201, undefined])
    const link = new URL(body.data.url).pathname
    expect((await look(link)).html).toContain('How much would you like to pay?')
    const { to } = await send(link, { ...EMAIL, amount: '750' })
    expect((await checkoutAt(to)).amount_minor).toBe(75_000n)
  })
})

describe('a checkout', () => {
  test('303 is paid by transfer, and its receipt can be saved', async () => {
    const { link } = await newPage({ amount: 1000, redirectUrl: 'https://shop.example/thanks' })
    const { to } = await send(link, EMAIL)
    expect(await look(to.replace('checkout', 'receipt'))).toMatchObject({ status: 303 })
    expect((await send(`${to}/pay`, { channel: 'CASH' })).status).toBe(400)
    expect((await send(`${to}/pay`, { channel: 'BANK_TRANSFER' })).status).toBe(303)
    expect((await look(to)).html).toContain('Account number')
    expect((await send(`${to}/simulate`, { outcome: 'success' })).status).toBe(303)
    const { html } = await look(to)
    expect(html).toContain('Payment received. Thank you!')
    expect(html).toMatch(/https:\/\/shop\.example\/thanks\?reference=[^"]+signature=[0-9a-f]{64}/)
    const receipt = await look(to.replace('checkout', 'receipt'))
    expect([receipt.status, receipt.html]).toEqual([200, expect.stringContaining('Paid to')])
    const { version } = JSON.parse((await look(`${to}/state`)).html)
    expect(html).toContain(`data-version="${version}"`)
  })

  test('303 is cancelled by its payer; 409 for paying it after that', async () => {
    const { link } = await newPage()
    const { to } = await send(link, EMAIL)
    expect((await send(`${to}/cancel`, {})).status).toBe(303)
    const { html } = await look(to)
    expect(html).toContain('This payment was cancelled')
    expect(html).toContain(`href="${link}?from=${to.split('/').at(-1)}"`)
    expect((await send(`${to}/pay`, { channel: 'USSD' })).status).toBe(409)
  })

  test('404 for an unknown code, and for the simulator in live mode', async () => {
    const { to } = await send((await newPage()).link, EMAIL)
    const forged = to.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
    expect((await look(forged)).status).toBe(404)
    expect((await look(forged.replace('checkout', 'receipt'))).status).toBe(404)
    expect((await look(`${forged}/state`)).status).toBe(404)
  })

  test('200 the audit finds nothing in the end', async () => {
    expect(await runAudit(db, allChecks)).toEqual([])
  })
})
