import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { assumeSent } from '../../provider-orders/attempts.ts'
import { resumePayouts, stopPayouts } from '../../providers/pauses.ts'
import { nothing, openBank, openShop } from './transfers.fixture.ts'

const TRANSFERS = '/api/transaction-service/external/v1/transfers'

const server = await startServer({ jobs: false })
const { db, clock } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const shop = () => openShop(server)
const { bankDay, ordersOf } = openBank(server)

describe('the bank’s outcomes of a transfer', () => {
  test('200 …01 is paid: the held amount leaves, and the operator gets the fee', async () => {
    const { send, transfer, wallet, eventTypes } = await shop()
    const reference = await send({ accountNumber: '0000000001' })
    expect(await wallet()).toEqual({ available: 998_990, held: 1_010 })
    await bankDay()

    const paid = await transfer(reference)
    expect(paid).toMatchObject({ status: 'Successful', failureReason: null, reversedAt: null })
    expect(paid.completedAt).toBeTruthy()
    expect(await wallet()).toEqual({ available: 998_990, held: 0 })
    expect(await eventTypes()).toEqual([
      'transfer.pending',
      'transfer.successful',
      'wallet.debited',
    ])
    const { data } = await db.one<{ data: string }>`
      select data from events
      where type = 'wallet.debited' and data like ${`%${reference}%`}`
    expect(JSON.parse(data)).toEqual({
      reference,
      status: 'Successful',
      amount: 1_010,
      amountMinor: 101_000,
      currency: 'NGN',
      availableAfter: 998_990,
      availableAfterMinor: 99_899_000,
      source: { type: 'transfer', reference },
    })
  })

  test.each([
    ['0000000002', 1_000, 'Failed', /No such account/, 'failed'],
    ['0000000004', 1_000, 'Rejected', /does not accept/, 'rejected'],
    ['0123456785', 10.01, 'Failed', /Declined/, 'failed'],
    ['0123456785', 10.02, 'Failed', /Insufficient/, 'failed'],
  ])(
    '200 %s with %d ends as %s, and the money comes back',
    async (accountNumber, amount, ...ends) => {
      const [status, says, event] = ends
      const { send, transfer, wallet, eventTypes } = await shop()
      const reference = await send({ accountNumber, amount })
      await bankDay()

      const ended = await transfer(reference)
      expect(ended).toMatchObject({ status, completedAt: expect.any(String), reversedAt: null })
      expect(ended.failureReason).toMatch(says)
      expect(await wallet()).toEqual(nothing)
      expect(await eventTypes()).toEqual(['transfer.pending', `transfer.${event}`])
    },
  )

  test('200 …03 is blocked, and paid after a retry', async () => {
    const { send, transfer, decide, wallet, eventTypes } = await shop()
    const reference = await send({ accountNumber: '0000000003' })
    expect((await decide(reference, 'retry')).status).toBe(409)
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Blocked', completedAt: null })
    expect((await wallet()).held).toBe(1_010)

    const { status, body } = await decide(reference, 'retry')
    expect([status, body.data.status, body.data.attempt]).toEqual([200, 'Pending', 2])
    expect((await decide(reference, 'retry')).status).toBe(409)
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Successful', failureReason: null })
    expect(await ordersOf(reference)).toEqual([
      { reference, attempt: 1 },
      { reference, attempt: 2 },
    ])
    expect(await eventTypes()).toEqual([
      'transfer.pending',
      'transfer.blocked',
      'transfer.pending',
      'transfer.successful',
      'wallet.debited',
    ])
  })

  test('200 …05 is looked up when it is approved after a restore, then sent and paid', async () => {
    const { businessId, send, transfer, decide } = await shop()
    const reference = await send({ accountNumber: '0000000005' })
    const other = await send({ accountNumber: '0000000005' })
    // They may have been approved and sent after the backup was made.
    const tenant = { businessId, live: false }
    await db.transaction(async (tx) => {
      await assumeSent(tx, tenant, clock.now(), clock.now())
      const stop = { by: 'Operator', byOperator: true, reason: 'Restored', now: clock.now() }
      await stopPayouts(tx, tenant, stop)
    })
    expect(await transfer(reference)).toMatchObject({ status: 'Unverified', canCancel: false })
    for (const end of ['cancel', 'reject']) {
      expect((await decide(reference, end)).body.errorCode).toBe('transfer_sent')
    }
    expect((await decide(reference, 'approve')).status).toBe(200)
    await db.transaction((tx) => resumePayouts(tx, tenant, 'all', clock.now()))
    expect((await decide(other, 'reject')).body.data.status).toBe('Rejected')
    for (let days = 0; days < 3; days++) await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Successful' })
    expect(await ordersOf(reference)).toHaveLength(1)
    expect(await ordersOf(other)).toEqual([])
  })

  test('200 …05 waits, is approved and paid', async () => {
    const { send, transfer, decide, eventTypes } = await shop()
    const reference = await send({ accountNumber: '0000000005' })
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Unverified' })
    expect(await ordersOf(reference)).toEqual([])
    expect((await decide(reference, 'approve')).status).toBe(200)
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Successful' })
    expect(await eventTypes()).toEqual([
      'transfer.unverified',
      'transfer.pending',
      'transfer.successful',
      'wallet.debited',
    ])
  })

  test('200 …05 waits, is rejected, and is never ordered', async () => {
    const { send, decide, wallet } = await shop()
    const reference = await send({ accountNumber: '0000000005' })
    expect((await decide(reference, 'reject')).body.data.status).toBe('Rejected')
    await bankDay()
    expect([await ordersOf(reference), await wallet()]).toEqual([[], nothing])
  })

  test.each([
    ['0000000006', 1_000],
    ['0123456785', 10.04],
  ])('200 %s with %d stays Pending, and is looked up less and less often', async (to, amount) => {
    const { send, transfer } = await shop()
    const reference = await send({ accountNumber: to, amount })
    const waits: number[] = []
    const from = clock.now().getTime()
    for (const minute of [0, 1.1, 5, 40]) {
      clock.advance(from + minute * 60_000 - clock.now().getTime())
      await server.runJob('transfer-orders')
      const { next_at } = await db.one<{ next_at: Date }>`
        select next_at from provider_orders where reference = ${reference}`
      waits.push(Math.round((next_at.getTime() - clock.now().getTime()) / 60_000))
    }
    expect(waits).toEqual([1, 1, 5, 10])
    expect(await transfer(reference)).toMatchObject({ status: 'Pending' })
    expect(await ordersOf(reference)).toHaveLength(1)
  })

  test('200 …07 is paid and returned, with the amount and the fee', async () => {
    const { send, transfer, wallet, eventTypes } = await shop()
    const reference = await send({ accountNumber: '0000000007' })
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Successful' })
    await bankDay()
    const back = await transfer(reference)
    expect(back).toMatchObject({ status: 'Failed', failureReason: 'Returned by the bank' })
    expect(back.reversedAt > back.completedAt).toBe(true)
    expect(await wallet()).toEqual(nothing)
    expect(await eventTypes()).toEqual([
      'transfer.pending',
      'transfer.successful',
      'wallet.debited',
      'transfer.reversed',
      'wallet.funded',
    ])
  })

  test('200 .03 gets no response, which decides nothing, and is paid late', async () => {
    const { send, transfer, wallet } = await shop()
    const reference = await send({ amount: 10.03 })
    await server.runJob('transfer-orders')
    expect(await transfer(reference)).toMatchObject({ status: 'Pending' })
    const { sent_at } = await db.one<{ sent_at: Date | null }>`
      select sent_at from provider_orders where reference = ${reference}`
    expect(sent_at).not.toBeNull()
    expect((await wallet()).held).toBe(20.03)

    clock.advance(1_000)
    await server.runJob('simulator')
    expect(await transfer(reference)).toMatchObject({ status: 'Successful' })
    expect(await ordersOf(reference)).toHaveLength(1)
  })
})

describe('POST /api/simulator/transfer', () => {
  test.each([
    ['success', 'Successful'],
    ['failed', 'Failed'],
    ['blocked', 'Blocked'],
    ['rejected', 'Rejected'],
  ])('200 %s makes it %s at once, ordered or not', async (outcome, status) => {
    const { send, simulate, transfer } = await shop()
    const [ordered, other] = [await send(), await send({ transferReference: 'not-yet' })]
    await db.run`update provider_orders set next_at = ${new Date(8e14)} where reference = ${other}`
    await server.runJob('transfer-orders')
    for (const reference of [ordered, 'not-yet']) {
      const reply = await simulate(reference, outcome)
      expect([reply.status, reply.body.data]).toEqual([200, { reference, status }])
      expect(await transfer(reference)).toMatchObject({ status })
    }
  })

  test('200 for returned after it was paid; 409 before that', async () => {
    const { send, simulate, transfer, wallet } = await shop()
    const reference = await send()
    const early = await simulate(reference, 'returned')
    expect([early.status, early.body.errorCode]).toEqual([409, 'transfer_state'])
    await simulate(reference, 'success')
    expect((await simulate(reference, 'success')).status).toBe(409)
    expect((await simulate(reference, 'returned')).body.data.status).toBe('Failed')
    expect((await transfer(reference)).reversedAt).toBeTruthy()
    expect(await wallet()).toEqual(nothing)
  })

  test('200 for the current attempt', async () => {
    const { send, simulate, decide, transfer } = await shop()
    const reference = await send()
    await simulate(reference, 'blocked')
    await decide(reference, 'retry')
    expect((await simulate(reference, 'failed')).body.data.status).toBe('Failed')
    expect(await transfer(reference)).toMatchObject({ attempt: 2 })
  })

  test('404 for another business; 409 while it needs approval; 400 for an unknown outcome', async () => {
    const [one, other] = [await shop(), await shop()]
    const reference = await one.send({ accountNumber: '0000000005' })
    expect((await other.simulate(reference, 'success')).status).toBe(404)
    expect((await one.simulate(reference, 'success')).status).toBe(409)
    const { status, body } = await one.simulate(reference, 'lost')
    expect([status, Object.keys(body.errors)]).toEqual([400, ['outcome']])
    const live = server.as(one.keys.liveSecret)
    const reply = await live.post('/api/simulator/transfer', { reference, outcome: 'success' })
    expect([reply.status, reply.body.errorCode]).toEqual([400, 'test_mode_only'])
  })
})

describe('a manual outcome while a job orders', () => {
  test('200 for 30 new transfers, which all fail', async () => {
    const running = await startServer({ simulatorDelayMs: 60_000 })
    const statuses: unknown[] = []
    for (let i = 0; i < 30; i++) {
      const account = { bankCode: '058', accountNumber: '0123456785' }
      const { body } = await running.post(TRANSFERS, { amount: 1_000, ...account })
      const { reference } = body.data
      const told = { reference, outcome: 'failed' }
      const reply = await running.post('/api/simulator/transfer', told)
      statuses.push([reply.status, reply.body.data?.status])
    }
    expect(statuses).toEqual(statuses.map(() => [200, 'Failed']))
    expect(await runAudit(running.db, allChecks)).toEqual([])
    await running.close()
  })

  test('200 for a transfer that a job has claimed but not ordered yet', async () => {
    const { send, simulate } = await shop()
    const reference = await send()
    const now = clock.now()
    await db.run`
      update provider_orders set sent_at = ${now}, next_at = ${new Date(now.getTime() + 60_000)}
      where reference = ${reference}`
    const reply = await simulate(reference, 'failed')
    expect([reply.status, reply.body.data?.status]).toEqual([200, 'Failed'])
    expect(await ordersOf(reference)).toEqual([{ reference, attempt: 1 }])
  })
})

describe('time', () => {
  test('200 for transfers of a business whose test clock is ahead', async () => {
    const { post, send, transfer } = await shop()
    await post('/api/simulator/clock', { advanceSeconds: 3_600 })
    const reference = await send({ accountNumber: '0000000007' })
    await bankDay()
    await bankDay()
    expect(await transfer(reference)).toMatchObject({ status: 'Failed' })
  })
})

describe('a server that runs jobs', () => {
  test('201 …07 is ordered, paid and returned without help, and another is approved', async () => {
    const running = await startServer()
    const account = { amount: 1_000, bankCode: '058' }
    const { body } = await running.post(TRANSFERS, { ...account, accountNumber: '0000000007' })
    const waits = await running.post(TRANSFERS, { ...account, accountNumber: '0000000005' })
    await running.post(`${TRANSFERS}/${waits.body.data.reference}/approve`)
    const status = async ({ reference }: { reference: string }) =>
      (await running.get(`${TRANSFERS}/${reference}`)).body.data.status

    await expect.poll(() => status(body.data), { timeout: 5_000 }).toBe('Failed')
    await expect.poll(() => status(waits.body.data), { timeout: 5_000 }).toBe('Successful')
    expect(await runAudit(running.db, allChecks)).toEqual([])
  })
})
