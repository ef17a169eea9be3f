import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabase } from '../../test/harness.ts'
import { startJobs } from './jobs.ts'

const { db, clock } = await testDatabase()

test('a job that is repeated for a long time gets the current time each time', async () => {
  const times: Date[] = []
  const job = {
    name: 'long',
    everyMs: 3_600_000,
    async run(_db: unknown, now: Date) {
      times.push(now)
      if (times.length > 5) return 0
      clock.advance(30_000)
      return 1
    },
  }
  const running = startJobs(db, clock, [job], pino({ level: 'silent' }))
  onTestFinished(() => running.stop())
  await expect.poll(() => times.length).toBeGreaterThan(5)
  for (const [i, time] of times.slice(1, 6).entries()) {
    expect(time.getTime()).toBeGreaterThanOrEqual(times[i]!.getTime() + 30_000)
  }
})
