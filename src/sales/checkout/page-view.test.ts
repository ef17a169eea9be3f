import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { smtpAt, startMailServer } from '../../../test/mail-server.ts'
import { CHECKOUT, openShop, payer, refundsArrive, type Shop } from './checkout.fixture.ts'
import { checkoutByCode, checkoutVersion } from './page.ts'

const mails = await startMailServer()
const server = await startServer({ jobs: false, smtp: smtpAt(mails.port) })
const { db, runJob, url } = server
const { pages, view, choose } = payer(server)

afterEach(async () => {
  expect(await findings(server)).toEqual([])
})

describe('files', () => {
  test('belong to the buyer once it is paid: on the page, in the order and in the mail', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ name: 'E-book', type: 'digital', price: 2000 })
    await upload(shop, productId)
    const begun = await shop.begun({ products: [{ productId, quantity: 1 }], customerName: 'Ada' })
    expect((await view(begun.accessCode)).downloads).toEqual([])
    await shop.paid(begun.reference)
    const { downloads } = await shop.order(begun.orderReference)
    expect(downloads).toMatchObject([{ productId, name: 'book.pdf', bytes: 9, status: 'Active' }])
    const [shown] = (await view(begun.accessCode)).downloads
    expect(downloads[0].url).toBe(`http://127.0.0.1${shown!.path}`)
    expect(await (await fetch(url + shown!.path)).text()).toBe('%PDF-1.7\n')

    const before = mails.received.length
    await runJob('mail')
    const received = mails.received.slice(before).map(({ mail }) => mail)
    const sent = received.find(({ text }) => text?.includes(downloads[0].url))!
    const letter = sent.text
    expect(sent.subject).toBe('[Test] Receipt: ₦2,000.00 paid to Ada Ventures')
    expect(sent.html).toContain(downloads[0].url)
    expect(letter).toContain(downloads[0].url)
    expect(letter).toContain(`http://127.0.0.1/receipt/${begun.accessCode}`)
    expect(letter).toContain('E-book (1 × ₦2,000.00): ₦2,000.00')

    await shop.refund(begun.transactionId)
    await refundsArrive(server)
    expect((await fetch(url + shown!.path)).status).toBe(410)
    expect((await shop.order(begun.orderReference)).downloads).toMatchObject([
      { status: 'Revoked' },
    ])
  })
})

test('the receipt shows the fee on top of the total', async () => {
  const shop = await openShop(server)
  const customerEmail = 'on-top@example.com'
  const begun = await shop.begun({ amount: 10_000, feeBearer: 'customer', customerEmail })
  await shop.paid(begun.reference)
  await runJob('mail')
  const sent = mails.received.find(({ mail }) => mail.subject?.includes('₦10,250.00'))!
  expect(sent.mail.text).toContain('Total: ₦10,000.00\nFee (added to the total): ₦250.00')
})

async function upload(shop: Shop, productId: string) {
  const { keys } = shop
  const data = new FormData()
  data.append('productId', productId)
  data.append('file', new Blob(['%PDF-1.7\n']), 'book.pdf')
  const path = '/api/payment-service/external/v1/products/add-digital-download-files'
  const headers = { authorization: `Bearer ${keys.testSecret}` }
  const response = await fetch(url + path, { method: 'POST', body: data, headers })
  expect(response.status).toBe(200)
}

describe('the redirect', () => {
  test('200 is signed with the secret of the settings once the checkout has ended', async () => {
    const shop = await openShop(server)
    const callbackUrl = 'https://shop.example.com/thanks?cart=7&status=fake'
    const begun = await shop.begun({ amount: 100, callbackUrl })
    expect((await view(begun.accessCode)).returnUrl).toBeUndefined()
    await shop.paid(begun.reference)
    const back = new URL((await view(begun.accessCode)).returnUrl!)
    expect(back.origin + back.pathname).toBe('https://shop.example.com/thanks')
    const sent = Object.fromEntries(back.searchParams)
    const { cart, reference, status, timestamp, signature } = sent
    expect([cart, reference, status]).toEqual(['7', begun.reference, 'Successful'])
    const settings = await shop.get('/api/user-service/external/v1/profile/settings')
    const { redirectSecret } = settings.body.data
    const signed = `${reference}.${status}.${timestamp}`
    expect(signature).toBe(createHmac('sha256', redirectSecret).update(signed).digest('hex'))
    expect(back.searchParams.getAll('status')).toEqual(['Successful'])
  })

  test('200 is signed at the real time, however far ahead the test clock is', async () => {
    const shop = await openShop(server)
    const begun = await shop.begun({ amount: 100, callbackUrl: 'https://shop.example.com/thanks' })
    await shop.paid(begun.reference)
    const ahead = { advanceSeconds: 30 * 86_400 }
    expect((await shop.post('/api/simulator/clock', ahead)).status).toBe(200)
    const { searchParams } = new URL((await view(begun.accessCode)).returnUrl!)
    const seconds = Math.floor(server.clock.now().getTime() / 1000)
    expect(Math.abs(seconds - Number(searchParams.get('timestamp')))).toBeLessThan(600)
  })

  test('200 goes to the page’s URL if the checkout has none', async () => {
    const shop = await openShop(server)
    const pageId = await shop.page({ redirectUrl: 'https://page.example.com/done' })
    const begun = await shop.begun({ pageId })
    await shop.post(`${CHECKOUT}/${begun.reference}/cancel`)
    const { returnUrl } = await view(begun.accessCode)
    expect(returnUrl).toContain('https://page.example.com/done?reference=CHK_')
    expect(returnUrl).toContain('status=Abandoned')
  })
})

describe('what the payer sees', () => {
  test('409 says so when reserved goods were sold to someone else after the reservation ended', async () => {
    const shop = await openShop(server)
    const products = [{ productId: await shop.product({ quantity: 1 }), quantity: 1 }]
    const { accessCode } = await shop.begun({ products, shippingAddress: '1 Allen Avenue' })
    server.clock.advance(16 * 60_000)
    await runJob('stock-expiry')
    await shop.begun({ products })
    const body = new URLSearchParams({ channel: 'BANK_TRANSFER' })
    const path = `${url}/checkout/${accessCode}/pay`
    const response = await fetch(path, { method: 'POST', body, redirect: 'manual' })
    const html = await response.text()
    expect([response.status, html]).toEqual([409, expect.stringContaining('<h1>Sold out</h1>')])
    expect(html).toContain(`href="/checkout/${accessCode}"`)
  })

  test('the version changes with each step and only then', async () => {
    const shop = await openShop(server)
    const begun = await shop.begun({ amount: 100 })
    const seen = new Set<string>()
    const look = async () => {
      const version = await checkoutVersion(db, await checkoutByCode(pages, begun.accessCode))
      expect((await view(begun.accessCode)).version).toBe(version)
      seen.add(version)
    }
    await look()
    await look()
    expect(seen.size).toBe(1)
    await choose(begun, 'USSD')
    await look()
    await choose(begun, 'BANK_TRANSFER')
    await look()
    await shop.paid(begun.reference)
    await look()
    await shop.refund((await shop.seen(begun.reference)).transactionId)
    await look()
    await refundsArrive(server)
    await look()
    expect(seen.size).toBe(6)
  })

  test('404 for a code with another end', async () => {
    const shop = await openShop(server)
    const { accessCode } = await shop.begun({ amount: 100 })
    const other = accessCode.slice(0, -1) + (accessCode.endsWith('a') ? 'b' : 'a')
    for (const code of [other, 'x', accessCode.replace('t-', 'l-')]) {
      await expect(checkoutByCode(pages, code)).rejects.toMatchObject({ kind: 'not_found' })
    }
  })
})
