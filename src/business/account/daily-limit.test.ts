import { once } from 'node:events'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { limitedBy } from '../people/people.fixture.ts'
import { startOfLimitDay } from './approval.ts'

const server = await startServer({ jobs: false })
const { clock, db } = server
const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const SETTINGS = '/api/user-service/external/v1/profile/settings'
const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Advances the clock to the next occurrence of this time in UTC. */
function waitUntil(time: string): void {
  const now = clock.now()
  const at = Date.parse(`${now.toISOString().slice(0, 10)}T${time}:00Z`) - now.getTime()
  clock.advance(at > 0 ? at : at + 24 * HOUR)
}

/** A business in Lagos that can send ₦1,800 a day without approval. */
async function shop() {
  const { businessId, keys } = await server.newBusiness()
  const { owner } = await limitedBy(server, businessId, { dailyApprovalAbove: 1_800 })
  const { get, post, put } = server.as(keys.testSecret)
  const send = async (amount = 900) => {
    const to = { bankCode: '058', accountNumber: '0000000001' }
    const { status, body } = await post(TRANSFERS, { amount, ...to })
    expect(status).toBe(201)
    return body.data.status as string
  }
  const move = async (timeZone: string) =>
    expect(await put(SETTINGS, { timeZone })).toMatchObject({ status: 200 })
  const useUp = async () => expect([await send(), await send()]).toEqual(['Pending', 'Pending'])
  const needsApproval = async () =>
    (await get(`${TRANSFERS}/fee?amount=1`)).body.data.needsApproval as boolean
  return { owner, send, move, useUp, needsApproval }
}

test('201 Unverified after the time zone changes: the day ends a day later, at midnight there', async () => {
  waitUntil('23:30')
  const { send, move, useUp, needsApproval } = await shop()
  await useUp()
  clock.advance(40 * MINUTE)
  // Midnight has just passed in each of them.
  for (let hour = 0; hour < 24; hour += 1) {
    await move(hour === 0 ? 'UTC' : `Etc/GMT${hour < 13 ? `+${hour}` : hour - 24}`)
    expect([await needsApproval(), await send(1)]).toEqual(
      // Lagos is an hour east of UTC: a whole day has passed there.
      hour < 23 ? [true, 'Unverified'] : [false, 'Pending'],
    )
    clock.advance(HOUR)
  }
  expect(await runAudit(db, allChecks)).toEqual([])
})

test('201 Pending from the first midnight in the new zone that is a whole day later', async () => {
  waitUntil('23:30')
  const { send, move, useUp } = await shop()
  await useUp()
  await move('Etc/GMT+12')
  for (let hours = 0; hours < 36; hours += 6) {
    expect(await send(1)).toBe('Unverified')
    clock.advance(6 * HOUR)
  }
  waitUntil('12:10')
  await useUp()
  expect(await send(1)).toBe('Unverified')
})

test('201 Unverified for all transfers sent while the time zone changes', async () => {
  waitUntil('23:30')
  const { send, move, useUp } = await shop()
  await useUp()
  clock.advance(40 * MINUTE)
  const [sent] = await Promise.all([
    Promise.all(Array.from({ length: 24 }, () => send(1))),
    ...['UTC', 'Africa/Lagos', 'Africa/Abidjan', 'UTC'].map(move),
  ])
  expect(new Set(sent)).toEqual(new Set(['Unverified']))
  expect(await runAudit(db, allChecks)).toEqual([])
})

test('201 Unverified if the change of the time zone was requested before midnight', async () => {
  waitUntil('22:59')
  const { owner, send, useUp } = await shop()
  const { key } = (await owner.post('/console/keys', {})).body.data
  const slow = request(server.url + SETTINGS, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  })
  slow.write('{"timeZone":')
  const wasUsed = () => db.many`
    select from api_keys where created_by = ${owner.id} and last_used_at is not null`
  await expect.poll(wasUsed).toHaveLength(1)
  clock.advance(2 * MINUTE)
  await useUp()
  slow.end('"UTC"}')
  const [{ statusCode }] = await once(slow, 'response')
  expect(statusCode).toBe(200)
  waitUntil('00:10')
  expect(await send(1)).toBe('Unverified')
})

test('a request from before the day of a change counts all of the previous day', () => {
  const change = { time_zone: 'UTC', day_began_at: new Date('2026-03-02T23:00:00Z') }
  const late = startOfLimitDay(change, new Date('2026-03-02T22:59:59Z'))
  expect(late.toISOString()).toBe('2026-03-01T23:00:00.000Z')
  const inTime = startOfLimitDay(change, new Date('2026-03-03T00:10:00Z'))
  expect(inTime.toISOString()).toBe('2026-03-02T23:00:00.000Z')
})
