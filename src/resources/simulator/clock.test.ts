import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'

const CLOCK = '/api/simulator/clock'

describe('POST simulator/clock', () => {
  test('200 wakes each sweeper that follows the test clock, once, and no other', async () => {
    const { app, nudged, post } = await startServer({ sweepers: false })
    const following = app.sweepers.filter(({ followsTestClock }) => followsTestClock)
    const names = following.map(({ name }) => name)
    expect(names).toContain('transaction-expiry')
    expect(names).not.toContain('ledger-seal')

    expect((await post(CLOCK, { advanceSeconds: 60 })).status).toBe(200)
    expect(nudged).toEqual(names)
  })

  test('400 wakes nobody', async () => {
    const { nudged, post } = await startServer({ sweepers: false })
    expect((await post(CLOCK, { advanceSeconds: 0 })).status).toBe(400)
    expect(nudged).toEqual([])
  })
})
