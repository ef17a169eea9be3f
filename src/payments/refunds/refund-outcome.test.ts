import { afterEach, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { addMs } from '../../lib/clock.ts'
import { sentReferenceOf } from '../../providers/connector/references.ts'
import { openBank, openShop } from './refunds.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server

afterEach(async () => expect(await findings(server)).toEqual([]))

const shop = (settings?: object) => openShop(server, settings)
const { order, bankActs, pass } = openBank(server)

describe('a refund that the bank does not pay at once', () => {
  test.each([
    [50.01, 'Declined by the bank'],
    [50.02, 'Insufficient funds'],
  ])('201 of %s fails, and the money comes back once', async (amount, message) => {
    const { paid, refund, wallet, one, payment, told } = await shop()
    const { id } = await paid(100)
    const before = await wallet()
    const { reference } = (await refund({ transactionId: id, amount })).body.data
    await pass()
    expect(await one(reference)).toMatchObject({ status: 'Failed', message, processedAt: null })
    for (let again = 0; again < 3; again++) {
      await db.run`update simulator_orders set notify = true`
      await server.runJob('simulator')
      clock.advance(3_600_000)
      await order()
    }
    expect(await wallet()).toEqual(before)
    expect(await payment(id)).toEqual({
      status: 'Successful',
      refunding_minor: 0n,
      refunded_minor: 0n,
    })
    expect(await told()).toEqual(['refund.pending', 'refund.failed'])
    expect((await refund({ transactionId: id })).status).toBe(201)
  })

  test('201 of .03 gets no response, decides nothing, and succeeds late', async () => {
    const { paid, refund, wallet, one } = await shop()
    const { id } = await paid(100)
    const { reference } = (await refund({ transactionId: id, amount: 50.03 })).body.data
    await order()
    await db.run`update simulator_orders set due_at = due_at + interval '1 hour',
      silent_until = silent_until + interval '1 hour'
      where reference = ${sentReferenceOf(reference, 1)}`
    clock.advance(61_000)
    await order()
    expect(await one(reference)).toMatchObject({ status: 'Processing' })
    expect((await wallet()).held).toBe(50.03)
    clock.advance(3_600_000)
    await server.runJob('simulator')
    expect(await one(reference)).toMatchObject({ status: 'Processed' })
    expect((await wallet()).held).toBe(0)
  })

  test('201 of .04 stays with the bank until it decides', async () => {
    const { paid, refund, one, simulate } = await shop()
    const { id } = await paid(100)
    const { reference } = (await refund({ transactionId: id, amount: 50.04 })).body.data
    for (let hours = 0; hours < 3; hours++) {
      clock.advance(3_600_000)
      await pass()
    }
    expect(await one(reference)).toMatchObject({ status: 'Processing' })
    expect((await simulate(reference, 'success')).body.data.status).toBe('Processed')
  })

  test.each([
    ['success', 'Processed', ['refund.processed', 'wallet.debited']],
    ['failed', 'Failed', ['refund.failed']],
  ])('201 of .05 needs attention, and then it is a %s', async (outcome, status, events) => {
    const { paid, refund, one, simulate, told } = await shop()
    const { id } = await paid(100)
    const { reference } = (await refund({ transactionId: id, amount: 50.05 })).body.data
    await pass()
    expect(await one(reference)).toMatchObject({
      status: 'NeedsAttention',
      message: 'The payer’s bank asks for a different account',
    })
    clock.advance(61_000)
    expect(await order()).toBe(0)
    clock.advance(3_600_000)
    expect(await order()).toBe(1)
    expect((await simulate(reference, outcome)).body.data).toEqual({ reference, status })
    expect(await told()).toEqual(['refund.pending', 'refund.needs_attention', ...events])
  })

  test('201 is ordered again only if it never reached the bank, under the same reference', async () => {
    const { businessId, paid, refund, one } = await shop()
    const { id } = await paid(100)
    const { reference } = (await refund({ transactionId: id, amount: 50 })).body.data
    // As if the process had died between the claim and the call.
    await db.run`update refunds set status = 'Processing' where reference = ${reference}`
    await db.run`update provider_orders set sent_at = ${clock.now()}, next_at = ${clock.now()}
      where reference = ${reference}`
    await order()
    const orders = () => db.many`
      select reference, kind, amount_minor from simulator_orders where business_id = ${businessId}
        and kind = 'REFUND'`
    const sent = { reference: sentReferenceOf(reference, 1), kind: 'REFUND', amount_minor: 5_000n }
    expect(await orders()).toEqual([sent])
    clock.advance(61_000)
    await order()
    await bankActs()
    expect(await one(reference)).toMatchObject({ status: 'Processed' })
    expect(await orders()).toHaveLength(1)
  })

  test('201 follows the test clock of its business', async () => {
    const { post, paid, refund, one } = await shop()
    const { id } = await paid(100)
    await post('/api/simulator/clock', { advanceSeconds: 30 * 24 * 3600 })
    const { reference, createdAt } = (await refund({ transactionId: id })).body.data
    expect(Date.parse(createdAt)).toBeGreaterThan(clock.now().getTime() + 29 * 86_400_000)
    await pass()
    expect(await one(reference)).toMatchObject({ status: 'Processed' })
  })
})

describe('POST /api/simulator/refund', () => {
  test('200 decides a refund before any run of the job', async () => {
    const { paid, refund, simulate, wallet } = await shop()
    const { id } = await paid(100)
    const { reference } = (await refund({ transactionId: id, amount: 60 })).body.data
    const { status, body } = await simulate(reference, 'success')
    expect([status, body.data]).toEqual([200, { reference, status: 'Processed' }])
    expect((await wallet()).held).toBe(0)
    for (const outcome of ['success', 'failed', 'needs_attention']) {
      const { status, body } = await simulate(reference, outcome)
      expect([status, body.errorCode]).toEqual([409, 'refund_state'])
      expect(body.message).toContain('the status is Processed')
    }
  })

  test.each([
    ['before the request began', 0],
    ['while the request ran', 5],
  ])('200 for a refund that a job has claimed %s, but not ordered yet', async (_, laterMs) => {
    const { paid, refund, simulate } = await shop()
    const { id } = await paid(100)
    const { reference } = (await refund({ transactionId: id })).body.data
    const claimedAt = addMs(clock.now(), laterMs)
    await db.run`
      update provider_orders set sent_at = ${claimedAt}, next_at = ${addMs(claimedAt, 60_000)}
      where reference = ${reference}`
    await db.run`update refunds set status = 'Processing' where reference = ${reference}`
    const { status, body } = await simulate(reference, 'failed')
    expect([status, body.data?.status]).toEqual([200, 'Failed'])
  })

  test('200 for 30 new refunds while jobs order them; all fail', async () => {
    const running = await startServer({ simulatorDelayMs: 60_000 })
    const { paid, refund, simulate } = await openShop(running)
    const { id } = await paid(10_000)
    const statuses: unknown[] = []
    for (let i = 0; i < 30; i++) {
      const { reference } = (await refund({ transactionId: id, amount: 100 })).body.data
      const { status, body } = await simulate(reference, 'failed')
      statuses.push([status, body.data?.status])
    }
    expect(statuses).toEqual(statuses.map(() => [200, 'Failed']))
    expect(await runAudit(running.db, allChecks)).toEqual([])
    await running.close()
  })

  test('400 for an outcome that refunds do not have, 404 for an unknown refund', async () => {
    const { keys, simulate, paid, refund } = await shop()
    const { id } = await paid(100)
    const { reference } = (await refund({ transactionId: id })).body.data
    expect((await simulate(reference, 'blocked')).status).toBe(400)
    expect((await simulate('RFD_nobody', 'success')).body.errorCode).toBe('refund_not_found')
    expect((await (await shop()).simulate(reference, 'success')).status).toBe(404)
    const live = server.as(keys.liveSecret)
    const { body } = await live.post('/api/simulator/refund', { reference, outcome: 'success' })
    expect(body.errorCode).toBe('test_mode_only')
  })
})
