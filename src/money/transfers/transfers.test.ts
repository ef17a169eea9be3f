import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { createKey } from '../../business/keys/service.ts'
import { limitedBy } from '../../business/people/people.fixture.ts'
import { runAudit } from '../../ledger/audit.ts'
import { sentReferenceOf } from '../../providers/connector/references.ts'

const BASE = '/api/transaction-service/external/v1'
const TRANSFERS = `${BASE}/transfers`
const USER = '/api/user-service/external/v1'

const server = await startServer({ jobs: false })
const { db, ids, clock } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

/** The simulator resolves this account to ADA OBI. */
const ACCOUNT = { bankCode: '058', accountNumber: '0123456785' }

/** Each test has its own business, so that no other test changes its wallet and events. */
async function shop() {
  const { businessId, keys } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const { get, post, put } = caller
  const send = (more: object = {}, headers?: Record<string, string>) =>
    post(TRANSFERS, { amount: 1_000, ...ACCOUNT, ...more }, headers)
  const decide = (reference: string, verb: string) => post(`${TRANSFERS}/${reference}/${verb}`)
  const wallet = async () => {
    const { available, held } = (await get(`${USER}/wallet/balance`)).body.data[0]
    return { available, held }
  }
  const eventTypes = async () => {
    const { body } = await get(`${USER}/events?sort=ASC&limit=100`)
    return (body.data as { type: string }[]).map(({ type }) => type)
  }
  const count = async () => {
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from transfers where business_id = ${businessId}`
    return n
  }
  const list = (query: string) =>
    get(`${BASE}/transfer/get-transfer-list?businessId=${businessId}&page=1&limit=20${query}`)
  const live = server.as(keys.liveSecret)
  return { businessId, get, post, put, live, send, decide, wallet, eventTypes, count, list }
}

describe('creating a transfer', () => {
  test('201 holds the amount and fee, and returns the full record', async () => {
    const { businessId, send, wallet, eventTypes, get } = await shop()
    const { status, body } = await send({
      amount: '1500.50',
      accountName: 'Ada Obi',
      narration: 'Rent',
      transferReference: 'rent-2026.11',
      metadata: { flat: 3 },
    })

    expect([status, body.status]).toEqual([201, 'success'])
    expect(body.data).toEqual({
      id: expect.any(Number),
      reference: expect.stringMatching(/^TRF_[0-9A-Za-z]{20}$/),
      transferReference: 'rent-2026.11',
      businessId,
      status: 'Pending',
      amount: 1500.5,
      amountMinor: 150_050,
      fee: 10,
      currency: 'NGN',
      bankId: 58,
      bankCode: '058',
      bankName: 'Guaranty Trust Bank',
      accountNumber: '0123456785',
      accountName: 'ADA OBI',
      narration: 'Rent',
      failureReason: null,
      createdBy: { type: 'key', name: expect.any(String), personId: null },
      approvedBy: null,
      needsSecondPerson: false,
      origin: 'transfer',
      attempt: 1,
      canCancel: true,
      metadata: { flat: 3 },
      timeline: [{ status: 'Pending', at: body.data.createdAt, message: null }],
      createdAt: expect.any(String),
      completedAt: null,
      reversedAt: null,
    })
    expect(await wallet()).toEqual({ available: 998_489.5, held: 1510.5 })
    expect(await eventTypes()).toEqual(['transfer.pending'])
    for (const reference of [body.data.reference, 'rent-2026.11']) {
      expect((await get(`${TRANSFERS}/${reference}`)).body.data).toEqual(body.data)
    }
    expect(server.nudged).toContain('transfer-orders')
  })

  test.each([
    ['/transfers'],
    ['/api/transaction-service/v1/transfers'],
    ['/api/transaction-service/external/v1/transfers/'],
  ])('201 at %s', async (path) => {
    const { post } = await shop()
    expect((await post(path, { amount: 1_000, ...ACCOUNT })).status).toBe(201)
  })

  test.each([
    [5_000, 10],
    [5_000.01, 25],
    [50_000, 25],
    [50_000.01, 50],
  ])('201 for %d costs %d', async (amount, fee) => {
    const { send, wallet } = await shop()
    expect((await send({ amount })).body.data).toMatchObject({ amount, fee })
    expect((await wallet()).held).toBeCloseTo(amount + fee, 5)
  })

  test.each([
    [{ bankCode: undefined, bank: 58 }],
    [{ bankCode: undefined, bank: '58' }],
    [{ bankCode: '000013' }],
    [{ bankCode: '058', bank: 58 }],
  ])('201 for any name of a bank: %j', async (named) => {
    const { send } = await shop()
    expect((await send(named)).body.data).toMatchObject({ bankCode: '058', bankId: 58 })
  })

  test.each([
    ['amount', undefined],
    ['amount', 0],
    ['amount', -5],
    ['amount', '10.005'],
    ['amount', 'ten'],
    ['amount', [10]],
    ['amount', 1e15],
    ['bankCode', undefined],
    ['bankCode', ''],
    ['bankCode', null],
    ['bankCode', 5.8],
    ['bank', true],
    ['accountNumber', undefined],
    ['accountNumber', 1_234_567_890],
    ['accountNumber', '123456789'],
    ['accountNumber', '12345678901'],
    ['accountNumber', '01234S6789'],
    ['accountName', 'Ada\nObi'],
    ['accountName', ' '],
    ['accountName', 'a'.repeat(201)],
    ['currency', 'naira'],
    ['currency', 'XXZ'],
    ['narration', 'two\nlines'],
    ['narration', 'a'.repeat(101)],
    ['transferReference', 'short'],
    ['transferReference', 'TRF_0123456789abcdefghij'],
    ['transferReference', 'STL_0123456789abcdefghij'],
    ['transferReference', 'with space'],
    ['transferReference', 'a'.repeat(65)],
    ['transferReference', 123_456],
    ['metadata', 'text'],
    ['metadata', { note: 'a'.repeat(17_000) }],
  ])('400 names %s for %j', async (field, value) => {
    const { send, count, wallet } = await shop()
    const { status, body } = await send({ [field]: value })

    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
    expect(await count()).toBe(0)
    expect(await wallet()).toEqual({ available: 1_000_000, held: 0 })
  })

  test('400 if amount and fee exceed the balance, and nothing is stored', async () => {
    const { send, count, wallet, eventTypes } = await shop()
    const { status, body } = await send({ amount: 999_950.01, transferReference: 'too-much' })

    expect([status, body.errorCode, Object.keys(body.errors)]).toEqual([
      400,
      'insufficient_balance',
      ['amount'],
    ])
    expect([await count(), await eventTypes()]).toEqual([0, []])
    // The reference is still free, and the whole balance minus the fee can be sent.
    expect((await send({ amount: 999_950, transferReference: 'too-much' })).status).toBe(201)
    expect(await wallet()).toEqual({ available: 0, held: 1_000_000 })
  })

  test('400 for a currency that no channel can pay out', async () => {
    const { send } = await shop()
    const { status, body } = await send({ currency: 'USD' })
    expect([status, Object.keys(body.errors)]).toEqual([400, ['currency']])
  })

  test('201 for a repeat with its Idempotency-Key, which replays; 422 with another body', async () => {
    const { send, count } = await shop()
    const headers = { 'idempotency-key': 'pay-ada' }
    const first = await send({ transferReference: 'salary_ada' }, headers)
    const again = await send({ transferReference: 'salary_ada' }, headers)

    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await send({ transferReference: 'salary_eze' }, headers)).status).toBe(422)
    expect(await count()).toBe(1)
  })

  test('503 with a live key, and nothing is stored', async () => {
    const { live, count } = await shop()
    const { status, body, headers } = await live.post(TRANSFERS, { amount: 1_000, ...ACCOUNT })

    expect([status, body.errorCode]).toEqual([503, 'live_provider_missing'])
    expect(headers.get('retry-after')).toBeTruthy()
    expect(await count()).toBe(0)
  })
})

describe('a transfer that needs approval', () => {
  test.each([
    ['above the limit', 50_000.01, {}, /above the approval limit/],
    ['to another name', 100, { accountName: 'Ngozi Okafor' }, /belongs to ADA OBI/],
    ['to an uncertain account holder', 100, { accountNumber: '0000000005' }, /not certain/],
  ])('201 Unverified %s', async (_why, amount, more, says) => {
    const { businessId, send, wallet, eventTypes } = await shop()
    await limitedBy(server, businessId, { transferApprovalAbove: 50_000 })
    const { body } = await send({ amount, ...more })

    expect(body.data.status).toBe('Unverified')
    expect(body.data.failureReason).toMatch(says)
    expect((await wallet()).held).toBeCloseTo(amount + body.data.fee, 5)
    expect(await eventTypes()).toEqual(['transfer.unverified'])
    await server.runJob('transfer-orders')
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from simulator_orders
      where reference = ${sentReferenceOf(body.data.reference, 1)}`
    expect(n).toBe(0)
  })

  test.each(['obi ADA', '  Ada   Obi ', 'OBI, Ada', 'ada-obi'])(
    '201 Pending if the name is %j',
    async (accountName) => {
      const { businessId, send } = await shop()
      await limitedBy(server, businessId, { transferApprovalAbove: 1_000 })
      expect((await send({ accountName })).body.data.status).toBe('Pending')
    },
  )

  test.each(['0000000002', '0000000006'])(
    '201 Pending to %s, which the bank does not resolve',
    async (accountNumber) => {
      const { send } = await shop()
      const { body } = await send({ accountNumber, accountName: 'Whoever' })
      expect(body.data).toMatchObject({ status: 'Pending', accountName: 'Whoever' })
    },
  )

  test('200 approves, once; 409 after that', async () => {
    const { send, decide, eventTypes } = await shop()
    const { reference } = (await send({ accountName: 'Somebody' })).body.data
    const { status, body } = await decide(reference, 'approve')

    expect(status).toBe(200)
    expect(body.data).toMatchObject({ reference, status: 'Pending', failureReason: null })
    expect(body.data.timeline.map((one: { status: string }) => one.status)).toEqual([
      'Unverified',
      'Pending',
    ])
    for (const verb of ['approve', 'reject', 'retry']) {
      const late = await decide(reference, verb)
      expect([late.status, late.body.errorCode]).toEqual([409, 'transfer_state'])
      expect(late.body.errors.status).toEqual(['is Pending'])
    }
    expect(await eventTypes()).toEqual(['transfer.unverified', 'transfer.pending'])
  })

  test('200 rejects, and the money comes back', async () => {
    const { send, decide, wallet, eventTypes } = await shop()
    await send({ accountName: 'Somebody', transferReference: 'by-our-own' })
    const { status, body } = await decide('by-our-own', 'reject')

    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      status: 'Rejected',
      failureReason: 'Rejected before it was sent',
      completedAt: expect.any(String),
    })
    expect(await wallet()).toEqual({ available: 1_000_000, held: 0 })
    expect(await eventTypes()).toEqual(['transfer.unverified', 'transfer.rejected'])
    expect((await decide('by-our-own', 'approve')).status).toBe(409)
  })
})

describe('other tenants', () => {
  test('404 for another business and for the other mode', async () => {
    const [one, other] = [await shop(), await shop()]
    const { reference } = (await one.send({ accountName: 'Somebody' })).body.data
    const none = (await other.get(`${TRANSFERS}/TRF_none`)).body
    for (const { get, post } of [other, one.live]) {
      const { status, body } = await get(`${TRANSFERS}/${reference}`)
      expect(status).toBe(404)
      expect({ ...body, requestId: '' }).toEqual({ ...none, requestId: '' })
      for (const verb of ['approve', 'reject', 'retry']) {
        expect((await post(`${TRANSFERS}/${reference}/${verb}`)).status).toBe(404)
      }
    }
    expect((await one.get(`${TRANSFERS}/${reference}`)).body.data.status).toBe('Unverified')
    expect(
      (
        await one.live.get(
          `${BASE}/transfer/get-transfer-list?businessId=${one.businessId}&page=1&limit=5`,
        )
      ).body.data,
    ).toEqual([])
  })

  test('401 without a key; 403 without the scope', async () => {
    const { businessId } = await shop()
    const tenant = { businessId, live: false }
    const { key } = await db.transaction((tx) =>
      createKey(tx, ids, tenant, { scopes: ['transfers:read'] }, clock.now()),
    )
    const reader = server.as(key)
    expect((await reader.get(`${TRANSFERS}/TRF_none`)).status).toBe(404)
    expect((await reader.post(TRANSFERS, { amount: 1, ...ACCOUNT })).status).toBe(403)
    expect((await reader.post('/transfers', {}, { authorization: '' })).status).toBe(401)
  })
})

describe('listing transfers', () => {
  test('200 newest first, by page, reference and status, ignoring case', async () => {
    const { send, decide, list, get, businessId } = await shop()
    const sent: string[] = []
    for (const amount of [100, 200, 300]) {
      const { body } = await send({ amount, accountName: amount === 200 ? 'Other' : 'Ada Obi' })
      sent.unshift(body.data.reference)
    }
    await decide(sent[1]!, 'reject')
    const references = ({ body }: { body: { data: { reference: string }[] } }) =>
      body.data.map(({ reference }) => reference)

    const all = await list('')
    expect([all.status, references(all)]).toEqual([200, sent])
    expect(all.body.meta).toEqual({
      total: 3,
      totalIsExact: true,
      page: 1,
      limit: 20,
      pageCount: 1,
      hasNext: false,
      hasPrevious: false,
    })
    expect(references(await list('&status=rejected'))).toEqual([sent[1]])
    expect(references(await list('&status=PENDING'))).toEqual([sent[0], sent[2]])
    expect(references(await list(`&transferReference=${sent[2]}`))).toEqual([sent[2]])
    expect(references(await list(`&transferReference=${sent[2]}&status=Failed`))).toEqual([])
    const second = await get(
      `${BASE}/transfer/get-transfer-list?businessId=${businessId}&page=2&limit=2`,
    )
    expect([references(second), second.body.meta.hasPrevious]).toEqual([[sent[2]], true])
  })

  test.each([
    ['businessId', undefined],
    ['businessId', 'mine'],
    ['businessId', '1'],
    ['page', undefined],
    ['page', '0'],
    ['page', 'one'],
    ['limit', undefined],
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1.5'],
    ['status', 'Paid'],
    ['transferReference', 'a'.repeat(65)],
  ])('400 names %s for %s', async (field, value) => {
    const { get, businessId } = await shop()
    const query = new URLSearchParams({ businessId: String(businessId), page: '1', limit: '5' })
    if (value === undefined) query.delete(field)
    else query.set(field, value)
    const { status, body } = await get(`${BASE}/transfer/get-transfer-list?${query}`)

    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
  })
})
