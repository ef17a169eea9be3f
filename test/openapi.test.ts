import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { EVENT_TYPES } from '../src/resources/events/catalogue.ts'
import { startServer } from './harness.ts'

interface Operation {
  operationId: string
  summary: string
  tags: string[]
  security: object[]
  parameters?: { name: string; in: string; required?: boolean }[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { content: Record<string, { schema: object }> }>
}

const server = await startServer()
const { get, post, url } = server
const { status, body: document, headers } = await get('/openapi.json', { authorization: '' })
const paths = document.paths as Record<string, Record<string, Operation>>
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
/** Operations of the API; pages, health and these documents have no service in their address. */
const BARE = ['/transactions', '/transfers', '/oauth/token']
/** What asks for no key, and so takes no key of a request either. */
const OPEN = ['create_partner_token', 'create_oauth_token']
/** Change a record only as it was read, for whoever says so. */
const GUARDED = [
  ...['update_invoice', 'send_invoice', 'remind_invoice', 'mark_invoice_paid', 'void_invoice'],
  ...['update_product', 'archive_product', 'update_payment_page', 'set_payment_page_status'],
  ...['update_webhook', 'update_subaccount', 'deactivate_subaccount', 'update_split_page'],
  ...['remove_split_page_subaccount', 'update_discount_code', 'update_delivery_fee'],
  'rename_digital_download_file',
]
const mounted = server.app.mounted.filter(
  ({ url }) => url.startsWith('/api/') || BARE.includes(url),
)

describe('/openapi.json', () => {
  test('200 for everyone, as OpenAPI 3.1 that validates', async () => {
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    expect(document.openapi).toMatch(/^3\.1\./)
    const validator = new Validator()
    const result = await validator.validate(structuredClone(document))
    expect(result.errors).toBeUndefined()
    expect([result.valid, validator.version]).toEqual([true, '3.1'])
  })

  test('200 names each operation that is mounted, once', () => {
    const named = operations.map(({ operation }) => operation.operationId).sort()
    expect(named).toEqual([...new Set(mounted.map(({ operation }) => operation))].sort())
  })

  test('200 has each address as it is mounted, and none that is hidden', () => {
    const real = new Set(
      mounted.map(({ method, url }) => `${method} ${url.replace(/:(\w+)\??/g, '{$1}')}`),
    )
    const told = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    expect(told.filter((one) => !real.has(one))).toEqual([])
    const bare = told.filter((one) => !one.includes('/api/'))
    expect(bare).toEqual(BARE.map((path) => expect.stringMatching(`^(GET|POST) ${path}$`)))
  })

  test.each(operations.map((one) => [one.operation.operationId, one] as const))(
    '200 tells of %s what a caller needs',
    (id, { path, method, operation }) => {
      const isOpen = OPEN.includes(id)
      const { summary, tags, security, parameters = [], requestBody, responses } = operation
      expect(summary.length).toBeGreaterThan(3)
      expect(tags).toHaveLength(1)
      expect(security).toEqual(isOpen ? [] : [{ secretKey: [] }])
      const inPath = parameters.filter((one) => one.in === 'path').map(({ name }) => `{${name}}`)
      expect(inPath).toEqual(path.match(/\{\w+\}/g) ?? [])
      const ofHeader = parameters.filter((one) => one.in === 'header').map(({ name }) => name)
      const guarded = GUARDED.includes(id) ? ['if-match'] : []
      const expected = method === 'get' || isOpen ? [] : ['idempotency-key', ...guarded]
      expect(ofHeader).toEqual(expected)
      if (method === 'get') expect(requestBody).toBeUndefined()
      const [success, ...others] = Object.keys(responses)
      expect(success).toMatch(/^20[01]$/)
      expect(others).toEqual(['default'])
    },
  )

  test('201 and 400 answer as it says', async () => {
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv as never)
    const { responses } = paths['/api/payment-service/external/v1/invoices']!.post!
    const check = (name: string, body: unknown) => {
      const validate = ajv.compile(responses[name]!.content['application/json']!.schema)
      validate(body)
      expect(validate.errors).toBeNull()
    }
    const path = '/api/payment-service/external/v1/invoices'
    const made = await post(path, { customerEmail: 'ada@example.com', amount: '5.10' })
    check('201', made.body)
    check('default', (await post(path, {})).body)
  })
})

describe('its webhooks', () => {
  const ajv = new Ajv2020({ strict: false })
  formats.default(ajv as never)

  test('200 names every type of event, with an example of what is sent', () => {
    expect(Object.keys(document.webhooks)).toEqual(EVENT_TYPES)
    for (const [type, { post }] of Object.entries<{ post: WebhookOperation }>(document.webhooks)) {
      const { schema, example } = post.requestBody.content['application/json']!
      const check = ajv.compile(schema)
      check(example)
      expect([type, check.errors]).toEqual([type, null])
      expect(example.type).toBe(type)
      const headers = post.parameters.map(({ name }) => name)
      expect(headers).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    }
  })
})

interface WebhookOperation {
  parameters: { name: string }[]
  requestBody: { content: Record<string, { schema: object; example: { type: string } }> }
}

describe('/docs', () => {
  /** Addresses that a browser would load by itself. */
  const loaded = (html: string) => [
    ...[...html.matchAll(/<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=["']([^"']+)/g)].map(
      ([, address = '']) => address,
    ),
    ...[...html.matchAll(/url\(["']?([^"')]+)/g)].map(([, address = '']) => address),
  ]

  test('200 as a page of our own origin and nothing else', async () => {
    const { status, text, headers } = await get('/docs/', { authorization: '' })
    expect([status, headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/html/),
    ])
    const policy = headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/)

    const addresses = loaded(text)
    expect(addresses.length).toBeGreaterThan(0)
    for (const address of addresses) {
      const { origin, pathname } = new URL(address, `${url}/docs/`)
      expect(origin).toBe(url)
      expect((await fetch(url + pathname)).status).toBe(200)
    }
  })

  test('200 is told to call nobody: no fonts, proxy, telemetry or agent of the makers', async () => {
    const { text } = await get('/docs/', { authorization: '' })
    const told = text.replace(/\s/g, '')
    expect(told).toContain('"url":"/openapi.json"')
    expect(told).toContain('"withDefaultFonts":false,"telemetry":false,"proxyUrl":""')
    expect(told).toContain('"agent":{"disabled":true}')
    expect(text).not.toMatch(/https?:\/\/[^"']*(scalar|jsdelivr|googleapis|unpkg)/)
  })

  test('302 or 200 without the slash, and 404 for what it does not have', async () => {
    const { status } = await get('/docs', { authorization: '' })
    expect([200, 301, 302]).toContain(status)
    expect((await get('/docs/nothing.js', { authorization: '' })).status).toBe(404)
  })
})
