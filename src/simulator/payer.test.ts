import { expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'

const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'

/** The first request to start a payment stays on its way until it is released. */
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
