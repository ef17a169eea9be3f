import { expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { openReceiver } from '../../../test/webhook-receiver.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { deliveriesOf, endpointAt, endpointRow, sendDue, tellEvents } from './webhooks.fixture.ts'

const webhooks = { allowsLoopback: true, random: () => 0 }
const server = await startServer({ jobs: false, webhooks })
const receiver = await openReceiver()

const WEBHOOKS = '/api/user-service/external/v1/webhooks'
const EVENTS = '/api/user-service/external/v1/events'
const CREATED = ['invoice.created']
const DAY = 24 * 3600

/** A business whose owner has an email address, with an endpoint that responds with `status`. */
async function merchant() {
  const { businessId, keys } = await server.newBusiness()
  await server.db.run`
    update businesses set email = ${`owner-${businessId}@example.com`} where id = ${businessId}`
  const path = `/${businessId}`
  const endpoint = await endpointAt(server, {
    url: receiver.url + path,
    businessId,
    events: CREATED,
  })
  const caller = server.as(keys.testSecret)
  return {
    ...caller,
    businessId,
    endpoint,
    webhook: `${WEBHOOKS}/${endpoint.reference}`,
    received: () => receiver.at(path),
    mails: () => server.db.many<{ kind: string; to_address: string; id: number }>`
      select id, kind, to_address from mails
      where business_id = ${businessId} and kind = 'webhook_disabled'`,
    disabled: async () => (await caller.get(`${EVENTS}?type=webhook.disabled`)).body.data,
    advance: async (seconds: number) => {
      const { status } = await caller.post('/api/simulator/clock', { advanceSeconds: seconds })
      expect(status).toBe(200)
    },
  }
}

const answerWith = (status: number) => {
  receiver.answer = (response) => response.writeHead(status).end()
}

test('410 disables the endpoint at once, with an event for others and a mail to the owner', async () => {
  answerWith(410)
  const one = await merchant()
  const { businessId } = one
  const told = await endpointAt(server, {
    url: `${receiver.url}/told-${businessId}`,
    businessId,
    events: ['webhook.disabled'],
  })
  // Of two at once, one disables it; neither is retried.
  await tellEvents(one, 2)
  await sendDue(server)
  const asked = one.received().length
  expect((await one.get(one.webhook)).body.data.status).toBe('Disabled')
  expect(await one.disabled()).toMatchObject([
    {
      type: 'webhook.disabled',
      object: 'webhook',
      objectId: one.endpoint.id,
      sequence: 1,
      data: { reference: one.endpoint.reference, status: 'Disabled' },
    },
  ])
  expect(await one.mails()).toMatchObject([{ to_address: `owner-${businessId}@example.com` }])
  expect(await deliveriesOf(server, told)).toHaveLength(1)
  for (const delivery of await deliveriesOf(server, one.endpoint)) {
    if (delivery.attempt_count > 0) expect(delivery.status).toBe('Failed')
    else expect(delivery.status).toBe('Pending')
  }

  answerWith(200)
  await tellEvents(one)
  await one.advance(DAY)
  await sendDue(server)
  expect(one.received()).toHaveLength(asked)
})

test('200 shows the owner why it was disabled, and how to enable it', async () => {
  answerWith(410)
  const one = await merchant()
  await tellEvents(one)
  await sendDue(server)
  await server.runJob('mail')
  const [mail] = await one.mails()
  const name = `${one.businessId.toString(36)}t-${mail!.id.toString(36)}`
  const { status, text } = await server.get(`/mailbox/${name}/html`)
  expect(status).toBe(200)
  for (const words of ['was disabled', '410 Gone', one.endpoint.reference, 'Active']) {
    expect(text).toContain(words)
  }
})

test('500 for five days disables it; its events of that time can be replayed', async () => {
  answerWith(500)
  const one = await merchant()
  // One event per day: each has failed many times by then.
  for (let day = 0; day < 5; day++) {
    await tellEvents(one)
    for (let hour = 0; hour < 24; hour += 4) {
      await sendDue(server)
      await one.advance(4 * 3600)
    }
    expect((await one.get(one.webhook)).body.data).toMatchObject({ status: 'Active' })
    expect(await one.disabled()).toEqual([])
  }
  await tellEvents(one)
  await sendDue(server)
  const { body } = await one.get(one.webhook)
  expect(body.data).toMatchObject({ status: 'Disabled', failingSince: expect.any(String) })
  expect(await one.disabled()).toHaveLength(1)
  expect(await one.mails()).toHaveLength(1)
  const asked = one.received().length
  await one.advance(DAY)
  await sendDue(server)
  expect(one.received()).toHaveLength(asked)

  answerWith(200)
  const active = await one.put(one.webhook, { status: 'Active' })
  expect(active.body.data).toMatchObject({ status: 'Active', failingSince: null })
  await sendDue(server)
  expect(one.received().length).toBeGreaterThan(asked)
  expect(await endpointRow(server, one.endpoint)).toMatchObject({
    failure_count: 0,
    disabled_at: null,
  })
})

test('200 in between keeps it active, however long others fail', async () => {
  const one = await merchant()
  for (let day = 0; day < 8; day++) {
    answerWith(day === 4 ? 200 : 500)
    await tellEvents(one)
    await sendDue(server)
    await one.advance(DAY)
  }
  expect((await one.get(one.webhook)).body.data.status).toBe('Active')
})

test('500 twice in a long time does not disable it', async () => {
  answerWith(500)
  const one = await merchant()
  await tellEvents(one)
  await sendDue(server)
  await one.advance(9 * DAY)
  await sendDue(server)
  expect(await endpointRow(server, one.endpoint)).toMatchObject({
    status: 'Active',
    failure_count: 2,
  })
})

test('410 from a URL that was changed meanwhile disables nothing', async () => {
  const one = await merchant()
  const held = Promise.withResolvers<() => void>()
  receiver.answer = (response) => held.resolve(() => response.writeHead(410).end())
  await tellEvents(one)
  const sending = sendDue(server)
  const answer = await held.promise
  await one.put(one.webhook, { url: `${receiver.url}/moved` })
  answer()
  await sending
  expect((await one.get(one.webhook)).body.data.status).toBe('Active')
  expect(await one.disabled()).toEqual([])
})

test('the audit finds nothing', async () => {
  expect(await runAudit(server.db, allChecks)).toEqual([])
})
