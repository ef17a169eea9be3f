import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { flutterwave } from '../../test/providers/doubles/flutterwave/flutterwave.ts'
import { paystack } from '../../test/providers/doubles/paystack/paystack.ts'
import { startDouble } from '../../test/providers/doubles/start.ts'
import { routesApply } from '../providers/providers.fixture.ts'
import { commandsOn, expectRefused } from './cli.fixture.ts'

const RESOLVE =
  '/api/transaction-service/external/v1/bank/resolve?bankCode=057&accountNumber=0123456789'

const server = await startServer({ jobs: false })
const double = await startDouble((kit) => paystack(kit))
const other = await startDouble((kit) => flutterwave(kit))
const { tradepost, json } = commandsOn(server.name)
const folder = await mkdtemp(join(inject('fastestFolder'), 'tradepost-providers-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

async function fileWith(text: string): Promise<string> {
  const path = join(folder, `key-${Math.random()}`)
  await writeFile(path, text)
  return path
}

/** Arguments that connect a business to the double of Paystack in live mode. */
const liveArgs = async (businessId: number, key = double.provider.secretKey()) => [
  ...['providers', 'connect', 'paystack', '--business', String(businessId), '--mode', 'live'],
  ...['--secret-key-file', await fileWith(`${key}\n`), '--base-url', double.baseUrl],
]

async function connected() {
  const { businessId, keys } = await server.newBusiness()
  const made = await json(...(await liveArgs(businessId)))
  const id = String(made.connectionId)
  return { businessId, id, made, live: server.as(keys.liveSecret) }
}

test('providers connect makes a connection that running servers use', async () => {
  const { made, live, businessId } = await connected()
  expect(made).toEqual({
    connectionId: expect.any(Number),
    noticeUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/providers\/notices\/\w{32}$/),
  })
  await routesApply()
  expect((await live.get(RESOLVE)).status).toBe(200)
  const listed = await json('providers', 'list', '--business', String(businessId))
  expect(listed).toMatchObject([{ id: made.connectionId, mode: 'live', status: 'Active' }])
  const table = await tradepost('providers', 'list', '--business', String(businessId))
  expect(table.stdout).toContain('BANK_TRANSFER')
  expect(table.stdout + JSON.stringify(listed)).not.toContain(double.provider.secretKey())
})

test('providers connect makes or reads the secret hash of Flutterwave', async () => {
  const args = async (text: string) => {
    const { businessId } = await server.newBusiness()
    return [
      ...['providers', 'connect', 'flutterwave', '--business', String(businessId)],
      ...['--mode', 'live', '--secret-key-file', await fileWith(text)],
      ...['--base-url', other.baseUrl],
    ]
  }
  const key = other.provider.secretKey()
  expect(await json(...(await args(key)))).toEqual({
    connectionId: expect.any(Number),
    noticeUrl: expect.any(String),
    secretHash: expect.stringMatching(/^\w{40}$/),
  })
  const given = await json(...(await args(`${key}\n${'h'.repeat(20)}\n`)))
  expect(given.secretHash).toBe(undefined)
})

test('providers connect refuses what cannot be right, and keeps a draft of what is refused', async () => {
  const { businessId } = await server.newBusiness()
  const wrongMode = await tradepost(...(await liveArgs(businessId, 'sk_test_x')))
  expectRefused(wrongMode, 2, '--secret-key-file must be the secret key of Paystack')
  const noMode = await tradepost('providers', 'connect', 'paystack', '--secret-key-file', 'x')
  expect(noMode.status).toBe(2)
  const args = ['providers', 'connect', 'paystack', '--mode', 'live', '--business', '1']
  const noFile = await tradepost(...args, '--secret-key-file', join(folder, 'none'))
  expectRefused(noFile, 1, 'cannot be read (ENOENT)')

  const refused = await tradepost(...(await liveArgs(businessId, 'sk_live_wrong')), '--json')
  expectRefused({ ...refused, stdout: '' }, 1, 'the account cannot be used: ')
  const id = String(JSON.parse(refused.stdout).connectionId)
  expect(await json('providers', 'list', '--business', String(businessId))).toMatchObject([
    { id: Number(id), status: 'Draft', problem: { code: 'credentials_refused' } },
  ])
  expect((await tradepost('providers', 'test', id)).status).toBe(1)
  expect((await tradepost('providers', 'resume', id)).status).toBe(1)
  expectRefused(await tradepost('providers', 'rotate', id), 2, 'rotate requires --secret-key-file')
  const file = await fileWith(double.provider.secretKey())
  const long = ['--secret-key-file', file, '--grace-hours', '169']
  expectRefused(await tradepost('providers', 'rotate', id, ...long), 2, '--grace-hours must be at')
  const other = await tradepost('providers', 'rotate', id, '--webhook-secret-file', file)
  expectRefused(other, 2, '--webhook-secret-file is only for Flutterwave')
  const rotated = await json('providers', 'rotate', id, '--secret-key-file', file)
  expect(rotated).toMatchObject({ problem: null, status: 'Draft' })
  expect(await json('providers', 'resume', id)).toMatchObject({ status: 'Active' })
})

test('providers test, pause, resume and remove change a connection', async () => {
  const { id } = await connected()
  expect(await json('providers', 'test', id)).toMatchObject({ problem: null })
  const shown = await tradepost('providers', 'test', id)
  expect(shown.stdout).toContain('Paste the notification URL')
  const paused = await json('providers', 'pause', id, '--reason', 'Too slow')
  expect(paused).toMatchObject({ status: 'Paused', statusReason: 'Too slow' })
  expect(await json('providers', 'resume', id)).toMatchObject({ status: 'Active' })
  expectRefused(await tradepost('providers', 'remove', id), 1, 'whose status is Active')
  await json('providers', 'pause', id)
  expect(await json('providers', 'remove', id)).toMatchObject({ status: 'Removed' })
  expectRefused(await tradepost('providers', 'test', '1'), 1, 'there is no connection 1')
})

test('providers pause and resume change all connections to a provider, as far as they can', async () => {
  const [one, two, other] = [await connected(), await connected(), await connected()]
  await json('providers', 'pause', other.id, '--reason', 'Our own')
  const all = ['providers', 'list', '--all', '--provider', 'paystack']
  const listed = async (status: string): Promise<string[]> => {
    const found = await json(...all, '--status', status)
    return found.map(({ id }: { id: number }) => String(id))
  }
  const active = await listed('Active')
  expect(active).toEqual(expect.arrayContaining([one.id, two.id]))
  expect(active).not.toContain(other.id)
  const table = await tradepost('providers', 'list', '--all')
  expect(table.stdout).toMatch(new RegExp(`^${one.id} +${one.businessId} +Paystack`, 'm'))

  const paused = await json('providers', 'pause', ...active, '--reason', 'Paystack is down')
  expect(paused).toHaveLength(active.length)
  expect(paused).toContainEqual({ id: Number(one.id), ok: true, says: 'Paystack is Paused.' })
  expect(await listed('Active')).toEqual([])
  // Nothing is changed if one of them does not exist.
  expectRefused(await tradepost('providers', 'resume', one.id, '1'), 1, 'there is no connection 1')
  const resumed = await json('providers', 'resume', ...active)
  expect(resumed.every(({ ok }: { ok: boolean }) => ok)).toBe(true)
  expect(await listed('Paused')).toContain(other.id)
  await json('providers', 'pause', one.id)
  const some = await tradepost('providers', 'pause', one.id, two.id)
  expect(some.status).toBe(1)
  expect(some.stdout).toMatch(new RegExp(`^${two.id} +Paystack is Paused\\.$`, 'm'))
})

test('providers fees sets who pays the provider’s fees', async () => {
  const { id } = await connected()
  const fees = (paidBy: string) => json('providers', 'fees', id, '--paid-by', paidBy)
  expect(await fees('operator')).toMatchObject({ settings: { feesPaidBy: 'operator' } })
  expect(await fees('business')).toMatchObject({ settings: { feesPaidBy: 'business' } })
  expect((await tradepost('providers', 'fees', id)).status).toBe(2)
})

test('providers route sets when a connection is used', async () => {
  const { id } = await connected()
  const route = ['providers', 'route', id, '--service', 'PAYOUTS']
  const set = await json(...route, '--priority', '5', '--from', '100', '--banks', '058,057')
  expect(set).toMatchObject({
    service: 'PAYOUTS',
    priority: 5,
    leastAmount: 100,
    mostAmount: null,
    isActive: true,
    banks: ['058', '057'],
  })
  // What is not named stays.
  expect(await json(...route, '--off')).toMatchObject({ priority: 5, isActive: false })
  expectRefused(await tradepost(...route, '--banks', '99999'), 2, '--banks must be codes')
  const low = await tradepost(...route, '--to', '50')
  expectRefused(low, 2, '--to must not be less than the smallest amount')
})

test('payouts stop and resume apply to one business, or to all', async () => {
  const { businessId } = await server.newBusiness()
  const one = ['--business', String(businessId), '--mode', 'live']
  expect(await json('payouts', 'stop', ...one)).toEqual([{ businessId, mode: 'live' }])
  expect(await json('payouts', 'stop', ...one)).toEqual([])
  const both = await tradepost('payouts', 'stop', '--all', '--business', String(businessId))
  expectRefused(both, 2, 'cannot be used with')
  const all = await json('payouts', 'stop', '--all')
  expect(all).toContainEqual({ businessId, mode: 'test' })
  expect(all).not.toContainEqual({ businessId, mode: 'live' })
  expect(await json('payouts', 'resume', '--all')).toHaveLength(all.length + 1)
})
