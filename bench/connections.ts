import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Figure, report } from './figures.ts'
import { load } from './load.ts'
import { type Server, startServer } from './server.ts'

const IDLE = 10_000
const SLOW = 2_000
/** Each slow reader sends so many requests at once, and reads no response. */
const PIPELINED = 10
/** More at once would overflow the queue of new connections. */
const AT_ONCE = 200
const WAIT_MS = 10_000
const PATH = '/api/payment-service/external/v1/invoices'

/** Measures the server's memory with many open connections. Needs 11,000 file descriptors. */
export async function measureConnections(): Promise<Figure[]> {
  const server = await startServer()
  const sockets: Socket[] = []
  try {
    const { port, headers } = server
    const bodies = [{ customerEmail: 'ada.obi@example.com', amount: 15_000.5 }]
    await load({ port, headers, method: 'POST', paths: [PATH], bodies, seconds: 1 })
    await server.untilIdle()
    const idle = await peakWith(
      server,
      sockets,
      IDLE,
      'GET /health/live HTTP/1.1\r\nhost: a\r\n\r\n',
    )
    const request =
      `GET ${PATH}?limit=100 HTTP/1.1\r\nhost: a\r\n` +
      `authorization: ${headers.authorization}\r\n\r\n`
    const slow = await peakWith(server, sockets, SLOW, request.repeat(PIPELINED))
    const about = { goal: 9, unit: ' MB', atMost: 600 }
    return report([
      { ...about, what: `memory, ${IDLE} idle connections`, value: idle },
      { ...about, what: `memory, ${SLOW} slow readers beside them`, value: slow },
    ])
  } finally {
    for (const socket of sockets) socket.destroy()
    await server.stop()
  }
}

/** Opens connections that send the text and read at most the kernel's buffer of what comes back. */
async function peakWith(
  server: Server,
  sockets: Socket[],
  count: number,
  text: string,
): Promise<number> {
  await server.resetPeak()
  for (let i = 0; i < count; i += AT_ONCE) {
    const opening = Array.from({ length: AT_ONCE }, () => openSlow(server.port, text))
    sockets.push(...(await Promise.all(opening)))
  }
  await sleep(WAIT_MS)
  return (await server.memory()).peakMb
}

function openSlow(port: number, text: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.pause()
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      // The server closes connections that are slow for too long.
      socket.on('error', () => {})
      socket.write(text)
      resolve(socket)
    })
  })
}
