import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { smtpAt, startMailServer } from '../../../test/mail-server.ts'
import { contents, pagesOf, textOf } from '../../../test/pdf.ts'
import { openShop, refundsArrive, type Shop } from './checkout.fixture.ts'

const mails = await startMailServer()
const server = await startServer({ jobs: false, smtp: smtpAt(mails.port) })

/** Gets the receipt of a checkout as PDF. */
async function pdf(accessCode: string, headers: Record<string, string> = {}) {
  const path = `/receipt/${accessCode}/pdf`
  const answer = await fetch(server.url + path, { headers, redirect: 'manual' })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, headers: answer.headers, bytes }
}

/** Two shirts and a book, with discount, delivery and a fee on top; not paid yet. */
async function begin(shop: Shop) {
  const shirt = await shop.product({ name: 'Aṣọ òkè' })
  const book = await shop.product({ name: 'E-book', price: 1500, type: 'digital' })
  await shop.deliveryFee(shirt, 'Lagos', '700')
  await shop.discount()
  const customFields = [{ label: 'Team', name: 'team', type: 'text' }]
  const pageId = await shop.page({
    title: 'Ankara week',
    amountType: 'variable',
    amount: undefined,
    color: '#ffe94d',
    productIds: [shirt, book].join(','),
    allowDiscountCodes: true,
    customFields,
  })
  return shop.begun({
    pageId,
    products: [
      { productId: shirt, quantity: 2 },
      { productId: book, quantity: 1 },
    ],
    discountCode: 'TEN',
    deliveryLocation: 'Lagos',
    deliveryAddress: '1 Allen Avenue',
    customerName: 'Ṣọlá Ẹniọlá',
    customFields: { team: 'Kites' },
    feeBearer: 'customer',
  })
}

describe('GET /receipt/{token}/pdf', () => {
  test('200 shows items, discount, delivery, total, fee and the amount paid', async () => {
    const shop = await openShop(server)
    const begun = await begin(shop)
    await shop.paid(begun.reference)
    const { status, headers, bytes } = await pdf(begun.accessCode)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/pdf')
    expect(headers.get('content-disposition')).toBe(
      `inline; filename="receipt-${begun.orderReference}.pdf"`,
    )
    expect(headers.get('vary')).toContain('accept-language')
    expect(bytes.subarray(0, 8).toString()).toBe('%PDF-1.7')
    expect(bytes.length).toBeLessThan(60_000)
    expect(pagesOf(bytes)).toBe(1)
    const { paidAmount } = await shop.transaction(begun.transactionId)
    const fee = paidAmount - 11_050
    expect(fee).toBeGreaterThan(0)
    const naira = (amount: number) =>
      `₦${amount.toLocaleString('en-NG', { minimumFractionDigits: 2 })}`
    const lines = textOf(bytes).split('\n')
    for (const said of [
      ...['Receipt', begun.orderReference, 'Amount paid', naira(paidAmount)],
      ...['PAID', 'TEST', 'Ṣọlá Ẹniọlá', 'ada@example.com', 'Bank transfer'],
      ...['Aṣọ òkè', '₦5,000.00', '₦10,000.00', 'E-book', '₦1,500.00'],
      ...['Subtotal', '₦11,500.00', 'Discount TEN', '-₦1,150.00'],
      ...['Delivery to Lagos', '₦700.00', 'Total', '₦11,050.00', 'Fee', naira(fee)],
      ...['Payment page', 'Ankara week', 'Delivery address', '1 Allen Avenue', 'Team', 'Kites'],
    ]) {
      expect(lines).toContain(said)
    }
    expect(contents(bytes)).toContain('/MarkInfo')
  })

  test('200 is in the payer’s language, with the same bytes each time', async () => {
    const shop = await openShop(server)
    const { reference, accessCode } = await shop.begun({ amount: 1000 })
    await shop.paid(reference)
    const [first, again] = [await pdf(accessCode), await pdf(accessCode)]
    expect(first.bytes.equals(again.bytes)).toBe(true)
    const french = await pdf(accessCode, { 'accept-language': 'fr' })
    expect(textOf(french.bytes)).toContain('Reçu')
    expect(contents(french.bytes)).toContain('/Lang (fr')
    const yoruba = await pdf(accessCode, { cookie: 'lang=yo' })
    expect(textOf(yoruba.bytes)).toContain('Rìsíìtì')
  })

  test('200 for a free order and for a refunded one', async () => {
    const shop = await openShop(server)
    const productId = await shop.product({ price: 0, type: 'service' })
    const free = await shop.begun({ products: [{ productId, quantity: 1 }] })
    expect(textOf((await pdf(free.accessCode)).bytes)).toContain('₦0.00')
    const begun = await shop.begun({ amount: 1000 })
    await shop.paid(begun.reference)
    await shop.refund(begun.transactionId)
    await refundsArrive(server)
    const text = textOf((await pdf(begun.accessCode)).bytes)
    expect(text).toContain('REFUNDED')
    expect(text).not.toContain('PAID')
  })

  test('200 continues over as many pages as its lines need', async () => {
    const shop = await openShop(server)
    const name = 'A name of many words '.repeat(9)
    const productId = await shop.product({ name, price: 0, type: 'service' })
    const products = Array.from({ length: 60 }, () => ({ productId, quantity: 1 }))
    const { accessCode } = await shop.begun({ products })
    expect(pagesOf((await pdf(accessCode)).bytes)).toBeGreaterThan(3)
  })

  test('303 to the checkout before it is paid; 404 as a page for a wrong code', async () => {
    const shop = await openShop(server)
    const { accessCode } = await shop.begun({ amount: 1000 })
    const early = await pdf(accessCode)
    expect([early.status, early.headers.get('location')]).toEqual([303, `/checkout/${accessCode}`])
    const wrong = await pdf(accessCode.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')))
    expect(wrong.status).toBe(404)
    expect(wrong.headers.get('content-type')).toContain('text/html')
  })

  test('200 is linked from the checkout, the receipt and the mail', async () => {
    const shop = await openShop(server)
    const { reference, accessCode } = await shop.begun({ amount: 1000 })
    await shop.paid(reference)
    for (const path of ['checkout', 'receipt']) {
      const html = await (await fetch(`${server.url}/${path}/${accessCode}`)).text()
      expect(html).toContain(`href="/receipt/${accessCode}/pdf"`)
    }
    await server.runJob('mail')
    const sent = mails.received.filter(({ mail }) => mail.text?.includes(accessCode))
    expect(sent).toHaveLength(1)
    const address = `http://127.0.0.1/receipt/${accessCode}/pdf`
    expect(sent[0]!.mail.text).toContain(address)
    expect(sent[0]!.mail.html).toContain(`href="${address}"`)
  })
})
