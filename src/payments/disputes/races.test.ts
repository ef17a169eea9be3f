import { afterEach, describe, expect, test } from 'vitest'
import { rounds, statusesOf, times, untilDone } from '../../../test/concurrency.ts'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { openDisputedShop } from './disputes.fixture.ts'

const server = await startServer({ jobs: false })
const { db, runJob } = server

afterEach(async () => {
  expect(await findings(server)).toEqual([])
})

test('200 for one of many responses, whether they accept or contest', async () => {
  const shop = await openDisputedShop(server)
  const reference = await shop.dispute(await shop.paid(1_000))
  const replies = await times(20, (i) =>
    untilDone(() => (i % 2 ? shop.accept(reference) : shop.contest(reference))),
  )
  expect(statusesOf(replies)).toEqual({ 200: 1, '409 dispute_state': 19 })
  await times(4, () => server.runJob('dispute_response-orders'))
  const { action, status } = (await shop.read(reference)).response
  expect(status).toBe('Sent')
  expect(await shop.read(reference)).toMatchObject({
    status: action === 'accept' ? 'Accepted' : 'UnderReview',
  })
})

test('200 for one of many reports that a dispute has ended', async () => {
  const shop = await openDisputedShop(server)
  const payment = await shop.paid(1_000)
  const reference = await shop.dispute(payment)
  await db.run`
    update simulator_disputes set status = 'Lost' where business_id = ${shop.businessId}`
  await db.run`update disputes set look_up_at = ${new Date(0)} where reference = ${reference}`
  await times(12, async (i) => {
    if (i % 3 === 0) return void (await shop.decide(reference, 'lost'))
    await server.runJob('dispute-lookups')
  })
  expect(await shop.read(reference)).toMatchObject({ status: 'Lost' })
  expect(await shop.told(/^(?:dispute\.lost|transaction\.reversed)/)).toHaveLength(2)
})

test('200 for as many simulated disputes at once as the payment covers', async () => {
  const shop = await openDisputedShop(server)
  const { id, reference } = await shop.paid(1_000)
  const disputed = { reference, amount: 400 }
  const replies = await times(12, () => shop.post('/api/simulator/dispute', disputed))
  expect(statusesOf(replies)).toEqual({ 200: 2, '400 validation_failed': 10 })
  expect(await shop.transaction(id)).toMatchObject({ disputed_minor: 80_000n })
})

describe('a refund and a dispute of the same payment at once', () => {
  test.each(Array.from({ length: rounds(6) }, (_, i) => i))(
    '200 or 201 and never both for the same money (%i)',
    async () => {
      const shop = await openDisputedShop(server)
      const payment = await shop.paid(1_000)
      const [disputed, ...refunds] = await Promise.all([
        shop.dispute(payment),
        ...Array.from({ length: 5 }, () => shop.refund({ transactionId: payment.id, amount: 400 })),
      ])
      const refunded = refunds.filter(({ status }) => status === 201).length
      expect(refunded).toBeLessThanOrEqual(2)
      await runJob('refund-orders')
      const ends = refunds
        .filter(({ status }) => status === 201)
        .map(({ body }, i) => shop.simulate(body.data.reference, i ? 'failed' : 'success'))
      await Promise.all([shop.decide(disputed, 'lost'), ...ends])
      expect(await shop.read(disputed)).toMatchObject({ status: 'Lost', lostAmount: 1_000 })
      expect(await shop.transaction(payment.id)).toMatchObject({ status: 'Reversed' })
    },
  )
})

test('200 while a response is sent and the bank decides at the same time', async () => {
  for (let round = 0; round < rounds(9); round++) {
    const shop = await openDisputedShop(server)
    const reference = await shop.dispute(await shop.paid(1_000))
    await (round % 2 ? shop.accept(reference) : shop.contest(reference))
    await Promise.all([
      runJob('dispute_response-orders'),
      shop.decide(reference, round % 3 ? 'won' : 'lost'),
    ])
    server.clock.advance(120_000)
    await runJob('dispute_response-orders')
    expect((await shop.read(reference)).response.status).not.toBe('Sending')
  }
})
