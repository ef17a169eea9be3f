import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { startServer } from '../harness.ts'
import { field, isTitled, shows } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, openerOf, STILL, WAIT } from './dashboard.ts'

const server = await startServer({ jobs: false })
const { newPage } = withBrowser()
const INVOICES = '/api/payment-service/external/v1/invoices'
const SETTINGS = '/api/user-service/external/v1/profile/settings'

const openAt = openerOf(server, newPage)
const save = (page: Page, what: string) =>
  page.getByRole('button', { name: `Save: ${what}` }).click()

const logoFile = async () => ({
  name: 'logo.png',
  mimeType: 'image/png',
  buffer: await sharp({ create: { width: 300, height: 90, channels: 4, background: '#7a1fa2' } })
    .png()
    .toBuffer(),
})

describe('branding', () => {
  test('is edited with a live preview and then shown to payers', LONG, async () => {
    const { page, trouble, api } = await openAt('/test/settings/branding')
    await isTitled(page, 'Branding')
    const preview = page.frameLocator('iframe[title="What payers see: checkout"]')
    await preview.getByText('Ada Ventures').first().waitFor(WAIT)

    await field(page, 'Name shown to payers').fill('Adire & Oak')
    await field(page, 'Colour').fill('#7a1fa2')
    await page.getByText('Light pages').waitFor(WAIT)
    await page.locator('input[type=file]').setInputFiles(await logoFile())
    await page.getByAltText('Your logo').waitFor(WAIT)
    await preview.getByText('Adire & Oak').first().waitFor(WAIT)
    // Unsaved changes appear only in the preview.
    await preview.locator('img.logo[src^="data:image/png"]').waitFor(WAIT)
    await expectFine(page)

    await field(page, 'Email address').fill('no address')
    await save(page, 'Branding')
    await shows(page, 'Must be an email address')
    await field(page, 'Email address').fill('help@adire.example')
    await save(page, 'Branding')
    await shows(page, 'Branding saved.')
    await preview.locator('img.logo[src^="/brand/"]').waitFor(WAIT)

    const asked = { customerEmail: 'ngozi@example.com', amount: 1500 }
    const { hostedUrl } = (await api.post(INVOICES, asked)).body.data
    const { page: payer, trouble: payersTrouble } = await newPage(
      server.url + new URL(hostedUrl).pathname,
      STILL,
    )
    await payer.getByText('Adire & Oak').first().waitFor(WAIT)
    await payer.getByRole('link', { name: 'help@adire.example' }).waitFor(WAIT)
    const look = `(() => {
      const logo = document.querySelector('img.logo')
      const button = getComputedStyle(document.querySelector('#pay-transfer'))
      return [logo.complete && logo.naturalWidth, button.backgroundColor, button.color]
    })()`
    const shown = () => payer.evaluate(look)
    await expect.poll(shown, WAIT).toEqual([300, 'rgb(122, 31, 162)', 'rgb(255, 255, 255)'])
    expect([...trouble(), ...payersTrouble()]).toEqual([])
  })

  test('is read-only for a viewer', LONG, async () => {
    const { page, trouble } = await openAt('/test/settings/branding', 'viewer')
    await shows(page, 'Only owners and admins can change these settings.')
    await expect.poll(() => field(page, 'Name shown to payers').isDisabled(), WAIT).toBe(true)
    expect(await page.getByRole('button', { name: /^Save/ }).count()).toBe(0)
    expect(trouble()).toEqual([])
  })
})

describe('the settings', () => {
  test('are in linked sections, each saved separately', LONG, async () => {
    const { page, trouble, member, api } = await openAt('/test/settings')
    await isTitled(page, 'Business')
    await field(page, 'Business name').fill('Ada Ventures Ltd')
    await save(page, 'Details')
    await shows(page, 'Details saved.')
    const names = async () => (await member.get('/console/me')).body.data.businesses[0].name
    await expect.poll(names, WAIT).toBe('Ada Ventures Ltd')
    await expectFine(page)

    await page.getByRole('link', { name: 'Payments and fees' }).click()
    await isTitled(page, 'Payments and fees')
    await shows(page, '1.5% + ₦100, capped at ₦2,000; the ₦100 is waived below ₦2,500')
    await page.getByRole('radio', { name: 'The payer' }).check()
    await save(page, 'Fee paid by')
    const stored = async () => (await api.get(SETTINGS)).body.data
    await expect.poll(async () => (await stored()).feeBearer, WAIT).toBe('customer')
    await expectFine(page)
    expect(trouble()).toEqual([])
  })

  test('of payouts and websites have separate URLs', LONG, async () => {
    const { page, trouble, api } = await openAt('/test/settings/payouts#approval')
    await isTitled(page, 'Payouts')
    await expectFine(page)
    await page.getByRole('link', { name: 'Your website' }).click()
    await isTitled(page, 'Your website')
    await page.getByRole('combobox', { name: 'Origins' }).fill('https://shop.example')
    await page.keyboard.press('Enter')
    await save(page, 'Shop origins')
    const stored = async () => (await api.get(SETTINGS)).body.data
    await expect.poll(async () => (await stored()).origins, WAIT).toEqual(['https://shop.example'])
    expect((await stored()).feeBearer).toBe('business')
    await expectFine(page)
    expect(trouble()).toEqual([])
  })
})
