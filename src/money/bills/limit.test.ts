import { expect, test } from 'vitest'
import { times, untilDone } from '../../../test/concurrency.ts'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { limitedBy } from '../../business/people/people.fixture.ts'
import { runAudit } from '../../ledger/audit.ts'
import { ENQUIRE, PHONE, PROCESS, shopOn, TOP_UP } from './bills.fixture.ts'

const server = await startServer({ jobs: false })
const DAY_MS = 24 * 3_600_000
// Noon, so that no day ends while a test counts what belongs to it.
server.clock.advance(1.5 * DAY_MS - (server.clock.now().getTime() % DAY_MS))

test('400 for a key above the day’s limit, with many at once; 200 for a person', async () => {
  const { businessId, enquire, post } = await shopOn(server)
  const { owner } = await limitedBy(server, businessId, { dailyApprovalAbove: 2_200 })
  await enquire()
  const all = await times(8, () => untilDone(() => post(PROCESS, TOP_UP)))
  expect(all.map(({ status }) => status).sort()).toEqual([
    ...Array(4).fill(200),
    ...Array(4).fill(400),
  ])
  const refused = all.find(({ status }) => status === 400)!
  expect(refused.body.errorCode).toBe('approval_needed')
  expect(refused.text).toContain(
    'would bring today’s transfers and bill payments to ₦2,500.00 (₦2,000.00 so far); more than ₦2,200.00 a day needs approval',
  )
  const { n } = await server.db.one<{ n: number }>`
    select count(*) as n from utility_payments where business_id = ${businessId}`
  expect(n).toBe(4)
  await owner.post(ENQUIRE, { customerId: PHONE, packageSlug: TOP_UP.packageSlug })
  expect((await owner.post(PROCESS, TOP_UP)).status).toBe(200)
  expect(await runAudit(server.db, allChecks)).toEqual([])
})

test('400 after a key changes the time zone, which does not start a new day', async () => {
  const now = server.clock.now()
  const late = Date.parse(`${now.toISOString().slice(0, 10)}T23:30:00Z`) - now.getTime()
  server.clock.advance(late > 0 ? late : late + DAY_MS)
  const { businessId, keys, enquire, post } = await shopOn(server)
  await limitedBy(server, businessId, { dailyApprovalAbove: 500 })
  await enquire()
  expect((await post(PROCESS, TOP_UP)).status).toBe(200)
  server.clock.advance(40 * 60_000)
  await enquire()
  const settings = '/api/user-service/external/v1/profile/settings'
  const changed = await server.as(keys.testSecret).put(settings, { timeZone: 'UTC' })
  expect(changed.status).toBe(200)
  expect(await post(PROCESS, TOP_UP)).toMatchObject({
    status: 400,
    body: { errorCode: 'approval_needed' },
  })
})

test('200 with the same bill for a concurrent repeat, though it uses up the day’s limit', async () => {
  const { businessId, enquire, post } = await shopOn(server)
  await limitedBy(server, businessId, { dailyApprovalAbove: 500 })
  await enquire()
  const bill = { ...TOP_UP, paymentReference: 'bill-1' }
  const all = await times(12, () => untilDone(() => post(PROCESS, bill)))
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]))
  const { n } = await server.db.one<{ n: number }>`
    select count(*) as n from utility_payments where business_id = ${businessId}`
  expect(n).toBe(1)
})
