import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { networkOf } from './ip-addresses.ts'

/** Smaller responses fit into the buffers of the operating system. */
const LARGE_CHARACTERS = 16_000

/** The limit for all large responses together that clients have not read yet. */
const UNREAD_CHARACTERS_MAX = 32_000_000

/** How many requests of a connection can wait. Few clients send any before they have a response. */
const WAITING_MAX = 100

/** The response to the request of each connection that is being handled, or was last. */
const responses = new WeakMap<object, ServerResponse>()

/** Returns the response that a client gets next, if it has sent that whole request. */
export function nextResponse(socket: object): ServerResponse | undefined {
  const response = responses.get(socket)
  return response?.req.complete && !response.closed ? response : undefined
}

/** Returns whether a part of a response has been sent, into which nothing else must be written. */
export function isResponding(socket: object): boolean {
  const response = responses.get(socket)
  return response?.headersSent === true && !response.closed
}

/**
 * Handles the requests of one connection one after another, so that only one response to each
 * connection has to be kept. The others are left alone until then, because a request takes up twice
 * as much memory once Fastify has seen it. A connection with too many of them is closed: Node only
 * stops reading from a connection when responses wait, not when requests do.
 */
export function handleInOrder({ server }: FastifyInstance): void {
  const [handle] = server.listeners('request') as [RequestListener]
  const queues = new WeakMap<Socket, { last: ServerResponse; waiting: number }>()
  server.off('request', handle).on('request', (request, response) => {
    const { socket } = request
    // After the last response of a connection, nobody would find out what another request did.
    const begin = () => {
      if (!response.socket?.writable) return
      responses.set(socket, response)
      handle(request, response)
    }
    const queue = queues.get(socket)
    if (!queue) {
      queues.set(socket, { last: response, waiting: 0 })
      begin()
      return
    }
    const { last: before } = queue
    queue.last = response
    if (before.closed) begin()
    else if (queue.waiting === WAITING_MAX) socket.destroy()
    else {
      queue.waiting++
      before.once('close', () => {
        queue.waiting--
        begin()
      })
    }
  })
}

/**
 * When unread responses take up too much memory, closes the connections that have not read theirs
 * for the longest time, of the network with the most. One client can thus not make the server close
 * the connections of others. A connection on which nothing was read for `unreadMs` is closed, too:
 * otherwise, it would stay open for ever, with the requests that wait on it.
 */
export function dropUnread(server: FastifyInstance, unreadMs: number): void {
  const unread = new Map<ServerResponse, { network: string; characters: number }>()
  const ofNetworks = new Map<string, number>()
  let sum = 0

  function count(network: string, characters: number): void {
    sum += characters
    const total = (ofNetworks.get(network) ?? 0) + characters
    if (total > 0) ofNetworks.set(network, total)
    else ofNetworks.delete(network)
  }
  function forget(response: ServerResponse): void {
    const one = unread.get(response)
    if (!one) return
    unread.delete(response)
    count(one.network, -one.characters)
  }
  function dropOldest(): void {
    const [most] = [...ofNetworks].reduce((one, other) => (other[1] > one[1] ? other : one))
    for (const [response, { network }] of unread) {
      if (network !== most) continue
      forget(response)
      response.destroy()
      return
    }
  }

  server.addHook('onSend', ({ ip }, { raw }, payload, done) => {
    raw.setTimeout(unreadMs, () => void raw.destroy())
    // Nothing is sent to a client that has already left.
    if (typeof payload === 'string' && payload.length > LARGE_CHARACTERS && !raw.closed) {
      const network = networkOf(ip)
      forget(raw)
      raw.once('close', () => forget(raw))
      unread.set(raw, { network, characters: payload.length })
      count(network, payload.length)
      while (sum > UNREAD_CHARACTERS_MAX) dropOldest()
    }
    done()
  })
}
