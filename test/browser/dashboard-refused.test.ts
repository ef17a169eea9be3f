import { expect, test } from 'vitest'
import { memberOf } from '../../src/business/people/people.fixture.ts'
import { startServer } from '../harness.ts'
import { withBrowser } from './chromium.ts'

const server = await startServer({ jobs: false })
const { newPage } = withBrowser()
const WAIT = { timeout: 90_000 }
const WEBHOOKS = '/api/user-service/external/v1/webhooks'

test('412 in a dialog keeps text typed afterwards, which can overwrite theirs', {
  timeout: 300_000,
}, async () => {
  const { businessId, keys } = await server.newBusiness()
  const api = server.as(keys.testSecret)
  const made = { url: 'https://hooks.example.com/in', events: ['*'], description: 'First' }
  const { reference } = (await api.post(WEBHOOKS, made)).body.data
  const at = `${WEBHOOKS}/${reference}`
  const member = await memberOf(server, 'owner', businessId)
  const { page } = await newPage(`${server.url}/sign-in`, { reducedMotion: 'reduce' })
  const [name = '', value = ''] = member.cookie().split('=')
  await page.context().addCookies([{ name, value, url: server.url }])
  // Blocks the live stream, so that only saving detects changes by others.
  await page.route('**/console/live**', (route) => route.abort())
  await page.goto(`${server.url}/test/webhooks/${reference}`)

  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const dialog = page.getByRole('dialog')
  const description = dialog.getByLabel('Description')
  await description.fill('Mine')
  await api.put(at, { description: 'Theirs' })
  const save = dialog.locator('button[type=submit]')
  await save.click()
  const conflict = dialog.getByRole('alert').filter({ hasText: 'Someone else changed this record' })
  await conflict.waitFor(WAIT)
  expect((await api.get(at)).body.data.description).toBe('Theirs')
  await description.fill('Mine, and better')
  await conflict.getByRole('button', { name: 'Overwrite with my changes' }).click()
  await dialog.waitFor({ ...WAIT, state: 'detached' })
  expect((await api.get(at)).body.data.description).toBe('Mine, and better')
})
