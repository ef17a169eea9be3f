import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { memberOf } from '../../src/business/people/people.fixture.ts'
import { startServer } from '../harness.ts'
import { withBrowser } from './chromium.ts'

const server = await startServer({ jobs: false })
const { newPage } = withBrowser()
const WAIT = { timeout: 90_000 }
const CREATE = '/api/payment-service/external/v1/products/create-product'

test('200 a CSV file has each row once, even if rows are added while it downloads', {
  timeout: 300_000,
}, async () => {
  const business = await server.newBusiness()
  const api = server.as(business.keys.testSecret)
  // Each product has different keys, together too many to be columns.
  const metadataOf = (i: number) =>
    Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`key${i}x${n}`, `${n}`]))
  for (let i = 1; i <= 103; i++) {
    const body = { name: `Chair ${i}`, price: 10, metadata: metadataOf(i) }
    expect((await api.post(CREATE, body)).status).toBe(200)
  }
  const member = await memberOf(server, 'viewer', business.businessId)
  const { page } = await newPage(`${server.url}/sign-in`, { reducedMotion: 'reduce' })
  const [name = '', value = ''] = member.cookie().split('=')
  await page.context().addCookies([{ name, value, url: server.url }])
  await page.goto(`${server.url}/test/products`)
  await page.getByText('Chair 103', { exact: true }).waitFor(WAIT)
  await page.route(/get-products\?.*page=2/, async (route) => {
    await api.post(CREATE, { name: 'Late chair', price: 10 })
    await route.continue()
  })
  const [download] = await Promise.all([
    page.waitForEvent('download', WAIT),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n')
  const columns = lines[0]!.replace('\ufeff', '').split(',')
  expect(columns).toContain('metadata')
  const names = lines.slice(1).map((line) => /Chair \d+/.exec(line)?.[0])
  expect(names.toSorted()).toEqual(
    Array.from({ length: 103 }, (_, i) => `Chair ${i + 1}`).toSorted(),
  )
})
