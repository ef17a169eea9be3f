import { afterEach, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { goods, openShop as openMarket } from '../../sales/checkout/checkout.fixture.ts'
import { openDisputedShop } from './disputes.fixture.ts'

/* Every way in which a dispute ends must leave books that the audit accepts. */

const server = await startServer({ jobs: false })
const { clock, runJob } = server

afterEach(async () => {
  expect(await findings(server)).toEqual([])
})

const ANY_AMOUNT = { virtualAccountPolicy: 'accept_over' }

type Shop = Awaited<ReturnType<typeof openDisputedShop>>

/** Refunds a payment, or part of it, and waits until the payer has the money. */
async function refunded(shop: Shop, payment: { id: number }, amount?: number) {
  const { body } = await shop.refund({ transactionId: payment.id, ...(amount && { amount }) })
  await runJob('refund-orders')
  await shop.simulate(body.data.reference, 'success')
}

describe('a wallet that does not have enough', () => {
  test('200 owes the rest, and later payments pay it', async () => {
    const shop = await openDisputedShop(server)
    const payment = await shop.paid(1_000)
    await shop.keepOnly(300)
    const reference = await shop.dispute(payment)
    expect(await shop.read(reference)).toMatchObject({ amount: 1_000, heldAmount: 300 })
    expect(await shop.wallet()).toEqual({ available: 0, held: 300 })
    await shop.decide(reference, 'lost')
    expect(await shop.balances()).toMatchObject({ receivable: 700_00 })
    expect(await shop.wallet()).toEqual({ available: 0, held: 0 })
    const debited = (await shop.events(/^wallet\.debited/)).at(-1)
    expect(debited!.data).toMatchObject({ amount: 300, source: { type: 'dispute' } })
    await shop.paid(500)
    const { available } = await shop.wallet()
    await runJob('recoveries')
    expect(await shop.balances()).toMatchObject({ receivable: 700_00 - available * 100 })
    await shop.paid(500)
    await runJob('recoveries')
    expect(await shop.balances()).not.toHaveProperty('receivable')
  })

  test('200 has nothing on hold if it is empty, whatever is decided', async () => {
    const shop = await openDisputedShop(server)
    const [one, other] = [await shop.paid(1_000), await shop.paid(2_000)]
    await shop.keepOnly(0)
    const [won, lost] = [await shop.dispute(one), await shop.dispute(other)]
    expect(await shop.read(won)).toMatchObject({ heldAmount: 0 })
    await shop.decide(won, 'won')
    await shop.decide(lost, 'lost')
    expect(await shop.balances()).toMatchObject({ receivable: 2_000_00 })
    expect(await shop.told(/^wallet\.debited/)).toHaveLength(1)
  })

  test('200 gets back only what was on hold if the dispute is won', async () => {
    const shop = await openDisputedShop(server)
    const payment = await shop.paid(1_000)
    await shop.keepOnly(300)
    const reference = await shop.dispute(payment)
    await shop.decide(reference, 'won')
    expect(await shop.wallet()).toEqual({ available: 300, held: 0 })
  })

  test('200 accepts less than was on hold, and then more', async () => {
    const shop = await openDisputedShop(server)
    const [one, other] = [await shop.paid(1_000), await shop.paid(1_000)]
    await shop.keepOnly(300)
    const first = await shop.dispute(one)
    await shop.accept(first, { amount: 200 })
    await shop.send()
    expect(await shop.wallet()).toEqual({ available: 100, held: 0 })
    const second = await shop.dispute(other)
    await shop.accept(second, { amount: 200 })
    await shop.send()
    expect(await shop.balances()).toMatchObject({ receivable: 100_00 })
  })
})

describe('a payment with refunds', () => {
  test('200 that were paid stays Refunded, and the dispute takes the money again', async () => {
    const shop = await openDisputedShop(server)
    const payment = await shop.paid(1_000)
    await refunded(shop, payment)
    const before = (await shop.wallet()).available
    const reference = await shop.dispute(payment)
    await shop.decide(reference, 'lost')
    expect(await shop.wallet()).toEqual({ available: before - 1_000, held: 0 })
    expect(await shop.transaction(payment.id)).toMatchObject({
      status: 'Refunded',
      refunded_minor: 100_000n,
      reversed_minor: 100_000n,
    })
    expect(await shop.told(/^transaction\.reversed/)).toEqual([])
  })

  test('200 of a part is Reversed when a dispute takes the rest', async () => {
    const shop = await openDisputedShop(server)
    const payment = await shop.paid(1_000)
    await refunded(shop, payment, 400)
    const reference = await shop.dispute(payment, { amount: 600 })
    await shop.decide(reference, 'lost')
    expect(await shop.transaction(payment.id)).toMatchObject({
      status: 'Reversed',
      refunded_minor: 40_000n,
      reversed_minor: 60_000n,
    })
  })

  test.each([
    ['success', { status: 'Reversed', refunding_minor: 40_000n, refunded_minor: 40_000n }],
    ['failed', { status: 'Reversed', refunding_minor: 0n, refunded_minor: 0n }],
  ])('200 in progress can still end (%s) after a dispute took everything', async (end, after) => {
    const shop = await openDisputedShop(server)
    const payment = await shop.paid(1_000)
    const { body } = await shop.refund({ transactionId: payment.id, amount: 400 })
    await runJob('refund-orders')
    const reference = await shop.dispute(payment)
    await shop.decide(reference, 'lost')
    expect(await shop.transaction(payment.id)).toMatchObject({ status: 'Reversed' })
    await shop.simulate(body.data.reference, end)
    expect(await shop.transaction(payment.id)).toMatchObject(after)
  })

  test('200 in progress that end after a part was lost make the payment Refunded', async () => {
    const shop = await openDisputedShop(server)
    const payment = await shop.paid(1_000)
    const { body } = await shop.refund({ transactionId: payment.id, amount: 400 })
    await runJob('refund-orders')
    await shop.decide(await shop.dispute(payment, { amount: 600 }), 'lost')
    expect(await shop.transaction(payment.id)).toMatchObject({ status: 'Successful' })
    await shop.simulate(body.data.reference, 'success')
    expect(await shop.transaction(payment.id)).toMatchObject({ status: 'Refunded' })
  })

  test('409 refuses a refund of what is disputed, until the dispute is won', async () => {
    const shop = await openDisputedShop(server)
    const payment = await shop.paid(1_000)
    const reference = await shop.dispute(payment)
    const refused = await shop.refund({ transactionId: payment.id })
    expect([refused.status, refused.body.errorCode]).toEqual([409, 'payment_disputed'])
    expect((await shop.refund({ transactionId: payment.id, amount: 1 })).status).toBe(409)
    await shop.decide(reference, 'won')
    expect((await shop.refund({ transactionId: payment.id })).status).toBe(201)
  })
})

describe('an overpayment', () => {
  test('200 is taken first by a dispute, and not refunded twice', async () => {
    const shop = await openDisputedShop(server, ANY_AMOUNT)
    const payment = await shop.paid(1_000, 1_300)
    expect(await shop.owed()).toBe(300_00n)
    const before = await shop.wallet()
    const reference = await shop.dispute(payment, { amount: 500 })
    expect(await shop.owed()).toBe(0n)
    expect(await shop.wallet()).toEqual({ available: before.available - 200, held: 500 })
    await shop.decide(reference, 'lost')
    const { body } = await shop.refund({ transactionId: payment.id })
    expect(body.data).toMatchObject({ amount: 800, overpaidAmount: 0 })
  })

  test('200 is owed again if only a part is accepted, or if the dispute is won', async () => {
    const shop = await openDisputedShop(server, ANY_AMOUNT)
    const payment = await shop.paid(1_000, 1_300)
    const accepted = await shop.dispute(payment, { amount: 500 })
    await shop.accept(accepted, { amount: 100 })
    await shop.send()
    expect(await shop.owed()).toBe(200_00n)
    await shop.decide(await shop.dispute(payment, { amount: 500 }), 'won')
    expect(await shop.owed()).toBe(200_00n)
    const { body } = await shop.refund({ transactionId: payment.id })
    expect(body.data).toMatchObject({ amount: 1_200, overpaidAmount: 200 })
  })
})

describe('two disputes about one payment', () => {
  test('200 are won and lost by themselves', async () => {
    const shop = await openDisputedShop(server)
    const payment = await shop.paid(1_000)
    const before = (await shop.wallet()).available
    const one = await shop.dispute(payment, { amount: 300 })
    const other = await shop.dispute(payment, { amount: 700 })
    expect(await shop.wallet()).toEqual({ available: before - 1_000, held: 1_000 })
    await shop.decide(one, 'won')
    await shop.decide(other, 'lost')
    expect(await shop.wallet()).toEqual({ available: before - 700, held: 0 })
    expect(await shop.transaction(payment.id)).toMatchObject({
      status: 'Successful',
      disputed_minor: 70_000n,
      reversed_minor: 70_000n,
    })
    await refunded(shop, payment)
    expect(await shop.transaction(payment.id)).toMatchObject({ status: 'Refunded' })
  })

  test('200 can take more than the payment together', async () => {
    const shop = await openDisputedShop(server)
    const payment = await shop.paid(1_000)
    const all = [
      await shop.dispute(payment, { amount: 200 }),
      await shop.dispute(payment, { amount: 800 }),
    ]
    // The simulator itself does not take more than the payment.
    await server.db.run`
      update simulator_disputes set amount_minor = 100000
      where business_id = ${shop.businessId} and amount_minor = 20000`
    for (const one of all) await shop.decide(one, 'lost')
    expect(await shop.transaction(payment.id)).toMatchObject({
      status: 'Reversed',
      reversed_minor: 180_000n,
    })
    expect(await shop.told(/^transaction\.reversed/)).toHaveLength(1)
  })
})

describe('a payment that was shared', () => {
  test.each([
    ['before', false],
    ['after', true],
  ])('200 costs the business %s its shares were settled', async (_when, isSettled) => {
    const shop = await openDisputedShop(server)
    const payment = await shop.shared(1_000, [50, 30])
    if (isSettled) {
      await shop.post('/api/simulator/settlement', {})
      await runJob('settlement-orders')
      clock.advance(1_000)
      await runJob('simulator')
    }
    const shares = await shop.shares()
    const before = (await shop.wallet()).available
    const reference = await shop.dispute(payment)
    await shop.decide(reference, 'lost')
    expect(await shop.shares()).toEqual(shares)
    expect((await shop.wallet()).available).toBe(before - 1_000)
    expect(await shop.transaction(payment.id)).toMatchObject({ status: 'Reversed' })
  })

  test('201 is refunded from the shares if a dispute took the business’s part', async () => {
    const shop = await openDisputedShop(server)
    const payment = await shop.shared(1_000, [50, 30])
    await shop.decide(await shop.dispute(payment, { amount: 400 }), 'lost')
    const { body } = await shop.refund({ transactionId: payment.id })
    expect(body.data).toMatchObject({ amount: 600 })
    expect(
      body.data.shares.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0),
    ).toBe(600)
    await runJob('refund-orders')
    await shop.simulate(body.data.reference, 'success')
    expect(await shop.transaction(payment.id)).toMatchObject({ status: 'Refunded' })
  })
})

describe('a provider that changes its mind', () => {
  test('200 leaves the dispute as it is, and a difference for a person', async () => {
    const shop = await openDisputedShop(server)
    const reference = await shop.dispute(await shop.paid(1_000))
    await shop.decide(reference, 'won')
    await server.db.run`
      update simulator_disputes set status = 'Lost' where business_id = ${shop.businessId}`
    await shop.decide(reference, 'lost')
    expect(await shop.read(reference)).toMatchObject({ status: 'Won' })
    const differences = await server.db.many`
      select kind, class, field, status from provider_differences
      where business_id = ${shop.businessId}`
    expect(differences).toEqual([
      { kind: 'dispute', class: 'different', field: 'status', status: 'Open' },
    ])
  })
})

describe('an order that was paid for', () => {
  test('200 is Refunded after a lost dispute, but its goods are not back in stock', async () => {
    const shop = await openMarket(server)
    const { productId, products } = await goods(shop)
    const begun = await shop.begun({ products })
    await shop.paid(begun.reference)
    const { reference } = await shop.transaction(begun.transactionId)
    const { body } = await shop.post('/api/simulator/dispute', { reference })
    const sold = await shop.stock(productId)
    const lost = { reference: body.data.reference, outcome: 'lost' }
    expect((await shop.post('/api/simulator/dispute-outcome', lost)).status).toBe(200)
    expect(await shop.order(begun.orderReference)).toMatchObject({ status: 'Refunded' })
    expect(await shop.stock(productId)).toEqual(sold)
    expect(sold).toMatchObject({ sold: 2 })
  })
})
