import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { untilDone } from '../../../test/concurrency.ts'
import { callerWith, startSecond, startServer } from '../../../test/harness.ts'
import { openReceiver, type Received } from '../../../test/webhook-receiver.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { attemptsOf } from './webhooks.fixture.ts'

const BASE = '/api/user-service/external/v1/webhooks'
const TELL = '/api/simulator/events'

const server = await startServer()
const second = await startSecond(server, { connectionsMax: 6, jobs: true })
const receiver = await openReceiver()
const { db } = server

const isSigned = ({ headers, body }: Received, secrets: readonly string[]): boolean => {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000)
  const sent = String(headers['webhook-signature']).split(' ')
  const id = String(headers['webhook-id'])
  return sent.every((one) =>
    secrets.some((secret) => new Webhook(secret).sign(id, at, body) === one),
  )
}

/** Repeats what an overloaded server could not do. */
function patientCaller(url: string, key: string) {
  const { get, post, put } = callerWith(url, key)
  return {
    get: (path: string) => untilDone(() => get(path)),
    post: (path: string, body?: object) => untilDone(() => post(path, body)),
    put: (path: string, body: object) => untilDone(() => put(path, body)),
  }
}

test('200 for all operations on an endpoint at once, while two servers send to it', async () => {
  const { businessId, keys } = await server.newBusiness()
  const [here, there] = [server, second].map(({ url }) => patientCaller(url, keys.testSecret))
  const { get, post, put } = here!
  const path = '/busy'
  const hook = (await post(BASE, { url: receiver.url + path })).body.data
  const at = `${BASE}/${hook.reference}`
  const told = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      const { body } = await (i % 2 ? here! : there!).post(TELL, { type: 'invoice.paid' })
      return body.data.id as string
    }),
  )
  for (const { post } of [here!, there!]) expect((await post(`${at}/test`)).status).toBe(200)
  const rotations = Array.from({ length: 3 }, () => there!.post(`${at}/rotate-secret`))
  const others = [
    ...Array.from({ length: 4 }, (_, i) =>
      (i % 2 ? here! : there!).post(`${at}/replay`, { from: '2020-01-01' }),
    ),
    ...told.slice(0, 6).map((id) => there!.post(`${at}/deliveries/${id}/redeliver`)),
    ...told.slice(0, 6).map((id) => post(`${at}/deliveries/${id}/redeliver`)),
    put(at, { description: 'Busy' }),
    there!.put(at, { events: ['*'] }),
    get(`${at}/deliveries?limit=100`),
  ]
  const replies = await Promise.all([...rotations, ...others])
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
  const pending = async () => {
    const { n } = await db.one<{ n: number }>`
      select count(*) as n from webhook_deliveries
      where webhook_id = ${hook.id} and status = 'Pending'`
    return n
  }
  await expect.poll(pending, { timeout: 40_000, interval: 100 }).toBe(0)

  const received = receiver.at(path)
  const attempts = await attemptsOf(server, hook)
  expect(attempts.map(({ status }) => status)).toEqual(attempts.map(() => 200))
  expect(received).toHaveLength(attempts.length)
  const secrets = [hook, ...(await Promise.all(rotations)).map(({ body }) => body.data)].map(
    ({ secret }) => secret as string,
  )
  expect(received.filter((one) => !isSigned(one, secrets))).toEqual([])
  const ids = new Set(received.map(({ headers }) => headers['webhook-id']))
  expect(told.filter((id) => !ids.has(id))).toEqual([])
  const bodies = new Map(received.map(({ headers, body }) => [headers['webhook-id'], body]))
  expect(
    received.filter(({ headers, body }) => bodies.get(headers['webhook-id']) !== body),
  ).toEqual([])
  const found = await runAudit(db, allChecks)
  expect(found.filter((finding) => finding.businessId === businessId)).toEqual([])
})
