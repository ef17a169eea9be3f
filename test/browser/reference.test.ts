import { expect, test } from 'vitest'
import { startServer } from '../harness.ts'
import { withBrowser } from './chromium.ts'

const { newPage } = withBrowser()

test('the reference at /docs shows the operations, and its policy stops none of its scripts', async () => {
  const server = await startServer()
  const { page } = await newPage(`${server.url}/docs`)
  const refused: string[] = []
  page.on('console', (message) => {
    if (/content security policy.*script/i.test(message.text())) refused.push(message.text())
  })
  await page.reload()
  await expect
    .poll(() => page.getByText('Create an invoice').count(), { timeout: 60_000 })
    .toBeGreaterThan(0)
  expect(refused).toEqual([])
})
