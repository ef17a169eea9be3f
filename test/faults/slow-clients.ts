import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Found } from './catalogue.ts'
import type { Rig } from './rigs.ts'
import { stallOf, watchStalls } from './stalls.ts'

const CONNECTIONS = 500
const DRIP_MS = 1_000
const CLOSED_MS = 60_000

/** What slow clients begin with, and then never finish. */
const BEGINNINGS = [
  '',
  'GET /api/payment-service/external/v1/invoices HTTP/1.1\r\nhost: a\r\nx: ',
  'POST /oauth/token HTTP/1.1\r\nhost: a\r\ncontent-length: 9999\r\n\r\n',
  'POST /oauth/token HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n',
]

/**
 * Opens hundreds of connections that send a byte a second. The server must close all of them, and
 * serve others meanwhile.
 */
export async function openSlowly({ url }: Rig): Promise<Found> {
  const { hostname, port } = new URL(url)
  const stalls = watchStalls(url)
  const began = performance.now()
  const open = new Set<Socket>()
  for (let i = 0; i < CONNECTIONS; i++) {
    const socket = connect({ host: hostname, port: Number(port) })
    open.add(socket)
    socket.on('error', () => {})
    socket.once('connect', () => socket.write(BEGINNINGS[i % BEGINNINGS.length]!))
    socket.once('close', () => open.delete(socket))
    socket.resume()
  }
  while (open.size > 0 && performance.now() - began < CLOSED_MS) {
    await sleep(DRIP_MS)
    for (const socket of open) if (socket.writable && !socket.connecting) socket.write('a')
  }
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  const left = open.size
  for (const socket of open) socket.destroy()
  const longestMs = await stalls.end()
  const violations = stallOf('P7', longestMs)
  if (left > 0) violations.push({ promise: 'P7', what: `${left} slow connections stayed open` })
  const says =
    `${CONNECTIONS} slow connections, closed after ${seconds} s; ` +
    `/health/live took at most ${Math.round(longestMs)} ms`
  return { violations, checks: CONNECTIONS, says }
}
