import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { untilDone } from '../../../test/concurrency.ts'
import { startServer } from '../../../test/harness.ts'
import { openReceiver, type Received } from '../../../test/webhook-receiver.ts'
import { secretsOf, sendDue } from './webhooks.fixture.ts'

const BASE = '/api/user-service/v1/webhooks'
const HOUR_MS = 3_600_000

const server = await startServer({ jobs: false })
const receiver = await openReceiver()
const { db, clock, post } = server

let paths = 0

/** An endpoint with its own path, its secret, and its last delivery. */
async function endpoint() {
  const path = `/rotate-${++paths}`
  const { body } = await post(BASE, { url: receiver.url + path, events: ['invoice.paid'] })
  const { id, reference, secret } = body.data as { id: number; reference: string; secret: string }
  return {
    id,
    secret,
    rotate: (body?: object, headers?: Record<string, string>) =>
      post(`${BASE}/${reference}/rotate-secret`, body, headers),
    async sent(): Promise<Received> {
      await post('/api/simulator/events', { type: 'invoice.paid' })
      await sendDue(server)
      return receiver.at(path).at(-1)!
    },
  }
}

const signatureOf = ({ headers }: Received) => String(headers['webhook-signature']).split(' ')

/** The signature of a delivery with one secret. */
function signedBy(secret: string, { headers, body }: Received): string {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000)
  return new Webhook(secret).sign(String(headers['webhook-id']), at, body)
}

describe('a rotation of the secret', () => {
  test('200 signs with both secrets for a day, so that either verifies', async () => {
    const { secret, rotate, sent } = await endpoint()
    const before = await sent()
    expect(signatureOf(before)).toEqual([signedBy(secret, before)])

    const { status, body } = await rotate()
    const { secret: fresh, ...record } = body.data
    expect(status).toBe(200)
    expect(fresh).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(fresh).not.toBe(secret)
    expect(Object.keys(record)).toContain('lastSuccessAt')
    const during = await sent()
    expect(signatureOf(during)).toEqual([signedBy(fresh, during), signedBy(secret, during)])
    for (const one of [secret, fresh]) {
      const headers = during.headers as Record<string, string>
      expect(new Webhook(one).verify(during.body, headers)).toMatchObject({ type: 'invoice.paid' })
    }
  })

  test('200 ends the previous secret after its hours', async () => {
    const { secret, rotate, sent } = await endpoint()
    const { body } = await rotate({ graceHours: 2 })
    clock.advance(2 * HOUR_MS - 60_000)
    const during = await sent()
    expect(signatureOf(during)).toEqual([
      signedBy(body.data.secret, during),
      signedBy(secret, during),
    ])
    clock.advance(60_000)
    const after = await sent()
    expect(signatureOf(after)).toEqual([signedBy(body.data.secret, after)])
  })

  test('200 ends it at once with graceHours 0; a second rotation ends the first one’s overlap', async () => {
    const { secret, rotate, sent } = await endpoint()
    const second = (await rotate({ graceHours: 168 })).body.data.secret
    const third = (await rotate({ graceHours: 168 })).body.data.secret
    const both = await sent()
    expect(signatureOf(both)).toEqual([signedBy(third, both), signedBy(second, both)])
    expect(signatureOf(both)).not.toContain(signedBy(secret, both))
    const last = (await rotate({ graceHours: 0 })).body.data.secret
    const alone = await sent()
    expect(signatureOf(alone)).toEqual([signedBy(last, alone)])
  })

  test('200 for ten at once: the last two secrets sign', async () => {
    const { id, secret, rotate, sent } = await endpoint()
    const all = await Promise.all(Array.from({ length: 10 }, () => untilDone(rotate)))
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
    const fresh = all.map(({ body }) => body.data.secret as string)
    expect(new Set([secret, ...fresh]).size).toBe(11)
    const stored = await secretsOf(server, { id })
    expect(fresh).toContain(stored.secret)
    expect(fresh).toContain(stored.previous)
    expect(stored.secret).not.toBe(stored.previous)
    const one = await sent()
    expect(signatureOf(one)).toEqual([
      signedBy(stored.secret!, one),
      signedBy(stored.previous!, one),
    ])
  })

  test('200 once for an Idempotency-Key, whose repeats do not contain the secret', async () => {
    const { id, rotate } = await endpoint()
    const key = { 'idempotency-key': `rotate-${id}` }
    const all = await Promise.all([rotate({}, key), rotate({ graceHours: 24 }, key)])
    expect(all.map(({ status }) => status)).toEqual([200, 200])
    const stored = await secretsOf(server, { id })
    const shown = all.map(({ body }) => body.data.secret)
    expect(shown.toSorted()).toEqual([stored.secret, null].toSorted())
    const { body } = all[shown.indexOf(stored.secret)]!
    expect((await rotate({}, key)).body.data).toEqual({ ...body.data, secret: null })
    expect((await rotate({ graceHours: 1 }, key)).status).toBe(422)
  })

  test('400 for invalid hours, and nothing is rotated', async () => {
    const { id, secret, rotate } = await endpoint()
    for (const graceHours of [-1, 169, 1.5, '24', [1]]) {
      const { status, body } = await rotate({ graceHours })
      expect([status, Object.keys(body.errors)]).toEqual([400, ['graceHours']])
    }
    expect(await secretsOf(server, { id })).toEqual({ secret, previous: null })
  })

  test('200 shows no secret in the request log', async () => {
    const { secret, rotate } = await endpoint()
    const fresh = (await rotate()).body.data.secret as string
    let text = ''
    const lines = async () => {
      await server.app.requestLog.flush()
      const rows = await db.many<{ line: string }>`
        select row_to_json(r)::text as line from request_log r
        where operation in ('create_webhook', 'rotate_webhook_secret')`
      text = rows.map(({ line }) => line).join('\n')
      return rows.length
    }
    // One for each endpoint created here, and more for their rotations.
    await expect.poll(lines, { timeout: 20_000 }).toBeGreaterThan(2 * paths)
    for (const one of [secret, fresh]) expect(text).not.toContain(one.slice('whsec_'.length, 30))
    expect(text).toContain('"graceHours')
  })
})
