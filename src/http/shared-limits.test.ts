import { expect, test } from 'vitest'
import { callerWith, startSecond, startServer } from '../../test/harness.ts'
import { openDatabase } from '../db/database.ts'
import { openSharedLimits } from '../db/shared-limits.ts'
import { addMs } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { openLimiter } from './rate-limit.ts'

const server = await startServer({ jobs: false })
const { db, connection, runJob } = server
const PROFILE = '/api/user-service/external/v1/profile'
const LIMIT = { perSecond: 10, burst: 100 }

/** A clock that stands still until it is moved. */
function stoppedClock() {
  let now = new Date()
  return {
    now: () => now,
    advance: (ms: number) => {
      now = addMs(now, ms)
    },
  }
}

/** Opens the limiters of several servers, each with its own connections. */
function limiters(count: number, name: string, clock = stoppedClock()) {
  const replies: Promise<unknown>[] = []
  const open = () => {
    const { take } = openSharedLimits(db)
    const sharedLimits = {
      take(...args: Parameters<typeof take>) {
        const reply = take(...args)
        replies.push(reply)
        return reply
      },
    }
    return openLimiter({ clock, rateLimit: LIMIT, sharedLimits }, name)
  }
  /** Waits until each server knows what it was told: others can read its commit before that. */
  const heard = () => Promise.all(replies)
  return { clock, heard, all: Array.from({ length: count }, open) }
}

type Take = (who: string) => unknown

/** Returns how many of this many requests are allowed. */
function allowed(take: Take, who: string, requests: number): number {
  let count = 0
  for (let i = 0; i < requests; i++) {
    try {
      take(who)
      count++
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== 'rate_limited') throw error
    }
  }
  return count
}

/** Reads the tokens that are left, as of the last time that some were taken. */
async function tokens(name: string, who: string | number, limit = LIMIT): Promise<number> {
  const left = await openSharedLimits(db).take(name, limit, [[who, 0]], new Date(0))
  return left.get(who)!
}

test('what one server has granted, another does not grant again', async () => {
  const { all, clock, heard } = limiters(2, 'one after another')
  const [first, second] = [all[0]!, all[1]!]
  const left = () => tokens('one after another', 'ada')
  expect(allowed(first, 'ada', 60)).toBe(60)
  await expect.poll(left).toBe(40)
  // The second server learns of it with its own first request.
  expect(allowed(second, 'ada', 1)).toBe(1)
  await expect.poll(left).toBe(39)
  await heard()
  const more = allowed(second, 'ada', 100)
  expect(more).toBe(39)
  await expect.poll(left).toBe(0)
  expect(allowed(second, 'ada', 1)).toBe(0)
  expect(allowed(second, 'bola', 1)).toBe(1)
  clock.advance(2_000)
  expect(allowed(second, 'ada', 100)).toBe(20)
})

test('servers that grant a burst at the same moment pay their debt back', async () => {
  const { all, clock } = limiters(3, 'at once')
  const left = () => tokens('at once', 'ada')
  // None of them knows of the others yet.
  expect(all.map((take) => allowed(take, 'ada', 150))).toEqual([100, 100, 100])
  await expect.poll(left).toBe(-200)
  let granted = 300
  for (let seconds = 1; seconds <= 40; seconds++) {
    clock.advance(1_000)
    let now = 0
    for (const take of all) now += allowed(take, 'ada', 100)
    granted += now
    if (now > 0) await expect.poll(left).toBeCloseTo(100 + 10 * seconds - granted)
  }
  // That is 100 and 10 a second, give or take what the servers have granted in the last seconds.
  // If each had its own limit, it would be 1,500.
  expect(granted).toBeLessThanOrEqual(100 + 400 + 100)
  expect(granted).toBeGreaterThanOrEqual(400)
})

test('tokens are taken exactly, by however many servers', async () => {
  const now = new Date()
  const pools = Array.from({ length: 4 }, () => openDatabase({ connection, connectionsMax: 4 }))
  const people = Array.from({ length: 30 }, (_, i) => `person ${i}`)
  await Promise.all(
    pools.flatMap((pool) =>
      Array.from({ length: 10 }, (_, i) => {
        // In different orders, which would deadlock if the rows were locked in them.
        const some = i % 2 === 0 ? people : people.toReversed()
        return openSharedLimits(pool).take(
          'exact',
          LIMIT,
          some.map((who) => [who, 1] as const),
          now,
        )
      }),
    ),
  )
  for (const pool of pools) await pool.close()
  for (const who of people) expect(await tokens('exact', who)).toBe(LIMIT.burst - 40)
  // A server whose clock is behind does not refill them, and one that is ahead refills them once.
  const { take } = openSharedLimits(db)
  const left = async (at: Date) =>
    (await take('exact', LIMIT, [['person 0', 0]], at)).get('person 0')
  expect(await left(addMs(now, -5_000))).toBe(60)
  expect(await left(addMs(now, 1_000))).toBe(70)
  expect(await left(now)).toBe(70)
  expect(await left(addMs(now, 1_000))).toBe(70)
})

test('buckets that are full again are deleted, and no address is stored', async () => {
  await db.run`delete from rate_limits`
  const shared = openSharedLimits(db)
  const now = server.clock.now()
  await shared.take('old', LIMIT, [['203.0.113.7', 1]], addMs(now, -3_600_000))
  await shared.take('new', LIMIT, [['203.0.113.7', 1]], now)
  expect(JSON.stringify(await db.many`select * from rate_limits`)).not.toContain('203.0.113')
  await runJob('rate-limits')
  expect(await db.many`select tokens from rate_limits`).toEqual([{ tokens: 99 }])
})

test('429 at a second server for a key that has used its limit at the first', async () => {
  const sharedLimits = openSharedLimits(db)
  const options = { rateLimit: 1, sharedLimits }
  const [one, two] = [await startSecond(server, options), await startSecond(server, options)]
  const { keys } = await server.newBusiness()
  const at = ({ url }: { url: string }) => callerWith(url, keys.testSecret).get(PROFILE)
  // The key has two requests, and gets another one each second: few enough that all can be refused
  // even if a slow machine takes half a second for one round.
  let granted = 0
  const began = performance.now()
  await expect
    .poll(async () => {
      const replies = await Promise.all(
        [one, two].flatMap((host) => Array.from({ length: 20 }, () => at(host))),
      )
      const passed = replies.filter(({ status }) => status === 200).length
      granted += passed
      return passed
    })
    .toBe(0)
  const refilled = (performance.now() - began) / 1_000
  // Both could have granted a whole burst, and refilled, before they knew of each other.
  expect(granted).toBeLessThanOrEqual(4 + 2 * refilled)
})

test('while the database does not respond, each server counts alone', async () => {
  const sharedLimits = { take: () => Promise.reject(new Error('down')) }
  const clock = stoppedClock()
  const take = openLimiter({ clock, rateLimit: LIMIT, sharedLimits }, 'alone')
  expect(allowed(take, 'ada', 120)).toBe(100)
  expect(allowed(take, 'ada', 100)).toBe(0)
})
