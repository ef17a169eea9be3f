import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { generate } from '../../sdk/generate/generate.ts'
import { methodOf, recordName } from '../../sdk/generate/names.ts'
import { type Document, operationsOf } from '../../sdk/generate/openapi.ts'
import { typeOf } from '../../sdk/generate/types.ts'
import type { Operation } from '../../sdk/src/call.ts'
import { ApiError, List, Tradepost } from '../../sdk/src/index.ts'
import { OPERATIONS } from '../../sdk/src/operations.ts'
import { plainDocument } from '../../src/lib/openapi.ts'
import { startServer } from '../harness.ts'

const BIOME = 'node_modules/.bin/biome'
const FILE = 'sdk/src/operations.ts'

const server = await startServer({ jobs: false })
const { body } = await server.get('/openapi.json', { authorization: '' })
const document = plainDocument(body as Document)
const told = operationsOf(document)
const generated = generate(document)
const key = server.business.keys.testSecret
const tradepost = new Tradepost({ key, baseUrl: server.url, retriesMax: 0 })

type Methods = Record<string, (...given: unknown[]) => PromiseLike<unknown>>

const rows = Object.entries(OPERATIONS as Record<string, Record<string, Operation>>).flatMap(
  ([group, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      place: `${group}.${method}`,
      operation,
      call: (tradepost as unknown as Record<string, Methods>)[group]![method]!,
    })),
)

const formatted = (text: string) =>
  execFileSync(BIOME, ['format', `--stdin-file-path=${FILE}`], { input: text, encoding: 'utf8' })

describe('the operations of the SDK', () => {
  test('match those in the server’s OpenAPI document', async () => {
    await expect(formatted(generated)).toMatchFileSnapshot(`../../${FILE}`)
  })

  test('are all that need a key, and the token exchange of partners', () => {
    const needed = told.filter(({ security = [] }) => security.length > 0)
    const tokens = ['create_partner_token', 'create_oauth_token']
    const wanted = [...needed.map(({ operationId }) => operationId), ...tokens]
    // Reads the generated text, because `-u` writes the file only after these tests.
    const names = formatted(generated).matchAll(/^ {6}name: '(\w+)',$/gm)
    const covered = [...names].map(([, name]) => name)
    expect(wanted.length).toBeGreaterThan(100)
    expect(wanted.filter((name) => !covered.includes(name))).toEqual([])
    expect(new Set(covered).size).toBe(covered.length)
  })

  test('take an Idempotency-Key if they write with a key', () => {
    const without = rows.filter(
      ({ operation: { method, isIdempotent, isKeyless, isRead } }) =>
        method !== 'GET' && !isKeyless && !isRead && !isIdempotent,
    )
    expect(without.map(({ place }) => place)).toEqual([])
  })

  test.each(rows.map((row) => [row.place, row] as const))(
    '%s calls its operation and no other',
    async (_place, { operation, call }) => {
      const places = operation.path.match(/\{\w+\}/g) ?? []
      const named = places.map((_, i) => `${999_000 + i}`)
      const asked: string[] = []
      const onResponse = ({ status }: { status: number }) => void asked.push(`${status}`)
      const given = [...named, ...(operation.input ? [{}] : []), { onResponse }]
      const error = await Promise.resolve(call(...given)).then(
        (answer) => (answer instanceof Response ? void answer.body?.cancel() : undefined),
        (error: unknown) => error,
      )
      if (error === undefined) return expect(asked).toHaveLength(1)
      expect(error).toBeInstanceOf(ApiError)
      const { status, code } = error as ApiError
      expect([status, code]).not.toEqual([404, 'route_not_found'])
      expect([400, 401, 404, 409, 412, 503]).toContain(status)
    },
  )
})

describe('the client', () => {
  test('returns a list for list operations, a promise for the rest', () => {
    const { invoices } = tradepost
    expect(invoices.list()).toBeInstanceOf(List)
    const refused = invoices.get('')
    expect(refused).toBeInstanceOf(Promise)
    return expect(refused).rejects.toThrow(/reference/)
  })

  test('has groups that cannot be changed', () => {
    expect(() => Object.assign(tradepost.invoices, { create: () => {} })).toThrow(TypeError)
  })
})

describe('names', () => {
  test.each([
    ['create_invoice', 'invoices.create'],
    ['mark_invoice_paid', 'invoices.markPaid'],
    ['list_payment_page_products', 'paymentPages.listProducts'],
    ['create_ussd_transaction', 'transactions.createUssd'],
    ['simulate_transfer', 'simulator.transfer'],
    ['redeliver_webhook', 'webhooks.redeliver'],
    ['list_event_types', 'events.listTypes'],
    ['paint_shed', 'gardenTools.paintShed'],
  ])('%s is %s', (operation, place) => {
    const { group, method } = methodOf(operation, 'Garden tools')
    expect(`${group}.${method}`).toBe(place)
  })

  test.each([
    ['get_invoice', false, 'Invoice'],
    ['list_utility_categories', true, 'UtilityCategory'],
    ['list_invoices', true, 'Invoice'],
    ['get_refund_by_reference', false, 'Refund'],
    ['get_event', false, 'EventRecord'],
    ['list_requests', true, 'RequestRecord'],
  ])('the record of %s is named', (operation, isList, name) => {
    expect(recordName(operation, isList)).toBe(name)
  })

  test('of two operations must differ', () => {
    const operation = { summary: 's', tags: ['Invoices'], responses: answering({}) }
    const paths = {
      '/a': { get: { ...operation, operationId: 'get_invoice' } },
      '/b': { get: { ...operation, operationId: 'get_invoices' } },
    }
    expect(() => generate({ paths })).toThrow(/get_invoice and get_invoices/)
  })
})

const answering = (data: object) => ({
  200: {
    content: { 'application/json': { schema: { type: 'object', properties: { data } } } },
  },
})

describe('types', () => {
  test.each([
    [{ type: 'integer' }, 'number'],
    [{ type: ['integer', 'string'] }, 'number | string'],
    [{ type: ['integer', 'number'] }, 'number'],
    [{ type: ['array', 'null'], items: { type: ['string', 'null'] } }, '(string | null)[] | null'],
    [{ enum: ['a', 1, null] }, '"a" | 1 | null'],
    [{ const: 'a' }, '"a"'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
    [{ type: 'object' }, 'Record<string, unknown>'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    [{ type: 'string', format: 'binary' }, 'Blob'],
    [{}, 'unknown'],
  ])('%j is %s', (schema, text) => {
    expect(typeOf(schema, 'out')).toBe(text)
  })

  test('of requests make fields with a default optional', () => {
    const schema = {
      type: 'object',
      properties: { page: { type: 'integer', default: 1 }, 'x-y': { type: 'string' } },
      required: ['page', 'x-y'],
    }
    const lines = (text: string) => text.split('\n').map((line) => line.trim())
    expect(lines(typeOf(schema, 'in'))).toContain('page?: number | undefined')
    expect(lines(typeOf(schema, 'in'))).toContain('"x-y": string')
    expect(lines(typeOf(schema, 'out'))).toContain('page: number')
  })

  test('of webhooks distinguish the events', () => {
    const data = { type: 'object', properties: { reference: { type: 'string' } } }
    const schema = { type: 'object', properties: { data } }
    const post = { requestBody: { content: { 'application/json': { schema } } } }
    const text = formatted(generate({ paths: {}, webhooks: { 'invoice.paid': { post } } }))
    expect(text).toMatch(/interface EventData \{\s+'invoice.paid': \{\s+reference\?: string/)
  })
})
