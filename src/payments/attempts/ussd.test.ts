import { describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { collectionFee } from '../../business/account/payment-settings.ts'
import { changeFees, feesOf } from '../../business/account/service.ts'
import { runAudit } from '../../ledger/audit.ts'
import { sentReferenceOf } from '../../providers/connector/references.ts'
import type { Outcome, UssdCode } from '../../providers/connector/types.ts'
import { openProviders } from '../../providers/providers.ts'
import { openSimulator } from '../../providers/simulator/simulator.ts'
import { amountOn, openPage } from '../../sales/payment-pages/service.ts'
import { finishOpening } from './attempt.ts'
import { openShop, USSD } from './ussd.fixture.ts'
import { ussdPayment, ussdResponse } from './ussd.ts'

const PLAIN = '/api/transaction-service/v1/transaction-with-ussd'

const server = await startServer({ jobs: false })
const { db, clock } = server

const settle = async () => {
  clock.advance(1_000)
  await server.runJob('simulator')
}
const isSound = async () => expect(await findings(server)).toEqual([])
const shop = () => openShop(server)

describe('starting a USSD payment', () => {
  test('200 in both families, with the contract’s two keys and codes to dial', async () => {
    const { post, row, events } = await shop()
    for (const path of [USSD, PLAIN]) {
      const { status, body } = await post(path, { channel: 'USSD', amount: 1_500.5 })
      expect([status, Object.keys(body)]).toEqual([200, ['data', 'transactionIdForSession']])
      const { data } = body
      expect(body.transactionIdForSession).toBe(data.transactionId)
      expect(data).toMatchObject({
        reference: expect.stringMatching(/^TRX_\w{20}$/),
        status: 'Pending',
        amount: 1_500.5,
        amountMinor: 1_500_50,
        // 1.5 %; the ₦100 is waived below ₦2,500.
        fees: 22.51,
        payable: 1_500.5,
        currency: 'NGN',
      })
      expect(data.ussdBanks.length).toBeGreaterThan(10)
      expect(data.ussdCode).toBe(data.ussdBanks[0].ussdCode)
      expect(data.instructions).toContain(`Dial ${data.ussdCode} `)
      const { expires_at, created_at, fee_bearer } = await row(data.transactionId)
      expect(fee_bearer).toBe('business')
      expect(expires_at.getTime() - created_at.getTime()).toBe(10 * 60_000)
      expect(data.expiresAt).toBe(expires_at.toISOString())
    }
    expect((await events()).map(({ type }) => type)).toEqual([
      'transaction.pending',
      'transaction.pending',
    ])
  })

  test('200 stores the caller’s fields, and returns the code of the chosen bank', async () => {
    const { businessId, splitPage, begin, row } = await shop()
    const page = await splitPage([40, 20])
    const { transactionId, ussdCode } = await begin({
      amount: '2000',
      pageId: String(page.id),
      orderId: '71',
      customerId: 72,
      businessId: String(businessId),
      ipAddress: '2001:db8::1',
      message: 'Two\nlines',
      location: '-6.4541,3.3947',
      isLive: 0,
      bankCode: '58',
    })
    expect(ussdCode).toMatch(/^\*737\*000\*\d+#$/)
    expect(await row(transactionId)).toMatchObject({
      split_page_id: page.id,
      order_id: 71,
      customer_id: 72,
      ip_address: '2001:db8::1',
      message: 'Two\nlines',
      location: '-6.4541,3.3947',
      bank_code: '058',
    })
  })

  test.each([
    [58, 'false'],
    ['058', false],
    ['000013', 0],
  ])('200 accepts the bank %j, and %j with a test key', async (bankCode, isLive) => {
    const { begin } = await shop()
    expect((await begin({ amount: 100, bankCode, isLive })).ussdCode).toMatch(/^\*737\*/)
  })

  // By the rule the fee of ₦1,000 is ₦15.
  test.each([
    [0, 1_000_00n, 15_00n],
    ['12.34', 1_012_34n, 15_00n],
    [12.34, 1_012_34n, 15_00n],
    [40, 1_040_00n, 40_00n],
  ])(
    '200 charges the payer fees of %s, and pays the operator at least its rule',
    async (fees, payable, fee) => {
      const { begin, row, splitPage, shares } = await shop()
      const page = await splitPage([50], { feeBearer: 'subaccounts' })
      const { transactionId } = await begin({ amount: 1_000, fees, pageId: page.id })
      expect(await row(transactionId)).toMatchObject({
        fee_bearer: 'customer',
        fee_minor: fee,
        payable_minor: payable,
      })
      expect(await shares(transactionId)).toEqual([{ amount_minor: 500_00n, fee_minor: 0n }])
    },
  )

  test('200 settles a payment whose fees are below the rule, at the cost of the business', async () => {
    const { businessId, begin, post, splitPage } = await shop()
    for (const [percents, fees] of [
      [[50], 0],
      [[100], 5],
    ] as const) {
      const page = await splitPage([...percents])
      const { reference } = await begin({ amount: 1_000, fees, pageId: page.id })
      const { body } = await post('/api/simulator/ussd', { reference, outcome: 'success' })
      expect(body.data.status).toBe('Successful')
    }
    const { taken_minor } = await db.one<{ taken_minor: bigint }>`
      select sum(credits_minor - debits_minor)::bigint as taken_minor from ledger_accounts
      where business_id = ${businessId} and kind = 'fees'`
    expect(taken_minor).toBe(30_00n)
    expect(await runAudit(db, allChecks)).toEqual([])
  })
})

describe('fee rules of the channel', () => {
  test('200 charges the USSD fee, and the general fee for other channels', async () => {
    const { businessId, begin, post, row } = await shop()
    const rule = { percentBasisPoints: 50, flat_minor: 25_00n, flatWaivedBelow_minor: 0n }
    const change = { channel: 'USSD', rule } as const
    await db.transaction((tx) => changeFees(tx, businessId, change, clock.now()))

    const { transactionId, reference, fees } = await begin({ amount: 1_000 })
    expect([fees, (await row(transactionId)).fee_minor]).toEqual([30, 30_00n])
    await post('/api/simulator/ussd', { reference, outcome: 'success' })
    await isSound()
    const rules = (await db.transaction((tx) => feesOf(tx, businessId)))!.rules
    expect(collectionFee(rules, 'BANK_TRANSFER', 1_000_00n)).toBe(15_00n)
  })
})

describe('errors', () => {
  test.each([
    ['channel', undefined],
    ['channel', 'CARD'],
    ['channel', 5],
    ['amount', undefined],
    ['amount', 0],
    ['amount', -1],
    ['amount', '-1'],
    ['amount', 1.234],
    ['amount', '1e3'],
    ['amount', 'ten'],
    ['amount', null],
    ['amount', 1e14],
    ['amount', [5]],
    ['fees', -1],
    ['fees', 0.001],
    ['fees', 'free'],
    ['pageId', -1],
    ['pageId', 1.5],
    ['pageId', 'x'],
    ['pageId', ''],
    ['pageId', '9007199254740993'],
    ['orderId', 1.5],
    ['orderId', 'abc'],
    ['customerId', {}],
    ['businessId', 1],
    ['businessId', 'mine'],
    ['ipAddress', '256.1.1.1'],
    ['ipAddress', '::1::'],
    ['ipAddress', 'localhost'],
    ['ipAddress', ' '],
    ['ipAddress', 5],
    ['message', 'x'.repeat(501)],
    ['message', 5],
    ['message', 'nul\u0000'],
    ['location', 'Lagos'],
    ['location', '91,3'],
    ['location', '6,-181'],
    ['location', '6.4541'],
    ['isLive', true],
    ['isLive', 1],
    ['isLive', 'true'],
    ['isLive', 'yes'],
    ['isLive', 2],
    ['bankCode', ''],
    ['bankCode', 1.5],
    // A bank without USSD.
    ['bankCode', '120001'],
  ])('400 for a bad %s, %j', async (field, value) => {
    const { post, count } = await shop()
    const { status, body } = await post(USSD, { channel: 'USSD', amount: 100, [field]: value })
    expect([status, Object.keys(body)]).toEqual([400, ['message', 'code', 'error']])
    expect(body).toMatchObject({ code: 400, message: expect.stringContaining(field) })
    expect(await count()).toBe(0)
  })

  test('400 for a bank that does not exist', async () => {
    const { post } = await shop()
    const { status, body } = await post(USSD, { channel: 'USSD', amount: 100, bankCode: '99999' })
    expect([status, body]).toEqual([
      400,
      {
        message: 'bankCode must be the id or code of a bank in GET bank',
        code: 400,
        error: 'VALIDATION_FAILED',
      },
    ])
  })

  test('404 for an unknown page, exactly as in the contract', async () => {
    const { post, count } = await shop()
    const other = await shop()
    const theirs = await other.splitPage([10])
    for (const pageId of [theirs.id, 999_999_999, '0']) {
      const { status, body } = await post(USSD, { channel: 'USSD', amount: 100, pageId })
      expect([status, body]).toEqual([
        404,
        { message: 'Split page not found', code: 404, error: 'NOT_FOUND' },
      ])
    }
    expect(await count()).toBe(0)
  })

  test('409 for an inactive page', async () => {
    const { post, splitPage } = await shop()
    const page = await splitPage([10], { status: false })
    const { status, body } = await post(USSD, { channel: 'USSD', amount: 100, pageId: page.id })
    expect([status, body]).toEqual([
      409,
      { message: 'This split page is inactive.', code: 409, error: 'SPLIT_PAGE_INACTIVE' },
    ])
  })

  test('400 for less than the sum of fixed shares', async () => {
    const { post, splitPage, begin, shares } = await shop()
    const page = await splitPage([300, 200], { splitType: 'fixed' })
    const { status, body } = await post(USSD, {
      channel: 'USSD',
      amount: 499.99,
      pageId: page.id,
    })
    expect([status, body.code]).toEqual([400, 400])
    expect(body.message).toBe('amount must be at least ₦500.00, which is the total of the shares')
    // Nothing is left for the business, so the shares pay its fee of 7.50.
    const { transactionId } = await begin({ amount: 500, pageId: page.id })
    expect(await shares(transactionId)).toEqual([
      { amount_minor: 300_00n, fee_minor: 4_50n },
      { amount_minor: 200_00n, fee_minor: 3_00n },
    ])
  })

  test.each([
    ['401 without a key', 401, { authorization: '' }, '{}'],
    ['413 over 256 KiB', 413, {}, JSON.stringify({ message: 'x'.repeat(256 * 1024) })],
    ['415 as text', 415, { 'content-type': 'text/plain' }, '{}'],
    ['400 for invalid JSON', 400, {}, '{'],
  ])('%s', async (_title, expected, headers, body) => {
    const reply = await server.post(USSD, body, headers)
    expect([reply.status, reply.body.code]).toEqual([expected, expected])
    expect(Object.keys(reply.body)).toEqual(['message', 'code', 'error'])
  })

  test('503 with a live key, without a live provider', async () => {
    const { keys } = await shop()
    const { post } = server.as(keys.liveSecret)
    const { status, body } = await post(USSD, { channel: 'USSD', amount: 100, isLive: true })
    expect([status, body.code, body.error]).toEqual([503, 503, 'LIVE_PROVIDER_MISSING'])
  })
})

describe('a repeated key', () => {
  const key = (value: string) => ({ 'idempotency-key': value })

  test('200 with the first response, and one transaction', async () => {
    const { post, count } = await shop()
    const body = { channel: 'USSD', amount: 100 }
    const first = await post(USSD, body, key('a'))
    await settle()
    const again = await post(PLAIN, { channel: 'USSD', amount: '100.00' }, key('a'))
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await count()).toBe(1)

    const other = await post(USSD, { ...body, amount: 101 }, key('a'))
    expect([other.status, other.body.code, other.body.error]).toEqual([
      422,
      422,
      'IDEMPOTENCY_KEY_REUSED',
    ])
  })

  test('200 for all of fifty concurrent requests, and one transaction', async () => {
    const { post, count } = await shop()
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => post(USSD, { channel: 'USSD', amount: 100 }, key('b'))),
    )
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(replies[0]!.status).toBe(200)
    expect(await count()).toBe(1)
  })

  test('200 continues a payment whose process ended before it called the provider', async () => {
    const { post, count } = await shop()
    const body = { channel: 'USSD', amount: 100 }
    const first = await post(USSD, body, key('c'))
    // The state between the two steps: claimed and stored, but the provider not called, and no
    // response stored.
    const id = first.body.data.transactionId
    const sent = sentReferenceOf(first.body.data.reference, 1)
    await db.run`delete from simulator_orders where reference = ${sent}`
    await db.run`update transactions set ussd_codes = null where id = ${id}`
    await db.run`
      update idempotency_keys set status = null, body = ${Buffer.from(String(id))}
      where key = 'c' and body = ${Buffer.from(first.text)}`
    const again = await post(USSD, body, key('c'))
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(again.headers.get('idempotent-replayed')).toBeNull()
    const third = await post(USSD, body, key('c'))
    expect([third.text, third.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    expect(await count()).toBe(1)

    const charges = await db.many`
      select 1 from simulator_orders where reference = ${sent}`
    expect(charges).toHaveLength(1)
  })

  test('400 leaves the key free', async () => {
    const { post, count } = await shop()
    expect((await post(USSD, { channel: 'USSD', amount: 0 }, key('d'))).status).toBe(400)
    expect((await post(USSD, { channel: 'USSD', amount: 5, pageId: 1 }, key('d'))).status).toBe(404)
    expect((await post(USSD, { channel: 'USSD', amount: 5 }, key('d'))).status).toBe(200)
    expect(await count()).toBe(1)
  })
})

describe('a provider that does not start the payment', () => {
  /** Runs the steps of the route with a provider whose connection to its bank fails. */
  async function begun(startUssd: () => Promise<Outcome<UssdCode[]>>) {
    const { tenant, row, events } = await shop()
    const simulator = openSimulator({ db, clock, nudge: () => {}, simulatorDelayMs: 0 })
    const providers = openProviders(db, { simulator: { ...simulator, startUssd } })
    const deps = { db, ids: server.ids, providers, pages: { openPage, amountOn } }
    const caller = {
      ...tenant,
      keyId: 1,
      scopes: null,
      expiresAt: null,
      timeZone: 'Africa/Lagos',
      now: clock.now(),
    }
    const request = { channel: 'USSD', amount: 100 } as const
    const { begin, finish } = ussdPayment(deps, caller, request, undefined)
    const id = (await begin.write())!
    const open = () => finish(id)
    const mendedDeps = { ...deps, providers: openProviders(db, { simulator }) }
    const mended = async () => (await finishOpening(mendedDeps, caller, id)).transaction
    return { row: () => row(id), events, open, mended }
  }

  test('leaves it pending without codes if the outcome is unknown, to be asked again', async () => {
    const { row, open, mended } = await begun(async () => ({
      kind: 'unknown',
      reason: 'timed_out',
    }))
    const { data } = ussdResponse(await open())
    expect(data).toMatchObject({ status: 'Pending', ussdCode: null, ussdBanks: [] })
    expect(data.instructions).toContain('Idempotency-Key')
    expect((await row()).status).toBe('Pending')
    expect(ussdResponse(await mended()).data.ussdCode).toMatch(/^\*/)
  })

  test('fails it if it was refused, for each repeat', async () => {
    const { row, events, open, mended } = await begun(async () => ({
      kind: 'refused',
      code: 'declined',
      message: 'The network is closed.',
    }))
    for (const ask of [open, mended]) {
      await expect(ask()).rejects.toMatchObject({ kind: 'conflict', code: 'provider_refused' })
    }
    expect(await row()).toMatchObject({
      status: 'Failed',
      gateway_response: 'The network is closed.',
    })
    expect((await events()).map(({ type }) => type)).toEqual([
      'transaction.pending',
      'transaction.failed',
    ])
  })
})
