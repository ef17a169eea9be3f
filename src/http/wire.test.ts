import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { startSecond, startServer } from '../../test/harness.ts'
import { exchange, lines, nextReply, openSocket } from '../../test/raw.ts'

const PATH = '/api/payment-service/external/v1/invoices'
const BODY = '{"customerEmail":"ada@example.com","amount":5}'

const server = await startServer()
const { url, db, business } = server
// Ten and fifteen seconds in production. Only the slow clients use it: if this process stands still
// before it reads from a new connection, the others would seem slow as well.
const slowRequests = { headersMs: 1_500, wholeMs: 2_000, lookMs: 100, unreadMs: 1_000 }
const impatient = await startSecond(server, { slowRequests })
const KEY = `Bearer ${business.keys.testSecret}`
const count = async () => (await db.one<{ n: number }>`select count(*) as n from invoices`).n

const ask = (...headers: string[]) =>
  exchange(url, lines(`GET ${PATH} HTTP/1.1`, 'Host: x', ...headers))
const send = (...headers: string[]) =>
  exchange(
    url,
    lines(
      `POST ${PATH} HTTP/1.1`,
      'Host: x',
      `Authorization: ${KEY}`,
      'Content-Type: application/json',
      ...headers,
    ) + BODY,
  )
const LENGTH = `Content-Length: ${BODY.length}`

describe('authentication', () => {
  test.each([
    ['no header', []],
    ['an empty header', ['Authorization:']],
    ['another scheme', ['Authorization: Basic c2s6']],
    ['only the key', [`Authorization: ${business.keys.testSecret}`]],
    ['two keys in one', [`Authorization: ${KEY}, ${KEY}`]],
    ['something after the key', [`Authorization: ${KEY} x`]],
    ['two equal headers', [`Authorization: ${KEY}`, `Authorization: ${KEY}`]],
    ['two different headers', [`Authorization: ${KEY}`, 'authorization: Bearer sk_test_x']],
    ['the key in a header of another name', [`X-Api-Key: ${business.keys.testSecret}`]],
    ['the key in a cookie', [`Cookie: authorization=${KEY}`]],
  ])('401 for %s', async (_what, headers) => {
    const { status, body, headers: answered } = await ask(...headers)
    expect([status, body]).toEqual([
      401,
      {
        status: 'error',
        message: 'The secret key is missing or invalid.',
        errors: {},
        errorCode: 'invalid_key',
        requestId: expect.stringMatching(/^req_/),
      },
    ])
    expect(answered.get('www-authenticate')).toBe('Bearer')
    expect(answered.get('x-request-id')).toBe(body.requestId)
  })

  test('200 for any spelling of the scheme', async () => {
    expect((await ask(`authorization: bearer ${business.keys.testSecret}`)).status).toBe(200)
    expect((await ask(`AUTHORIZATION: BEARER   ${business.keys.testSecret}`)).status).toBe(200)
  })

  test('200 with our own request id, whatever the client sends', async () => {
    const { headers } = await ask(`Authorization: ${KEY}`, 'X-Request-Id: a"b', 'Request-Id: mine')
    expect(headers.get('x-request-id')).toMatch(/^req_\w+$/)
  })

  test('200 never repeats a request id', async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => ask(`Authorization: ${KEY}`)),
    )
    expect(new Set(replies.map(({ headers }) => headers.get('x-request-id'))).size).toBe(50)
  })
})

describe('the Idempotency-Key', () => {
  const SAYS = {
    'Idempotency-Key': ['must be sent only once, with 1 to 255 visible ASCII characters'],
  }

  test.each([
    ['256 characters', [`Idempotency-Key: ${'k'.repeat(256)}`]],
    ['none', ['Idempotency-Key:']],
    ['a space', ['Idempotency-Key: a b']],
    ['a tab', ['Idempotency-Key: a\tb']],
    ['a letter outside ASCII', ['Idempotency-Key: clé']],
    ['two headers', ['Idempotency-Key: a', 'Idempotency-Key: b']],
    ['two equal headers', ['Idempotency-Key: a', 'idempotency-key: a']],
  ])('400 for %s', async (_what, headers) => {
    const before = await count()
    const { status, body } = await send(LENGTH, ...headers)
    expect([status, body.errors]).toEqual([400, SAYS])
    expect(await count()).toBe(before)
  })

  test('201 for the longest and strangest keys', async () => {
    const odd = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'
    for (const key of ['k'.repeat(255), '0', odd]) {
      expect((await send(LENGTH, `Idempotency-Key: ${key}`)).status).toBe(201)
    }
  })
})

describe('invalid or ambiguous HTTP', () => {
  const POST = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: ${KEY}\r\n`
  const JSON_ = 'Content-Type: application/json\r\n'

  test.each([
    ['words', 'hello\r\n\r\n'],
    ['TLS', Buffer.from('16030100a5010000a10303', 'hex')],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['no host', `GET ${PATH} HTTP/1.1\r\n\r\n`],
    ['a header without a colon', `GET ${PATH} HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n`],
    ['a space in a header’s name', `GET ${PATH} HTTP/1.1\r\nHost: x\r\nX y: z\r\n\r\n`],
    ['a space before the colon', `${POST}${JSON_}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`],
    ['a NUL in a header', `GET ${PATH} HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n`],
    ['a folded header', `GET ${PATH} HTTP/1.1\r\nHost: x\r\nX-A: a\r\n b\r\n\r\n`],
    [
      'both a length and chunks',
      `${POST}${JSON_}${LENGTH}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['two lengths', `${POST}${JSON_}${LENGTH}\r\nContent-Length: 5\r\n\r\n${BODY}`],
    ['a length that is not a number', `${POST}${JSON_}Content-Length: 4x\r\n\r\n${BODY}`],
    ['a negative length', `${POST}${JSON_}Content-Length: -5\r\n\r\n${BODY}`],
    ['an unknown transfer encoding', `${POST}${JSON_}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['an invalid chunk size', `${POST}${JSON_}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`],
    ['a space in the path', `GET ${PATH} x HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('400 B for %s', async (_what, bytes) => {
    const before = await count()
    const { status, body, headers } = await exchange(url, bytes)
    expect([status, body?.status]).toEqual([400, 'error'])
    expect(headers.get('x-request-id')).toBe(body.requestId)
    expect(await count()).toBe(before)
  })

  test('400 for a body shorter than its Content-Length, as soon as it ends', async () => {
    const before = await count()
    const socket = await openSocket(url)
    socket.end(`${POST}${JSON_}Content-Length: 500\r\n\r\n${BODY}`)
    expect([0, 400]).toContain((await nextReply(socket)).status)
    expect(await count()).toBe(before)
  })

  test('201 treats the bytes after a body as the next request', async () => {
    const socket = await openSocket(url)
    socket.write(
      `${POST}${JSON_}${LENGTH}\r\n\r\n${BODY}GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n`,
    )
    expect((await nextReply(socket)).status).toBe(201)
    expect((await nextReply(socket)).status).toBe(200)
    socket.destroy()
  })

  test('413 for chunks without end', async () => {
    const socket = await openSocket(url)
    const reply = nextReply(socket)
    socket.write(`${POST}${JSON_}Transfer-Encoding: chunked\r\n\r\n`)
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    for (let i = 0; i < 20 && socket.writable; i++) socket.write(chunk)
    expect((await reply).status).toBe(413)
    socket.destroy()
  })

  test('413 by its Content-Length, before any of it has arrived', async () => {
    const reply = await exchange(url, `${POST}${JSON_}Content-Length: 1048577\r\n\r\n`)
    expect([reply.status, reply.body.errorCode]).toEqual([413, 'body_too_large'])
  })

  test('431 for headers over 16 KiB, one or many', async () => {
    for (const headers of [[`X-A: ${'x'.repeat(17_000)}`], Array(2000).fill('X-A: xxxxxx')]) {
      const { status, body, headers: answered } = await ask(...headers)
      expect([status, body.errorCode]).toEqual([431, 'headers_too_large'])
      expect(answered.get('x-request-id')).toBe(body.requestId)
    }
  })

  test('200 for 200 headers', async () => {
    const many = Array.from({ length: 200 }, (_, i) => `X-${i}: ${i}`)
    expect((await ask(`Authorization: ${KEY}`, ...many)).status).toBe(200)
  })

  test('201 after the 100 Continue that a client waits for', async () => {
    const socket = await openSocket(url)
    socket.write(`${POST}${JSON_}${LENGTH}\r\nExpect: 100-continue\r\n\r\n`)
    expect((await nextReply(socket)).status).toBe(100)
    socket.write(BODY)
    expect((await nextReply(socket)).status).toBe(201)
    socket.destroy()
  })
})

test('clients that read nothing are disconnected', async () => {
  const { server: http } = impatient.app.server
  const open = () =>
    new Promise<number>((resolve) => http.getConnections((_error, count) => resolve(count)))
  const socket = await openSocket(impatient.url)
  socket.write(lines('GET /openapi.json HTTP/1.1', 'Host: x').repeat(50))
  expect(await open()).toBeGreaterThan(0)
  http.closeIdleConnections()
  await expect.poll(open, { timeout: 20_000 }).toBe(0)
  socket.destroy()
})

test('408 for clients that are too slow, while others are served', async () => {
  const HEAD = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: ${KEY}\r\n`
  const before = await count()
  const slow = await Promise.all(
    [
      'POST /api',
      HEAD,
      `${HEAD}Content-Type: application/json\r\nContent-Length: 46\r\n\r\n`,
      `${HEAD}Content-Type: application/json\r\n${LENGTH}\r\n\r\n${BODY.slice(0, -1)}`,
      `${HEAD}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
      `${HEAD}Content-Type: application/json\r\nContent-Length: 999\r\n\r\n{`,
    ].map(async (start) => {
      const socket = await openSocket(impatient.url)
      const reply = nextReply(socket)
      socket.write(start)
      return { socket, reply }
    }),
  )
  // The last one keeps sending a byte at a time: the time of the whole request counts.
  const dripping = slow.at(-1)!.socket
  const drip = setInterval(() => dripping.write(' '), 100)
  const over = Promise.all(slow.map(({ reply }) => reply))
  // Over one connection, on which each request is read as a whole.
  do expect((await impatient.get(PATH)).status).toBe(200)
  while (!(await Promise.race([over.then(() => true), sleep(100, false)])))
  clearInterval(drip)

  for (const { status, body } of await over) {
    expect([status, body.errorCode]).toEqual([408, 'request_timeout'])
    expect(body.requestId).toMatch(/^req_/)
  }
  expect(await count()).toBe(before)
})
