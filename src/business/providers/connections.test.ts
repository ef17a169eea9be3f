import { createHmac } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { flutterwave } from '../../../test/providers/doubles/flutterwave/flutterwave.ts'
import { paystack } from '../../../test/providers/doubles/paystack/paystack.ts'
import { startDouble } from '../../../test/providers/doubles/start.ts'
import { allChecks } from '../../audit.ts'
import { commandsOn } from '../../cli/cli.fixture.ts'
import { runAudit } from '../../ledger/audit.ts'
import { holdRefunds } from '../../providers/pauses.ts'
import { routesApply } from '../../providers/providers.fixture.ts'
import { emailTo, lettersTo, type Member, memberOf } from '../people/people.fixture.ts'
import { connectLive } from './providers.fixture.ts'

const server = await startServer({ jobs: false })
const live = await startDouble((kit) => paystack(kit), { now: new Date() })
const sandbox = await startDouble((kit) => paystack(kit, { secretKey: 'sk_test_double1' }))
const flutter = await startDouble((kit) =>
  flutterwave(kit, { secretKey: 'FLWSECK_TEST-double1-X' }),
)
const { db, clock } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const PATH = '/console/providers'
/** The account's present key. */
const secret = () => sandbox.provider.secretKey()

async function shop() {
  const { businessId, keys } = await server.newBusiness()
  return { businessId, keys, owner: await memberOf(server, 'owner', businessId) }
}

const connect = (by: Member, change: object = {}) =>
  by.post(PATH, {
    provider: 'paystack',
    credentials: { secret_key: secret() },
    baseUrl: sandbox.baseUrl,
    ...change,
  })

async function connected() {
  const one = await shop()
  const { status, body } = await connect(one.owner)
  expect(status).toBe(200)
  const id = body.data.connectionId as number
  const path = `${PATH}/${id}`
  const act = (word: string, input = {}) => one.owner.post(`${path}/${word}`, input)
  return { ...one, id, path, act, noticeUrl: body.data.noticeUrl as string }
}

const auditOf = async (businessId: number) =>
  (
    await db.many<{ action: string }>`
      select action from audit_log where business_id = ${businessId} and action like 'provider.%'
      order by seq`
  ).map(({ action }) => action)

describe('connecting', () => {
  test('checks the account, uses it for everything it can do, and tells the owners', async () => {
    const { businessId, owner } = await shop()
    const { status, body } = await connect(owner, { name: 'Our Paystack' })
    expect(status).toBe(200)
    const { connection, connectionId, noticeUrl, made } = body.data
    expect(made).toEqual({})
    expect(noticeUrl).toMatch(/^http:\/\/127\.0\.0\.1\/providers\/notices\/\w{32}$/)
    expect(connection).toMatchObject({
      id: connectionId,
      provider: 'paystack',
      name: 'Our Paystack',
      mode: 'test',
      environment: 'sandbox',
      status: 'Active',
      problem: null,
      balances: [{ currency: 'NGN', available: 0 }],
      credentials: [{ name: 'secret_key', last4: secret().slice(-4), acceptedUntil: null }],
    })
    expect(connection.checks[0]).toMatchObject({ name: 'notice_url', isDone: null })
    expect(JSON.stringify(body)).not.toContain(secret())
    const { routes } = (await owner.get('/console/routing')).body.data
    expect(routes.map(({ service }: { service: string }) => service).sort()).toEqual([
      'ACCOUNTS',
      'BANK_TRANSFER',
      'CARD',
      'PAYOUTS',
      'USSD',
    ])
    expect(server.nudged).toContain('bank-lists')
    expect(await auditOf(businessId)).toEqual(['provider.connect'])
    expect(await emailTo(server, owner.email, 'connected')).toContain('Our Paystack')
  })

  test('keeps a draft if the provider refuses the key, which can be corrected', async () => {
    const { owner } = await shop()
    const { status, body } = await connect(owner, { credentials: { secret_key: 'sk_test_wrong' } })
    expect(status).toBe(200)
    const { connectionId: id, connection } = body.data
    expect(connection).toMatchObject({
      status: 'Draft',
      problem: { code: 'credentials_refused', message: expect.any(String) },
    })
    expect((await owner.get('/console/routing')).body.data.routes).toEqual([])
    const early = await owner.post(`${PATH}/${id}/resume`)
    expect(early).toMatchObject({ status: 409, body: { errorCode: 'connection_not_ready' } })
    const values = { credentials: { secret_key: secret() } }
    expect((await owner.post(`${PATH}/${id}/credentials`, values)).status).toBe(200)
    const resumed = await owner.post(`${PATH}/${id}/resume`)
    expect(resumed.body.data).toMatchObject({ status: 'Active', problem: null })
    expect((await owner.get('/console/routing')).body.data.routes).toHaveLength(5)
  })

  test('makes the secret hash that Flutterwave signs with, and shows it once', async () => {
    const { owner } = await shop()
    const { body } = await owner.post(PATH, {
      provider: 'flutterwave',
      credentials: { secret_key: 'FLWSECK_TEST-double1-X' },
      baseUrl: flutter.baseUrl,
    })
    const { made, connection } = body.data
    expect(made).toEqual({ secret_hash: expect.stringMatching(/^\w{40}$/) })
    expect(connection.credentials.map(({ name }: { name: string }) => name)).toEqual([
      'secret_hash',
      'secret_key',
    ])
    const listed = await owner.get(PATH)
    expect(JSON.stringify(listed.body)).not.toContain(made.secret_hash)
  })

  test('400 names each value that cannot be right, and stores nothing', async () => {
    const { businessId, owner } = await shop()
    const refused = async (change: object, field: string, says: string) => {
      const { status, body } = await connect(owner, change)
      expect([status, body.errors?.[field]?.[0]]).toEqual([400, expect.stringContaining(says)])
    }
    await refused({ credentials: {} }, 'credentials.secret_key', 'is required')
    const other = { credentials: { secret_key: 'sk_live_double1' } }
    await refused(other, 'credentials.secret_key', 'begins with sk_test_')
    const more = { credentials: { secret_key: secret(), public_key: 'pk_test_x' } }
    await refused(more, 'credentials.public_key', 'must be secret_key')
    await refused({ baseUrl: 'https://example.com' }, 'baseUrl', 'PROVIDER_HOSTS')
    await refused({ baseUrl: 'ftp://127.0.0.1' }, 'baseUrl', 'must be an HTTP URL')
    await refused({ baseUrl: 'http://10.0.0.1' }, 'baseUrl', 'PROVIDER_HOSTS')
    await refused({ settings: { services: ['UTILITY'] } }, 'settings.services', 'can contain')
    await refused({ settings: { ussdBanks: ['999'] } }, 'settings.ussdBanks', 'Guaranty')
    const { n } = await db.one<{ n: number }>`
      select count(*)::integer as n from provider_connections where business_id = ${businessId}`
    expect(n).toBe(0)
  })

  test('409 for an account that is already connected, also at the same moment', async () => {
    const { owner } = await shop()
    const all = await Promise.all([connect(owner), connect(owner), connect(owner)])
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const refused = all.find(({ status }) => status === 409)!
    expect(refused.body.errorCode).toBe('connection_exists')

    // Anyone who tries again after a failure is sent to the draft.
    const wrong = { credentials: { secret_key: 'sk_test_wrong' } }
    const draft = (await connect(owner, wrong)).body.data.connectionId
    const again = await connect(owner, wrong)
    expect([again.status, again.body.message]).toEqual([
      409,
      `Connection ${draft} has this key already, but is not used yet: resume it.`,
    ])
  })

  test('403 for other roles, without a recent password, and in live mode with a password only', async () => {
    const { businessId, owner } = await shop()
    for (const role of ['developer', 'finance', 'viewer'] as const) {
      expect((await connect(await memberOf(server, role, businessId))).status).toBe(403)
    }
    const developer = await memberOf(server, 'developer', businessId)
    expect((await developer.get(PATH)).status).toBe(200)
    owner.choose(businessId, 'live')
    const credentials = { secret_key: live.provider.secretKey() }
    const inLive = await connect(owner, { credentials, baseUrl: live.baseUrl })
    expect(inLive).toMatchObject({ status: 403, body: { errorCode: 'second_factor_needed' } })
    owner.choose(businessId)
    clock.advance(10 * 60_000)
    const late = await connect(owner)
    expect(late).toMatchObject({ status: 403, body: { errorCode: 'reauthentication_needed' } })
  })

  test('409 in test mode after the test clock has moved, and the clock stops once connected', async () => {
    const moved = await shop()
    const advance = { advanceSeconds: 60 }
    const clockOf = ({ keys }: typeof moved) => server.as(keys.testSecret)
    expect((await clockOf(moved).post('/api/simulator/clock', advance)).status).toBe(200)
    expect(await connect(moved.owner)).toMatchObject({
      status: 409,
      body: { errorCode: 'test_clock_moved' },
    })

    const other = await connected()
    expect(await clockOf(other).post('/api/simulator/clock', advance)).toMatchObject({
      status: 409,
      body: { errorCode: 'real_connection_in_use' },
    })

    for (let i = 0; i < 5; i++) {
      const one = await shop()
      const [made, advanced] = await Promise.all([
        connect(one.owner),
        clockOf(one).post('/api/simulator/clock', advance),
      ])
      expect([made.status, advanced.status].sort()).toEqual([200, 409])
    }
  })

  test('live and test mode are apart, as are businesses', async () => {
    const one = await connectLive(server, live)
    const { body } = await one.owner.get(PATH)
    expect(body.data).toMatchObject([{ mode: 'live', environment: 'production' }])
    one.owner.choose(one.businessId, 'test')
    expect((await one.owner.get(PATH)).body.data).toEqual([])
    expect((await one.owner.get(`${PATH}/${one.connectionId}`)).status).toBe(404)
    const stranger = await shop()
    for (const word of ['test', 'pause', 'resume', 'remove', 'credentials', 'notice-url']) {
      const input = { credentials: { secret_key: secret() } }
      const path = `${PATH}/${one.connectionId}/${word}`
      expect([word, (await stranger.owner.post(path, input)).status]).toEqual([word, 404])
    }
  })
})

describe('credentials', () => {
  test('are replaced once the provider has accepted them; the old ones count for a while', async () => {
    const { owner, path, businessId, noticeUrl } = await connected()
    const wrong = { credentials: { secret_key: 'sk_test_nobody' } }
    const refused = await owner.post(`${path}/credentials`, wrong)
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([
      400,
      ['credentials.secret_key'],
    ])
    const fault = sandbox.fault({ on: 'GET /balance', kind: 'status', status: 503 })
    const former = secret()
    const same = { credentials: { secret_key: former }, graceHours: 1 }
    expect((await owner.post(`${path}/credentials`, same)).status).toBe(503)
    await fault()
    // The key that it has already: nothing is replaced.
    const unchanged = await owner.post(`${path}/credentials`, same)
    expect(unchanged.status).toBe(200)
    expect(unchanged.body.data.credentials).toMatchObject([{ acceptedUntil: null }])
    expect(await auditOf(businessId)).toEqual(['provider.connect'])

    const key = sandbox.provider.owner.rotateKey()
    const done = await owner.post(`${path}/credentials`, {
      credentials: { secret_key: key },
      graceHours: 1,
    })
    expect(done.status).toBe(200)
    expect(done.body.data.credentials).toMatchObject([
      { last4: key.slice(-4), acceptedUntil: null },
      { last4: former.slice(-4), acceptedUntil: expect.any(String) },
    ])
    await routesApply()
    const notify = async (by: string) => {
      const body = JSON.stringify({ event: 'charge.success', data: { by } })
      const signature = createHmac('sha512', by).update(body).digest('hex')
      const headers = { 'content-type': 'application/json', 'x-paystack-signature': signature }
      const url = noticeUrl.replace('http://127.0.0.1', server.url)
      return (await fetch(url, { method: 'POST', headers, body })).status
    }
    expect(await notify(former)).toBe(200)
    expect(await notify(key)).toBe(200)
    clock.advance(61 * 60_000)
    await routesApply()
    expect(await notify(former)).toBe(401)
    expect(await notify(key)).toBe(200)
    expect(await auditOf(businessId)).toEqual(['provider.connect', 'provider.credentials'])
  })

  test('409 for those of an account that is connected already', async () => {
    const { owner, id } = await connected()
    const { body } = await connect(owner, { credentials: { secret_key: 'sk_test_wrong' } })
    const draft = `${PATH}/${body.data.connectionId}`
    const values = { credentials: { secret_key: secret() } }
    expect(await owner.post(`${draft}/credentials`, values)).toMatchObject({
      status: 409,
      body: { errorCode: 'connection_exists' },
    })
    const { credentials } = (await owner.get(draft)).body.data
    expect(credentials).toMatchObject([{ last4: 'rong' }])
    expect((await owner.post(`${PATH}/${id}/credentials`, values)).status).toBe(200)
  })
})

describe('a connection', () => {
  test('is checked again on request', async () => {
    const { act } = await connected()
    expect((await act('test')).body.data).toMatchObject({ problem: null, status: 'Active' })
    const fault = sandbox.fault({ on: 'GET /balance', kind: 'status', status: 401 })
    const failed = (await act('test')).body.data
    expect(failed).toMatchObject({ problem: { code: 'credentials_refused' }, status: 'Active' })
    await fault()
  })

  test('is listed with what is paused, since the pause, for those who can see it', async () => {
    const { act, owner, path, id, businessId } = await connected()
    await act('pause', { reason: 'Too slow' })
    const [first] = (await owner.get('/console/pauses')).body.data
    expect(Date.parse(first.pausedAt)).toBeLessThanOrEqual(clock.now().getTime())
    clock.advance(60_000)
    expect((await owner.put(path, { name: 'The old one' })).status).toBe(200)
    const listed = {
      what: 'connection',
      reason: 'Too slow',
      by: null,
      resumedBy: 'member',
      pausedAt: first.pausedAt,
      connection: { id, name: 'The old one' },
    }
    expect((await owner.get('/console/pauses')).body.data).toEqual([listed])
    const support = await memberOf(server, 'support', businessId)
    expect((await support.get('/console/pauses')).body.data).toEqual([])
    const other = await shop()
    expect((await other.owner.get('/console/pauses')).body.data).toEqual([])
    await act('resume')
    expect((await owner.get('/console/pauses')).body.data).toEqual([])
  })

  test('is paused, resumed and removed, with its keys and routes', async () => {
    const { act, owner, path, id, businessId, noticeUrl } = await connected()
    const early = await act('remove')
    expect(early).toMatchObject({ status: 409, body: { errorCode: 'connection_state' } })
    const paused = await act('pause', { reason: 'Too slow' })
    expect(paused.body.data).toMatchObject({ status: 'Paused', statusReason: 'Too slow' })
    expect((await act('pause')).status).toBe(409)
    expect((await act('resume')).body.data).toMatchObject({ status: 'Active', statusReason: null })
    await act('pause')
    const removed = await act('remove', { reason: 'Closed' })
    expect(removed.body.data).toMatchObject({ status: 'Removed', credentials: [] })
    expect((await owner.get('/console/routing')).body.data.routes).toEqual([])
    expect((await owner.get(path)).body.data.status).toBe('Removed')
    for (const word of ['test', 'pause', 'resume', 'remove', 'notice-url']) {
      expect([word, (await act(word)).status]).toEqual([word, 409])
    }
    const { n } = await db.one<{ n: number }>`
      select count(*)::integer as n from provider_credentials where connection_id = ${id}`
    expect(n).toBe(0)
    await routesApply()
    const url = noticeUrl.replace('http://127.0.0.1', server.url)
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(410)
    expect((await auditOf(businessId)).slice(1)).toEqual([
      'provider.pause',
      'provider.resume',
      'provider.pause',
      'provider.remove',
    ])
    const letters = (await lettersTo(server, owner.email)).join('\n')
    for (const word of ['connected', 'paused', 'resumed', 'removed'])
      expect(letters).toContain(word)
    // The same account can be connected again.
    expect((await connect(owner)).status).toBe(200)
  })

  test('409 for removing it while an order is open or the provider holds money', async () => {
    const one = await connectLive(server, live)
    const { owner, businessId, connectionId: id } = one
    const at = clock.now()
    await db.run`
      insert into provider_orders (business_id, live, kind, subject_id, reference, connection_id,
        sent_reference, created_at, reference_format, sent_at, last_sent_at)
      values (${businessId}, true, 'transfer', 1, 'TRF_x', ${id}, 'trf-x', ${at}, 2, ${at}, ${at})`
    expect((await owner.post(`${PATH}/${id}/pause`)).status).toBe(200)
    const open = await owner.post(`${PATH}/${id}/remove`)
    expect(open).toMatchObject({ status: 409, body: { errorCode: 'connection_in_use' } })
    const health = (await owner.get(`${PATH}/${id}/health`)).body.data
    expect(health).toMatchObject({ status: 'Paused', openOrders: 1, ordersNeedingAttention: 0 })
    await db.run`delete from provider_orders where connection_id = ${id}`

    await db.run`
      insert into ledger_accounts (business_id, live, id, kind, subject_id, currency, debits_minor,
        credits_minor, created_at)
      values (${businessId}, true, ${await server.ids.next()}, 'provider_clearing', ${id}, 'NGN',
        100, 0, ${at})`
    const held = await owner.post(`${PATH}/${id}/remove`, { force: true })
    expect(held).toMatchObject({ status: 409, body: { errorCode: 'connection_in_use' } })
    await db.run`delete from ledger_accounts where business_id = ${businessId} and subject_id = ${id}`
    expect((await owner.post(`${PATH}/${id}/remove`)).status).toBe(200)
  })

  test('gets a new notification URL, and the old one works for a while', async () => {
    const { act, noticeUrl } = await connected()
    const { body } = await act('notice-url', { graceHours: 1 })
    expect(body.data.noticeUrl).not.toBe(noticeUrl)
    await routesApply()
    const status = async (url: string) => {
      const at = url.replace('http://127.0.0.1', server.url)
      return (await fetch(at, { method: 'POST', body: '{}' })).status
    }
    expect([await status(noticeUrl), await status(body.data.noticeUrl)]).toEqual([401, 401])
    clock.advance(61 * 60_000)
    await routesApply()
    expect([await status(noticeUrl), await status(body.data.noticeUrl)]).toEqual([404, 401])
  })

  test('has a name and settings that can be changed', async () => {
    const { owner, path } = await connected()
    const change = { name: 'Main', settings: { feesPaidBy: 'business', ussdBanks: ['058'] } }
    const { body } = await owner.put(path, change)
    expect(body.data).toMatchObject({ name: 'Main', settings: change.settings })
    expect(body.data.settings.services).toHaveLength(5)
    const services = async () => {
      const { routes } = (await owner.get('/console/routing')).body.data
      return routes.map(({ service }: { service: string }) => service).sort()
    }
    await owner.put(path, { settings: { services: ['PAYOUTS'] } })
    expect(await services()).toEqual(['PAYOUTS'])
    await owner.put(path, { settings: { services: ['PAYOUTS', 'USSD'] } })
    expect(await services()).toEqual(['PAYOUTS', 'USSD'])
    const wrong = await owner.put(path, { settings: { payerEmail: 'nobody' } })
    expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([400, ['settings.payerEmail']])
    const moved = await owner.put(path, { settings: { feesPaidBy: 'operator' } })
    expect([moved.status, Object.keys(moved.body.errors)]).toEqual([400, ['settings.feesPaidBy']])
  })
})

test('a draft loses its routes for services that it is no longer used for', async () => {
  const { owner } = await shop()
  const wrong = { credentials: { secret_key: 'sk_test_wrong' } }
  const { connectionId, connection } = (await connect(owner, wrong)).body.data
  expect(connection.status).toBe('Draft')
  const path = `${PATH}/${connectionId}`
  const routes = ['USSD', 'PAYOUTS'].map((service) => ({ service, connectionId, priority: 1 }))
  const put = await owner.put('/console/routing', { routes }, { 'if-match': '*' })
  expect(put.status).toBe(200)
  const services = async () => {
    const listed = (await owner.get('/console/routing')).body.data.routes
    return listed.map(({ service }: { service: string }) => service).sort()
  }

  expect((await owner.put(path, { settings: { services: ['PAYOUTS'] } })).status).toBe(200)
  expect(await services()).toEqual(['PAYOUTS'])
  // A draft is not used yet, so an added service gets no route.
  const more = { services: ['PAYOUTS', 'CARD'] }
  expect((await owner.put(path, { settings: more })).status).toBe(200)
  expect(await services()).toEqual(['PAYOUTS'])

  const values = { credentials: { secret_key: secret() } }
  expect((await owner.post(`${path}/credentials`, values)).status).toBe(200)
  const resumed = await owner.post(`${path}/resume`)
  expect([resumed.status, resumed.body.data?.status]).toEqual([200, 'Active'])
  expect(await services()).toEqual(['CARD', 'PAYOUTS'])
})

test('the providers that can be connected are listed with their fields', async () => {
  const { owner } = await shop()
  const { body } = await owner.get(`${PATH}/known`)
  expect(body.data).toMatchObject([
    { provider: 'paystack', credentials: [{ name: 'secret_key', isSecret: true }] },
    { provider: 'flutterwave', credentials: [{ name: 'secret_key' }, { isOurChoice: true }] },
  ])
  expect(body.data[0].ussdBanks).toContain('058')
})

test('routes are replaced as a whole, unless someone else has changed them', async () => {
  const { owner, businessId } = await connected()
  const before = await owner.get('/console/routing')
  const etag = before.headers.get('etag')!
  const { routes } = before.body.data
  const payouts = routes.find(({ service }: { service: string }) => service === 'PAYOUTS')
  const changed = { ...payouts, mostAmount: 1_000, weight: 2 }
  const put = (tag: string, all: object[]) =>
    owner.put('/console/routing', { routes: all }, { 'if-match': tag })
  const stored = await put(etag, [changed])
  expect(stored.status).toBe(200)
  expect(stored.body.data.routes).toMatchObject([{ service: 'PAYOUTS', mostAmount: 1_000 }])
  expect((await put(etag, [])).status).toBe(412)
  const preview = async (amount: number) =>
    (await owner.get(`/console/routing/preview?service=PAYOUTS&amount=${amount}`)).body.data
  expect(await preview(500)).toMatchObject({ candidates: [{ share: 1 }], skipped: [] })
  expect(await preview(5_000)).toMatchObject({ candidates: [], skipped: [{ why: 'amount' }] })
  const unknown = await owner.get('/console/routing/preview?service=PAYOUTS&bankCode=58')
  expect([unknown.status, Object.keys(unknown.body.errors)]).toEqual([400, ['bankCode']])
  const wrong = await put('*', [{ ...payouts, currency: 'XXX' }])
  expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([400, ['routes.0.currency']])
  expect(await auditOf(businessId)).toContain('provider.routing')
})

test('payouts are stopped by anyone who can send them, and resumed by an owner', async () => {
  const { owner, businessId } = await shop()
  const finance = await memberOf(server, 'finance', businessId)
  const stop = '/console/payouts/stop'
  expect((await owner.get(stop)).body.data).toBe(null)
  const stopped = await finance.post(stop, { reason: 'A key was stolen' })
  expect(stopped.body.data).toMatchObject({ reason: 'A key was stolen' })
  expect((await owner.get(stop)).body.data).toEqual(stopped.body.data)
  expect((await finance.post('/console/payouts/resume')).status).toBe(403)
  expect((await owner.post('/console/payouts/resume')).status).toBe(200)
  expect((await owner.post('/console/payouts/resume')).status).toBe(409)
  const support = await memberOf(server, 'support', businessId)
  expect((await support.post(stop, { reason: 'x' })).status).toBe(403)
})

test('403 to an owner for payouts that the operator has stopped, or that wait after a restore', async () => {
  const { owner, businessId } = await shop()
  const { json } = commandsOn(server.name)
  const one = ['--business', String(businessId)]
  const resume = () => owner.post('/console/payouts/resume')
  const stopped = async () => (await owner.get('/console/payouts/stop')).body.data
  const listed = async () => (await owner.get('/console/pauses')).body.data
  await owner.post('/console/payouts/stop', { reason: 'A key was stolen' })
  // Also over a stop of the business, which could end it.
  expect(await json('payouts', 'stop', ...one, '--reason', 'Fraud')).toHaveLength(2)
  expect(await resume()).toMatchObject({ status: 403, body: { errorCode: 'operator_needed' } })
  expect(await stopped()).toMatchObject({ reason: 'Fraud' })
  expect(await listed()).toMatchObject([
    { what: 'payouts', by: 'The operator', reason: 'Fraud', resumedBy: 'operator' },
  ])
  expect(await json('payouts', 'resume', ...one)).toHaveLength(2)
  expect(await listed()).toEqual([])

  // A business keeps its own stop when the operator resumes all.
  await owner.post('/console/payouts/stop', { reason: 'A key was stolen' })
  const [tenant, now] = [{ businessId, live: false }, clock.now()]
  await db.transaction((tx) => holdRefunds(tx, tenant, now))
  expect((await resume()).body.errorCode).toBe('operator_needed')
  expect([await stopped(), ...(await listed())]).toMatchObject([
    { resumedBy: 'operator' },
    { resumedBy: 'operator' },
  ])
  await json('payouts', 'resume', '--all')
  expect(await stopped()).toMatchObject({ reason: 'A key was stolen', resumedBy: 'owner' })
  expect((await resume()).status).toBe(200)
})
