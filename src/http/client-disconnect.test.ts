import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { lines } from '../../test/raw.ts'

const server = await startServer({ jobs: false })
const PATHS = ['/i/nobody', '/d/nobody', '/media/none', '/brand/none/1', '/console/me']

/** Sends a request, and disconnects before the server looks at the client's address. */
async function askAndLeave(path: string) {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {})
  socket.on('connect', () => {
    socket.write(lines(`GET ${path} HTTP/1.1`, 'Host: a'), () => socket.resetAndDestroy())
  })
  await once(socket, 'close')
}

test('a client that disconnects early does not cause a server error', async () => {
  const seen: (string | undefined)[] = []
  server.app.server.server.on('request', ({ url, socket }: IncomingMessage) => {
    if (socket.remoteAddress === undefined) seen.push(url)
  })
  const times = 10
  await Promise.all(Array.from({ length: times }, () => PATHS.map(askAndLeave)).flat())
  await expect.poll(() => new Set(seen).size, { timeout: 10_000 }).toBe(PATHS.length)
  expect(server.logLines.filter((line) => JSON.parse(line).level >= 50)).toEqual([])
})
