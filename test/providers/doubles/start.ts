import { afterAll, afterEach, expect } from 'vitest'
import { type Double, type DoubleOptions, type Kit, openDouble, type Provider } from './double.ts'

/** When the time of a test's double begins. */
const START = new Date('2026-11-02T09:00:00Z')

/** Opens a double for a test file. Each test fails if somebody did something wrong in it. */
export async function startDouble<P extends Provider>(
  build: (kit: Kit) => P,
  options: DoubleOptions = {},
): Promise<Double<P>> {
  const double = await openDouble(build, { now: START, ...options })
  afterEach(async () => {
    await double.clearFaults()
    await double.notices.settled()
    expect(double.takeProblems()).toEqual([])
  })
  afterAll(() => double.close())
  return double
}
