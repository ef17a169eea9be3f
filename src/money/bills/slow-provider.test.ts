import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { BEGAN_WITH, METER, PROCESS, shopOn, TOP_UP } from './bills.fixture.ts'

// So long that no slow machine reaches the end of a silence before the test does.
const DELAY_MS = 60_000

const server = await startServer({ jobs: false, simulatorDelayMs: DELAY_MS })
const { db, clock } = server
const shop = () => shopOn(server)

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const nothing = { available: BEGAN_WITH, held: 0 }

/** Lets the billers do what is due, and send their notifications. */
async function later(ms: number): Promise<void> {
  clock.advance(ms)
  await server.runJob('simulator')
}

describe('an outcome that is not known at once', () => {
  test('200 09 for .03, a time-out with a late success', async () => {
    const { buy, post, wallet, payment, eventTypes } = await shop()
    const asked = { ...METER, customerId: '45012345678', amount: 1_000.03 }
    const { status, body } = await buy({ ...asked, paymentReference: 'late' })
    expect([status, body]).toMatchObject([
      200,
      { error: false, status: 'success', responseCode: '09' },
    ])
    expect(body.responseData).toMatchObject({
      status: 'Pending',
      vendStatus: 'Pending',
      token: null,
      completedAt: null,
    })
    const held = { available: BEGAN_WITH - 1_000.03, held: 1_000.03 }
    expect(await wallet()).toEqual(held)

    // Still silent: neither a notification nor the job changes anything.
    await later(2 * DELAY_MS)
    await server.runJob('bill-orders')
    expect((await payment('late')).responseCode).toBe('09')
    expect(await wallet()).toEqual(held)

    await later(3 * DELAY_MS)
    const settled = await payment('late')
    expect([settled.responseCode, settled.responseData.status]).toEqual(['00', 'Successful'])
    expect(settled.responseData.token.value).toMatch(/^\d{4}-/)
    const again = await post(PROCESS, { ...TOP_UP, ...asked, paymentReference: 'late' })
    expect([again.status, again.body]).toEqual([200, settled])
    expect(await wallet()).toEqual({ available: BEGAN_WITH - 1_000.03, held: 0 })
    expect(await eventTypes()).toEqual(['utility.pending', 'utility.successful', 'wallet.debited'])
  })

  test('200 09 for …03, held up: a late failure returns the money once', async () => {
    const { tenant, buy, wallet, payment, eventTypes } = await shop()
    const asked = { ...METER, customerId: '0000000003', paymentReference: 'held-up' }
    const { body } = await buy(asked)
    expect([body.responseCode, await wallet()]).toEqual([
      '09',
      { available: BEGAN_WITH - 1_000, held: 1_000 },
    ])
    await later(DELAY_MS)
    expect((await payment('held-up')).responseData).toMatchObject({
      status: 'Failed',
      failureReason: 'Held for review, then refused',
    })
    expect(await wallet()).toEqual(nothing)

    // Reported again, and looked up again.
    await db.run`update simulator_orders set notify = true where business_id = ${tenant.businessId}`
    await later(DELAY_MS)
    clock.advance(3_600_000)
    await server.runJob('bill-orders')
    expect(await wallet()).toEqual(nothing)
    expect(await eventTypes()).toEqual(['utility.pending', 'utility.failed'])
  })

  test.each([
    ['.04', { amount: 500.04 }],
    ['…06', { ...METER, customerId: '0000000006' }],
  ])('200 09 for %s, which stays Pending until it is ended by hand', async (_title, more) => {
    const { buy, post, payment, wallet, eventTypes } = await shop()
    const { amount } = { ...TOP_UP, ...more }
    expect((await buy({ ...more, paymentReference: 'one' })).body.responseCode).toBe('09')
    expect((await buy({ ...more, paymentReference: 'two' })).body.responseCode).toBe('09')
    for (let hour = 0; hour < 3; hour++) {
      await later(3_600_000)
      await server.runJob('bill-orders')
    }
    expect((await payment('one')).responseCode).toBe('09')
    expect((await wallet()).held).toBe(amount * 2)

    const byHand = (reference: string, outcome: string) =>
      post('/api/simulator/utility', { reference, outcome })
    const delivered = await byHand('one', 'success')
    expect([delivered.status, delivered.body.data]).toEqual([
      200,
      { reference: 'one', status: 'Successful' },
    ])
    expect((await byHand('two', 'failed')).body.data.status).toBe('Failed')
    expect((await byHand('two', 'success')).body.errorCode).toBe('utility_payment_state')
    expect((await byHand('one', 'failed')).status).toBe(409)
    expect((await byHand('three', 'failed')).body.errorCode).toBe('utility_payment_not_found')
    expect(await wallet()).toEqual({ available: BEGAN_WITH - amount, held: 0 })
    expect((await eventTypes()).sort()).toEqual([
      'utility.failed',
      'utility.pending',
      'utility.pending',
      'utility.successful',
      'wallet.debited',
    ])
  })

  test('200 09 is not kept for an Idempotency-Key, so a repeat returns the outcome', async () => {
    const { enquire, post } = await shop()
    await enquire()
    const key = { 'idempotency-key': 'asked-again' }
    const body = { ...TOP_UP, amount: 500.03 }
    const first = await post(PROCESS, body, key)
    expect(first.body.responseCode).toBe('09')
    const second = await post(PROCESS, body, key)
    expect(second.body).toEqual(first.body)
    await later(5 * DELAY_MS)
    const third = await post(PROCESS, body, key)
    expect(third.body.responseCode).toBe('00')
    expect(third.body.responseData.reference).toBe(first.body.responseData.reference)
    expect((await post(PROCESS, { ...body, amount: 600 }, key)).status).toBe(422)
  })
})
