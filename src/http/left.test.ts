import { once } from 'node:events'
import { expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { lines, openSocket } from '../../test/raw.ts'

const PATH = '/api/payment-service/external/v1/invoices'

const server = await startServer({ jobs: false })
const logged = () =>
  server.logLines.map((line) => JSON.parse(line) as { level: number; msg: string })

test('200 after another client left in the middle of a body, which is not an error', async () => {
  // The server knows the key from now on, so the next request's body is read at once.
  expect((await server.get(PATH)).status).toBe(200)
  const socket = await openSocket(server.url)
  const head = [
    `POST ${PATH} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Authorization: Bearer ${server.business.keys.testSecret}`,
    'Content-Length: 1000',
    'Expect: 100-continue',
  ]
  socket.write(lines(...head))
  await once(socket, 'data')
  socket.write('{"a"')
  socket.destroy()
  const left = () => logged().find(({ msg }) => msg === 'the client disconnected')
  await expect.poll(left).toMatchObject({ level: 30 })
  expect(logged().filter(({ level }) => level >= 50)).toEqual([])
  expect((await server.get(PATH)).status).toBe(200)
})
