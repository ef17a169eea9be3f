import { expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { commandsOn, expectRefused } from './cli.fixture.ts'

const TOKEN = '/api/auth-service/external/v1/token'

const server = await startServer({ jobs: false })
const { tradepost, json } = commandsOn(server.name)
const partners = (...args: string[]) => tradepost('partners', ...args)

const exchange = async (clientId: string, clientSecret: string) =>
  (await server.as('').post(TOKEN, { clientId, clientSecret })).status

test('0 creates a partner and rotates its secret, each shown once', async () => {
  expect((await partners('list')).stdout).toBe(
    'There are no partners yet. Create one with: tradepost partners create --name NAME\n',
  )
  const limits = ['--scopes', 'invoices:write', '--scopes', 'wallet:read']
  const made = await json('partners', 'create', '--name', 'Books & Co', ...limits)
  const { clientId, clientSecret } = made
  expect(made).toMatchObject({
    clientId: expect.stringMatching(/^pc_test_/),
    clientSecret: expect.stringMatching(/^ps_test_/),
    status: 'Active',
    name: 'Books & Co',
    mode: 'test',
    scopes: ['invoices:write', 'wallet:read'],
  })
  expect(await exchange(clientId, clientSecret)).toBe(200)

  const next = await json('partners', 'rotate', clientId, '--grace-hours', '1')
  expect([await exchange(clientId, clientSecret), next.clientId]).toEqual([200, clientId])
  const last = await json('partners', 'rotate', clientId, '--grace-hours', '0')
  const both = [clientSecret, next.clientSecret].map((secret) => exchange(clientId, secret))
  expect(await Promise.all(both)).toEqual([401, 401])
  expect(await exchange(clientId, last.clientSecret)).toBe(200)
  expect((await partners('list', '--json')).stdout).not.toContain(last.clientSecret)
})

test('0 lists which businesses connected it, and revokes it', async () => {
  const { clientId, clientSecret } = await json('partners', 'create', '--name', 'Books & Co')
  const { keys } = server.business
  await server.as(keys.testSecret).post('/api/user-service/v1/partners', { clientId })
  expect((await json('partners', 'list'))[0]).toMatchObject({
    clientId,
    businesses: 1,
    revokedAt: null,
  })

  expect(await json('partners', 'revoke', clientId)).toMatchObject({ clientId, status: 'Revoked' })
  expect(await exchange(clientId, clientSecret)).toBe(401)
  const again = await partners('revoke', clientId)
  expect(again).toMatchObject({
    status: 0,
    stdout: `Partner Books & Co (${clientId}) was revoked.\n`,
  })
  const { status, stderr } = await partners('rotate', clientId)
  expect([status, stderr]).toEqual([1, 'error: No such partner.\n'])
})

test('0 prints what was created, in live mode too', async () => {
  const { status, stdout } = await partners('create', '--name', 'Market', '--live')
  expect(status).toBe(0)
  const [, clientId] = /client id +(pc_live_\w+)\n/.exec(stdout) ?? []
  expect(stdout).toMatch(/client secret +ps_live_\w{38}\n/)
  expect((await partners('list')).stdout).toMatch(
    new RegExp(`${clientId} +Market +live +Active +everything +0 +`),
  )
  const rotated = await partners('rotate', clientId!)
  expect(rotated.stdout).toContain('The old secret for Market expires in 24 hours.')
})

test.each([
  [1, ['revoke', 'pc_test_none'], 'No such partner.'],
  [2, ['create'], "required option '--name <NAME>' not specified"],
  [2, ['create', '--name', ' '], 'NAME must be a single line of 1 to 100 characters'],
  [
    2,
    ['create', '--name', 'Ada', '--scopes', 'keys:write'],
    '--scopes has keys:write, which partners cannot have',
  ],
  [
    2,
    ['create', '--name', 'Ada', '--scopes', 'nonsense'],
    '--scopes has the unknown scope "nonsense"',
  ],
  [2, ['rotate', 'x', '--grace-hours', '169'], '--grace-hours must be a number from 0 to 168'],
  [2, ['rotate'], "missing required argument 'CLIENT_ID'"],
])('%i for %j, with a one-line error', async (expected, args, says) => {
  expectRefused(await partners(...args), expected, says)
})

test('0 for help', async () => {
  for (const command of ['create', 'rotate', 'revoke']) {
    const { status, stdout } = await partners(command, '--help')
    expect([status, stdout]).toEqual([0, expect.stringContaining('Example')])
  }
  const { stdout } = await partners('create', '--help')
  for (const never of ['keys', 'requests', 'webhooks']) {
    expect(stdout).toMatch(new RegExp(`except those for the\\ncollections .*\\b${never}\\b`))
  }
})
