import type { ServerResponse } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { openReceiver } from '../../../test/webhook-receiver.ts'
import {
  attemptsOf,
  deliveriesOf,
  disable,
  endpointAt,
  sendDue,
  tellEvents,
} from './webhooks.fixture.ts'

const server = await startServer({ jobs: false })
const receiver = await openReceiver()

const CREATED = ['invoice.created']
/** One event for a new endpoint with this response. */
async function deliver(answer: (response: ServerResponse) => void, to = server) {
  receiver.answer = answer
  const url = `${receiver.url}/${Math.random().toString(36).slice(2)}`
  const { businessId, keys } = await to.newBusiness()
  const endpoint = await endpointAt(to, { url, events: CREATED, businessId })
  await tellEvents(to.as(keys.testSecret))
  await sendDue(to)
  await disable(to, endpoint)
  const [delivery] = await deliveriesOf(to, endpoint)
  const attempts = await attemptsOf(to, endpoint)
  const received = receiver.at(new URL(url).pathname)
  return { endpoint, delivery: delivery!, attempt: attempts[0]!, attempts, received }
}

test.each([200, 201, 204, 299])('%i is success', async (status) => {
  const { delivery, attempts, received } = await deliver((response) =>
    response.writeHead(status).end(),
  )
  expect(delivery).toMatchObject({
    status: 'Delivered',
    attempt_count: 1,
    last_status: status,
    last_error: null,
    lease_until: null,
    finished_at: expect.any(Date),
  })
  expect(attempts).toMatchObject([{ number: 1, status, error: null, response: '' }])
  expect(received).toHaveLength(1)
})

test.each([400, 401, 404, 422, 429, 500, 502, 503, 599])(
  '%i fails and is retried',
  async (status) => {
    const { delivery, attempt } = await deliver((response) => response.writeHead(status).end('no'))
    expect(delivery).toMatchObject({
      status: 'Pending',
      attempt_count: 1,
      last_status: status,
      last_error: null,
      lease_until: null,
      finished_at: null,
    })
    expect(attempt).toMatchObject({ status, error: null, response: 'no' })
  },
)

/** Writes the response by hand, on the connection itself. */
const raw =
  (write: (socket: NonNullable<ServerResponse['socket']>) => void) => (response: ServerResponse) =>
    write(response.socket!)

const HEAD = 'HTTP/1.1 200 OK\r\n'

test.each<[string, (response: ServerResponse) => void, string, number | null]>([
  ['the connection is reset', raw((socket) => socket.resetAndDestroy()), 'was interrupted', null],
  ['it is closed after the request', raw((socket) => socket.end()), 'was interrupted', null],
  [
    'it breaks off in the response',
    raw((socket) => socket.end(`${HEAD}content-length: 100\r\n\r\nabc`)),
    'was interrupted',
    200,
  ],
  [
    'a chunk is invalid',
    raw((socket) => socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n`)),
    'not valid HTTP',
    200,
  ],
  [
    'the response is not HTTP',
    raw((socket) => socket.end('220 smtp ready\r\n')),
    'not valid HTTP',
    null,
  ],
  [
    'it becomes another protocol',
    raw((socket) =>
      socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ),
    'was interrupted',
    null,
  ],
])('200 is not enough if %s', async (_title, answer, words, status) => {
  const { delivery, attempts } = await deliver(answer)
  expect(attempts).toMatchObject([{ status, error: expect.stringContaining(words) }])
  expect(delivery).toMatchObject({ status: 'Pending', attempt_count: 1, last_status: status })
  expect(delivery.last_error).toBe(attempts[0]!.error)
})

test.each([301, 302, 303, 307, 308])('%i is a failure and is not followed', async (status) => {
  const asked = receiver.received.length
  const inside = await deliver((response) =>
    response.writeHead(status, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  )
  expect(inside.delivery).toMatchObject({ status: 'Pending', last_status: status })
  expect(inside.delivery.last_error).toContain('redirects')
  const loop = await deliver((response) =>
    response.writeHead(status, { location: receiver.url }).end(),
  )
  expect(loop.delivery).toMatchObject({ status: 'Pending', attempt_count: 1 })
  expect(receiver.received).toHaveLength(asked + 2)
})

test('200 keeps the first 16 KiB of an endless response, and disconnects', async () => {
  const closed = Promise.withResolvers<void>()
  const { delivery, attempt } = await deliver((response) => {
    const pour = () => {
      while (response.write('0123456789abcdef'.repeat(64)));
    }
    response.on('drain', pour).on('close', closed.resolve)
    pour()
  })
  await closed.promise
  expect(delivery).toMatchObject({ status: 'Delivered', last_status: 200 })
  expect(attempt.response).toBe('0123456789abcdef'.repeat(1024))
})

test('200 keeps a compressed response as received, without decompressing it', async () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000))
  const { delivery, attempt } = await deliver((response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  )
  expect(delivery.status).toBe('Delivered')
  expect(attempt.response!.length).toBeLessThanOrEqual(16 * 1024)
})

test('200 keeps text that the database would reject', async () => {
  const bytes = Buffer.from([0x61, 0, 0x62, 0xff, 0xed, 0xa0, 0x80])
  const { delivery, attempt } = await deliver((response) => response.end(bytes))
  expect(delivery.status).toBe('Delivered')
  expect(attempt.response).toMatch(/^ab\uFFFD+$/)
})

test('200 uses a new connection if a pooled one was closed meanwhile', async () => {
  let connections = 0
  const closing = createServer((socket) => {
    connections++
    let requests = 0
    socket.on('error', () => {})
    socket.on('data', (data) => {
      if (!data.includes('"invoice.created"')) return
      if (requests++ > 0) socket.resetAndDestroy()
      else socket.write(`${HEAD}content-length: 2\r\n\r\nok`)
    })
  })
  await new Promise<void>((listening) => closing.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(closing.address() as AddressInfo).port}`
  const { businessId, keys } = await server.newBusiness()
  const endpoint = await endpointAt(server, { url, events: CREATED, businessId })
  for (const expected of [1, 2]) {
    await tellEvents(server.as(keys.testSecret))
    await sendDue(server)
    expect(connections).toBe(expected)
  }
  expect(await deliveriesOf(server, endpoint)).toMatchObject(
    Array.from({ length: 2 }, () => ({ status: 'Delivered', attempt_count: 1 })),
  )
  closing.close()
})

const hasty = await startServer({
  jobs: false,
  webhooks: { allowsLoopback: true, timeoutMs: 400 },
})

test.each<[string, (response: ServerResponse) => void]>([
  ['before its head', () => {}],
  ['in its head', raw((socket) => socket.write(`${HEAD}x-a: 1\r\n`))],
  ['in its body', (response) => response.writeHead(200).write('a')],
  [
    'for a second after each byte',
    (response) => {
      response.writeHead(200).write('a')
      const drip = setInterval(() => response.write('a'), 50)
      response.on('close', () => clearInterval(drip))
    },
  ],
])('200 fails if the response hangs %s', async (_title, answer) => {
  const { delivery, attempts } = await deliver(answer, hasty)
  expect(delivery).toMatchObject({ status: 'Pending', attempt_count: 1 })
  expect(attempts).toMatchObject([{ error: 'The response took too long.' }])
  expect(attempts[0]!.duration_ms).toBeGreaterThan(300)
})
