import { afterEach, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { DISPUTES, HOUR_MS, openDisputedShop } from './disputes.fixture.ts'

const server = await startServer({ jobs: false })
const { clock, runJob } = server

afterEach(async () => {
  expect(await findings(server)).toEqual([])
})

describe('a dispute', () => {
  test('200 holds the amount, and is shown with its deadline', async () => {
    const shop = await openDisputedShop(server)
    const payment = await shop.paid(1_000)
    const before = await shop.wallet()
    const reference = await shop.dispute(payment, { amount: 400, reason: 'Never arrived' })
    const record = await shop.read(reference)
    expect(record).toMatchObject({
      reference,
      status: 'Open',
      amount: 400,
      amountMinor: 40_000,
      heldAmount: 400,
      lostAmount: null,
      currency: 'NGN',
      reason: 'Never arrived',
      provider: 'simulator',
      transactionReference: payment.reference,
      response: null,
      evidence: [],
      businessId: shop.businessId,
      closedAt: null,
      timeline: [{ status: 'Open', message: null }],
    })
    expect(Date.parse(record.dueAt) - Date.parse(record.createdAt)).toBeCloseTo(48 * HOUR_MS, -5)
    const after = await shop.wallet()
    expect(after).toEqual({ available: before.available - 400, held: before.held + 400 })
    expect(await shop.transaction(payment.id)).toMatchObject({
      status: 'Successful',
      disputed_minor: 40_000n,
      reversed_minor: 0n,
    })
    expect(await shop.told()).toEqual(['dispute.opened'])
    expect(await shop.mails()).toMatchObject([
      { news: 'opened', amount: '₦400.00', to: shop.owner.email },
    ])
  })

  test('200 is won, and the amount is available again', async () => {
    const shop = await openDisputedShop(server)
    const payment = await shop.paid(1_000)
    const before = await shop.balances()
    const reference = await shop.dispute(payment)
    expect((await shop.decide(reference, 'won')).body.data).toEqual({ reference, status: 'Won' })
    expect(await shop.read(reference)).toMatchObject({ status: 'Won', lostAmount: 0 })
    expect(await shop.balances()).toEqual(before)
    expect(await shop.transaction(payment.id)).toMatchObject({
      status: 'Successful',
      disputed_minor: 0n,
      reversed_minor: 0n,
    })
    expect(await shop.told()).toEqual(['dispute.opened', 'dispute.won'])
    expect((await shop.mails()).map(({ news }) => news)).toEqual(['opened', 'won'])
    expect((await shop.decide(reference, 'lost')).body.errorCode).toBe('dispute_state')
    expect((await shop.refund({ transactionId: payment.id })).status).toBe(201)
  })

  test('200 is lost in full, and reverses the payment', async () => {
    const shop = await openDisputedShop(server)
    const payment = await shop.paid(1_000)
    const before = await shop.wallet()
    const reference = await shop.dispute(payment)
    await shop.decide(reference, 'lost')
    expect(await shop.read(reference)).toMatchObject({ status: 'Lost', lostAmount: 1_000 })
    expect(await shop.wallet()).toEqual({ available: before.available - 1_000, held: 0 })
    expect(await shop.transaction(payment.id)).toMatchObject({
      status: 'Reversed',
      disputed_minor: 100_000n,
      reversed_minor: 100_000n,
    })
    expect(await shop.told()).toEqual([
      ...['dispute.opened', 'dispute.lost', 'transaction.reversed', 'wallet.debited'],
    ])
    const [reversed, debited] = (await shop.events()).slice(-2)
    expect(reversed!.data).toMatchObject({ status: 'Reversed', reversedAmount: 1_000 })
    expect(debited!.data).toMatchObject({
      amount: 1_000,
      source: { type: 'dispute', reference },
    })
  })

  test('200 in part is lost, and the rest can be refunded', async () => {
    const shop = await openDisputedShop(server)
    const payment = await shop.paid(1_000)
    const reference = await shop.dispute(payment, { amount: 300 })
    await shop.decide(reference, 'lost')
    expect(await shop.transaction(payment.id)).toMatchObject({
      status: 'Successful',
      reversed_minor: 30_000n,
    })
    const tooMuch = await shop.refund({ transactionId: payment.id, amount: 700.01 })
    expect(tooMuch.body.errorCode).toBe('refund_exceeds_payment')
    const { body } = await shop.refund({ transactionId: payment.id })
    expect(body.data.amount).toBe(700)
    await runJob('refund-orders')
    await shop.simulate(body.data.reference, 'success')
    expect(await shop.transaction(payment.id)).toMatchObject({
      status: 'Refunded',
      refunded_minor: 70_000n,
      reversed_minor: 30_000n,
    })
  })

  test('200 without a response is lost when it is due', async () => {
    const shop = await openDisputedShop(server)
    const payment = await shop.paid(500)
    const reference = await shop.dispute(payment, { dueInHours: 24 })
    clock.advance(11 * HOUR_MS)
    await runJob('dispute-reminders')
    expect(await shop.mails()).toHaveLength(1)
    clock.advance(2 * HOUR_MS)
    await runJob('dispute-reminders')
    await runJob('dispute-reminders')
    expect((await shop.mails()).map(({ news }) => news)).toEqual(['opened', 'due'])
    await runJob('dispute-lookups')
    expect(await shop.read(reference)).toMatchObject({ status: 'Open' })
    clock.advance(11 * HOUR_MS + 120_000)
    await runJob('dispute-lookups')
    expect(await shop.read(reference)).toMatchObject({ status: 'Lost', lostAmount: 500 })
    expect((await shop.mails()).at(-1)).toMatchObject({ news: 'lost', amount: '₦500.00' })
  })

  test('409 for a decision after the deadline has made it lost, but not after a response', async () => {
    const shop = await openDisputedShop(server)
    const [late, reviewed] = [await shop.paid(500), await shop.paid(700)]
    const reference = await shop.dispute(late, { dueInHours: 1 })
    const contested = await shop.dispute(reviewed, { dueInHours: 1 })
    await shop.contest(contested)
    await shop.send()
    clock.advance(HOUR_MS)
    const refused = await shop.decide(reference, 'won')
    expect([refused.status, refused.body.errorCode]).toEqual([409, 'dispute_state'])
    expect(refused.body.message).toContain('the status is Lost')
    expect(await shop.read(reference)).toMatchObject({ status: 'Lost', lostAmount: 500 })
    expect((await shop.decide(reference, 'won')).status).toBe(409)
    expect((await shop.decide(contested, 'won')).body.data).toMatchObject({ status: 'Won' })
    const differences = await server.db.many`
      select id from provider_differences where business_id = ${shop.businessId}`
    expect(differences).toEqual([])
  })

  test('404 for another business, in the other mode and without a payment', async () => {
    const [shop, other] = [await openDisputedShop(server), await openDisputedShop(server)]
    const reference = await shop.dispute(await shop.paid(100))
    expect((await other.get(`${DISPUTES}/${reference}`)).body.errorCode).toBe('dispute_not_found')
    const live = server.as(shop.keys.liveSecret)
    expect((await live.get(`${DISPUTES}/${reference}`)).status).toBe(404)
    expect((await other.accept(reference)).status).toBe(404)
    const unknown = await shop.post('/api/simulator/dispute', { reference: 'TRX_unknown' })
    expect(unknown.body.errorCode).toBe('transaction_not_found')
  })

  test('400 for more than the payment; 409 for a payment that has not been received', async () => {
    const shop = await openDisputedShop(server)
    const { reference } = await shop.paid(100)
    const dispute = (more: object) => shop.post('/api/simulator/dispute', { reference, ...more })
    const says = (left: string) => ({
      errors: { amount: [expect.stringContaining(`most ${left},`)] },
    })
    expect((await dispute({ amount: 100.01 })).body).toMatchObject(says('100.00'))
    await shop.decide(await shop.dispute({ reference }, { amount: 60 }), 'lost')
    expect((await dispute({})).body).toMatchObject(says('40.00'))
    const open = await shop.dispute({ reference }, { amount: 40 })
    expect(await dispute({ amount: 0.01 })).toMatchObject({ status: 400, body: says('0.00') })
    await shop.decide(open, 'won')
    expect((await dispute({ amount: 40 })).status).toBe(200)
    const { reference: invoice, page } = await shop.invoice(100)
    await page('/pay', { channel: 'BANK_TRANSFER' })
    const pending = await shop.transactionOf(invoice)
    const refused = await shop.post('/api/simulator/dispute', { reference: pending.reference })
    expect(refused.body.errorCode).toBe('transaction_state')
  })
})

describe('the list of disputes', () => {
  test('200 filters by status and payment, and 400 names an unknown status', async () => {
    const shop = await openDisputedShop(server)
    const [one, other] = [await shop.paid(100), await shop.paid(200)]
    const won = await shop.dispute(one)
    await shop.decide(won, 'won')
    const open = await shop.dispute(other)
    const list = async (query: string) => {
      const { status, body } = await shop.get(`${DISPUTES}?${query}`)
      return status === 200
        ? body.data.map((dispute: { reference: string }) => dispute.reference)
        : body.errors
    }
    expect(await list('')).toEqual([open, won])
    expect(await list('sort=ASC&limit=1')).toEqual([won])
    expect(await list('status=Open')).toEqual([open])
    expect(await list(`transactionReference=${one.reference}`)).toEqual([won])
    expect(await list('status=Odd')).toMatchObject({ status: [expect.any(String)] })
    expect((await shop.get(`${DISPUTES}?transactionReference=TRX_no`)).status).toBe(404)
  })
})
