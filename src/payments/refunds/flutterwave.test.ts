import { afterAll, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { flutterwave } from '../../../test/providers/doubles/flutterwave/flutterwave.ts'
import { startDouble } from '../../../test/providers/doubles/start.ts'
import { connectLive } from '../../business/providers/providers.fixture.ts'
import { REFUNDS } from './refunds.fixture.ts'

const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'

const server = await startServer({ jobs: false })
const { db, runJob } = server
const double = await startDouble((kit) => flutterwave(kit, { secretHash: 'a-secret-hash-of-16' }), {
  now: new Date(),
})
afterAll(async () => expect(await findings(server)).toEqual([]))

async function noticed(): Promise<void> {
  await double.notices.settled()
  await runJob('provider-notices')
}

test('201 has been processed once Flutterwave calls it successful', async () => {
  const { businessId, live } = await connectLive(server, double)
  const { body } = await live.post(USSD, { channel: 'USSD', amount: 5_000, bankCode: '058' })
  const { transactionId, ussdCode } = body.data
  double.provider.payer.dial(ussdCode)
  await noticed()
  const status = async () => (await live.get(REFUNDS)).body.data[0].status
  expect((await live.post(REFUNDS, { transactionId, amount: 1_000 })).status).toBe(201)
  await runJob('refund-orders')
  await noticed()
  // Flutterwave says at once that it is completed, which only means that it was taken.
  expect(await status()).toBe('Processing')
  const { provider_id } = await db.one<{ provider_id: string }>`
    select provider_id from provider_orders where business_id = ${businessId} and kind = 'refund'`
  double.provider.refunds.settle(provider_id, 'successful')
  await noticed()
  expect(await status()).toBe('Processed')
})
