import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll } from 'vitest'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** Starts a merchant's server on loopback, until the end of the file. */
export async function openReceiver() {
  const { close, receiver } = await startReceiver()
  afterAll(close)
  return receiver
}

/** Starts a merchant's server on loopback. It responds with 200 unless a test changes that. */
export async function startReceiver() {
  const received: Received[] = []
  const receiver = {
    received,
    url: '',
    /** Handles a request after it is recorded. */
    answer: (response: ServerResponse, _request: Received): unknown => response.end('thanks'),
    /** Returns the requests to a path. */
    at: (path: string) => received.filter((one) => one.path === path),
  }
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '', headers } = request
    const one = { path, headers, body: await text(request) }
    received.push(one)
    await receiver.answer(response, one)
  }
  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  function close(): void {
    server.closeAllConnections()
    server.close()
  }
  return { receiver, close }
}
