import { afterAll, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { allChecks } from '../audit.ts'
import { runAudit } from '../ledger/audit.ts'
import { nothing, openBank, openShop } from '../money/transfers/transfers.fixture.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const HOUR_MS = 3_600_000

const server = await startServer({ jobs: false })
const { db, clock, runJob } = server
const { bankDay, ordersOf } = openBank(server)

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

test('200 for work planned by a clock an hour ahead: done once, at most an hour late', async () => {
  const { businessId, send, post, transfer, wallet } = await openShop(server)
  const mails = () => db.many<{ status: string }>`
    select status from mails where business_id = ${businessId} order by id`
  const statusOf = async (reference: string) => (await transfer(reference)).status
  const invoice = { customerEmail: 'ada@example.com', amount: 500 }

  clock.advance(HOUR_MS)
  const early = await send()
  await post(INVOICES, invoice)
  clock.advance(-HOUR_MS)

  // New work is done now, whatever is waiting.
  const now = await send()
  await post(INVOICES, invoice)
  await bankDay()
  await runJob('mail')
  expect([await statusOf(early), await statusOf(now)]).toEqual(['Pending', 'Successful'])
  expect(await mails()).toEqual([{ status: 'Queued' }, { status: 'Captured' }])

  clock.advance(HOUR_MS)
  await bankDay()
  await runJob('mail')
  expect([await statusOf(early), await statusOf(now)]).toEqual(['Successful', 'Successful'])
  expect(await ordersOf(early)).toHaveLength(1)
  expect(await mails()).toEqual([{ status: 'Captured' }, { status: 'Captured' }])
  expect(await wallet()).toEqual({ available: nothing.available - 2 * 1_010, held: 0 })
})
