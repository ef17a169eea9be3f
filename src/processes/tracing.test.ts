import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTraceReceiver, type ReceivedSpan } from '../../test/trace-receiver.ts'
import { openReceiver } from '../../test/webhook-receiver.ts'
import { clientOn, INVOICE, INVOICES, openHost } from './workers.fixture.ts'

const host = await openHost()
const WEBHOOKS = '/api/user-service/external/v1/webhooks'
const LONG = { timeout: 20_000 }
const CLIENT = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }
const headers = (flags: string) => ({
  traceparent: `00-${CLIENT.traceId}-${CLIENT.spanId}-${flags}`,
})

test('200 sends spans of requests, statements, jobs, calls and deliveries', async () => {
  const receiver = await openTraceReceiver()
  const server = await host.start([], {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=a%20key',
  })
  const { keys, businessId } = await host.newBusiness()
  const { get, post } = clientOn(server.url, keys.testSecret)
  const merchant = await openReceiver()
  await post(WEBHOOKS, { url: `${merchant.url}/hook?secret=hunter2`, events: ['invoice.created'] })
  const made = await post(INVOICES, INVOICE, headers('01'))
  expect(made.status).toBe(201)
  await get('/health/ready')
  await get(`${INVOICES}/INV-nothing`)
  const { pathname } = new URL(made.body.data.hostedUrl)
  expect((await get(pathname)).status).toBe(200)
  await expect.poll(() => merchant.received.length, LONG).toBe(1)
  const named = (name: string) => receiver.spans.filter((span) => span.name === name)
  await expect.poll(() => named('webhook delivery').length, LONG).toBe(1)
  await expect.poll(() => named('GET /i/:token').length, LONG).toBe(1)
  expect(await server.stop()).toBe(0)

  const [request] = named(`POST ${INVOICES}`)
  expect(request).toMatchObject({
    traceId: CLIENT.traceId,
    parentId: CLIENT.spanId,
    isFailed: false,
    attributes: {
      'http.request.method': 'POST',
      'http.route': INVOICES,
      'http.response.status_code': 201,
      'tradepost.request_id': made.headers.get('x-request-id'),
      'tradepost.operation': 'create_invoice',
      'tradepost.business_id': businessId,
      'tradepost.mode': 'test',
    },
  })
  const partsOf = ({ spanId }: ReceivedSpan) =>
    receiver.spans.filter(({ parentId }) => parentId === spanId)
  expect(partsOf(request!).length).toBeGreaterThan(0)
  expect(partsOf(request!).every(({ traceId }) => traceId === CLIENT.traceId)).toBe(true)
  expect(request!.attributes['tradepost.database.statements']).toBeGreaterThan(0)
  const [missing] = named(`GET ${INVOICES}/:reference`)
  expect(
    partsOf(missing!)
      .map(({ name }) => name)
      .join(),
  ).toMatch(/^select( \w+)?\b/)
  expect(missing!.attributes).toMatchObject({
    'http.response.status_code': 404,
    'tradepost.error_code': 'invoice_not_found',
  })
  expect(named('webhook delivery')[0]).toMatchObject({
    parentId: '',
    attributes: { 'tradepost.event_type': 'invoice.created', 'http.response.status_code': 200 },
  })
  expect(named('job mail')[0]!.attributes['tradepost.job.rows']).toBeGreaterThan(0)
  expect(receiver.spans.filter(({ name }) => /health/.test(name))).toEqual([])

  expect(receiver.requests[0]).toMatchObject({
    path: '/v1/traces',
    headers: { 'x-api-key': 'a key' },
  })
  const sent = Buffer.concat(receiver.bodies).toString('latin1')
  const token = pathname.split('/').at(-1)!
  for (const secret of [keys.testSecret, 'hunter2', merchant.url, INVOICE.customerEmail, token]) {
    expect(sent).not.toContain(secret)
  }
})

test('200 keeps no trace that its client does not keep, and a share of all others', async () => {
  const receiver = await openTraceReceiver()
  const server = await host.start(['--workers', '2'], {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  const { keys } = await host.newBusiness()
  const { get } = clientOn(server.url, keys.testSecret)
  const ask = (more: Record<string, string>) => fetch(server.url + INVOICES, { headers: more })
  for (const more of [{}, headers('00'), headers('01')]) expect((await ask(more)).status).toBe(401)
  expect((await get(INVOICES)).status).toBe(200)
  expect(await server.stop()).toBe(0)
  const requests = receiver.spans.filter(({ name }) => name.startsWith('GET '))
  expect(requests).toHaveLength(1)
  expect(requests[0]).toMatchObject({ traceId: CLIENT.traceId, parentId: CLIENT.spanId })
})

test('200 while no receiver listens', async () => {
  const gone = await host.start([], { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
  const { keys } = await host.newBusiness()
  expect((await clientOn(gone.url, keys.testSecret).get(INVOICES)).status).toBe(200)
  expect(await gone.stop()).toBe(0)
})

/** Returns whether a server has loaded the libraries when it ends. */
async function loads(env: Record<string, string>): Promise<boolean> {
  const coverage = await mkdtemp(join(host.scratch, 'coverage-'))
  const server = await host.start([], { ...env, NODE_V8_COVERAGE: coverage })
  expect(await server.stop()).toBe(0)
  const files = await readdir(coverage)
  expect(files.length).toBeGreaterThan(0)
  const texts = await Promise.all(files.map((file) => readFile(join(coverage, file), 'utf8')))
  return texts.some((text) => text.includes('node_modules/@opentelemetry/sdk-trace/'))
}

test('0 loads the libraries only if there is an endpoint', async () => {
  expect(await loads({})).toBe(false)
  expect(await loads({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })).toBe(true)
})
