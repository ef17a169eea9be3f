import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { allChecks } from '../audit.ts'
import { memberOf } from '../business/people/people.fixture.ts'
import { runAudit } from '../ledger/audit.ts'
import { SIMULATOR_CONNECTION } from '../providers/providers.ts'
import { dayOf } from './days.ts'
import { toMorning } from './reconciliation.fixture.ts'

const server = await startServer({ jobs: false })
const { clock, runJob, post } = server
const MONEY = '/api/transaction-service/external/v1'

beforeAll(() => toMorning(server))
afterAll(async () => expect(await runAudit(server.db, allChecks)).toEqual([]))

test('the simulator agrees with the books', async () => {
  const member = await memberOf(server, 'owner')
  const done = async (path: string, body: object) => (await post(path, body)).body.data
  for (const [i, outcome] of ['success', 'failed'].entries()) {
    const charge = { channel: 'USSD', amount: 100 + i }
    const { reference } = await done(`${MONEY}/transaction-with-ussd`, charge)
    await done('/api/simulator/ussd', { reference, outcome })
    const account = { bankCode: '058', accountNumber: '0123456785' }
    const transfer = await done(`${MONEY}/transfers`, { amount: 50 + i, ...account })
    await done('/api/simulator/transfer', { reference: transfer.reference, outcome })
  }
  const day = dayOf(clock.now())
  const body = { connectionId: SIMULATOR_CONNECTION, from: day }
  expect((await member.post('/console/reconciliation/run', body)).status).toBe(200)
  await runJob('reconciliation')
  const { data } = (await member.get(`/console/reconciliation/${SIMULATOR_CONNECTION}/${day}`)).body
  // A failed charge may still be paid, so it is not finished.
  expect(data).toMatchObject({ status: 'Closed', problem: null, differences: 0, balances: [] })
  expect(data.matched).toBeGreaterThanOrEqual(3)
})
