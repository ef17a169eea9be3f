import type { Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { startServer } from '../harness.ts'
import {
  choose,
  dialog,
  expectState,
  field,
  hasValue,
  heading,
  isClosed,
  pick,
  press,
} from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, WAIT } from './dashboard.ts'
import { BY_HAND, drawing, sellerOf } from './dashboard-selling.ts'

const server = await startServer(BY_HAND)
const { newPage } = withBrowser()
const openAt = sellerOf(server, newPage)
const MONEY = '/api/transaction-service/external/v1'
const PAGES = '/api/payment-service/external/v1/payment-pages'

/** A file to choose in a file field. */
async function picture(name: string, background: string) {
  const drawn = sharp({ create: { width: 640, height: 480, channels: 3, background } })
  return { name, mimeType: 'image/jpeg', buffer: await drawn.jpeg().toBuffer() }
}

/** Types the values of an option, each ended by Enter. */
async function addOption(page: Page, number: number, name: string, values: string[]) {
  await press(page, 'Add an option')
  const option = page.getByRole('group', { name: `Option ${number}` })
  await option.getByPlaceholder('Size').fill(name)
  await option.getByPlaceholder('S, M, L').click()
  for (const value of values) {
    await page.keyboard.type(value)
    await page.keyboard.press('Enter')
  }
}

/** Waits until an image has loaded; its element exists before that. */
async function isDrawn(picture: Locator): Promise<void> {
  const widthOf = () =>
    picture.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth)
  await picture.waitFor(WAIT)
  await expect.poll(widthOf, WAIT).toBeGreaterThan(0)
}

/** Returns the URL of the image in view, in a strip of several. */
const sourceOf = async (page: Page) =>
  String(
    await page.evaluate(`(() => {
      const strip = document.querySelector('.strip')
      const middleOf = (one) => {
        const { left, width } = one.getBoundingClientRect()
        return left + width / 2
      }
      const away = (one) => Math.abs(middleOf(one) - middleOf(strip))
      const [nearest] = [...strip.children].sort((a, b) => away(a) - away(b))
      return nearest.querySelector('img').getAttribute('src')
    })()`),
  )

describe('products and pages', LONG, () => {
  test('a page suggests amounts that are typed with commas, and shares its payments', async () => {
    const { page, trouble, api } = await openAt('pages', 'Payment pages')
    const split = { name: 'Market day', splitType: 'percentage' }
    const { id } = (await api.post(`${MONEY}/split-page`, split)).body.data
    await page.getByRole('button', { name: 'New page' }).first().click()
    await heading(page, 'New payment page').waitFor(WAIT)
    await field(page, 'Title').fill('Support us')
    await page.getByText('Any amount', { exact: true }).click()
    const amounts = page.getByRole('combobox', { name: 'Suggested amounts' })
    await amounts.pressSequentially('15,500')
    await page.keyboard.press('Enter')
    await amounts.pressSequentially('₦2,000.50')
    await page.keyboard.press('Enter')
    await expect.poll(() => drawing(page).locator('main').innerText(), WAIT).toContain('₦15,500.00')
    await pick(page, 'Share with', 'Market day')
    await expectFine(page)
    await press(page, 'Publish')
    await heading(page, 'Support us').waitFor(WAIT)
    const path = `${PAGES}/get-pages`
    const { data } = (await api.get(path)).body
    expect(data).toMatchObject([{ suggestedAmounts: [15_500, 2_000.5], splitPageId: id }])
    await press(page, 'Edit')
    await heading(page, 'Edit page').waitFor(WAIT)
    await hasValue(page.getByRole('combobox', { name: 'Share with' }), 'Market day')
    expect(trouble()).toEqual([])
  })

  test('a product gets six variants and images, one of them broken', async () => {
    const { page, trouble, businessId } = await openAt('products', 'Products')
    await heading(page, 'No products yet').waitFor(WAIT)
    await page.getByRole('button', { name: 'New product' }).first().click()
    await heading(page, 'New product').waitFor(WAIT)
    await field(page, 'Name').fill('Ankara T-shirt')
    await field(page, 'Price').fill('6500')
    await addOption(page, 1, 'Size', ['S', 'M', 'L'])
    await addOption(page, 2, 'Colour', ['Red', 'Blue'])

    // Enter moves down the column, as in a spreadsheet; the third price is above the limit.
    await page.getByLabel('Price of S · Red').fill('7000')
    await page.keyboard.press('Enter')
    await page.keyboard.type('7100')
    await page.getByLabel('SKU of L · Blue').fill('ANK-L-B')
    await page.getByLabel('Quantity each').fill('9')
    await page.keyboard.press('Enter')
    await page.getByLabel('Price of M · Red').fill('99999999999999')
    const broken = { ...(await picture('broken.jpg', 'red')), buffer: Buffer.from('no picture') }
    const letter = { name: 'letter.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') }
    const files = [await picture('front.jpg', 'red'), broken, await picture('back.jpg', 'navy')]
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles([...files, letter])
    await page.getByText('letter.pdf: Unsupported file type. Use JPEG').waitFor(WAIT)
    await expectFine(page)
    await press(page, 'Create product')

    await heading(page, 'Ankara T-shirt').waitFor(WAIT)
    // The file that the server refused keeps its place with an error; the others are stored.
    await page.getByText('must be a complete JPEG').waitFor(WAIT)
    await isDrawn(page.getByRole('img', { name: 'Ankara T-shirt, number 1' }))
    await isDrawn(page.getByRole('img', { name: 'Ankara T-shirt, number 2' }))
    const row = page.getByRole('row').filter({ hasText: 'M · Red' })
    await expect.poll(() => row.innerText(), WAIT).toMatch(/must be at most/i)
    await hasValue(page.getByLabel('Price of M · Red'), '99,999,999,999,999')
    await hasValue(page.getByLabel('Price of S · Blue'), '7,100')
    await hasValue(page.getByLabel('Quantity of L · Blue'), '9')
    await page.getByLabel('Price of M · Red').fill('7200')
    await press(page, 'Save 1 variant')
    await page.getByText('Variant saved.').waitFor(WAIT)
    await press(page, 'Dismiss broken.jpg')
    await expectFine(page)

    const rows = await server.db.many<{ price: string }>`
      select price_minor::text as price from product_variants
      where business_id = ${businessId} and price_minor is not null order by price_minor`
    expect(rows.map(({ price }) => price)).toEqual(['700000', '710000', '720000'])
    expect(trouble()).toEqual([])
  })

  test('product images can be reordered, and a variant gets its own', async () => {
    const { page, trouble, open, api, visit } = await openAt('products', 'Products')
    const family = '/api/payment-service/external/v1'
    const options = [{ name: 'Size', values: ['M', 'L'] }]
    const product = { name: 'Ankara T-shirt', price: 6500, options }
    const made = await api.post(`${family}/products/create-product`, product)
    const { productId } = made.body.data
    await open(`products/${productId}`, 'Ankara T-shirt')
    const chooser = page.getByRole('region', { name: 'Images' }).locator('input[type=file]')
    await chooser.setInputFiles([await picture('a.jpg', 'red'), await picture('b.jpg', 'navy')])
    await isDrawn(page.getByRole('img', { name: 'Ankara T-shirt, number 2' }))
    await server.runJob('media')
    const firstOf = async () => {
      const path = `${family}/products/get-product-details?productId=${productId}`
      const { body } = await api.get(path)
      return body.data.media[0].mediaId as number
    }
    const before = await firstOf()
    await press(page, 'More actions for image 2')
    await page.getByRole('menuitem', { name: 'Make first' }).click()
    await expect.poll(firstOf, WAIT).not.toBe(before)

    await press(page, 'Images of L')
    const dialog = page.getByRole('dialog', { name: 'Images of L' })
    await dialog.locator('input[type=file]').setInputFiles(await picture('l.jpg', 'gold'))
    await isDrawn(dialog.getByRole('img', { name: 'L, number 1' }))
    await press(page, 'Use product image 2')
    await isDrawn(dialog.getByRole('img', { name: 'L, number 2' }))
    await expectFine(page)
    await server.runJob('media')

    await api.post(`${family}/payment-pages/create-pages`, {
      title: 'Shirts',
      customLink: 'shirts',
      productIds: [productId],
    })
    const { page: payer, trouble: ofPayer } = await visit(`${server.url}/pay/shirts`)
    const shown = await sourceOf(payer)
    expect(shown).toMatch(/^\//)
    // The variant's own image follows the two images of the product.
    const own = await payer.locator('.strip li').nth(2).locator('img').getAttribute('src')
    await payer.getByRole('group', { name: 'Size' }).getByText('L', { exact: true }).click()
    await expect.poll(() => sourceOf(payer), WAIT).toBe(own)
    expect(own).not.toBe(shown)
    await payer.getByRole('group', { name: 'Size' }).getByText('M', { exact: true }).click()
    await expect.poll(() => sourceOf(payer), WAIT).toBe(shown)
    await expectFine(payer)
    expect([...trouble(), ...ofPayer()]).toEqual([])
  })

  test('a product shows its whole stock, and never another product in its place', async () => {
    const { page, trouble, open, api } = await openAt('products', 'Products')
    const family = '/api/payment-service/external/v1'
    const product = { name: 'Cap', price: 1_500, quantity: 1_200 }
    const made = await api.post(`${family}/products/create-product`, product)
    const { productId } = made.body.data
    await open(`products/${productId}`, 'Cap')
    const stock = page.locator('.figure-tile').filter({ hasText: 'In stock' })
    await expect.poll(() => stock.innerText(), WAIT).toMatch(/^In stock\s+1,200$/)

    // The record of the copy takes a while.
    const held = Promise.withResolvers<void>()
    await page.route(
      (url) => url.pathname.endsWith('/get-product-details') && !url.search.includes(productId),
      (route) => held.promise.then(() => route.continue()),
    )
    await press(page, 'More actions')
    await choose(page, 'Duplicate')
    await page.waitForURL((url) => !url.pathname.endsWith(`/${productId}`), WAIT)
    await expect.poll(() => heading(page, 'Cap').count(), WAIT).toBe(0)
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
    held.resolve()
    await heading(page, 'Cap (copy)').waitFor(WAIT)

    // A dialog does not stay open for another product.
    await press(page, 'Adjust stock')
    await dialog(page, 'Adjust stock').waitFor(WAIT)
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Search or jump to…').fill('cap')
    const hits = page.locator('[data-action]').filter({ hasText: /^Cap(?! \(copy\))/ })
    await hits.first().click()
    await heading(page, 'Cap').waitFor(WAIT)
    await isClosed(page)
    expect(trouble()).toEqual([])
  })

  test('an option and a value of it are renamed', async () => {
    const { page, trouble, open, api } = await openAt('products', 'Products')
    const family = '/api/payment-service/external/v1'
    const options = [{ name: 'Size', values: ['M', 'L'] }]
    const product = { name: 'Ankara T-shirt', price: 6_500, options }
    const made = await api.post(`${family}/products/create-product`, product)
    const { productId } = made.body.data
    await open(`products/${productId}`, 'Ankara T-shirt')
    await press(page, 'Rename the option Size')
    await field(page, 'Name').fill('Fit')
    await press(page, 'Rename option')
    await isClosed(page)
    await press(page, 'Rename L')
    await field(page, 'Value').fill('M')
    await press(page, 'Rename value')
    await page
      .getByText(/already exists/i)
      .first()
      .waitFor(WAIT)
    await field(page, 'Value').fill('Loose')
    await expectFine(page)
    await press(page, 'Rename value')
    await isClosed(page)
    await page.getByLabel('Price of Loose').waitFor(WAIT)
    await expectFine(page)
    const path = `${family}/products/get-product-details?productId=${productId}`
    const [option] = (await api.get(path)).body.data.options
    expect(option).toMatchObject({ name: 'Fit', values: [{ value: 'M' }, { value: 'Loose' }] })
    expect(trouble()).toEqual([])
  })

  test('a page gets an image, is previewed and published, and receives a payment', async () => {
    const opened = await openAt('pages/new', 'New payment page')
    const { page, trouble, open, addressOfPayers, visit } = opened
    await field(page, 'Title').fill('Workshop in Iseyin')
    await field(page, 'Price').fill('25000')
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
    const chooser = page.locator('input[type=file]')
    await chooser.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: svg })
    await page.getByText('must be a complete JPEG').waitFor(WAIT)
    await press(page, 'Dismiss a.png')
    await chooser.setInputFiles(await picture('loom.jpg', 'teal'))
    await isDrawn(page.getByRole('img', { name: 'Page cover' }))
    await isDrawn(drawing(page).locator('img.banner'))
    await expect
      .poll(() => drawing(page).locator('main').innerText(), WAIT)
      .toContain('Workshop in Iseyin')
    await page.getByText('Desktop', { exact: true }).click()
    await expect
      .poll(() => page.getByTitle('The page as payers see it').getAttribute('style'), WAIT)
      .toContain('1280px')
    await expectFine(page)
    await press(page, 'Publish')
    await heading(page, 'Workshop in Iseyin').waitFor(WAIT)
    await expectState(page, 'Published')

    const { page: payer, trouble: ofPayer } = await visit(await addressOfPayers())
    await isDrawn(payer.locator('img.banner'))
    await expectFine(payer)
    await payer.getByLabel('Email address').fill('bola@sell.example')
    await press(payer, 'Continue to payment')
    await press(payer, 'Pay by bank transfer')
    await press(payer, 'Simulate: pay by transfer')
    await expect.poll(() => payer.locator('h1').innerText(), WAIT).toContain('Paid')

    // Another page cannot use the same link.
    await open('pages/new', 'New payment page')
    await field(page, 'Link').fill('workshop-in-iseyin')
    await page.getByText('Another page already uses this link.').waitFor(WAIT)
    await field(page, 'Link').fill('workshop-in-oyo')
    await page.getByText('This link is available.').waitFor(WAIT)
    expect([...trouble(), ...ofPayer()]).toEqual([])
  })
})
