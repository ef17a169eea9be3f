import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Smaller responses fit into the buffers of the operating system. */
const LARGE_CHARACTERS = 16_000

/** The limit for all large responses together that clients have not read yet. */
const UNREAD_CHARACTERS_MAX = 32_000_000

/**
 * Handles the requests of one connection one after another, so that only one response to each
 * connection has to be kept. The others are left alone until then, because a request takes up twice
 * as much memory once Fastify has seen it.
 */
export function handleInOrder({ server }: FastifyInstance): void {
  const [handle] = server.listeners('request') as [RequestListener]
  const last = new WeakMap<Socket, ServerResponse>()
  server.off('request', handle).on('request', (request, response) => {
    const { socket } = request
    const before = last.get(socket)
    last.set(socket, response)
    if (!before || before.closed) handle(request, response)
    else {
      before.once('close', () => {
        if (!socket.destroyed) handle(request, response)
      })
    }
  })
}

/**
 * Closes the connections that have not read their response for the longest time when unread
 * responses take up too much memory.
 */
export function dropOldestUnread(server: FastifyInstance): void {
  const unread = new Map<ServerResponse, number>()
  let sum = 0
  function forget(response: ServerResponse): void {
    sum -= unread.get(response) ?? 0
    unread.delete(response)
  }
  server.addHook('onSend', (_request, { raw }, payload, done) => {
    // Nothing is sent to a client that has already left.
    if (typeof payload === 'string' && payload.length > LARGE_CHARACTERS && !raw.closed) {
      raw.once('close', () => forget(raw))
      unread.set(raw, payload.length)
      sum += payload.length
      for (const oldest of unread.keys()) {
        if (sum <= UNREAD_CHARACTERS_MAX) break
        forget(oldest)
        oldest.destroy()
      }
    }
    done()
  })
}
