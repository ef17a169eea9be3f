import { afterAll, describe, expect, test } from 'vitest'
import { times } from '../../../test/concurrency.ts'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { nextPayoutAt } from '../../business/account/payout-schedule.ts'
import { memberOf } from '../../business/people/people.fixture.ts'
import { connect, routesApply, setRoutes } from '../../providers/providers.fixture.ts'
import { openShop, SETTINGS } from './payouts.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock, runJob } = server
const DAY_MS = 24 * 3_600_000
// Noon, so that no payout is due because a day ends during a test.
clock.advance(1.5 * DAY_MS - (clock.now().getTime() % DAY_MS))

afterAll(async () => expect(await findings(server)).toEqual([]))

const shop = (settings: object = {}, more: object = {}) => openShop(server, { settings, ...more })

describe('the dates of a schedule', () => {
  test.each([
    // 2026-11-27 is a Friday.
    ['daily', 'Africa/Lagos', '2026-11-27T10:00:00Z', '2026-11-27T23:00:00Z'],
    ['daily', 'Africa/Lagos', '2026-11-27T23:00:00Z', '2026-11-28T23:00:00Z'],
    ['weekly', 'Africa/Lagos', '2026-11-27T10:00:00Z', '2026-11-29T23:00:00Z'],
    ['weekly', 'Africa/Lagos', '2026-11-29T22:59:59Z', '2026-11-29T23:00:00Z'],
    ['weekly', 'Africa/Lagos', '2026-11-29T23:00:00Z', '2026-12-06T23:00:00Z'],
    ['weekly', 'America/New_York', '2026-11-30T04:59:00Z', '2026-11-30T05:00:00Z'],
    // The clock goes back on Sunday 25 October and forward on Sunday 29 March.
    ['daily', 'Europe/London', '2026-10-25T00:30:00Z', '2026-10-26T00:00:00Z'],
    ['weekly', 'Europe/London', '2026-03-27T12:00:00Z', '2026-03-29T23:00:00Z'],
  ] as const)('%s in %s after %s is %s', (schedule, zone, now, at) => {
    expect(nextPayoutAt(schedule, zone, new Date(now))).toEqual(new Date(at))
  })

  test('manual has none', () => {
    expect(nextPayoutAt('manual', 'Africa/Lagos', new Date())).toBe(null)
  })
})

describe('payoutSchedule', () => {
  test('200 is manual at first, and can be changed; 400 for another word', async () => {
    const { get, put, set, next } = await shop()
    expect((await get(SETTINGS)).body.data.payoutSchedule).toBe('manual')
    expect((await set({ payoutSchedule: 'daily' })).payoutSchedule).toBe('daily')
    const daily = await next()
    expect(daily.nextAt).toBe(daily.dates[0])
    const gaps = daily.dates.map((at: string) => Date.parse(at))
    expect([gaps[1] - gaps[0], gaps[2] - gaps[1]]).toEqual([DAY_MS, DAY_MS])
    const weekly = await next('?schedule=weekly')
    expect(weekly).toMatchObject({ schedule: 'daily', nextAt: daily.nextAt })
    expect(Date.parse(weekly.dates[1]) - Date.parse(weekly.dates[0])).toBe(7 * DAY_MS)
    expect((await put(SETTINGS, { payoutSchedule: 'hourly' })).status).toBe(400)
    expect((await set({ payoutSchedule: 'manual' })).payoutSchedule).toBe('manual')
    expect(await next()).toMatchObject({ nextAt: null, dates: [] })
  })

  test('200 moves the date with the time zone', async () => {
    const { set, next } = await shop({ payoutSchedule: 'daily', timeZone: 'Africa/Lagos' })
    const hourOf = async () => new Date((await next()).nextAt).getUTCHours()
    expect(await hourOf()).toBe(23)
    await set({ timeZone: 'Africa/Nairobi' })
    expect(await hourOf()).toBe(21)
    // Nothing else moves it.
    const before = (await next()).nextAt
    await set({ feeBearer: 'customer', timeZone: 'Africa/Nairobi', payoutSchedule: 'daily' })
    expect((await next()).nextAt).toBe(before)
  })
})

describe('the job', () => {
  test('200 pays out the whole balance on each day, by the test clock', async () => {
    const { post, list, wallet, fund, bank } = await shop({ payoutSchedule: 'daily' })
    const advance = async (days: number) => {
      const moved = await post('/api/simulator/clock', { advanceSeconds: (days * DAY_MS) / 1000 })
      expect(moved.status).toBe(200)
      await runJob('payouts')
    }
    await runJob('payouts')
    expect(await list()).toEqual([])
    await advance(1)
    expect(await list()).toMatchObject([
      { origin: 'payout', status: 'Pending', amount: 999_950, createdBy: null },
    ])
    expect(await wallet()).toEqual({ available: 0, held: 1_000_000 })
    await runJob('payouts')
    expect(await list()).toHaveLength(1)
    await bank()
    // There is nothing to pay out on the second day, and on the third there is.
    await advance(1)
    expect(await list()).toHaveLength(1)
    await fund(500)
    await advance(1)
    expect((await list()).map(({ amount }) => amount)).toEqual([999_950, 490])
  })

  test('200 pays out once, however many processes run it, and beside a request for the same', async () => {
    const { businessId, list, payOut, next } = await shop({ payoutSchedule: 'weekly' })
    await db.run`
      update business_settings set payout_at = ${clock.now()} where business_id = ${businessId}
        and payout_schedule <> 'manual'`
    await Promise.all([...Array.from({ length: 6 }, () => runJob('payouts')), payOut(), payOut()])
    expect(await list()).toHaveLength(1)
    expect(Date.parse((await next()).nextAt)).toBeGreaterThan(clock.now().getTime())
  })

  test('200 waits while payouts are stopped, and then pays out once', async () => {
    const { businessId, comeDue, list, next } = await shop({ payoutSchedule: 'daily' })
    const owner = await memberOf(server, 'owner', businessId)
    await owner.post('/console/payouts/stop', { reason: 'A key was stolen' })
    await comeDue()
    expect(await list()).toEqual([])
    const wait = Date.parse((await next()).nextAt) - clock.now().getTime()
    expect(Math.round(wait / 60_000)).toBe(10)
    await owner.post('/console/payouts/resume')
    clock.advance(11 * 60_000)
    await runJob('payouts')
    expect(await list()).toHaveLength(1)
  })

  test('200 waits for the end of a pause', async () => {
    const { businessId, comeDue, list, next, payOut } = await shop({ payoutSchedule: 'daily' })
    const until = new Date(clock.now().getTime() + 3 * DAY_MS)
    const pause = (to: Date | null) => db.run`
      update business_settings set payouts_paused_until = ${to}
      where business_id = ${businessId} and not live`
    await pause(until)
    expect((await payOut()).body.errorCode).toBe('payouts_paused')
    const shown = await next()
    expect(shown).toMatchObject({
      blockedBy: 'payouts_paused',
      pausedUntil: until.toISOString(),
      nextAt: until.toISOString(),
    })
    await comeDue()
    expect(await list()).toEqual([])
    clock.advance(3 * DAY_MS)
    await runJob('payouts')
    expect(await list()).toHaveLength(1)
    await pause(null)
  })

  test('200 skips a date without an account, or while a provider pays out by itself', async () => {
    const bare = await shop({ payoutSchedule: 'daily' }, { accountNumber: null })
    await bare.comeDue()
    expect(await bare.list()).toEqual([])
    expect((await bare.next()).nextAt).toBe(null)
    const automatic = await shop({ payoutSchedule: 'daily' })
    await connect(server, automatic.businessId, { settings: { automaticSettlement: true } })
    await automatic.comeDue()
    expect(await automatic.list()).toEqual([])
    const { payout_at } = await db.one<{ payout_at: Date }>`
      select payout_at from business_settings
      where business_id = ${automatic.businessId} and not live`
    expect(payout_at.getTime()).toBeGreaterThan(clock.now().getTime())
  })

  test('200 tries again after ten minutes if no provider can pay', async () => {
    const { businessId, comeDue, list, next } = await shop({ payoutSchedule: 'daily' })
    const connectionId = await connect(server, businessId, { status: 'Paused' })
    await setRoutes(server, businessId, [{ service: 'PAYOUTS', connectionId }])
    await routesApply()
    await comeDue()
    expect(await list()).toEqual([])
    const wait = Date.parse((await next()).nextAt) - clock.now().getTime()
    expect(Math.round(wait / 60_000)).toBe(10)
    await setRoutes(server, businessId, [])
    await routesApply()
    clock.advance(11 * 60_000)
    await runJob('payouts')
    expect(await list()).toHaveLength(1)
  })

  test('200 waits for approval above a limit, which any approver can give', async () => {
    const { businessId, comeDue, list } = await shop()
    const owner = await memberOf(server, 'owner', businessId)
    await memberOf(server, 'finance', businessId)
    const change = { payoutSchedule: 'daily', transferApprovalAbove: 1_000 }
    expect((await owner.put(SETTINGS, change)).status).toBe(200)
    await comeDue()
    const [one, ...others] = await list()
    expect([one.status, one.needsSecondPerson, others]).toEqual(['Unverified', true, []])
    const approve = `/api/transaction-service/external/v1/transfers/${one.reference}/approve`
    expect((await owner.post(approve)).status).toBe(200)
  })

  test('200 pays out to many businesses at once', async () => {
    const shops = await times(5, () => shop({ payoutSchedule: 'daily' }))
    const ids = shops.map(({ businessId }) => businessId)
    await db.run`
      update business_settings set payout_at = ${clock.now()}
      where payout_schedule <> 'manual' and business_id = any(${ids})`
    await runJob('payouts')
    for (const one of shops) expect(await one.list()).toHaveLength(1)
  })
})
