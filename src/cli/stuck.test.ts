import { beforeEach, expect, test } from 'vitest'
import { findings } from '../../test/corruption/findings.ts'
import { startServer } from '../../test/harness.ts'
import { openReceiver } from '../../test/webhook-receiver.ts'
import { memberOf } from '../business/people/people.fixture.ts'
import {
  deliveriesOf,
  endpointAt,
  endpointRow,
  tellEvents,
} from '../developers/webhooks/webhooks.fixture.ts'
import type { Connector, Outcome, PayoutState } from '../providers/connector/types.ts'
import { connect, setRoutes } from '../providers/providers.fixture.ts'
import { commandsOn, expectRefused } from './cli.fixture.ts'

const LOST: Outcome<PayoutState> = { kind: 'unknown', reason: 'timed_out', message: 'No response' }
const BLOCKED: Outcome<PayoutState> = {
  kind: 'done',
  value: { status: 'Blocked', message: 'Held up' },
}
const bank: { send: Outcome<PayoutState> } = { send: LOST }

// The provider's URL of the connection refuses the connections of the commands.
const server = await startServer({
  jobs: false,
  connectors: (simulator): { simulator: Connector; paystack: Connector } => ({
    simulator,
    paystack: { ...simulator, isSimulator: false, payOut: async () => bank.send },
  }),
})
const { db, clock, runJob } = server
const { tradepost, json } = commandsOn(server.name)
const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const SETTINGS = '/api/user-service/external/v1/profile/settings'
const INVOICES = '/api/payment-service/external/v1/invoices'
const HOUR_MS = 3_600_000

beforeEach(() => {
  bank.send = LOST
})

/** A business whose payouts go to the bank above. */
async function business() {
  const { businessId, keys } = await server.newBusiness()
  const connectionId = await connect(server, businessId, { baseUrl: 'http://127.0.0.1:1' })
  await setRoutes(server, businessId, [{ service: 'PAYOUTS', connectionId }])
  const key = server.as(keys.testSecret)
  const list = (...more: string[]) =>
    json('stuck', 'list', '--business', String(businessId), ...more)
  const owner = await memberOf(server, 'owner', businessId)
  const logged = async (action: string) =>
    (await owner.get(`/console/audit?action=${action}`)).body.data
  return { ...key, businessId, connectionId, list, owner, logged }
}

async function transferOf({ post }: Pick<Awaited<ReturnType<typeof business>>, 'post'>) {
  const account = { bankCode: '058', accountNumber: '0123456785' }
  const { status, body } = await post(TRANSFERS, { amount: 100, ...account })
  expect(status).toBe(201)
  await runJob('transfer-orders')
  return body.data.reference as string
}

/** Makes everything of a business older than it is, because commands use the real time. */
const age = (businessId: number, hours: number) =>
  db.run`
    update provider_orders
    set sent_at = sent_at - ${`${hours} hours`}::interval,
      last_sent_at = last_sent_at - ${`${hours} hours`}::interval
    where business_id = ${businessId}`

test('0 lists an order that nobody knows the outcome of, and ends it with a reason', async () => {
  const one = await business()
  const reference = await transferOf(one)
  expect(await one.list()).toEqual([])
  await age(one.businessId, 2)
  const [order, ...more] = await one.list()
  expect(more).toEqual([])
  expect(order).toMatchObject({
    id: expect.stringMatching(/^order:transfer:\d+$/),
    kind: 'order',
    mode: 'test',
    reference,
    state: 'unknown',
  })
  expect(await one.list('--kind', 'email')).toEqual([])
  expect(await one.list('--older-than', '3h')).toEqual([])
  expect(await one.list('--older-than', '1h')).toHaveLength(1)

  const asked = await tradepost('stuck', 'retry', order.id)
  expect([asked.status, asked.stdout]).toEqual([1, expect.stringContaining('still open')])
  expect(await one.logged('order.look_up')).toMatchObject([
    { person: 'The operator', personId: null, object: reference },
  ])

  const reason = 'Support: never received'
  const [ended] = await json('stuck', 'fail', order.id, '--reason', reason)
  expect(ended).toMatchObject({ id: order.id, ok: true })
  const { body } = await one.get(`${TRANSFERS}/${reference}`)
  expect(body.data.status).toBe('Rejected')
  expect(await one.logged('order.decide')).toMatchObject([
    { person: 'The operator', detail: `Decided: the order was not paid: ${reason}` },
  ])
  expect(await one.list()).toEqual([])
  const again = await tradepost('stuck', 'retry', order.id)
  expect([again.status, again.stdout]).toEqual([1, expect.stringContaining('not stuck')])
})

test('1 needs someone in the business above the approval limits', async () => {
  const one = await business()
  await memberOf(server, 'finance', one.businessId)
  const reference = await transferOf(one)
  await age(one.businessId, 2)
  expect((await one.owner.put(SETTINGS, { transferApprovalAbove: 1 })).status).toBe(200)
  const [{ id }] = await one.list()
  const [said] = await json('stuck', 'fail', id, '--reason', 'Never received')
  expect(said.says).toContain('Someone in the business has to decide the same')
  expect((await one.get(`${TRANSFERS}/${reference}`)).body.data.status).toBe('Pending')
  const twice = await tradepost('stuck', 'fail', id, '--reason', 'Never received')
  expect([twice.status, twice.stdout]).toEqual([1, expect.stringContaining('Someone else')])
})

test('0 sends a blocked transfer again, and does not end it', async () => {
  const one = await business()
  bank.send = BLOCKED
  const reference = await transferOf(one)
  const isTransfer = ({ kind }: { kind: string }) => kind === 'transfer'
  const { id } = (await one.list()).find(isTransfer)
  const failed = await tradepost('stuck', 'fail', id, '--reason', 'No')
  expect([failed.status, failed.stdout]).toEqual([1, expect.stringContaining('provider decides')])
  await json('stuck', 'retry', id)
  expect((await one.get(`${TRANSFERS}/${reference}`)).body.data.status).toBe('Pending')
  expect(await one.logged('retry_transfer')).toMatchObject([{ object: reference }])
})

test('0 rejects a transfer that nobody approved, and releases its money', async () => {
  const one = await business()
  await memberOf(server, 'finance', one.businessId)
  expect((await one.owner.put(SETTINGS, { transferApprovalAbove: 1 })).status).toBe(200)
  const reference = await transferOf(one)
  expect(await one.list()).toEqual([])
  await db.run`
    update transfers set updated_at = updated_at - interval '25 hours'
    where business_id = ${one.businessId}`
  const [{ id, state }] = await one.list()
  expect(state).toBe('Unverified')
  expect((await tradepost('stuck', 'retry', id)).stdout).toContain('approve')
  await json('stuck', 'fail', id, '--reason', 'Nobody knows it')
  expect((await one.get(`${TRANSFERS}/${reference}`)).body.data.status).toBe('Rejected')
  expect(await one.logged('reject_transfer')).toMatchObject([
    { detail: 'Rejected a transfer: Nobody knows it' },
  ])
})

test('0 sends a failed email again, or drops it', async () => {
  const one = await business()
  await one.post(INVOICES, { customerEmail: 'ada@example.com', amount: 9 })
  await runJob('mail')
  const fail = () => db.run`
    update mails set status = 'Failed', last_error = 'Refused'
    where business_id = ${one.businessId}`
  const status = async () =>
    (
      await db.one<{
        status: string
      }>`select status from mails where business_id = ${one.businessId}`
    ).status
  await fail()
  const [email] = await one.list('--kind', 'email')
  expect(email).toMatchObject({ state: 'Failed', reason: 'Refused', reference: 'invoice' })
  await json('stuck', 'retry', email.id)
  expect(await status()).toBe('Queued')
  await runJob('mail')
  expect(await status()).toBe('Captured')
  await fail()
  await json('stuck', 'fail', email.id, '--reason', 'The address is wrong')
  expect(await status()).toBe('Dropped')
  expect(await one.list()).toEqual([])
  expect(await one.logged('mail.drop')).toHaveLength(1)
})

test('0 makes the deliveries of a failing endpoint due, or disables it', async () => {
  const one = await business()
  const receiver = await openReceiver()
  receiver.answer = (response) => response.writeHead(500).end()
  const endpoint = await endpointAt(server, { url: `${receiver.url}/${one.businessId}`, ...one })
  await tellEvents(one, 2)
  await server.app.deliverer.run(db, clock.now())
  await server.app.deliverer.idle()
  const late = new Date(Date.now() + HOUR_MS)
  await db.run`update webhook_deliveries set due_at = ${late} where webhook_id = ${endpoint.id}`
  const [{ id }] = await one.list('--kind', 'webhook')
  const [said] = await json('stuck', 'retry', id)
  expect(said.says).toMatch(/: [1-9]\d*\.$/)
  for (const { due_at } of await deliveriesOf(server, endpoint)) {
    expect(due_at.getTime()).toBeLessThanOrEqual(Date.now())
  }
  await json('stuck', 'fail', id, '--reason', 'The host is gone')
  expect(await endpointRow(server, endpoint)).toMatchObject({
    status: 'Disabled',
    disabled_reason: 'The host is gone',
  })
  expect(await one.list('--kind', 'webhook')).toEqual([])
})

test('0 looks up again what a failed notification was about, or closes it', async () => {
  const one = await business()
  const id = await server.ids.next()
  await db.run`
    insert into provider_notices (business_id, live, id, connection_id, key, type, about,
      body_encrypted, status, result, tries, received_at, last_received_at)
    values (${one.businessId}, false, ${id}, ${one.connectionId}, 'k', 'transfer.success',
      'payout', ${Buffer.alloc(1)}, 'Failed', 'No response', 17, ${clock.now()}, ${clock.now()})`
  const row = () => db.one`select status, result, next_at from provider_notices where id = ${id}`
  const name = `notice:${id}`
  expect(await one.list()).toMatchObject([{ id: name, reason: 'No response' }])
  await json('stuck', 'retry', name)
  expect(await row()).toMatchObject({ status: 'Received', next_at: expect.any(Date) })
  await db.run`update provider_notices set status = 'Failed' where id = ${id}`
  await json('stuck', 'fail', name, '--reason', 'Booked by hand')
  expect(await row()).toEqual({ status: 'Unchanged', result: 'Booked by hand', next_at: null })
})

test('0 lists refunds that need attention, and payments that nothing has ended', async () => {
  const one = await business()
  const { body } = await one.post('/api/transaction-service/external/v1/transaction-with-ussd', {
    channel: 'USSD',
    amount: 500,
  })
  await db.run`
    update transactions set expires_at = expires_at - interval '2 days'
    where business_id = ${one.businessId}`
  const [payment, ...others] = await one.list('--kind', 'payment')
  expect(others).toEqual([])
  expect(payment).toMatchObject({ reference: body.data.reference, state: 'expired' })
  const asked = await tradepost('stuck', 'retry', payment.id)
  expect([asked.status, asked.stdout]).toEqual([1, expect.stringContaining(payment.id)])
  expect(await one.list('--kind', 'refund')).toEqual([])
})

test('1 changes nothing while the server only reads', async () => {
  const one = await business()
  const reference = await transferOf(one)
  await age(one.businessId, 2)
  const [{ id }] = await one.list()
  await json('read-only', 'on', '--reason', 'Moving')
  for (const args of [
    ['retry', id],
    ['fail', id, '--reason', 'Never received'],
  ]) {
    const { status, stdout } = await tradepost('stuck', ...args)
    expect([status, stdout]).toEqual([1, expect.stringContaining('only reads at the moment')])
  }
  await json('read-only', 'off')
  expect((await one.get(`${TRANSFERS}/${reference}`)).body.data.status).toBe('Pending')
  expect(await one.list()).toHaveLength(1)
})

test.each([
  [['list', '--kind', 'person'], 'Allowed choices'],
  [['list', '--older-than', 'ages'], 'must be a duration'],
  [['retry', 'transfer'], 'must be an id'],
  [['retry', 'order:5'], 'must be an id'],
  [['retry', 'transfer:x:5'], 'must be an id'],
  [['fail', 'transfer:5'], '--reason'],
])('stuck refuses %j', async (args, says) => {
  expectRefused(await tradepost('stuck', ...args), 2, says)
})

test('the audit finds nothing', async () => {
  expect(await findings(server)).toEqual([])
})
