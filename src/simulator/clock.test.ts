import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { WEBHOOK_JOB } from '../developers/webhooks/jobs.ts'

const CLOCK = '/api/simulator/clock'

/** Any write can cause events, so deliveries are checked after each write. */
const besideAnyWrite = (names: string[]) => names.filter((name) => name !== WEBHOOK_JOB)

describe('POST simulator/clock', () => {
  test('200 wakes each job that follows the test clock once, and no others', async () => {
    const { app, nudged, post } = await startServer({ jobs: false })
    const following = app.jobs.filter(({ followsTestClock }) => followsTestClock)
    const names = following.map(({ name }) => name)
    expect(names).toContain('transaction-expiry')
    expect(names).not.toContain('ledger-seal')

    expect((await post(CLOCK, { advanceSeconds: 60 })).status).toBe(200)
    expect(besideAnyWrite(nudged)).toEqual(besideAnyWrite(names))
  })

  test('400 wakes no job', async () => {
    const { nudged, post } = await startServer({ jobs: false })
    expect((await post(CLOCK, { advanceSeconds: 0 })).status).toBe(400)
    expect(besideAnyWrite(nudged)).toEqual([])
  })
})
