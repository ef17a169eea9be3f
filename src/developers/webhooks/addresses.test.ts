import type { LookupAddress } from 'node:dns'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { CERTIFICATE } from '../../../test/certificate.ts'
import { startServer } from '../../../test/harness.ts'
import { openReceiver } from '../../../test/webhook-receiver.ts'
import { allowsFor } from './send.ts'
import { attemptsOf, disable, endpointAt, sendDue, tellEvents } from './webhooks.fixture.ts'

const receiver = await openReceiver()
const { port } = new URL(receiver.url)

/** The addresses that names resolve to in a test. */
let addresses: string[] = []
const resolve = (
  _host: string,
  _options: object,
  done: (error: null, found: LookupAddress[]) => void,
) =>
  done(
    null,
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  )

type Server = Awaited<ReturnType<typeof startServer>>

async function attemptAt(server: Server, url: string, { live = false } = {}) {
  const { businessId, keys } = await server.newBusiness()
  const endpoint = await endpointAt(server, { url, businessId, live, events: ['invoice.created'] })
  await tellEvents(server.as(live ? keys.liveSecret : keys.testSecret))
  await sendDue(server)
  await disable(server, endpoint)
  const [attempt] = await attemptsOf(server, endpoint)
  return attempt!
}

const NOT_PUBLIC = { status: null, error: 'The address is not public.', response: null }

describe('without loopback allowed', async () => {
  const server = await startServer({
    jobs: false,
    webhooks: { allowsLoopback: false, resolve },
  })

  test.each([
    `http://127.0.0.1:${port}/`,
    `http://localhost:${port}/`,
    `http://2130706433:${port}/`,
    `http://[::1]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://hooks.localhost:${port}/`,
    'http://169.254.169.254/latest/meta-data',
    'http://metadata.google.internal/',
    'http://10.0.0.1/',
    'http://printer.local/',
    'http://intranet/',
    `http://hooks.example.com.:${port}/`,
    `http://name:word@hooks.example.com:${port}/`,
    'ftp://hooks.example.com/',
  ])('nothing is sent to %s', async (url) => {
    addresses = ['127.0.0.1']
    expect(await attemptAt(server, url)).toMatchObject(NOT_PUBLIC)
    expect(receiver.received).toEqual([])
  })

  test.each([
    [['127.0.0.1']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['169.254.169.254']],
    [['fd00:ec2::254']],
    [['0.0.0.0']],
    [['8.8.8.8', '127.0.0.1']],
    [['2606:4700::1111', '::1']],
    [[]],
  ])('nothing is sent to a name that resolves to %j', async (found) => {
    addresses = found
    expect(await attemptAt(server, `http://hooks.example.com:${port}/`)).toMatchObject(NOT_PUBLIC)
    expect(receiver.received).toEqual([])
  })
})

describe('with loopback allowed', async () => {
  const server = await startServer({ jobs: false, webhooks: { allowsLoopback: true, resolve } })

  test('test mode sends to this machine, by address and by name', async () => {
    addresses = ['127.0.0.1']
    for (const host of ['127.0.0.1', 'localhost', 'hooks.example.com']) {
      expect(await attemptAt(server, `http://${host}:${port}/${host}`)).toMatchObject({
        status: 200,
      })
      const [received] = receiver.at(`/${host}`)
      expect(received!.headers.host).toBe(`${host}:${port}`)
    }
  })

  test('live mode does not, not even over a pooled connection of test mode', async () => {
    addresses = ['127.0.0.1']
    const before = receiver.received.length
    for (const host of ['127.0.0.1', 'localhost', 'hooks.example.com']) {
      const url = `http://${host}:${port}/live`
      expect(await attemptAt(server, url, { live: true })).toMatchObject(NOT_PUBLIC)
    }
    expect(receiver.received).toHaveLength(before)
  })

  test('a name that resolves to a new address at each attempt is checked each time', async () => {
    const url = `http://turning.example.com:${port}/turned`
    addresses = ['10.0.0.1']
    expect(await attemptAt(server, url)).toMatchObject(NOT_PUBLIC)
    addresses = ['127.0.0.1']
    expect(await attemptAt(server, url)).toMatchObject({ status: 200 })
    expect(receiver.at('/turned')).toHaveLength(1)
  })
})

describe('TLS', async () => {
  const asked: string[] = []
  const secure = createServer(CERTIFICATE, (request, response) => {
    asked.push(`${request.headers.host}`)
    response.end('ok')
  })
  secure.on('tlsClientError', () => {})
  await new Promise<void>((listening) => secure.listen(0, '127.0.0.1', listening))
  afterAll(() => {
    secure.closeAllConnections()
    secure.close()
  })
  const url = (host: string) => `https://${host}:${(secure.address() as AddressInfo).port}`
  const webhooks = { allowsLoopback: true, resolve }
  const server = await startServer({ jobs: false, webhooks })
  const trusting = await startServer({
    jobs: false,
    webhooks: { ...webhooks, ca: CERTIFICATE.cert },
  })

  test('an untrusted certificate is refused', async () => {
    addresses = ['127.0.0.1']
    const attempt = await attemptAt(server, url(CERTIFICATE.host))
    expect(attempt).toMatchObject({ status: null, error: expect.stringMatching(/^TLS failed/) })
    expect(asked).toEqual([])
  })

  test('a certificate for another name is refused, the right one accepted', async () => {
    addresses = ['127.0.0.1']
    const wrong = await attemptAt(trusting, url('other.example.com'))
    expect(wrong).toMatchObject({ status: null, error: expect.stringMatching(/^TLS failed/) })
    expect(asked).toEqual([])
    const right = await attemptAt(trusting, url(CERTIFICATE.host))
    expect(right).toMatchObject({ status: 200, error: null })
    expect(asked).toEqual([new URL(url(CERTIFICATE.host)).host])
  })

  test('is not used with a server that does not support it', async () => {
    const attempt = await attemptAt(server, `https://127.0.0.1:${port}`)
    expect(attempt).toMatchObject({ status: null, error: expect.stringMatching(/^TLS failed/) })
  })
})

test.each([
  ['127.0.0.1', false, true, true],
  ['::1', false, true, true],
  ['127.0.0.1', true, true, false],
  ['127.0.0.1', false, false, false],
  ['::ffff:127.0.0.1', false, true, false],
  ['10.0.0.1', false, true, false],
  ['8.8.8.8', true, false, true],
])('%s, live %s, loopback %s: %s', (address, live, loopback, allowed) => {
  expect(allowsFor({ live }, loopback)(address)).toBe(allowed)
})
