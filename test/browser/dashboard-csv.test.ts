import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startServer } from '../harness.ts'
import { withBrowser } from './chromium.ts'
import { LONG, openerOf, WAIT } from './dashboard.ts'

const server = await startServer()
const { newPage } = withBrowser()
const CREATE = '/api/payment-service/external/v1/products/create-product'

/** Downloads the current list and returns the lines of the file. */
async function saved(page: Page): Promise<{ name: string; lines: string[] }> {
  const [download] = await Promise.all([
    page.waitForEvent('download', WAIT),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  const text = await readFile(await download.path(), 'utf8')
  return { name: download.suggestedFilename(), lines: text.trimEnd().split('\r\n') }
}

test('200 a filtered list becomes one CSV file from all its pages', LONG, async () => {
  const { page, api } = await openerOf(server, newPage)('/test/security', 'viewer')
  const names = ['=1+1, "two"', ...Array.from({ length: 120 }, (_, i) => `Chair ${i + 1}`)]
  for (const name of names) {
    expect((await api.post(CREATE, { name, price: 1_500.5 })).status).toBe(200)
  }
  await page.goto(`${server.url}/test/products`)
  await page.getByText('Chair 120', { exact: true }).waitFor(WAIT)

  const whole = await saved(page)
  expect(whole.name).toBe('products.csv')
  const columns = whole.lines[0]!.replace('\ufeff', '').split(',')
  expect(columns).toEqual(expect.arrayContaining(['productId', 'name', 'price']))
  expect(whole.lines).toHaveLength(1 + names.length)
  expect(whole.lines[1]!.split(',')[columns.indexOf('name')]).toBe('Chair 120')
  expect(whole.lines.at(-1)).toContain(`"'=1+1, ""two"""`)

  await page.goto(`${server.url}/test/products?search=chair%2012`)
  await expect
    .poll(
      () =>
        page
          .locator('main')
          .getByText(/^Chair/)
          .count(),
      WAIT,
    )
    .toBe(2)
  const some = await saved(page)
  const found = some.lines.slice(1).map((line) => line.split(',')[columns.indexOf('name')])
  expect(found).toEqual(['Chair 120', 'Chair 12'])
})
