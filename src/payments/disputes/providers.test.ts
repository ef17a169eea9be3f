import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { asOwner, startServer } from '../../../test/harness.ts'
import { flutterwave } from '../../../test/providers/doubles/flutterwave/flutterwave.ts'
import { paystack } from '../../../test/providers/doubles/paystack/paystack.ts'
import { startDouble } from '../../../test/providers/doubles/start.ts'
import { liveOwner } from '../../business/providers/providers.fixture.ts'
import { addSecret, connect, routesApply, setRoutes } from '../../providers/providers.fixture.ts'
import { DISPUTES, HOUR_MS } from './disputes.fixture.ts'

/* Disputes at Paystack and Flutterwave, in live mode, against their doubles. */

const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'
const EVENTS = '/api/user-service/external/v1/events'
const WALLET = '/api/user-service/external/v1/wallet/balance'

const server = await startServer({ jobs: false })
const { db, clock, runJob } = server
const now = clock.now()

const doubles = {
  paystack: await startDouble((kit) => paystack(kit), { now }),
  flutterwave: await startDouble((kit) => flutterwave(kit), { now }),
}
type Name = keyof typeof doubles

afterEach(async () => {
  expect(await findings(server)).toEqual([])
})
afterAll(() => {
  for (const { notices } of Object.values(doubles)) notices.url = undefined
})

/** A business that receives its payments through an account with a double. */
async function openShop(name: Name) {
  const double = doubles[name]
  const { provider, notices } = double
  const { keys, businessId } = await server.newBusiness()
  const { get, post } = server.as(keys.liveSecret)
  const { baseUrl } = double
  const connectionId = await connect(server, businessId, {
    provider: name,
    live: true,
    baseUrl,
    settings: { ussdBanks: ['058'] },
  })
  await addSecret(server, connectionId, provider.secretKey())
  if ('secretHash' in provider) {
    await addSecret(server, connectionId, provider.secretHash(), 1, null, 'secret_hash')
  }
  await setRoutes(server, businessId, [{ service: 'USSD', connectionId, live: true }])
  await routesApply()
  notices.mode = 'send'
  notices.url = `${server.url}/providers/notices/token-${connectionId}`

  /** Lets the provider's notifications arrive, and looks up what they name. */
  async function notified() {
    await notices.settled()
    await runJob('provider-notices')
  }
  /** A payment, by the reference under which the provider knows it. */
  async function paid(amount: number): Promise<{ id: number; sent: string }> {
    const { body } = await post(USSD, { channel: 'USSD', amount })
    const { transactionId: id } = body.data
    const { codes, sent } = await db.one<{ codes: string; sent: string }>`
      select t.ussd_codes as codes, o.sent_reference as sent
      from transactions t join provider_orders o on o.subject_id = t.id
      where t.business_id = ${businessId} and t.id = ${id}`
    provider.payer.dial(JSON.parse(codes)[0].ussdCode)
    await notified()
    return { id, sent }
  }
  const open = (sent: string, amount: number, hours = 48) =>
    provider.disputes.open(sent, BigInt(amount * 100), hours * HOUR_MS)
  const list = async () => (await get(DISPUTES)).body.data
  const dispute = async () => (await list())[0]
  const wallet = async () => {
    const { available, held } = (await get(WALLET)).body.data[0]
    return { available, held }
  }
  const told = async () =>
    (await get(`${EVENTS}?sort=ASC&limit=100`)).body.data
      .map(({ type }: { type: string }) => type)
      .filter((type: string) => type.startsWith('dispute.'))
  const respond = async (action: 'accept' | 'contest', body: object) => {
    const { reference } = await dispute()
    return post(`${DISPUTES}/${reference}/${action}`, body)
  }
  const send = () => runJob('dispute_response-orders')
  async function later(ms: number) {
    clock.advance(ms)
    for (const one of Object.values(doubles)) await one.advance(ms)
  }
  return {
    double,
    provider,
    notices,
    businessId,
    connectionId,
    keys,
    get,
    post,
    notified,
    paid,
    open,
    list,
    dispute,
    wallet,
    told,
    respond,
    send,
    later,
  }
}

const contest = { message: 'It was delivered on Monday', serviceDetails: 'A shirt' }
const customer = {
  customerEmail: 'ada@example.com',
  customerName: 'Ada Obi',
  customerPhone: '08031234567',
}

describe.each(['paystack', 'flutterwave'] as const)('a dispute at %s', (name) => {
  test('200 is opened by a notification, contested with a file, and won', async () => {
    const shop = await openShop(name)
    const { id, sent } = await shop.paid(5_000)
    const before = await shop.wallet()
    const providerReference = shop.open(sent, 4_000)
    await shop.notified()
    const dispute = await shop.dispute()
    expect(dispute).toMatchObject({
      status: 'Open',
      transactionId: id,
      amount: 4_000,
      provider: name,
      providerReference,
      reason: expect.stringMatching(/\w/),
    })
    expect((await shop.wallet()).available).toBeCloseTo(before.available - 4_000, 2)
    const form = new FormData()
    form.append('file', new Blob(['%PDF-1.7 proof']), 'proof.pdf')
    const headers = { authorization: `Bearer ${shop.keys.liveSecret}` }
    const path = `${server.url}${DISPUTES}/${dispute.reference}/evidence`
    expect((await fetch(path, { method: 'POST', body: form, headers })).status).toBe(200)
    expect((await shop.respond('contest', { ...contest, ...customer })).status).toBe(200)
    await shop.send()
    expect(await shop.dispute()).toMatchObject({
      status: 'UnderReview',
      response: { status: 'Sent' },
    })
    shop.provider.disputes.decide(providerReference, 'won')
    await shop.notified()
    expect(await shop.dispute()).toMatchObject({ status: 'Won', lostAmount: 0 })
    expect(await shop.wallet()).toEqual(before)
    expect((await shop.told()).at(-1)).toBe('dispute.won')
  })

  test('200 is accepted, and the provider takes the money', async () => {
    const shop = await openShop(name)
    const { sent } = await shop.paid(5_000)
    const [before, atProvider] = [await shop.wallet(), shop.double.books.balance_minor('NGN')]
    shop.open(sent, 5_000)
    await shop.notified()
    await shop.respond('accept', {})
    await shop.send()
    expect(await shop.dispute()).toMatchObject({ status: 'Accepted', lostAmount: 5_000 })
    expect(atProvider - shop.double.books.balance_minor('NGN')).toBe(500_000n)
    const after = await shop.wallet()
    expect([after.available, after.held]).toEqual([Math.max(before.available - 5_000, 0), 0])
    await shop.notified()
    expect(await shop.told()).toEqual(['dispute.opened', 'dispute.updated', 'dispute.accepted'])
  })

  test('200 is lost without a response, and a lookup finds that', async () => {
    const shop = await openShop(name)
    const { sent } = await shop.paid(1_000)
    shop.open(sent, 1_000, 24)
    await shop.notified()
    shop.notices.mode = 'drop'
    await shop.later(24 * HOUR_MS + 120_000)
    await runJob('dispute-lookups')
    expect(await shop.dispute()).toMatchObject({ status: 'Lost', lostAmount: 1_000 })
  })

  test('200 is found in the list if its notification was lost', async () => {
    const shop = await openShop(name)
    const { sent } = await shop.paid(1_000)
    shop.notices.mode = 'drop'
    shop.open(sent, 600)
    shop.open(sent, 400)
    await shop.later(7 * HOUR_MS)
    await runJob('dispute-lists')
    expect((await shop.list()).map(({ amount }: { amount: number }) => amount).sort()).toEqual([
      ...[400, 600],
    ])
    await runJob('dispute-lists')
    expect(await shop.told()).toEqual(['dispute.opened', 'dispute.opened'])
  })

  test('200 is opened once, however often and wherever it is heard of', async () => {
    const shop = await openShop(name)
    const { sent } = await shop.paid(1_000)
    shop.notices.mode = 'hold'
    shop.open(sent, 1_000)
    await shop.later(7 * HOUR_MS)
    await shop.notices.deliver('shuffled', 3)
    await shop.notices.settled()
    await Promise.all([
      runJob('provider-notices'),
      runJob('dispute-lists'),
      runJob('provider-notices'),
    ])
    expect(await shop.told()).toEqual(['dispute.opened'])
    expect(await shop.list()).toHaveLength(1)
  })

  test.each(['reset_after_effect', 'reset_after_read'] as const)(
    '200 is contested once, even if the answer is lost (%s)',
    async (kind) => {
      const shop = await openShop(name)
      const { sent } = await shop.paid(1_000)
      shop.open(sent, 1_000)
      await shop.notified()
      const on = name === 'paystack' ? 'PUT */resolve' : 'PUT /chargebacks/*'
      shop.double.fault({ on, kind, times: 1 })
      shop.notices.mode = 'drop'
      await shop.respond('contest', { message: 'It was delivered' })
      await shop.send()
      for (let i = 0; i < 5; i++) {
        await shop.later(61_000)
        await shop.send()
      }
      expect(await shop.dispute()).toMatchObject({
        status: 'UnderReview',
        response: { status: 'Sent' },
      })
    },
  )

  test('200 that was accepted at the provider is Accepted, and a response then fails', async () => {
    const shop = await openShop(name)
    const { sent } = await shop.paid(1_000)
    const id = shop.open(sent, 1_000)
    await shop.notified()
    shop.notices.mode = 'drop'
    shop.provider.disputes.decide(id, 'lost')
    await shop.respond('contest', { message: 'It was delivered' })
    await shop.send()
    for (let i = 0; i < 3; i++) {
      await shop.later(61_000)
      await shop.send()
    }
    expect(await shop.dispute()).toMatchObject({ status: 'Lost', response: { status: 'Failed' } })
  })

  test('200 about another business’s payment is a difference, and opens nothing', async () => {
    const [shop, other] = [await openShop(name), await openShop(name)]
    const { sent } = await other.paid(1_000)
    // The notification of one business's payment arrives at another's URL.
    shop.notices.url = `${server.url}/providers/notices/token-${shop.connectionId}`
    other.open(sent, 1_000)
    await shop.notified()
    for (let i = 0; i < 6; i++) {
      await shop.later(16 * 60_000)
      await runJob('provider-notices')
    }
    expect(await shop.list()).toEqual([])
    expect(
      await db.many`
        select kind, class, source from provider_differences
        where business_id = ${shop.businessId}`,
    ).toEqual([{ kind: 'dispute', class: 'missing_here', source: 'notice' }])
  })
})

describe('a part of a dispute', () => {
  test('200 is accepted by Paystack, which returns the rest', async () => {
    const shop = await openShop('paystack')
    const { sent } = await shop.paid(1_000)
    const before = await shop.wallet()
    shop.open(sent, 800)
    await shop.notified()
    await shop.respond('accept', { amount: 300 })
    await shop.send()
    expect(await shop.dispute()).toMatchObject({ status: 'Accepted', lostAmount: 300 })
    expect(await shop.wallet()).toEqual({ available: before.available - 300, held: 0 })
  })

  test('200 is refused by Flutterwave, and people can accept the whole', async () => {
    const shop = await openShop('flutterwave')
    const { sent } = await shop.paid(1_000)
    shop.open(sent, 800)
    await shop.notified()
    await shop.respond('accept', { amount: 300 })
    await shop.send()
    expect(await shop.dispute()).toMatchObject({
      status: 'Open',
      response: { status: 'Failed', result: expect.stringMatching(/whole/) },
    })
    await shop.respond('accept', {})
    await shop.send()
    expect(await shop.dispute()).toMatchObject({ status: 'Accepted', lostAmount: 800 })
  })
})

test('200 disputes a payment of which the notification was lost', async () => {
  const shop = await openShop('paystack')
  shop.notices.mode = 'drop'
  const { id, sent } = await shop.paid(1_000)
  expect(await db.one`select status from transactions where id = ${id}`).toEqual({
    status: 'Pending',
  })
  shop.notices.mode = 'send'
  shop.open(sent, 1_000)
  await shop.notified()
  expect(await shop.dispute()).toMatchObject({ status: 'Open', transactionId: id })
  expect(await db.one`select status from transactions where id = ${id}`).toEqual({
    status: 'Successful',
  })
})

test('200 is listed although another one on the same page cannot be stored', async () => {
  const shop = await openShop('paystack')
  const { sent } = await shop.paid(1_000)
  shop.notices.mode = 'drop'
  for (const amount of [100, 77, 200]) shop.open(sent, amount)
  await shop.later(7 * HOUR_MS)
  const damage = 'alter table disputes add constraint broken check (amount_minor <> 7700) not valid'
  await asOwner(server.name, (client) => client.query(damage))
  await runJob('dispute-lists')
  await asOwner(server.name, (client) =>
    client.query('alter table disputes drop constraint broken'),
  )
  const amounts = async () =>
    (await shop.list()).map(({ amount }: { amount: number }) => amount).toSorted()
  expect(await amounts()).toEqual([100, 200])
  await shop.later(7 * HOUR_MS)
  await runJob('dispute-lists')
  expect(await amounts()).toEqual([100, 200, 77])
})

test('200 is found once lists work again, however long they have failed', async () => {
  const shop = await openShop('paystack')
  const { sent } = await shop.paid(1_000)
  await shop.later(7 * HOUR_MS)
  await runJob('dispute-lists')
  shop.notices.mode = 'drop'
  shop.open(sent, 300, 200)
  const repair = shop.double.fault({ on: 'GET /dispute', kind: 'status' })
  for (const hours of [7, 53]) {
    await shop.later(hours * HOUR_MS)
    await runJob('dispute-lists')
  }
  await repair()
  expect(await shop.list()).toEqual([])
  await shop.later(7 * HOUR_MS)
  await runJob('dispute-lists')
  expect(await shop.list()).toMatchObject([{ amount: 300 }])
})

test('200 are all listed although a page has 50, and does not say how many follow', async () => {
  const shop = await openShop('paystack')
  const { sent } = await shop.paid(1_000)
  shop.notices.mode = 'drop'
  for (let i = 0; i < 51; i++) shop.open(sent, 1)
  await shop.later(7 * HOUR_MS)
  const { owner } = doubles.paystack.provider
  owner.set({ countsPages: false })
  await runJob('dispute-lists')
  owner.set({ countsPages: true })
  const { body } = await shop.get(`${DISPUTES}?limit=100`)
  expect(body.data).toHaveLength(51)
})

test('200 is looked up in a list, in which many are newer', async () => {
  const shop = await openShop('flutterwave')
  const { sent } = await shop.paid(1_000)
  const id = shop.open(sent, 500)
  await shop.notified()
  shop.notices.mode = 'drop'
  for (let i = 0; i < 21; i++) shop.open(sent, 1)
  shop.provider.disputes.decide(id, 'won')
  await shop.later(7 * HOUR_MS)
  await runJob('dispute-lookups')
  expect(await shop.list()).toMatchObject([{ status: 'Won', providerReference: id }])
})

test('409 for removing the connection until the dispute has been decided', async () => {
  const shop = await openShop('paystack')
  const { sent } = await shop.paid(1_000)
  shop.open(sent, 400)
  await shop.notified()
  const owner = await liveOwner(server, shop.businessId)
  const path = `/console/providers/${shop.connectionId}`
  expect((await owner.post(`${path}/pause`)).status).toBe(200)
  const remove = () => owner.post(`${path}/remove`, { force: true, reason: 'Closed' })
  const inUse = { status: 409, body: { errorCode: 'connection_in_use' } }
  expect(await remove()).toMatchObject(inUse)
  await shop.respond('contest', { ...contest, ...customer })
  await shop.send()
  expect(await shop.dispute()).toMatchObject({ status: 'UnderReview' })
  expect(await remove()).toMatchObject(inUse)
})
