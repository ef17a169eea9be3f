import { expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { memberOf } from '../business/people/people.fixture.ts'
import { commandsOn, expectRefused } from './cli.fixture.ts'

const server = await startServer({ jobs: false })
const { tradepost, json } = commandsOn(server.name)
const INVOICES = '/api/payment-service/external/v1/invoices'
const CHECKOUT = '/api/payment-service/external/v1/initialize-checkout'
const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'
const PROFILE = '/api/user-service/external/v1/profile'

type Merchant = Awaited<ReturnType<typeof business>>

async function business() {
  const { businessId, keys } = await server.newBusiness()
  const key = server.as(keys.testSecret)
  const { body } = await key.post(INVOICES, { customerEmail: 'ada@example.com', amount: 900 })
  const page = server.url + new URL(body.data.hostedUrl).pathname
  const named = ['--business', String(businessId)]
  return { ...key, businessId, page, named, owner: await memberOf(server, 'owner', businessId) }
}

const pageOf = async ({ page }: Merchant, language = 'en') => {
  const response = await fetch(page, { headers: { 'accept-language': language } })
  return { status: response.status, text: await response.text() }
}

/** Servers follow within a second. */
const soon = (look: () => Promise<unknown>) => expect.poll(look, { timeout: 5_000 })
const statusOf = async (reading: Promise<{ status: number }>) => (await reading).status

test('503 for the API of a paused business, while its members can look at everything', async () => {
  const [one, other] = [await business(), await business()]
  expect(await json('pause', 'business', ...one.named, '--reason', 'A court order')).toEqual({
    changed: true,
  })
  await soon(() => statusOf(one.get(INVOICES))).toBe(503)
  const refused = await one.post(INVOICES, { customerEmail: 'ada@example.com', amount: 1 })
  expect(refused).toMatchObject({ status: 503, body: { errorCode: 'business_paused' } })
  expect(refused.headers.get('retry-after')).toBe('3600')
  expect((await one.owner.get(INVOICES)).status).toBe(200)
  expect((await one.owner.post(INVOICES, {})).body.errorCode).toBe('business_paused')
  expect((await one.owner.get('/console/pauses')).body.data).toMatchObject([
    { what: 'business', reason: 'A court order' },
  ])
  expect((await one.owner.get('/console/audit?action=business.pause')).body.data).toMatchObject([
    { person: 'The operator', detail: 'Paused: A court order' },
  ])

  const { status, text } = await pageOf(one)
  expect([status, text]).toEqual([503, expect.stringContaining('Not open at the moment')])
  expect((await pageOf(one, 'fr')).text).toContain('Fermé pour le moment')
  expect((await other.get(INVOICES)).status).toBe(200)
  expect((await pageOf(other)).status).toBe(200)

  expect(await json('pause', 'business', ...one.named)).toEqual({ changed: false })
  expect(await json('resume', 'business', ...one.named)).toEqual({ changed: true })
  await soon(() => statusOf(one.get(INVOICES))).toBe(200)
  expect((await pageOf(one)).status).toBe(200)
  expect((await one.owner.get('/console/pauses')).body.data).toEqual([])
})

test('503 for a paused channel, which payers are not offered', async () => {
  const [one, other] = [await business(), await business()]
  const pay = ({ post }: Merchant) => post(USSD, { channel: 'USSD', amount: 500 })
  expect((await pay(one)).status).toBe(200)
  expect((await pageOf(one)).text).toContain('value="USSD"')
  await json('pause', 'ussd', ...one.named, '--mode', 'test')
  await soon(() => statusOf(pay(one))).toBe(503)
  expect(JSON.stringify((await pay(one)).body)).toContain('This payment method is paused')
  const { status, text } = await pageOf(one)
  expect([status, text.includes('value="USSD"')]).toEqual([200, false])
  expect((await one.post(CHECKOUT, { customerEmail: 'a@example.com', amount: 5 })).status).toBe(201)
  expect((await pay(other)).status).toBe(200)

  await json('pause', 'ussd', '--all')
  await soon(() => statusOf(pay(other))).toBe(503)
  await json('resume', 'ussd', ...one.named, '--mode', 'test')
  await json('resume', 'ussd', '--all')
  await soon(() => statusOf(pay(one))).toBe(200)
})

test('0 says how to end the pauses that remain', async () => {
  const { businessId, named } = await business()
  await json('pause', 'ussd', ...named, '--mode', 'live')
  await json('pause', 'ussd', '--all')
  const first = await tradepost('resume', 'ussd', ...named)
  expect(first.stdout.split('\n')).toEqual([
    'Nothing has changed: it is still paused.',
    `  To end this pause: tradepost resume ussd --business ${businessId} --mode live`,
    '  To end this pause: tradepost resume ussd --all',
    '',
  ])
  const second = await tradepost('resume', 'ussd', ...named, '--mode', 'live')
  expect(second.stdout).toContain('It is still paused.\n')
  expect((await tradepost('resume', 'ussd', '--all')).stdout).toBe('It is open.\n')
})

test('0 lists what is paused, and doctor warns about it', async () => {
  const { businessId, named } = await business()
  expect((await tradepost('pause')).stdout).toBe('Nothing is paused.\n')
  await json('pause', 'card', ...named, '--mode', 'live', '--reason', 'Fraud')
  expect(await json('pause')).toMatchObject([
    { what: 'card', businessId, mode: 'live', reason: 'Fraud' },
  ])
  const { stdout } = await tradepost('doctor')
  expect(stdout).toMatch(new RegExp(`warn +paused +CARD of business ${businessId} paused since`))
  await json('resume', 'card', ...named, '--mode', 'live')
  await json('payouts', 'stop', ...named, '--mode', 'live', '--reason', 'Stolen key')
  const stopped = await tradepost('doctor')
  const found = `payouts of business ${businessId} in live mode stopped since .*: Stolen key`
  expect(stopped.stdout).toMatch(new RegExp(`warn +paused +${found}`))
  const resume = `tradepost payouts resume --business ${businessId} --mode live`
  expect(stopped.stdout).toContain(resume)
  await json('payouts', 'resume', ...named, '--mode', 'live')
  expect((await tradepost('doctor')).stdout).not.toContain(resume)
})

test('503 for all writes while the server only reads, and jobs rest', async () => {
  const one = await business()
  const create = () => one.post(INVOICES, { customerEmail: 'ada@example.com', amount: 1 })
  expect(await json('read-only', 'on', '--reason', 'Moving')).toEqual({
    readOnly: true,
    changed: true,
  })
  await soon(() => statusOf(create())).toBe(503)
  const refused = await create()
  expect(refused.body.errorCode).toBe('read_only')
  expect(refused.headers.get('retry-after')).toBe('30')
  for (const path of [INVOICES, PROFILE]) expect((await one.get(path)).status).toBe(200)
  expect((await pageOf(one)).status).toBe(200)
  const form = new URLSearchParams({ channel: 'BANK_TRANSFER' })
  const paying = await fetch(`${one.page}/pay`, { method: 'POST', body: form, redirect: 'manual' })
  expect([paying.status, await paying.text()]).toEqual([503, expect.stringContaining('Back in')])
  const notice = await fetch(`${server.url}/providers/notices/token`, { method: 'POST' })
  expect(notice.status).toBe(503)
  expect((await one.post('/no/such/path', {})).status).toBe(404)
  const waiting = () => server.db.one`select count(*)::int from mails where status = 'Queued'`
  const before = await waiting()
  await server.runJob('mail')
  expect(await waiting()).toEqual(before)

  const off = await tradepost('read-only', 'off')
  expect([off.status, off.stdout]).toEqual([0, 'Servers read and write from now on.\n'])
  expect((await tradepost('read-only', 'off')).stdout).toContain('Nothing has changed')
  await soon(() => statusOf(create())).toBe(201)
  await server.runJob('mail')
  expect(await waiting()).toEqual({ count: 0 })
})

test.each([
  [['pause', 'sales'], 'Allowed choices'],
  [['pause', 'business', '--all'], '--business'],
  [['resume'], 'missing required argument'],
  [['read-only', 'maybe'], 'Allowed choices'],
])('2 for %j', async (args, says) => {
  expectRefused(await tradepost(...args), 2, says)
})
