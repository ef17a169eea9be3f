import { expect, test } from 'vitest'
import { type Damage, findingsOf, testDamages } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { openReceiver } from '../../../test/webhook-receiver.ts'
import { addMs } from '../../lib/clock.ts'
import { webhookChecks } from './audit.ts'
import { deliveriesOf, endpointAt, sendDue, tellEvents } from './webhooks.fixture.ts'

const server = await startServer({ jobs: false })
const receiver = await openReceiver()
const { db } = server

interface Rows {
  business: number
  endpoint: number
  /** A delivered event, then one that failed once and waits. */
  delivered: number
  pending: number
}

/** The business that the tests damage. */
async function told(): Promise<Rows> {
  const { businessId, keys } = await server.newBusiness()
  const { id } = await endpointAt(server, {
    url: receiver.url,
    businessId,
    events: ['invoice.created'],
  })
  for (const status of [200, 500]) {
    receiver.answer = (response) => response.writeHead(status).end()
    await tellEvents(server.as(keys.testSecret))
    await sendDue(server)
  }
  const [delivered, pending] = await deliveriesOf(server, { id })
  return {
    business: businessId,
    endpoint: id,
    delivered: delivered!.event_id,
    pending: pending!.event_id,
  }
}

const damages: Damage<Rows>[] = [
  [
    'a failing endpoint without a start time',
    ({ endpoint }) => `update webhooks set failing_since = null where id = ${endpoint}`,
    ({ endpoint }) => [`webhook-endpoints: webhooks ${endpoint}`],
  ],
  [
    'a disabled endpoint without a time',
    ({ endpoint }) => `update webhooks set status = 'Disabled' where id = ${endpoint}`,
    ({ endpoint }) => [`webhook-endpoints: webhooks ${endpoint}`],
  ],
  [
    'a delivery of a missing event',
    ({ delivered }) => `update webhook_deliveries set event_at = event_at - interval '1 day'
      where event_id = ${delivered}`,
    ({ delivered }) => [`webhook-deliveries: webhook_deliveries ${delivered}`],
  ],
  [
    'a delivery with another type',
    ({ pending }) => `update webhook_deliveries set event_type = 'invoice.paid'
      where event_id = ${pending}`,
    ({ pending }) => [`webhook-deliveries: webhook_deliveries ${pending}`],
  ],
  [
    'a failure marked as delivered',
    ({ pending }) => `update webhook_deliveries set status = 'Delivered', finished_at = due_at
      where event_id = ${pending}`,
    ({ pending }) => [`webhook-states: webhook_deliveries ${pending}`],
  ],
  [
    'a success marked as failed',
    ({ delivered }) => `update webhook_deliveries set status = 'Failed'
      where event_id = ${delivered}`,
    ({ delivered }) => [`webhook-states: webhook_deliveries ${delivered}`],
  ],
  [
    'a success marked as pending',
    ({ delivered }) => `update webhook_deliveries set status = 'Pending'
      where event_id = ${delivered}`,
    ({ delivered }) => [`webhook-states: webhook_deliveries ${delivered}`],
  ],
  [
    'a missing attempt',
    ({ pending }) => `delete from webhook_attempts where event_id = ${pending}`,
    ({ pending }) => [`webhook-attempts: webhook_attempts ${pending}`],
  ],
  [
    'an attempt with another number',
    ({ delivered }) => `update webhook_attempts set number = 2 where event_id = ${delivered}`,
    ({ delivered }) => [`webhook-attempts: webhook_attempts ${delivered}`],
  ],
  [
    'an attempt without a delivery',
    ({ endpoint, delivered }) => `insert into webhook_attempts
      select business_id, live, webhook_id, -event_id, number, url, headers, status, error,
        response, duration_ms, at
      from webhook_attempts where webhook_id = ${endpoint} and event_id = ${delivered}`,
    ({ delivered }) => [`webhook-attempts: webhook_attempts ${-delivered}`],
  ],
  [
    'an event that was never queued',
    ({ pending }) => `with tried as (delete from webhook_attempts where event_id = ${pending})
      delete from webhook_deliveries where event_id = ${pending}`,
    ({ pending }) => [`webhook-queue: events ${pending}`],
  ],
]

testDamages('the audit of webhooks', { server, shop: told, damages, checks: webhookChecks })

test('deliveries older than thirty days are deleted with their attempts, without a finding', async () => {
  const { business, endpoint, delivered, pending } = await told()
  const DAY = 24 * 3_600_000
  const prune = server.app.jobs.find(({ name }) => name === 'webhook-prune')!
  const ids = async () => (await deliveriesOf(server, { id: endpoint })).map((row) => row.event_id)
  const pruneAfter = (days: number) => prune.run(db, addMs(server.clock.now(), days * DAY))
  // A delivery that is still being retried stays.
  await db.run`
    update webhook_deliveries set due_at = due_at + interval '3 days' where event_id = ${pending}`
  await pruneAfter(29)
  expect(await ids()).toEqual([delivered, pending])
  await pruneAfter(31)
  expect(await ids()).toEqual([pending])
  expect(await findingsOf(server, business)).toEqual([])
  await pruneAfter(34)
  expect(await ids()).toEqual([])
  const tried = await db.many`select from webhook_attempts where webhook_id = ${endpoint}`
  expect(tried).toEqual([])
})
