import { globSync, readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { EVENT_CATALOGUE } from '../src/app/event-catalogue.ts'
import { plainDocument } from '../src/lib/openapi.ts'
import { startServer } from './harness.ts'

interface Operation {
  operationId: string
  summary: string
  tags: string[]
  security: object[]
  parameters?: { name: string; in: string; required?: boolean }[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { content: Record<string, { schema: object }>; headers: object }>
  'x-alias-of'?: string
  'x-reads'?: boolean
}

const server = await startServer()
const { get, post, url } = server
const { status, body: document, headers } = await get('/openapi.json', { authorization: '' })
type Paths = Record<string, Record<string, Operation>>
const operationsIn = (paths: Paths) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
const every = operationsIn(document.paths)
const paths = plainDocument(document).paths as Paths
const operations = operationsIn(paths)
/** API operations without a service in their URL; pages, health and documents have none either. */
const BARE = ['/transactions', '/transfers', '/oauth/token']
/** Operations that need no API key and take no Idempotency-Key. */
const OPEN = ['create_partner_token', 'create_oauth_token']
/** Operations with `If-Match`, which change a record only if nobody else has changed it. */
const GUARDED = [
  ...['update_invoice', 'send_invoice', 'remind_invoice', 'mark_invoice_paid', 'void_invoice'],
  ...['update_product', 'archive_product', 'update_payment_page', 'set_payment_page_status'],
  ...['update_webhook', 'update_subaccount', 'deactivate_subaccount', 'update_split_page'],
  'confirm_subaccount_account',
  ...['remove_split_page_subaccount', 'update_discount_code', 'update_delivery_fee'],
  'rename_digital_download_file',
]
/** POST operations that change nothing, so they take no Idempotency-Key. */
const READS = ['check_custom_link', 'check_product_slug', 'verify_discount_code']
const mounted = server.app.mounted.filter(
  ({ url }) => url.startsWith('/api/') || BARE.includes(url),
)

describe('/openapi.json', () => {
  test('200 for everyone, a valid OpenAPI 3.1 document', async () => {
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    expect(document.openapi).toMatch(/^3\.1\./)
    const validator = new Validator()
    const result = await validator.validate(structuredClone(document))
    expect(result.errors).toBeUndefined()
    expect([result.valid, validator.version]).toEqual([true, '3.1'])
  })

  test('200 has each mounted operation once', () => {
    const named = operations.map(({ operation }) => operation.operationId).sort()
    expect(named).toEqual([...new Set(mounted.map(({ operation }) => operation))].sort())
  })

  test('200 has every mounted URL and no other', () => {
    const real = mounted.map(
      ({ method, url }) => `${method} ${url.replace(/:(\w+)\??/g, '{$1}').replace(/\?$/, '')}`,
    )
    const described = every.map(({ path, method }) => `${method.toUpperCase()} ${path}`)
    expect(described.sort()).toEqual([...new Set(real)].sort())
  })

  test('200 describes the second URL of an operation as an alias of the first', () => {
    const aliases = every.filter(({ operation }) => operation['x-alias-of'] !== undefined)
    expect(aliases.length).toBeGreaterThan(100)
    for (const { path, method, operation } of aliases) {
      const { operationId, 'x-alias-of': name, requestBody, responses, parameters } = operation
      const first = document.paths[path.replace('/v1/', '/external/v1/')][method]
      expect([operationId, name]).toEqual([`${first.operationId}_v1`, first.operationId])
      const { requestBody: body, responses: answers, parameters: taken } = first
      expect([requestBody, responses, parameters]).toEqual([body, answers, taken])
    }
    const ids = every.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('200 does not require fields that have a default', () => {
    const all = every.flatMap(({ operation }) => operation.parameters ?? []) as Parameter[]
    const parameters = all.filter(
      ({ required, schema }) => required && schema && 'default' in schema,
    )
    expect(parameters.map(({ name }) => name)).toEqual([])
    const demanding: string[] = []
    const look = (part: unknown, at: string): void => {
      if (typeof part !== 'object' || part === null) return
      const { required, properties } = part as { required?: unknown; properties?: object }
      for (const name of Array.isArray(required) ? required : []) {
        const property = (properties as Record<string, object> | undefined)?.[name] ?? {}
        if ('default' in property) demanding.push(`${at}/${name}`)
      }
      for (const [name, one] of Object.entries(part)) look(one, `${at}/${name}`)
    }
    look(document.components.requestBodies, '')
    expect(demanding).toEqual([])
  })

  test('200 requires the same fields of an invoice as the server', () => {
    const { requestBodies } = document.components
    const { required, content } = requestBodies.CreateInvoice
    expect([required, content['application/json'].schema.required]).toEqual([
      true,
      ['customerEmail', 'amount'],
    ])
    expect(requestBodies.SendInvoice?.required ?? false).toBe(false)
  })

  test.each(operations.map((one) => [one.operation.operationId, one] as const))(
    '200 describes %s completely',
    (id, { path, method, operation }) => {
      const isOpen = OPEN.includes(id)
      const { summary, tags, security, parameters = [], requestBody, responses } = operation
      expect(summary.length).toBeGreaterThan(3)
      expect(tags).toHaveLength(1)
      expect(security).toEqual(isOpen ? [] : [{ secretKey: [] }])
      const inPath = parameters.filter((one) => one.in === 'path').map(({ name }) => `{${name}}`)
      expect(inPath).toEqual(path.match(/\{\w+\}/g) ?? [])
      const ofHeader = parameters.filter((one) => one.in === 'header').map(({ name }) => name)
      const guarded = GUARDED.includes(id) ? ['If-Match'] : []
      const isRead = method === 'get' || READS.includes(id)
      expect(operation['x-reads'] ?? false).toBe(READS.includes(id))
      const expected = isRead || isOpen ? [] : ['Idempotency-Key', ...guarded]
      expect(ofHeader).toEqual(expected)
      if (method === 'get') expect(requestBody).toBeUndefined()
      const [success, ...others] = Object.keys(responses)
      expect(success).toMatch(/^20[01]$/)
      const always = ['400', '401', '429', '500', '503']
      const ofBody = method === 'get' ? [] : ['413', '415']
      const ofWrites = isRead || isOpen ? [] : ['409', '422']
      const scoped = isOpen ? [] : ['403']
      const versioned = GUARDED.includes(id) ? ['412'] : []
      const inAddress = path.includes('{') ? ['404'] : []
      const expectedErrors = [
        ...always,
        ...ofBody,
        ...ofWrites,
        ...scoped,
        ...versioned,
        ...inAddress,
      ]
      expect(others).toEqual(expect.arrayContaining(expectedErrors))
      const extra = others.filter((one) => !expectedErrors.includes(one))
      expect(extra.filter((one) => !['404', '412'].includes(one))).toEqual([])
    },
  )

  test('200 documents Idempotency-Key and 422 exactly if the route claims the key', () => {
    const sources = globSync('src/**/*routes*.ts').filter((path) => !path.endsWith('.test.ts'))
    const routes = sources.flatMap((path) =>
      readFileSync(path, 'utf8')
        .split(/\broute\(\{/)
        .slice(1)
        // The compiler ensures that routes without an API key do not claim.
        .filter((text) => /\bhandle\b/.test(text) && !/caller: '(?!key)/.test(text)),
    )
    const claims = new Map(
      routes.map((text) => [
        /operation: '(\w+)'/.exec(text)?.[1],
        /\b(once|repeatable|claim)\b|handle: \(input\)/.test(text),
      ]),
    )
    const keyed = ({ parameters = [], responses }: Operation) =>
      parameters.some(({ name }) => name === 'Idempotency-Key') && '422' in responses
    // Routes that claim the key in a shared helper cannot be checked here.
    const wrong = operations.filter(({ operation }) => {
      const claimsKey = claims.get(operation.operationId)
      return claimsKey !== undefined && keyed(operation) !== claimsKey
    })
    expect(claims.size).toBeGreaterThan(100)
    expect(wrong.map(({ operation }) => operation.operationId)).toEqual([])
  })

  const invoices = '/api/payment-service/external/v1/invoices'
  const bills = '/api/payment-service/external/v1/utility/transactions/process-payment'
  const fees = '/api/payment-service/external/v1/products/add-delivery-fees'
  const ussd = '/api/transaction-service/external/v1/transaction-with-ussd'

  test('201 the response with a new invoice matches the document', async () => {
    const made = await post(invoices, { customerEmail: 'ada@example.com', amount: '5.10' })
    expect(faultsOf(invoices, made)).toBeNull()
  })

  test.each([
    ['fields', invoices],
    ['flag', bills],
    ['text', fees],
    ['coded', ussd],
    ['oauth', '/oauth/token'],
  ])('400, 401 and 415 match the document in the envelope %s', async (_envelope, path) => {
    const text = { 'content-type': 'text/plain' }
    const answers = [
      await post(path, { amount: 'much', grant_type: 1 }),
      await post(path, {}, { authorization: 'Bearer sk_test_nobody' }),
      await post(path, {}, text),
    ]
    expect(answers.every(({ status }) => status >= 400 && status < 500)).toBe(true)
    for (const answer of answers) {
      expect([answer.status, faultsOf(path, answer)]).toEqual([expect.any(Number), null])
    }
  })

  test('404 and 412 of single operations are described', () => {
    const has = (id: string) => {
      const { operation } = operations.find((one) => one.operation.operationId === id)!
      return Object.keys(operation.responses)
    }
    expect(has('process_utility_payment')).toContain('412')
    for (const id of ['list_banks', 'list_utility_packages', 'simulate_clock']) {
      expect([id, has(id).includes('404')]).toEqual([id, true])
    }
  })

  test('409, 404 and 422 of an invoice match the document', async () => {
    const once = { 'idempotency-key': 'openapi-1' }
    const body = { customerEmail: 'ada@example.com', amount: 7 }
    const { body: made } = await post(invoices, body, once)
    const reused = await post(invoices, { ...body, amount: 8 }, once)
    expect([reused.status, faultsOf(invoices, reused)]).toEqual([422, null])
    const voiding = `${invoices}/{reference}/void`
    const voided = await post(`${invoices}/${made.data.reference}/void`, {})
    expect([voided.status, faultsOf(voiding, voided)]).toEqual([200, null])
    const again = await post(`${invoices}/${made.data.reference}/void`, {})
    expect([again.status, faultsOf(voiding, again)]).toEqual([409, null])
    const missing = await post(`${invoices}/INV_nothing/void`, {})
    expect([missing.status, faultsOf(voiding, missing)]).toEqual([404, null])
  })

  /** Returns how the response to a POST differs from the documented one; null if it does not. */
  function faultsOf(path: string, { status, body }: { status: number; body: unknown }) {
    const response = paths[path]!.post!.responses[status]
    if (!response) return `${status} is not described`
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv as never)
    const check = ajv.compile(response.content['application/json']!.schema)
    check(body)
    return check.errors ?? null
  }
})

describe('its webhooks', () => {
  const ajv = new Ajv2020({ strict: false })
  formats.default(ajv as never)

  test('200 lists every event type, with a valid example', () => {
    expect(Object.keys(document.webhooks)).toEqual(EVENT_CATALOGUE.types)
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

interface Parameter {
  name: string
  required?: boolean
  schema?: object
}

interface WebhookOperation {
  parameters: { name: string }[]
  requestBody: { content: Record<string, { schema: object; example: { type: string } }> }
}

describe('/docs', () => {
  /** Returns the URLs that a browser would load by itself. */
  const loaded = (html: string) => [
    ...[...html.matchAll(/<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=["']([^"']+)/g)].map(
      ([, address = '']) => address,
    ),
    ...[...html.matchAll(/url\(["']?([^"')]+)/g)].map(([, address = '']) => address),
  ]

  test('200 the page loads only from our origin', async () => {
    const { status, text, headers } = await get('/docs/', { authorization: '' })
    expect([status, headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/html/),
    ])
    const policy = headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/)

    const addresses = loaded(text)
    expect(text).toContain('<title>Tradepost API</title>')
    expect(addresses.length).toBeGreaterThan(0)
    for (const address of addresses) {
      const { origin, pathname } = new URL(address, `${url}/docs/`)
      expect(origin).toBe(url)
      expect((await fetch(url + pathname)).status).toBe(200)
    }
  })

  test('200 is configured without external fonts, proxy, telemetry or agent', async () => {
    const { text } = await get('/docs/', { authorization: '' })
    const told = text.replace(/\s/g, '')
    expect(told).toContain('"url":"/openapi.json"')
    expect(told).toContain('"withDefaultFonts":false,"telemetry":false,"proxyUrl":""')
    expect(told).toContain('"agent":{"disabled":true}')
    expect(text).not.toMatch(/https?:\/\/[^"']*(scalar|jsdelivr|googleapis|unpkg)/)
  })

  test('302 or 200 without the slash, and 404 for an unknown file', async () => {
    const { status } = await get('/docs', { authorization: '' })
    expect([200, 301, 302]).toContain(status)
    expect((await get('/docs/nothing.js', { authorization: '' })).status).toBe(404)
  })
})
