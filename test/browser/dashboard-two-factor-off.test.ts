import { expect, test } from 'vitest'
import {
  codeAt,
  memberOf,
  PASSWORD,
  turnTwoFactorOn,
} from '../../src/business/people/people.fixture.ts'
import { startServer } from '../harness.ts'
import { seriousOf, withBrowser } from './chromium.ts'

const server = await startServer({ jobs: false })
const { newPage } = withBrowser()
const WAIT = { timeout: 90_000 }

test('400 until a code is entered with the password, then two-factor authentication is off', {
  timeout: 300_000,
}, async () => {
  const member = await memberOf(server, 'owner')
  const { secret } = await turnTwoFactorOn(server, member)
  const { page } = await newPage(`${server.url}/sign-in`, { reducedMotion: 'reduce' })
  const [name = '', value = ''] = member.cookie().split('=')
  await page.context().addCookies([{ name, value, url: server.url }])
  await page.goto(`${server.url}/test/security`)
  await page.getByRole('button', { name: 'Turn off', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Turn off' })
  await dialog.locator('input[type=password]').fill(PASSWORD)
  const turnOff = dialog.getByRole('button', { name: 'Turn off', exact: true })
  await turnOff.click()
  const code = dialog.getByLabel(/^Code/)
  await expect.poll(() => code.getAttribute('aria-invalid'), WAIT).toBe('true')
  expect((await member.get('/console/me')).body.data.person.twoFactor).toBe(true)
  expect(await seriousOf(page)).toEqual([])
  await code.fill(codeAt(secret, server.clock.now()))
  await turnOff.click()
  await dialog.waitFor({ ...WAIT, state: 'detached' })
  await page.getByRole('button', { name: 'Set up', exact: true }).waitFor(WAIT)
  expect((await member.get('/console/me')).body.data.person.twoFactor).toBe(false)
})
