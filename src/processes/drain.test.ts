import { chmod, mkdir } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { openReceiver } from '../../test/webhook-receiver.ts'
import { beginHere, expectRefused } from '../cli/cli.fixture.ts'
import { clientOn, INVOICE, INVOICES, openHost, workersOf } from './workers.fixture.ts'

const host = await openHost()
const WEBHOOKS = '/api/user-service/external/v1/webhooks'
/** The quiet time, and more on a slow machine. */
const LONG = { timeout: 60_000 }

const drain = (...options: string[]) => host.tradepost(['drain', ...options])
const readyAt = async (url: string) => {
  const { status, body } = await clientOn(url, '').get('/health/ready')
  return [status, body.errorCode]
}
const DRAINING = [503, 'draining']

/** Sends the headers of a request and half of its body. Returns a function that sends the rest. */
async function beginSlowly(url: string, key: string) {
  const body = JSON.stringify(INVOICE)
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': body.length,
  }
  const slow = request(url + INVOICES, { method: 'POST', headers })
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  slow.once('response', (response) => {
    void text(response).then(() => resolve(response.statusCode), reject)
  })
  slow.once('error', reject)
  await new Promise<void>((written) => slow.write(body.slice(0, 5), () => written()))
  return () => {
    slow.end(body.slice(5))
    return promise
  }
}

describe('a server', () => {
  test('0 finishes what it has started, begins nothing new, and can then be stopped', async () => {
    const server = await host.start([])
    const { keys } = await host.newBusiness()
    const { post } = clientOn(server.url, keys.testSecret)
    const receiver = await openReceiver()
    const held = Promise.withResolvers<void>()
    receiver.answer = async (response) => {
      await held.promise
      response.end('thanks')
    }
    await post(WEBHOOKS, { url: `${receiver.url}/hook`, events: ['invoice.created'] })
    expect((await post(INVOICES, INVOICE)).headers.get('connection')).toBe('keep-alive')
    await expect.poll(() => receiver.at('/hook').length, LONG).toBe(1)
    expect(await readyAt(server.url)).toEqual([200, undefined])
    const finish = await beginSlowly(server.url, keys.testSecret)

    const late = await drain('--timeout', '0')
    expect([late.status, late.stderr]).toEqual([1, ''])
    expect(late.stdout).toContain('is not drained: is draining')
    expect(await readyAt(server.url)).toEqual(DRAINING)
    const { get } = clientOn(server.url, keys.testSecret)
    expect((await get('/health/live')).status).toBe(200)
    const [busy] = JSON.parse((await drain('--timeout', '0', '--json')).stdout)
    expect(busy).toEqual({ pid: server.pid, state: 'draining', requests: 1, working: true })

    expect(await finish()).toBe(201)
    const next = await post(INVOICES, INVOICE)
    expect([next.status, next.headers.get('connection')]).toEqual([201, 'close'])
    held.resolve()
    const done = await drain()
    expect([done.status, done.stdout]).toEqual([0, expect.stringContaining('is drained.')])
    expect(receiver.at('/hook')).toHaveLength(1)
    expect((await get(INVOICES)).status).toBe(200)
    expect(await server.stop()).toBe(0)

    // What was left is done by the next server.
    const another = await host.start([])
    await expect.poll(() => receiver.at('/hook').length, LONG).toBe(3)
    expect(await readyAt(another.url)).toEqual([200, undefined])
    expect(await another.stop()).toBe(0)
  })

  test('0 stops on SIGTERM while it drains', async () => {
    const server = await host.start([])
    process.kill(server.pid, 'SIGUSR2')
    await expect.poll(() => readyAt(server.url)).toEqual(DRAINING)
    expect(await server.stop()).toBe(0)
  })
})

test('0 drains all workers, also those that start later', async () => {
  const server = await host.start(['--workers', '2'])
  const { keys } = await host.newBusiness()
  const finish = await beginSlowly(server.url, keys.testSecret)
  process.kill(server.pid, 'SIGUSR2')
  // Each attempt has its own connection, so both workers are asked.
  const seen = async () => Promise.all(Array.from({ length: 8 }, () => readyAt(server.url)))
  await expect.poll(seen, LONG).toEqual(Array(8).fill(DRAINING))
  // A worker that does not respond within a second is left out.
  const status = async () => JSON.parse((await drain('--timeout', '0', '--json')).stdout)[0]
  await expect.poll(status, LONG).toMatchObject({ state: 'draining', requests: 1 })
  expect(await finish()).toBe(201)

  const workers = workersOf(server.pid)
  for (const pid of workers) process.kill(pid, 'SIGUSR2')
  expect(workersOf(server.pid)).toEqual(workers)
  process.kill(workers[0]!, 'SIGKILL')
  const replaced = () => workersOf(server.pid).filter((pid) => !workers.includes(pid)).length
  await expect.poll(replaced, LONG).toBe(1)
  const done = await drain('--pid', String(server.pid), '--json')
  expect(JSON.parse(done.stdout)).toEqual([
    { pid: server.pid, state: 'drained', requests: 0, working: false },
  ])
  expect(await seen()).toEqual(Array(8).fill(DRAINING))
  expect(await server.stop()).toBe(0)
})

test('0 although a server did not respond for a while, which holds up no other', async () => {
  const [hung, other] = [await host.start([]), await host.start([])]
  process.kill(hung.pid, 'SIGSTOP')
  const [found] = JSON.parse(
    (await drain('--pid', String(other.pid), '--timeout', '0', '--json')).stdout,
  )
  expect(found).toMatchObject({ pid: other.pid, state: 'draining' })
  const DATA_DIR = join(host.scratch, 'data')
  const { texts, ended } = beginHere(['drain', '--timeout', '300'], { DATA_DIR })
  await expect.poll(() => texts.stdout, LONG).toContain(`Server ${hung.pid} does not respond.`)
  process.kill(hung.pid, 'SIGCONT')
  const { status, stdout, stderr } = await ended
  expect([status, stderr]).toEqual([0, ''])
  for (const { pid } of [hung, other]) expect(stdout).toContain(`Server ${pid} is drained.`)
  for (const { stop } of [hung, other]) expect(await stop()).toBe(0)
})

test('0 finds a server whose data directory is open to other users', async () => {
  const DATA_DIR = join(host.scratch, 'shared')
  await mkdir(join(DATA_DIR, 'run'), { recursive: true })
  await chmod(join(DATA_DIR, 'run'), 0o770)
  const server = await host.start([], { DATA_DIR })
  const drainThere = (...args: string[]) => host.tradepostApart(['drain', ...args], { DATA_DIR })
  const found = await drainThere('--timeout', '0', '--json')
  expect(JSON.parse(found.stdout)).toMatchObject([{ pid: server.pid, state: 'draining' }])
  expect(await server.stop()).toBe(0)
  const none = await drainThere()
  expectRefused(none, 1, `other users have access to ${join(DATA_DIR, 'run')}`)
})

test('1 if no such server is running', async () => {
  expectRefused(await drain(), 1, 'no server is running')
  expectRefused(await drain('--pid', '1'), 1, 'no server with process id 1 is running')
  expectRefused(await drain('--timeout', 'long'), 2, 'whole number')
})
