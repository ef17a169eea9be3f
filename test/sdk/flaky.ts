import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

/** The fault of one request. `hang` never responds, `stall` stops in the middle. */
export type Fault =
  | 'pass'
  | 'cut before'
  | 'cut inside'
  | 'cut after'
  | 'hang'
  | 'stall'
  | { status: number; headers?: Record<string, string>; body?: string }

interface Seen {
  method: string
  url: string
  key: string | undefined
  body: string
}

/**
 * Starts a proxy in front of the server that applies the next of `faults` to each request, and
 * passes the rest on. `seen` has all requests.
 */
export async function flakyProxy(target: string) {
  const faults: Fault[] = []
  const seen: Seen[] = []

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers, socket } = request
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const sent = Buffer.concat(chunks)
    const key = headers['idempotency-key'] as string | undefined
    seen.push({ method, url, key, body: sent.toString() })

    const fault = faults.shift() ?? 'pass'
    if (typeof fault === 'object') {
      response.writeHead(fault.status, fault.headers).end(fault.body ?? '')
      return
    }
    if (fault === 'hang') return
    if (fault === 'cut before') return void socket.destroy()
    const answer = await fetch(target + url, {
      method,
      headers: forwarded(headers),
      ...(sent.length > 0 && { body: sent }),
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (fault === 'cut after') return void socket.destroy()
    const kept = ['content-type', 'x-request-id', 'idempotent-replayed', 'retry-after']
    const back = [...answer.headers].filter(([name]) => kept.includes(name))
    response.writeHead(answer.status, {
      ...Object.fromEntries(back),
      'content-length': bytes.length,
    })
    if (fault === 'pass') return void response.end(bytes)
    response.write(bytes.subarray(0, bytes.length / 2), () => {
      if (fault === 'cut inside') socket.destroy()
    })
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, faults, seen }
}

function forwarded(headers: IncomingMessage['headers']): Record<string, string> {
  const kept = ['authorization', 'content-type', 'idempotency-key']
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => kept.includes(name)),
  ) as Record<string, string>
}
