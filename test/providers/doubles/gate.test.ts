import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { CERTIFICATE } from '../../certificate.ts'
import { type Behaviour, openGate } from './gate.ts'

/** Answers each byte of a request with another one, so that bytes can be counted both ways. */
const echo = createTcpServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    behind += bytes.length
    socket.write(bytes)
  })
  socket.on('end', () => socket.end())
})
let behind = 0
await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
const { port } = echo.address() as AddressInfo
const gate = await openGate({ port })
afterAll(async () => {
  await gate.close()
  echo.close()
})
beforeEach(() => {
  behind = 0
  gate.decide = () => ({ kind: 'pass' })
})

/** Sends bytes, and returns what came back and how it ended. */
function exchange(bytes: string, socket = connect({ host: '127.0.0.1', port: gate.port })) {
  return new Promise<{ read: string; ended: string }>((resolve) => {
    let read = ''
    socket.on('data', (chunk: Buffer) => {
      read += chunk
    })
    socket.on('error', (error: NodeJS.ErrnoException) => resolve({ read, ended: error.code! }))
    socket.on('end', () => resolve({ read, ended: 'end' }))
    socket.end(bytes)
  })
}

describe('a gate', () => {
  test('passes everything on', async () => {
    const { received } = gate
    expect(await exchange('hello')).toEqual({ read: 'hello', ended: 'end' })
    expect(gate.received - received).toBe(5)
  })

  test('refuses connections, and accepts them again on the same port', async () => {
    gate.refuse()
    expect(await exchange('hello')).toEqual({ read: '', ended: 'ECONNREFUSED' })
    await gate.accept()
    expect(await exchange('hello')).toEqual({ read: 'hello', ended: 'end' })
  })

  test.each<[Behaviour, number, string, string]>([
    [{ kind: 'reset' }, 0, '', 'ECONNRESET'],
    [{ kind: 'end' }, 0, '', 'end'],
    [{ kind: 'reset', after: { of: 'request', bytes: 3 } }, 3, '', 'ECONNRESET'],
    [{ kind: 'reset', after: { of: 'response', bytes: 2 } }, 5, 'he', 'ECONNRESET'],
    [{ kind: 'end', after: { of: 'response', bytes: 2 } }, 5, 'he', 'end'],
  ])('%j: %d bytes arrive, %j comes back, then %s', async (behaviour, arrive, read, ended) => {
    gate.decide = () => behaviour
    const result = await exchange('hello')
    expect(result.ended).toBe(ended)
    expect(result.read.startsWith(read)).toBe(true)
    await expect.poll(() => behind).toBe(arrive)
  })

  test.each<[Behaviour, number]>([
    [{ kind: 'stall' }, 0],
    [{ kind: 'stall', after: { of: 'request', bytes: 4 } }, 4],
    [{ kind: 'stall', after: { of: 'response', bytes: 4 } }, 5],
  ])('%j: %d bytes arrive, and nothing ends', async (behaviour, arrive) => {
    gate.decide = () => behaviour
    const socket = connect({ host: '127.0.0.1', port: gate.port })
    const { accepted } = gate
    const result = exchange('hello', socket)
    await expect.poll(() => [gate.accepted - accepted, behind]).toEqual([1, arrive])
    expect(await Promise.race([result, after(20)])).toBe('still open')
    socket.destroy()
  })

  test('cuts all open connections', async () => {
    const socket = connect({ host: '127.0.0.1', port: gate.port })
    const { accepted } = gate
    const ended = new Promise((resolve) =>
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code)),
    )
    await expect.poll(() => gate.accepted - accepted).toBe(1)
    gate.resetAll()
    expect(await ended).toBe('ECONNRESET')
  })
})

describe('a gate with TLS', async () => {
  const secure = await openGate({ port }, { tls: true })
  afterAll(() => secure.close())
  const open = () =>
    connectTls({
      host: '127.0.0.1',
      port: secure.port,
      servername: CERTIFICATE.host,
      ca: CERTIFICATE.cert,
    })

  test('passes everything on, and counts plain bytes', async () => {
    expect(await exchange('hello', open())).toEqual({ read: 'hello', ended: 'end' })
    expect([secure.received, secure.url.slice(0, 8)]).toEqual([5, 'https://'])
  })

  test.each<[Behaviour, string, number]>([
    [{ kind: 'tls_fail' }, 'EPROTO', 0],
    [{ kind: 'reset' }, 'ECONNRESET', 0],
    [{ kind: 'reset', after: { of: 'request', bytes: 3 } }, 'ECONNRESET', 3],
  ])('%j: %s', async (behaviour, ended, arrive) => {
    secure.decide = () => behaviour
    expect((await exchange('hello', open())).ended).toBe(ended)
    await expect.poll(() => behind).toBe(arrive)
  })
})

test('a gate passes HTTP on', async () => {
  const server = createServer((_request, response) => response.end('hi'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const before = await openGate({ port: (server.address() as AddressInfo).port })
  expect(await (await fetch(before.url)).text()).toBe('hi')
  await before.close()
  server.closeAllConnections()
  server.close()
})

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms, 'still open'))
