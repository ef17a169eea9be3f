import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { exchange, lines, nextReply, openSocket } from '../../test/raw.ts'
import { openDraining } from './draining.ts'

const server = await startServer({ trustProxy: ['127.0.0.1'] })

async function invoicePath(): Promise<string> {
  const { body } = await server.post('/api/payment-service/external/v1/invoices', {
    customerEmail: 'chinedu@example.com',
    amount: 25_000,
  })
  return new URL(body.data.hostedUrl).pathname
}

async function checkoutPath(): Promise<string> {
  const { body } = await server.post('/api/payment-service/external/v1/initialize-checkout', {
    customerEmail: 'chinedu@example.com',
    amount: 25_000,
  })
  return new URL(body.data.authorizationUrl).pathname
}

describe('HEAD of an event stream', () => {
  test('200 with the headers at once, and ends', async () => {
    for (const path of [await invoicePath(), await checkoutPath()]) {
      const socket = await openSocket(server.url)
      onTestFinished(() => void socket.destroy())
      // Unless the first response ends, no second one comes over the same connection.
      socket.write(lines(`HEAD ${path}/live HTTP/1.1`, 'Host: a'))
      socket.write(lines(`GET ${path}/state HTTP/1.1`, 'Host: a'))
      const reply = await nextReply(socket)
      expect(reply.status).toBe(200)
      expect(reply.headers.get('content-type')).toBe('text/event-stream')
      expect((await nextReply(socket)).body).toHaveProperty('version')
    }
  })

  test('404 for a stream that does not exist', async () => {
    const { status } = await fetch(`${server.url}/checkout/nobody/live`, { method: 'HEAD' })
    expect(status).toBe(404)
  })
})

describe('requests that are sent before the response to another one', () => {
  const BODY = '{"customerEmail":"ada@example.com","amount":7}'
  const POST = `${lines(
    'POST /api/payment-service/external/v1/invoices HTTP/1.1',
    'Host: a',
    `Authorization: Bearer ${server.business.keys.testSecret}`,
    'Content-Type: application/json',
    `Content-Length: ${BODY.length}`,
  )}${BODY}`
  const created = async () =>
    (
      await server.db.one<{ n: number }>`
      select count(*) as n from invoices where amount_minor = 700`
    ).n

  test('are handled after it', async () => {
    const path = await invoicePath()
    const socket = await openSocket(server.url)
    onTestFinished(() => void socket.destroy())
    socket.write(`${lines(`GET ${path}/live HTTP/1.1`, 'Host: a')}${POST}${POST}`)
    const { headers } = await nextReply(socket)
    expect(headers.get('content-type')).toBe('text/event-stream')
    // Those of other connections are handled meanwhile.
    for (let i = 0; i < 5; i++) await invoicePath()
    expect(await created()).toBe(0)
  })

  test('are not handled if the server closes the connection after it', async () => {
    const other = await startServer({ jobs: false })
    const draining = openDraining()
    draining.watch(other.app.server.server)
    draining.begin()
    const socket = await openSocket(other.url)
    const post = POST.replace(server.business.keys.testSecret, other.business.keys.testSecret)
    socket.write(post + post)
    const { status, headers } = await nextReply(socket)
    expect([status, headers.get('connection')]).toEqual([201, 'close'])
    expect((await nextReply(socket)).status).toBe(0)
    await expect.poll(() => draining.traffic().open).toBe(0)
    const { n } = await other.db.one<{ n: number }>`select count(*) as n from invoices`
    expect(n).toBe(1)
  })

  test('are closed with their connection if there are too many', async () => {
    const path = await invoicePath()
    const socket = await openSocket(server.url)
    onTestFinished(() => void socket.destroy())
    socket.write(lines(`GET ${path}/live HTTP/1.1`, 'Host: a'))
    await nextReply(socket)
    socket.write(lines('GET /health/live HTTP/1.1', 'Host: a').repeat(101))
    await once(socket, 'close')
    const { status } = await fetch(`${server.url}/health/live`)
    expect(status).toBe(200)
  })

  test('do not get into that response if they are malformed', async () => {
    const path = await invoicePath()
    const socket = await openSocket(server.url)
    const received: Buffer[] = []
    socket.on('data', (chunk) => received.push(chunk))
    socket.write(lines(`GET ${path}/live HTTP/1.1`, 'Host: a'))
    await nextReply(socket)
    socket.write(lines('not HTTP'))
    await once(socket, 'close')
    expect(Buffer.concat(received).toString().match(/^HTTP/gm)).toHaveLength(1)
  })

  test('are answered before malformed input after them', async () => {
    for (const count of [1, 2]) {
      const before = await created()
      const socket = await openSocket(server.url)
      socket.write(POST.repeat(count) + lines('not HTTP'))
      socket.write(lines('nor this'))
      for (let i = 0; i < count; i++) expect((await nextReply(socket)).status).toBe(201)
      const { status, body } = await nextReply(socket)
      expect([status, body.errorCode]).toEqual([400, 'malformed_request'])
      if (!socket.closed) await once(socket, 'close')
      expect(await created()).toBe(before + count)
    }
  })

  test('are answered in their order', async () => {
    const paths = [await invoicePath(), '/nowhere', await checkoutPath(), '/health/live']
    const socket = await openSocket(server.url)
    onTestFinished(() => void socket.destroy())
    socket.write(paths.map((path) => lines(`GET ${path} HTTP/1.1`, 'Host: a')).join(''))
    const statuses: number[] = []
    for (const _ of paths) statuses.push((await nextReply(socket)).status)
    expect(statuses).toEqual([200, 404, 200, 200])
  })
})

describe('clients that read no response', () => {
  test('are disconnected, the oldest first, before their responses take up much memory', async () => {
    const request = lines('GET /openapi.json HTTP/1.1', 'Host: a').repeat(20)
    const sockets: Socket[] = []
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()))
    while (!sockets[0]?.closed) {
      const socket = await openSocket(server.url)
      sockets.push(socket)
      socket.write(request)
      // A client that does not read only notices the end of its connection when it writes.
      for (const one of sockets) one.write(lines('GET /health/live HTTP/1.1', 'Host: a'))
      const { status } = await fetch(`${server.url}/health/live`)
      expect(status).toBe(200)
      expect(sockets.length).toBeLessThan(200)
    }
    expect(sockets.length).toBeGreaterThan(20)
    expect(sockets.at(-1)!.closed).toBe(false)
  })

  test('are disconnected before those of other networks that have waited for longer', async () => {
    const sockets: Socket[] = []
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()))
    const ask = async (ip: string) => {
      const socket = await openSocket(server.url)
      sockets.push(socket)
      const fields = ['Host: a', `X-Forwarded-For: ${ip}`]
      socket.write(lines('GET /openapi.json HTTP/1.1', ...fields).repeat(20))
      const { status } = await fetch(`${server.url}/health/live`)
      expect(status).toBe(200)
      return socket
    }
    const isOpen = async (socket: Socket) => {
      for (let i = 0; i < 3; i++) {
        socket.write(lines('GET /health/live HTTP/1.1', 'Host: a'))
        await fetch(`${server.url}/health/live`)
      }
      return !socket.closed
    }
    const slow = await ask('198.51.100.20')
    const first = await ask('203.0.113.20')
    while (await isOpen(first)) {
      await ask('203.0.113.20')
      expect(sockets.length).toBeLessThan(200)
    }
    expect(sockets.length).toBeGreaterThan(20)
    expect(await isOpen(slow)).toBe(true)
  })
})

describe('many streams at once', () => {
  test('503 after twenty from one network, until one of them ends', async () => {
    const path = await invoicePath()
    const open = async (ip: string) => {
      const stop = new AbortController()
      onTestFinished(() => stop.abort())
      const headers = { 'x-forwarded-for': ip }
      const { status } = await fetch(`${server.url}${path}/live`, { headers, signal: stop.signal })
      return { status, stop }
    }
    const mine = await Promise.all(Array.from({ length: 25 }, () => open('203.0.113.9')))
    const statuses = mine.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(20).fill(200), ...Array(5).fill(503)])
    expect((await open('198.51.100.9')).status).toBe(200)
    expect((await open('203.0.113.9')).status).toBe(503)
    mine.find(({ status }) => status === 200)!.stop.abort()
    await expect.poll(async () => (await open('203.0.113.9')).status).toBe(200)
  })
})

describe('a request line that names another server', () => {
  test('303 of the language switch stays on this server', async () => {
    const path = await invoicePath()
    for (const start of [
      'http://evil.example',
      'HTTPS://evil.example:8443',
      'http://a@evil.example',
    ]) {
      const asked = lines(`GET ${start}${path}?lang=fr&b=1 HTTP/1.1`, 'Host: evil.example')
      const { status, headers } = await exchange(server.url, asked)
      expect([status, headers.get('location')]).toEqual([303, `${path}?b=1`])
    }
  })

  test('303 of the switch starts with a single slash, whatever was sent', async () => {
    for (const target of [
      'http://x//evil.example/?lang=fr',
      '//evil.example?lang=fr',
      '/\\evil.example?lang=fr',
    ]) {
      const { headers } = await exchange(server.url, lines(`GET ${target} HTTP/1.1`, 'Host: a'))
      const to = headers.get('location')
      expect(to === null || /^\/(?![/\\])/.test(to)).toBe(true)
    }
  })

  test('400 of a form links back to a page of this server', async () => {
    const path = await checkoutPath()
    const target = `http://evil.example${path}/pay`
    const type = 'Content-Type: application/x-www-form-urlencoded'
    const head = lines(`POST ${target} HTTP/1.1`, 'Host: a', type, 'Content-Length: 12')
    const { status, text } = await exchange(server.url, `${head}channel=CASH`)
    expect(status).toBe(400)
    expect(text).toContain(`href="${path}"`)
    expect(text).not.toContain('evil.example')
  })
})
