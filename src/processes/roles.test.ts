import { mkdtemp, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { openReceiver } from '../../test/webhook-receiver.ts'
import { expectRefused } from '../cli/cli.fixture.ts'
import { clientOn, INVOICE, INVOICES, openHost } from './workers.fixture.ts'

const host = await openHost()

/** Below the ports that the system gives to tests in other processes, which have other ids. */
const WORKER_PORT = `${20_000 + (process.pid % 10_000)}`

describe('--web and --worker', () => {
  test('200 and 201: one handles requests, and the other does what they have left to do', async () => {
    const web = await host.start(['--web'])
    expect(web.told()).toContain('npx tradepost start --worker')
    const receiver = await openReceiver()
    const { keys, businessId } = await host.newBusiness()
    const { get, post } = clientOn(web.url, keys.testSecret)
    await post('/api/user-service/external/v1/webhooks', {
      url: `${receiver.url}/hook`,
      events: ['invoice.created'],
    })
    expect((await post(INVOICES, INVOICE)).status).toBe(201)
    expect(receiver.received).toEqual([])

    const worker = host.begin(['--worker'], { WORKER_PORT })
    await expect.poll(() => receiver.at('/hook').length, { timeout: 20_000 }).toBe(1)
    const mails = () => host.db.many`select status from mails where business_id = ${businessId}`
    await expect.poll(mails).toEqual([{ status: 'Captured' }])
    expect((await post(INVOICES, INVOICE)).status).toBe(201)
    await expect.poll(() => receiver.at('/hook').length, { timeout: 5_000 }).toBe(2)
    await expect.poll(async () => (await mails()).length, { timeout: 5_000 }).toBe(2)

    const own = clientOn(`http://127.0.0.1:${WORKER_PORT}`, keys.testSecret)
    expect((await own.get('/health/ready')).status).toBe(200)
    // A delivery is counted once its result is recorded, after its receiver has it.
    const counted = async () => (await own.get('/metrics')).text
    await expect.poll(counted).toContain('outcome="delivered"} 2')
    expect((await own.get(INVOICES)).status).toBe(404)
    expect((await get('/metrics')).text).toContain('outcome="delivered"} 0')

    const ended = new Promise((resolve) => worker.once('close', resolve))
    worker.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(await web.stop()).toBe(0)
  })
})

test('HOST=localhost opens one server, at one address', async () => {
  const { url, stop } = await host.start([], { HOST: 'localhost' })
  const { port } = new URL(url)
  expect((await clientOn(`http://127.0.0.1:${port}`, '').get('/health/live')).status).toBe(200)
  await expect(clientOn(`http://[::1]:${port}`, '').get('/health/live')).rejects.toThrow()
  expect(await stop()).toBe(0)
})

/** A program that is bin/tradepost.js under an older Node, and then does something else. */
async function underOlderNode(then = ''): Promise<string> {
  const bin = join(await mkdtemp(join(host.scratch, 'older-')), 'bin.mjs')
  const versions = `{ value: { ...process.versions, node: '20.20.2' } }`
  const own = pathToFileURL(resolve('bin/tradepost.js')).href
  await writeFile(
    bin,
    `Object.defineProperty(process, 'versions', ${versions})
     await import(${JSON.stringify(own)})
     ${then}`,
  )
  return bin
}

test('a server ends if the older Node that passes signals on to it is killed', async () => {
  const { url, stop } = await host.start([], {}, await underOlderNode())
  // Only once both have ended, their output has, too.
  expect(await stop('SIGKILL')).toBe(null)
  await expect(clientOn(url, '').get('/health/live')).rejects.toThrow()
})

test('a server does not start if the older Node was killed at once', async () => {
  const bin = await underOlderNode(`process.kill(process.pid, 'SIGKILL')`)
  await expect(host.start([], {}, bin)).rejects.toThrow('The server ended')
})

test.each([
  [['--worker', '--web'], 'leave out --web and --workers'],
  [['--worker', '--workers', '2'], 'leave out --web and --workers'],
  [['--workers', '0'], 'It must be a number from 1 to 32.'],
  [['--workers', 'many'], 'It must be a number from 1 to 32.'],
  [['--as-worker'], 'Only tradepost start --workers uses --as-worker.'],
])('2 for %j', async (options, says) => {
  expectRefused(await host.tradepostApart(['start', ...options]), 2, says)
})

test('1 if there are not enough connections for that many workers', async () => {
  const ended = await host.tradepostApart(['start', '--workers', '4'], {
    DATABASE_CONNECTIONS: '16',
  })
  expectRefused(ended, 1, 'DATABASE_CONNECTIONS must be at least 20 for --workers 4')
})

test('1 if the embedded database does not have enough connections', async () => {
  const says = 'the embedded database allows at most 50 connections per server'
  const one = await host.tradepostApart(['start'], { DATABASE_CONNECTIONS: '51' })
  expectRefused(one, 1, says)
  expectRefused(await host.tradepostApart(['start', '--web', '--workers', '12']), 1, says)
})
