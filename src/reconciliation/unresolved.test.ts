import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { times, untilDone } from '../../test/concurrency.ts'
import { startServer } from '../../test/harness.ts'
import { allChecks } from '../audit.ts'
import { lettersTo, memberOf } from '../business/people/people.fixture.ts'
import { runAudit } from '../ledger/audit.ts'
import type { Connector, Outcome, PayoutState } from '../providers/connector/types.ts'
import { connect, setRoutes } from '../providers/providers.fixture.ts'

type Answer = Outcome<PayoutState>
const LOST: Answer = { kind: 'unknown', reason: 'timed_out', message: 'No response' }
const ABSENT: Answer = { kind: 'refused', code: 'unknown_order', message: 'Not found' }
const PAID: Answer = { kind: 'done', value: { status: 'Successful', message: 'Paid' } }
const OTHER: Answer = { kind: 'done', value: { ...PAID.value, amount_minor: 1n } }

/** What the provider answers to a payout and to a lookup, and what it was sent. */
const bank: { send: Answer; lookUp: Answer; sent: string[] } = {
  send: LOST,
  lookUp: LOST,
  sent: [],
}
const NEVER = { provenAfterMs: null, repeatIsSafe: false }

const server = await startServer({
  jobs: false,
  connectors: (simulator): { simulator: Connector; paystack: Connector } => ({
    simulator,
    paystack: {
      ...simulator,
      isSimulator: false,
      absence: { ...simulator.absence, payout: NEVER },
      async payOut(_, { reference }) {
        bank.sent.push(reference)
        return bank.send
      },
      lookUpPayout: async () => bank.lookUp,
      lookUpCharge: async () => ({ kind: 'unknown', reason: 'timed_out', message: 'No response' }),
    },
  }),
})
const { db, clock, runJob } = server
const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'
const VERIFY = '/api/transaction-service/external/v1/transactions/verify'
const BALANCE = '/api/user-service/external/v1/wallet/balance'
const SETTINGS = '/api/user-service/external/v1/profile/settings'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

beforeEach(() => {
  Object.assign(bank, { send: LOST, lookUp: LOST, sent: [] })
})
afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

/** A business with one transfer whose outcome is unknown. */
async function withTransfer(amount = 100) {
  const { businessId, keys } = await server.newBusiness()
  const connectionId = await connect(server, businessId)
  await setRoutes(server, businessId, [{ service: 'PAYOUTS', connectionId }])
  const { get, post } = server.as(keys.testSecret)
  const account = { bankCode: '058', accountNumber: '0123456785' }
  const { body } = await post(TRANSFERS, { amount, ...account })
  const { reference } = body.data as { reference: string }
  await runJob('transfer-orders')
  const member = await memberOf(server, 'owner', businessId)
  const list = async (query = '') => (await member.get(`/console/unresolved?${query}`)).body.data
  const { id } = await db.one<{ id: number }>`
    select id from transfers where business_id = ${businessId} and reference = ${reference}`
  const path = `/console/unresolved/transfer/${id}`
  async function decide(decision: string, more: object = {}, by = member) {
    await by.post('/console/reauthenticate', { password: by.password })
    return by.post(`${path}/resolve`, { decision, reason: 'I asked the provider', ...more })
  }
  const status = async () => (await get(`${TRANSFERS}/${reference}`)).body.data.status
  const held = async () => (await get(BALANCE)).body.data[0].held
  const wait = async (ms: number) => {
    clock.advance(ms)
    await runJob('transfer-orders')
  }
  return { businessId, member, reference, list, path, decide, status, held, wait, connectionId }
}

describe('an order with an unknown outcome', () => {
  test('is listed after 15 minutes, with what was sent and received', async () => {
    const { list, wait, reference, connectionId, member, path } = await withTransfer()
    expect(await list()).toEqual([])
    await wait(16 * MINUTE_MS)
    expect(await list()).toMatchObject([
      {
        kind: 'transfer',
        reference,
        connectionId,
        attention: 'unknown',
        amount: 100,
        amountMinor: 100_00,
        currency: 'NGN',
        sent: { reference: bank.sent[0], tries: 2 },
        received: { outcome: 'unknown', code: 'timed_out', providerId: null },
        decisions: ['paid', 'not_paid', 'send_again'],
      },
    ])
    expect(await list('kind=refund')).toEqual([])
    expect(await list(`connectionId=${connectionId + 1}`)).toEqual([])
    expect((await member.get(path)).body.data).toMatchObject({ reference, decided: [], calls: [] })
    expect((await member.get('/console/unresolved/refund/1')).status).toBe(404)
  })

  test('is looked up when a person asks', async () => {
    const { member, path, status } = await withTransfer()
    bank.lookUp = PAID
    expect((await member.post(`${path}/look-up`)).body.data).toMatchObject({
      received: { state: 'Successful' },
      decisions: [],
    })
    expect(await status()).toBe('Successful')
  })

  test('can be decided as paid, with the provider’s number', async () => {
    const { decide, status, held, list, member } = await withTransfer()
    expect((await decide('paid')).status).toBe(400)
    const { body } = await decide('paid', { providerId: 'TRF1' })
    expect(body.data).toMatchObject({
      received: { providerId: 'TRF1', state: 'Successful' },
      decided: [{ decision: 'paid', status: 'Done', reason: 'I asked the provider' }],
    })
    expect([await status(), await held(), await list()]).toEqual(['Successful', 0, []])
    expect((await decide('paid', { providerId: 'TRF1' })).body.errorCode).toBe('unresolved_state')
    const { body: log } = await member.get('/console/audit?action=order.decide')
    expect(log.data).toMatchObject([{ detail: 'Decided: the order was paid' }])
  })

  test('can be decided as not paid if a lookup or the provider says so', async () => {
    const { decide, status, held } = await withTransfer()
    const { status: refused, body } = await decide('not_paid')
    expect([refused, Object.keys(body.errors)]).toEqual([400, ['statement']])
    expect((await decide('not_paid', { statement: 'We never got it.' })).status).toBe(200)
    expect([await status(), await held()]).toEqual(['Rejected', 0])
  })

  test('can be sent again, under the same reference', async () => {
    const { decide, status, wait } = await withTransfer()
    bank.lookUp = ABSENT
    await wait(MINUTE_MS)
    bank.send = PAID
    expect((await decide('send_again')).body.data).toMatchObject({ sent: { firstAt: null } })
    await runJob('transfer-orders')
    expect(await status()).toBe('Successful')
    expect(bank.sent).toHaveLength(2)
    expect(new Set(bank.sent).size).toBe(1)
  })

  test('is decided once by many people at once', async () => {
    const { decide, status, held } = await withTransfer()
    await Promise.all(Array.from({ length: 8 }, () => decide('paid', { providerId: 'TRF1' })))
    expect([await status(), await held()]).toEqual(['Successful', 0])
  })

  test('is decided in one way, even if people say different things at once', async () => {
    const { decide, status, held, path, member } = await withTransfer()
    const sayings = [
      ['paid', { providerId: 'TRF1' }],
      ['not_paid', { statement: 'We never got it.' }],
      ['send_again', { statement: 'We never got it.' }],
    ] as const
    const replies = await times(21, (i) => {
      const [decision, more] = sayings[i % 3]!
      return untilDone(() => decide(decision, more))
    })
    expect(replies.filter((one) => one.status === 200)).toHaveLength(1)
    for (const { status: code, body } of replies) {
      if (code !== 200) expect([code, body.errorCode]).toEqual([409, 'unresolved_state'])
    }
    bank.send = PAID
    await runJob('transfer-orders')
    const { decided, attention } = (await member.get(path)).body.data
    expect(attention).toBeNull()
    expect(decided).toMatchObject([{ status: 'Done' }])
    const [{ decision }] = decided
    expect(await status()).toBe(decision === 'not_paid' ? 'Rejected' : 'Successful')
    expect(await held()).toBe(0)
    expect(bank.sent).toHaveLength(decision === 'send_again' ? 2 : 1)
  })

  test('is not decided while the provider says that it is working on it', async () => {
    const { decide, status, member, path, list } = await withTransfer()
    bank.lookUp = { kind: 'done', value: { status: 'Pending', message: 'Queued' } }
    await member.post(`${path}/look-up`)
    expect((await member.get(path)).body.data.decisions).toEqual([])
    for (const [decision, more] of [
      ['paid', { providerId: 'TRF1' }],
      ['not_paid', { statement: 'I think so.' }],
      ['send_again', { statement: 'I think so.' }],
    ] as const) {
      expect((await decide(decision, more)).body.errorCode).toBe('unresolved_state')
    }
    expect([await status(), await list()]).toEqual(['Pending', []])
  })

  test('is not sent again if the provider has it in a state that we do not know', async () => {
    const { decide, status, list, wait, member } = await withTransfer()
    const signIn = () =>
      member.post('/console/sign-in', { email: member.email, password: member.password })
    const word = 'awaiting-moonrise'
    const value = { status: 'Pending', message: 'Queued', unknownWord: word } as const
    bank.lookUp = { kind: 'done', value }
    await wait(24 * HOUR_MS)
    await signIn()
    const decisions = ['paid', 'not_paid']
    expect(await list()).toMatchObject([{ attention: 'unknown', decisions }])
    const statement = 'We never got it.'
    const { status: refused, body } = await decide('send_again', { statement })
    expect([refused, Object.keys(body.errors)]).toEqual([400, ['decision']])
    // Not even if the provider then does not respond.
    bank.lookUp = LOST
    await wait(15 * MINUTE_MS)
    expect(await list()).toMatchObject([{ attention: 'unknown', decisions }])
    bank.lookUp = ABSENT
    await wait(15 * MINUTE_MS)
    expect(await list()).toMatchObject([{ decisions: [...decisions, 'send_again'] }])
    expect((await decide('not_paid')).status).toBe(200)
    expect([await status(), bank.sent.length]).toEqual(['Rejected', 1])
  })

  test('ends as the provider says, if that arrives while a person decides', async () => {
    const { decide, status, held, path, member } = await withTransfer()
    bank.lookUp = PAID
    const statement = 'We never got it.'
    const [, reply] = await Promise.all([
      member.post(`${path}/look-up`),
      decide('not_paid', { statement }),
    ])
    const { attention, received } = (await member.get(path)).body.data
    expect(await held()).toBe(0)
    if ((await status()) === 'Successful') {
      expect([attention, received.state]).toEqual([null, 'Successful'])
    } else {
      // The person was first, and what the provider says contradicts them.
      expect([await status(), reply.status]).toEqual(['Rejected', 200])
    }
  })

  test.each([
    ['no response', LOST],
    ['an order that the provider does not know', ABSENT],
    ['another amount', OTHER],
  ])('is known once it has ended, whatever a late lookup finds: %s', async (_, late) => {
    const { list, wait, status, member, path } = await withTransfer()
    bank.lookUp = PAID
    await wait(MINUTE_MS)
    bank.lookUp = late
    clock.advance(20 * MINUTE_MS)
    await member.post(`${path}/look-up`)
    expect([await status(), await list()]).toEqual(['Successful', []])
  })

  test('stays decided, whatever the provider repeats', async () => {
    const { decide, list, wait, status, member, path } = await withTransfer()
    bank.lookUp = OTHER
    await wait(MINUTE_MS)
    expect(await list()).toMatchObject([{ attention: 'different' }])
    expect((await decide('paid', { providerId: 'TRF1' })).status).toBe(200)
    await member.post(`${path}/look-up`)
    expect([await status(), await list()]).toEqual(['Successful', []])
  })

  test('above the limit is decided by two people', async () => {
    const { decide, status, businessId, member } = await withTransfer(5_000)
    const other = await memberOf(server, 'finance', businessId)
    await member.post('/console/reauthenticate', { password: member.password })
    const limit = await member.put(SETTINGS, { transferApprovalAbove: 1_000 })
    expect(limit.status).toBe(200)
    const said = { providerId: 'TRF1' }
    expect((await decide('paid', said)).body.data.decided).toMatchObject([{ status: 'Proposed' }])
    expect((await decide('paid', said)).body.errorCode).toBe('second_person_needed')
    expect(await status()).toBe('Pending')
    expect((await decide('paid', said, other)).body.data.decided).toMatchObject([
      { status: 'Done', agreedBy: expect.any(String) },
    ])
    expect(await status()).toBe('Successful')
  })

  test('of a payment that was received is decided as paid by two people above the limit', async () => {
    const { businessId, keys } = await server.newBusiness()
    const connectionId = await connect(server, businessId)
    await setRoutes(server, businessId, [{ service: 'USSD', connectionId }])
    const { get, post } = server.as(keys.testSecret)
    const { body } = await post(USSD, { channel: 'USSD', amount: 5_000 })
    const { transactionId, reference } = body.data
    clock.advance(2 * MINUTE_MS)
    await runJob('charge-orders')
    const [first, second] = [
      await memberOf(server, 'owner', businessId),
      await memberOf(server, 'finance', businessId),
    ]
    const decide = async (by: typeof first, providerId: string) => {
      await by.post('/console/reauthenticate', { password: by.password })
      const said = { decision: 'paid', reason: 'It is in their dashboard', providerId }
      return by.post(`/console/unresolved/charge/${transactionId}/resolve`, said)
    }
    const verify = async () => (await get(`${VERIFY}/${reference}`)).body.data.status
    await first.post('/console/reauthenticate', { password: first.password })
    const limit = await first.put(SETTINGS, { transferApprovalAbove: 1_000 })
    expect(limit.status).toBe(200)
    const decided = async (by: typeof first, providerId: string) =>
      (await decide(by, providerId)).body.data.decided
    expect(await decided(first, 'T1')).toMatchObject([{ status: 'Proposed' }])
    expect((await decide(first, 'T1')).body.errorCode).toBe('second_person_needed')
    expect(await decided(second, 'T2')).toMatchObject([{ status: 'Proposed' }, {}])
    expect(await verify()).toBe('Pending')
    expect(await decided(first, 'T2')).toMatchObject([{ status: 'Done' }, { status: 'Proposed' }])
    expect(await verify()).toBe('Successful')
  })

  test('is decided by people with the right, after their password', async () => {
    const { path, businessId, member } = await withTransfer()
    const body = { decision: 'paid', reason: 'It was', providerId: '1' }
    clock.advance(6 * MINUTE_MS)
    expect((await member.post(`${path}/resolve`, body)).body.errorCode).toBe(
      'reauthentication_needed',
    )
    const viewer = await memberOf(server, 'viewer', businessId)
    expect((await viewer.post(`${path}/resolve`, body)).status).toBe(403)
    expect((await viewer.get('/console/unresolved')).status).toBe(403)
  })
})

test('people are asked by email after 15 minutes, 2 hours and 24 hours', async () => {
  const { member, wait } = await withTransfer()
  const letters = async () => {
    await runJob('unresolved-mails')
    return (await lettersTo(server, member.email)).filter((text) => text.includes('decision'))
  }
  expect(await letters()).toHaveLength(0)
  for (const [ms, count] of [
    [16 * MINUTE_MS, 1],
    [HOUR_MS, 1],
    [HOUR_MS, 2],
    [10 * HOUR_MS, 2],
    [12 * HOUR_MS, 3],
    [48 * HOUR_MS, 3],
  ] as const) {
    await wait(ms)
    expect(await letters()).toHaveLength(count)
  }
  bank.lookUp = PAID
  await wait(HOUR_MS)
})
