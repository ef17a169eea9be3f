import { expect, test } from 'vitest'
import { startServer } from '../harness.ts'
import { withBrowser } from './chromium.ts'

const { newPage } = withBrowser()

test('the reference at /docs renders under its content security policy', {
  timeout: 180_000,
}, async () => {
  const server = await startServer()
  const { page, trouble } = await newPage(`${server.url}/docs`)
  await page.getByText('Download OpenAPI Document').first().waitFor({ timeout: 150_000 })
  expect(trouble()).toEqual([])
})
