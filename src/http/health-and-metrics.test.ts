import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { startSecond, startServer } from '../../test/harness.ts'
import { Secret } from '../lib/tokens.ts'

const PATH = '/api/payment-service/external/v1/invoices'

const server = await startServer()
const { get, post, url } = server
const anonymous = { authorization: '' }

describe('health', () => {
  test('200 and no details, without a key', async () => {
    const live = await get('/health/live', anonymous)
    expect([live.status, live.body]).toEqual([200, { status: 'live' }])
    const ready = await get('/health/ready', anonymous)
    expect([ready.status, ready.body]).toEqual([200, { status: 'ready' }])
    expect(ready.headers.get('x-request-id')).toMatch(/^req_/)
  })
})

describe('metrics', async () => {
  const token = new Secret('metrics-hunter2')
  const guarded = await startSecond(server, { metricsToken: token })
  const bearer = (value: string) => ({ authorization: `Bearer ${value}` })
  const passedOn = { 'x-forwarded-for': '127.0.0.1' }

  test('200 for this machine, with the metrics an operator watches', async () => {
    await post(PATH, { customerEmail: 'ada@example.com', amount: 5 })
    await get('/nowhere/at/all')
    const { status, text, headers } = await get('/metrics', anonymous)

    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^text\/plain/)
    expect(text).toContain(
      `tradepost_http_request_seconds_count{method="POST",route="${PATH}",status="201"} 1`,
    )
    expect(text).toContain('route="unknown",status="404"')
    expect(text).toMatch(/tradepost_database_connections\{state="idle"\} \d/)
    expect(text).toMatch(/tradepost_process_resident_memory_bytes \d/)
    expect(text).not.toContain('/nowhere/at/all')
  })

  test('200 with exactly the metrics that docs/operations.md names', async () => {
    const { text } = await get('/metrics', anonymous)
    const there = [...text.matchAll(/^# TYPE (tradepost_\w+)/gm)].map(([, name]) => name!)
    const paper = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
    const named = [...paper.matchAll(/\btradepost_[a-z_0-9]+\b(?![*_])/g)].map(([name]) => name)

    const own = there.filter((name) => !/^tradepost_(process|nodejs)_/.test(name))
    expect(own.length).toBeGreaterThan(5)
    expect(own.filter((name) => !named.some((one) => partOf(one) === name))).toEqual([])
    expect(named.filter((name) => !there.includes(partOf(name)) && !/_fds$/.test(name))).toEqual([])
  })

  /** A histogram appears as its parts. */
  const partOf = (name: string) => name.replace(/_(bucket|count)$/, '')

  test.each([
    [{ 'x-forwarded-for': '127.0.0.1' }],
    [{ 'x-forwarded-for': '' }],
    [{ forwarded: 'for=127.0.0.1' }],
    [{ 'x-forwarded-for': '203.0.113.7', authorization: 'Bearer ' }],
    [{ 'x-forwarded-for': '203.0.113.7', authorization: 'Bearer undefined' }],
  ])('401 for requests through a proxy: %j', async (headers) => {
    for (const { get: ask } of [server, guarded]) {
      expect((await ask('/metrics', { ...anonymous, ...headers } as never)).status).toBe(401)
    }
  })

  test('200 for the token from anywhere, 401 for another token', async () => {
    const right = { ...passedOn, ...bearer(token.reveal()) }
    expect((await guarded.get('/metrics', right)).status).toBe(200)
    for (const wrong of ['metrics-hunter', 'metrics-hunter22', 'Metrics-hunter2', '[secret]']) {
      expect((await guarded.get('/metrics', { ...passedOn, ...bearer(wrong) })).status).toBe(401)
    }
  })

  test('401 for a secret key of a business', async () => {
    const headers = { ...passedOn, ...bearer(server.business.keys.testSecret) }
    expect((await guarded.get('/metrics', headers)).status).toBe(401)
  })
})

describe('behind a reverse proxy', async () => {
  /** A minimal reverse proxy that adds the client's address, as nginx does. */
  async function proxyOf(target: string, clientIp: string): Promise<string> {
    const proxy = createServer((incoming, outgoing) => {
      const before = incoming.headers['x-forwarded-for']
      const forwarded = before ? `${before}, ${clientIp}` : clientIp
      const headers = { ...incoming.headers, 'x-forwarded-for': forwarded }
      const onward = request(
        target + incoming.url,
        { method: incoming.method!, headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode!, answer.headers)
          answer.pipe(outgoing)
        },
      )
      incoming.pipe(onward)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    afterAll(() => {
      proxy.closeAllConnections()
      proxy.close()
    })
    return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  }

  const trusting = await startSecond(server, { trustProxy: ['127.0.0.1'] })
  const { id } = await server.db.one<{ id: number }>`
    update api_keys set allowed_ips = '{203.0.113.7}'
    where business_id = ${server.business.businessId} and live and type = 'secret' returning id`
  const authorization = `Bearer ${server.business.keys.liveSecret}`
  const statusVia = async (address: string, headers: Record<string, string> = {}) =>
    (await fetch(address + PATH, { headers: { authorization, ...headers } })).status

  test('200 for the client address that a trusted proxy reports, 401 for another', async () => {
    expect(id).toBeGreaterThan(0)
    expect(await statusVia(await proxyOf(trusting.url, '203.0.113.7'))).toBe(200)
    expect(await statusVia(await proxyOf(trusting.url, '203.0.113.8'))).toBe(401)
  })

  test('401 for a forged client address', async () => {
    const proxy = await proxyOf(trusting.url, '203.0.113.8')
    expect(await statusVia(proxy, { 'x-forwarded-for': '203.0.113.7' })).toBe(401)
    expect(await statusVia(url, { 'x-forwarded-for': '203.0.113.7' })).toBe(401)
    expect(await statusVia(await proxyOf(url, '203.0.113.7'))).toBe(401)
  })
})
