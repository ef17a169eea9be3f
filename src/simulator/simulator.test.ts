import { expect, test } from 'vitest'
import { findings } from '../../test/corruption/findings.ts'
import { startServer } from '../../test/harness.ts'
import { openDisputedShop } from '../payments/disputes/disputes.fixture.ts'

const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'

/** How many questions about disputes get no response. */
let silences = 0
/** Requests to start a payment stay on their way until they are released. */
const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({
    simulator: {
      ...simulator,
      async startUssd(about, order) {
        begun.resolve()
        await release.promise
        return simulator.startUssd!(about, order)
      },
      async lookUpDispute(about, providerId) {
        if (silences-- > 0) return { kind: 'unknown', reason: 'timed_out' }
        return simulator.lookUpDispute!(about, providerId, null)
      },
    },
  }),
})
const { db, post } = server

test('409 for a payment that is still being sent, 200 after that, and 409 once it has ended', async () => {
  const started = post(USSD, { channel: 'USSD', amount: 100 })
  await begun.promise
  const { reference } = await db.one<{ reference: string }>`select reference from transactions`
  const decide = () => post('/api/simulator/ussd', { reference, outcome: 'success' })
  const refused = (message: string) => ({
    status: 409,
    body: { errorCode: 'transaction_state', message },
  })
  expect(await decide()).toMatchObject(refused('This payment has not been sent yet; try again.'))
  release.resolve()
  expect((await started).status).toBe(200)
  expect((await decide()).body.data).toEqual({ reference, status: 'Successful' })
  expect(await decide()).toMatchObject(refused('This payment has ended: it is Successful.'))
})

test('200 with the dispute that the first request opened, after that request has failed', async () => {
  const shop = await openDisputedShop(server)
  const { id, reference } = await shop.paid(1_000)
  const key = { 'idempotency-key': 'dispute-1' }
  const dispute = () => shop.post('/api/simulator/dispute', { reference, amount: 300 }, key)
  silences = 1
  expect((await dispute()).status).toBe(500)
  const { status, body, text } = await dispute()
  expect([status, body.data]).toEqual([200, { reference: expect.any(String), status: 'Open' }])
  expect((await dispute()).text).toBe(text)
  const opened = await db.many`
    select provider_id from simulator_disputes where business_id = ${shop.businessId}`
  expect(opened).toHaveLength(1)
  expect(await shop.transaction(id)).toMatchObject({ disputed_minor: 30_000n })
  expect(await findings(server)).toEqual([])
})
