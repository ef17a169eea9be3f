import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import { startProxy } from '../../../test/db-proxy.ts'
import { startSecond, startServer } from '../../../test/harness.ts'
import { openReceiver } from '../../../test/webhook-receiver.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import {
  attemptsOf,
  deliveriesOf,
  disable,
  endpointAt,
  sendDue,
  tellEvents,
} from './webhooks.fixture.ts'

const CREATED = ['invoice.created']
const MINUTE = 60_000
const PATIENT = { timeout: MINUTE, interval: 20 }

const still = await startServer({ jobs: false })

/** A new business with an endpoint at a new receiver. */
async function merchant(server = still) {
  const receiver = await openReceiver()
  const { businessId, keys } = await server.newBusiness()
  const endpoint = await endpointAt(server, { url: receiver.url, businessId, events: CREATED })
  const ids = () => receiver.received.map(({ headers }) => headers['webhook-id'])
  return { ...server.as(keys.testSecret), keys, businessId, receiver, endpoint, ids }
}

/** Makes a receiver delay its responses. */
function hold(receiver: Awaited<ReturnType<typeof openReceiver>>) {
  const held: ServerResponse[] = []
  receiver.answer = (response) => held.push(response)
  return {
    held,
    until: (count: number) =>
      vi.waitFor(() => expect(held.length).toBeGreaterThanOrEqual(count), PATIENT),
  }
}

test('an endpoint that hangs delays no other, and gets few requests', async () => {
  const webhooks = { allowsLoopback: true, timeoutMs: 10 * MINUTE, leaseMs: 20 * MINUTE }
  const server = await startServer({ webhooks })
  const [dead, live] = [await merchant(server), await merchant(server)]
  const { held, until } = hold(dead.receiver)
  await tellEvents(dead, 40)
  await until(2)
  await tellEvents(live, 100)
  await vi.waitFor(() => expect(live.receiver.received).toHaveLength(100), PATIENT)
  expect(new Set(live.ids()).size).toBe(100)
  // Only as many requests are in progress as an endpoint starts with.
  expect(held).toHaveLength(2)
  await server.close()
})

test('200 events are sent once each by two servers, and all signatures verify', async () => {
  const server = await startServer()
  const second = await startSecond(server, { jobs: true })
  const one = await merchant(server)
  for (let i = 0; i < 4; i++) {
    await Promise.all([
      tellEvents(one, 25),
      tellEvents(server.as(one.keys.testSecret), 25),
      second.get('/health/live'),
    ])
  }
  await vi.waitFor(() => expect(new Set(one.ids()).size).toBe(200), PATIENT)
  await vi.waitFor(async () => {
    const deliveries = await deliveriesOf(server, one.endpoint)
    expect(deliveries.filter(({ status }) => status === 'Delivered')).toHaveLength(200)
  }, PATIENT)
  expect(one.receiver.received).toHaveLength(200)
  for (const { body, headers } of one.receiver.received) {
    new Webhook(one.endpoint.secret).verify(body, headers as Record<string, string>)
  }
  expect(await runAudit(server.db, allChecks)).toEqual([])
  await second.close()
  await server.close()
})

test('two simultaneous claims take different deliveries', async () => {
  const second = await startSecond(still)
  const one = await merchant()
  const { held, until } = hold(one.receiver)
  await tellEvents(one, 4)
  const now = still.clock.now()
  const [mine, theirs] = await Promise.all([
    still.app.deliverer.run(still.db, now),
    second.app.deliverer.run(second.db, now),
  ])
  expect(mine + theirs).toBeLessThanOrEqual(4)
  await until(mine + theirs)
  expect(new Set(one.ids()).size).toBe(mine + theirs)
  for (const response of held) response.end()
  one.receiver.answer = (response) => response.end()
  await second.app.deliverer.idle()
  await sendDue(still)
  await second.close()
  expect(one.receiver.received).toHaveLength(4)
  expect(new Set(one.ids()).size).toBe(4)
})

test('deliveries claimed by a killed process are sent by another when the lease ends', async () => {
  const one = await merchant()
  const { until } = hold(one.receiver)
  const [event] = await tellEvents(one)
  const args = ['--import', './src/loader.js', 'test/webhook-claimer.ts']
  const claimer = spawn(process.execPath, [...args, JSON.stringify(still.connection)])
  await until(1)
  claimer.kill('SIGKILL')
  await once(claimer, 'exit')

  one.receiver.answer = (response) => response.end()
  await sendDue(still)
  expect(one.receiver.received).toHaveLength(1)
  still.clock.advance(MINUTE + 1_000)
  await sendDue(still)
  const [first, again, ...more] = one.receiver.received
  expect(more).toEqual([])
  expect(again!.body).toBe(first!.body)
  expect(again!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
  expect(JSON.parse(again!.body).data.reference).toBe(event!.reference)
  // The attempt without a recorded end is unknown.
  expect(await deliveriesOf(still, one.endpoint)).toMatchObject([
    { status: 'Delivered', attempt_count: 1 },
  ])
})

test('an attempt that ends after its lease is recorded, and does not undo a success', async () => {
  const second = await startSecond(still)
  const one = await merchant()
  const { held, until } = hold(one.receiver)
  await tellEvents(one)
  await still.app.deliverer.run(still.db, still.clock.now())
  await until(1)
  still.clock.advance(MINUTE + 1_000)
  one.receiver.answer = (response) => response.writeHead(204).end()
  await second.app.deliverer.run(second.db, still.clock.now())
  await second.app.deliverer.idle()
  expect(await deliveriesOf(still, one.endpoint)).toMatchObject([{ status: 'Delivered' }])
  held[0]!.writeHead(500).end()
  await still.app.deliverer.idle()
  expect(await deliveriesOf(still, one.endpoint)).toMatchObject([
    { status: 'Delivered', attempt_count: 2, last_status: 204, lease_until: null },
  ])
  expect(await attemptsOf(still, one.endpoint)).toMatchObject([
    { number: 1, status: 204 },
    { number: 2, status: 500 },
  ])
  await second.close()
})

test('a success after its lease counts, whatever another process did meanwhile', async () => {
  const second = await startSecond(still)
  const one = await merchant()
  const { held, until } = hold(one.receiver)
  await tellEvents(one)
  await still.app.deliverer.run(still.db, still.clock.now())
  await until(1)
  still.clock.advance(MINUTE + 1_000)
  one.receiver.answer = (response) => response.writeHead(500).end()
  await second.app.deliverer.run(second.db, still.clock.now())
  await second.app.deliverer.idle()
  expect(await deliveriesOf(still, one.endpoint)).toMatchObject([{ status: 'Pending' }])
  held[0]!.end()
  await still.app.deliverer.idle()
  expect(await deliveriesOf(still, one.endpoint)).toMatchObject([
    { status: 'Delivered', attempt_count: 2, last_status: 200 },
  ])
  await second.close()
})

test('two attempts of one process at one delivery are both recorded', async () => {
  const one = await merchant()
  const { held, until } = hold(one.receiver)
  await tellEvents(one)
  await still.app.deliverer.run(still.db, still.clock.now())
  await until(1)
  // As after a process was paused for longer than its lease.
  still.clock.advance(MINUTE + 1_000)
  const [delivery] = await deliveriesOf(still, one.endpoint)
  const tenant = { businessId: one.businessId, live: false }
  const { id } = one.endpoint
  const attempt = still.app.deliverer.deliverNow(tenant, id, delivery!.event_id)
  await until(2)
  for (const [i, response] of held.entries()) response.writeHead(i === 0 ? 500 : 200).end()
  await Promise.all([attempt, still.app.deliverer.idle()])
  expect(await deliveriesOf(still, one.endpoint)).toMatchObject([
    { status: 'Delivered', attempt_count: 2, last_status: 200, lease_until: null },
  ])
  const statuses = (await attemptsOf(still, one.endpoint)).map(({ status }) => status)
  expect(statuses.sort()).toEqual([200, 500])
})

test('the end of an attempt is recorded once, even if the database connection breaks', async () => {
  const proxy = await startProxy(still.connection)
  const second = await startSecond(still, { connection: proxy.connection })
  const one = await merchant()
  const { held, until } = hold(one.receiver)
  await tellEvents(one)
  await second.app.deliverer.run(second.db, still.clock.now())
  await until(1)
  const cut = proxy.cutAfter('record_webhook_results')
  held[0]!.end()
  await cut
  proxy.restore()
  await second.app.deliverer.idle()
  expect(await deliveriesOf(still, one.endpoint)).toMatchObject([
    { status: 'Delivered', attempt_count: 1 },
  ])
  expect(await attemptsOf(still, one.endpoint)).toHaveLength(1)
  expect(one.receiver.received).toHaveLength(1)
  await second.close()
})

test('200 delivers events of one object in sequence, and those of others in parallel', async () => {
  const one = await merchant()
  await disable(still, one.endpoint)
  const endpoint = await endpointAt(still, {
    url: one.receiver.url,
    businessId: one.businessId,
    events: ['invoice.created', 'invoice.sent', 'invoice.voided'],
  })
  const { held, until } = hold(one.receiver)
  const [invoice] = await tellEvents(one)
  const path = '/api/payment-service/external/v1/invoices'
  const voided = await one.post(`${path}/${invoice!.reference}/void`)
  expect(voided.status).toBe(200)
  const sending = sendDue(still)
  for (let i = 1; i <= 3; i++) {
    await until(i)
    expect(held).toHaveLength(i)
    held[i - 1]!.end()
  }
  await sending
  const sequences = one.receiver.received.map(({ body }) => JSON.parse(body).sequence)
  expect(sequences).toEqual([1, 2, 3])
  expect(await deliveriesOf(still, endpoint)).toMatchObject(
    Array.from({ length: 3 }, () => ({ status: 'Delivered', attempt_count: 1 })),
  )
})

test('a stopping server returns unstarted deliveries, and retries interrupted ones', async () => {
  const second = await startSecond(still)
  const one = await merchant()
  const { until } = hold(one.receiver)
  await tellEvents(one, 5)
  await second.app.deliverer.run(second.db, still.clock.now())
  await until(2)
  await second.close()
  for (const delivery of await deliveriesOf(still, one.endpoint)) {
    expect(delivery).toMatchObject({ status: 'Pending', attempt_count: 0, lease_until: null })
  }
  one.receiver.answer = (response) => response.end()
  await sendDue(still)
  expect(new Set(one.ids()).size).toBe(5)
  expect(await deliveriesOf(still, one.endpoint)).toMatchObject(
    Array.from({ length: 5 }, () => ({ status: 'Delivered', attempt_count: 1 })),
  )
})

test('a request for an immediate attempt waits for the one in progress', async () => {
  const one = await merchant()
  const { held, until } = hold(one.receiver)
  await tellEvents(one)
  const sending = sendDue(still)
  await until(1)
  const [delivery] = await deliveriesOf(still, one.endpoint)
  const tenant = { businessId: one.businessId, live: false }
  const attempt = still.app.deliverer.deliverNow(tenant, one.endpoint.id, delivery!.event_id)
  held[0]!.writeHead(201).end()
  expect(await attempt).toMatchObject({ number: 1, status: 201 })
  await sending
  expect(one.receiver.received).toHaveLength(1)
})

test('the audit finds nothing', async () => {
  expect(await runAudit(still.db, allChecks)).toEqual([])
})
