import { describe, expect, test } from 'vitest'
import { startServer } from '../harness.ts'
import { expectState, field, heading, isClosed, press } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, WAIT } from './dashboard.ts'
import { BY_HAND, drawing, sellerOf } from './dashboard-selling.ts'

const server = await startServer(BY_HAND)
const { newPage } = withBrowser()
const openAt = sellerOf(server, newPage)

describe('selling in the dashboard', LONG, () => {
  test('an invoice is created, sent, paid by its customer and refunded', async () => {
    const opened = await openAt('invoices', 'Invoices')
    const { page, trouble, open, addressOfPayers, visit } = opened
    await heading(page, 'No invoices yet').waitFor(WAIT)
    await expectFine(page)
    await page.getByRole('button', { name: 'New invoice' }).first().click()
    await heading(page, 'New invoice').waitFor(WAIT)

    await press(page, 'Add line items')
    await page.getByRole('button', { name: 'Send invoice', exact: true }).click()
    await page.getByText('Enter an email address, such as ada@example.com.').waitFor(WAIT)
    await page.getByText('Enter a description.').waitFor(WAIT)
    await field(page, 'Email address').fill('bola@sell.example')
    await field(page, 'Name').fill('Bola Ade')
    await field(page, 'Description').fill('Aso oke, by the yard')
    await field(page, 'Quantity').fill('3')
    await field(page, 'Unit price').fill('3000.50')
    await field(page, 'Note').fill('Thank you.')
    // A preview of the customer's page, where nothing can be clicked.
    const preview = () => drawing(page).locator('main').innerText()
    await expect.poll(preview, WAIT).toContain('₦9,001.50')
    await expect.poll(preview, WAIT).toContain('Aso oke, by the yard')
    await expectFine(page)
    await press(page, 'Send invoice')

    await heading(page, 'Line items').waitFor(WAIT)
    await expect.poll(() => page.locator('main').innerText(), WAIT).toContain('bola@sell.example')
    await expectFine(page)
    const { page: payer } = await visit(await addressOfPayers())
    await press(payer, 'Pay by bank transfer')
    await press(payer, 'Simulate: pay by transfer')
    await expect.poll(() => payer.locator('h1').innerText(), WAIT).toContain('Paid')

    await page.reload()
    await page.getByText('Paid in full').waitFor(WAIT)
    await open('payments', 'Payments')
    await page.getByRole('link', { name: '₦9,001.50' }).waitFor(WAIT)
    await expectFine(page)
    await page.getByRole('link', { name: '₦9,001.50' }).click()
    await heading(page, 'Timeline').waitFor(WAIT)
    await expectFine(page)
    await press(page, 'Refund')
    await page.getByText('We return the money to the account').waitFor(WAIT)
    await expectFine(page)
    await field(page, 'Amount').fill('1000')
    await field(page, 'Reason').fill('One yard was short')
    await press(page, 'Refund ₦1,000.00')
    await heading(page, 'Refunds').waitFor(WAIT)
    await page.getByText('One yard was short').waitFor(WAIT)
    // The refund, which has not been sent yet, already takes its part.
    await press(page, 'Refund')
    await page.getByText('₦8,001.50 can be refunded').waitFor(WAIT)
    expect(trouble()).toEqual([])
  })

  test('a page is built, published, paid and unpublished', async () => {
    const opened = await openAt('pages', 'Payment pages')
    const { page, trouble, open, addressOfPayers, visit } = opened
    await heading(page, 'No payment pages yet').waitFor(WAIT)
    await expectFine(page)
    await page.getByRole('button', { name: 'New page' }).first().click()
    await heading(page, 'New payment page').waitFor(WAIT)
    await field(page, 'Title').fill('Workshop in Iseyin')
    await field(page, 'Description').fill('One day at the loom.')
    await field(page, 'Price').fill('25000')
    await press(page, 'Add a question')
    await field(page, 'Question').fill('What do you weave?')
    // A preview rendered by the server, where nothing can be clicked.
    const drawn = () => drawing(page).locator('main').innerText()
    await expect.poll(drawn, WAIT).toContain('₦25,000.00')
    await expect.poll(drawn, WAIT).toContain('What do you weave?')
    await expectFine(page)
    await press(page, 'Publish')

    await heading(page, 'Workshop in Iseyin').waitFor(WAIT)
    await expectState(page, 'Published')
    await expectFine(page)
    await press(page, 'QR code')
    await page.getByRole('img', { name: 'QR code for Workshop in Iseyin' }).waitFor(WAIT)
    await page.keyboard.press('Escape')
    const address = await addressOfPayers()
    const { page: payer } = await visit(address)
    expect(await payer.locator('main').innerText()).toContain('One day at the loom.')
    await payer.getByLabel('Email address').fill('bola@sell.example')
    await payer.getByLabel('What do you weave?').fill('Aso oke')
    await press(payer, 'Continue to payment')
    await press(payer, 'Pay by bank transfer')
    await press(payer, 'Simulate: pay by transfer')
    await expect.poll(() => payer.locator('h1').innerText(), WAIT).toContain('Paid')

    await press(page, 'Edit')
    await heading(page, 'Edit page').waitFor(WAIT)
    await field(page, 'Price').fill('27000')
    await press(page, 'Save')
    await heading(page, 'Workshop in Iseyin').waitFor(WAIT)
    await expect.poll(() => page.locator('main').innerText(), WAIT).toContain('₦27,000.00')
    await open('payments', 'Payments')
    await page.getByRole('link', { name: '₦25,000.00' }).waitFor(WAIT)
    await page.getByText('bola@sell.example').first().waitFor(WAIT)
    await page.getByRole('link', { name: 'Payment pages' }).click()
    await page.getByRole('link', { name: 'Workshop in Iseyin' }).click()
    await heading(page, 'Workshop in Iseyin').waitFor(WAIT)
    await expect.poll(() => page.locator('main').innerText(), WAIT).toContain('₦25,000.00')
    await press(page, 'Unpublish')
    await expectState(page, 'Unpublished')
    // The dashboard shows it before the server responds.
    await expect.poll(async () => (await payer.goto(address))!.status(), WAIT).toBe(404)
    expect(trouble()).toEqual([])
  })

  test('a product is ordered with a delivery fee and a discount code', async () => {
    const { page, trouble, open, api } = await openAt('products', 'Products')
    const family = '/api/payment-service/external/v1'
    const product = { name: 'Ankara T-shirt', price: 6500, quantity: 3 }
    const made = await api.post(`${family}/products/create-product`, product)
    expect(made.status).toBe(200)
    const { productId } = made.body.data
    await open(`products/${productId}`, 'Ankara T-shirt')
    await page.getByRole('link', { name: 'Set delivery fees' }).click()
    await heading(page, 'Free delivery').waitFor(WAIT)
    await page.getByRole('button', { name: 'New fee' }).first().click()
    await field(page, 'Places').fill('Everywhere')
    await page.keyboard.press('Enter')
    await field(page, 'Places').fill('Ibadan')
    await page.keyboard.press('Enter')
    await field(page, 'Fee').fill('500')
    await press(page, 'Save fee')
    await isClosed(page)
    await expect.poll(() => page.getByRole('cell', { name: '₦500.00' }).count(), WAIT).toBe(2)
    await page.getByRole('cell', { name: 'Ibadan' }).waitFor(WAIT)
    await expectFine(page)

    await open('discounts', 'Discounts')
    await page.getByRole('button', { name: 'New code' }).first().click()
    await field(page, 'Code').fill('first10')
    await field(page, 'Discount').fill('10')
    await expectFine(page)
    await press(page, 'Create code')
    await isClosed(page)
    await page.getByText('FIRST10').first().waitFor(WAIT)
    await expectFine(page)

    const { status: begun } = await api.post(`${family}/initialize-checkout`, {
      customerEmail: 'bola@sell.example',
      products: [{ productId }],
      deliveryLocation: 'Ibadan',
      discountCode: 'FIRST10',
    })
    expect(begun).toBe(201)
    await open('orders', 'Orders')
    await page.getByRole('link', { name: 'bola@sell.example' }).waitFor(WAIT)
    await expectFine(page)
    await page.getByRole('link', { name: 'bola@sell.example' }).click()
    await heading(page, 'Items').waitFor(WAIT)
    await expect
      .poll(() => page.locator('main').innerText(), WAIT)
      .toMatch(/Discount, FIRST10\s+−₦650\.00/)
    await expectFine(page)
    expect(trouble()).toEqual([])
  })

  test('a code for an amount has no maximum left over from a percentage', async () => {
    const { page, trouble, open, api } = await openAt('discounts', 'Discounts')
    const family = '/api/payment-service/external/v1/products'
    const storedOf = async (code: string) => {
      const { body } = await api.get(`${family}/get-discount-codes?code=${code}`)
      const [{ type, value, maxDiscount }] = body.data
      return { type, value, maxDiscount }
    }
    const create = async (code: object) =>
      expect((await api.post(`${family}/add-discount-code`, code)).status).toBe(200)
    const toAmount = async (amount: string) => {
      await page.getByText('Amount', { exact: true }).click()
      await field(page, 'Maximum discount').waitFor({ ...WAIT, state: 'detached' })
      await field(page, 'Discount').fill(amount)
    }
    await page.getByRole('button', { name: 'New code' }).first().click()
    await field(page, 'Code').fill('NEW')
    await field(page, 'Discount').fill('10')
    await field(page, 'Maximum discount').fill('200')
    await toAmount('500')
    await press(page, 'Create code')
    await isClosed(page)
    expect(await storedOf('NEW')).toEqual({ type: 'fixed', value: 500, maxDiscount: null })

    await create({ code: 'OLD', type: 'percentage', value: 10, maxDiscount: 200 })
    await create({ code: 'CAP', type: 'fixed', value: 900, maxDiscount: 300 })
    await open('discounts', 'Discounts')
    const edit = async (code: string) => {
      const row = page.getByRole('row').filter({ hasText: code })
      await row.getByRole('button', { name: /^More/ }).click()
      await page.getByRole('menuitem', { name: 'Edit' }).click()
    }
    await edit('OLD')
    await toAmount('700')
    await press(page, 'Save')
    await isClosed(page)
    expect(await storedOf('OLD')).toEqual({ type: 'fixed', value: 700, maxDiscount: null })

    // A maximum that was set through the API is visible and can be cleared.
    await edit('CAP')
    await field(page, 'Maximum discount').fill('')
    await press(page, 'Save')
    await isClosed(page)
    expect(await storedOf('CAP')).toEqual({ type: 'fixed', value: 900, maxDiscount: null })
    expect(trouble()).toEqual([])
  })
})
