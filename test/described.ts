import { plainDocument } from '../src/lib/openapi.ts'

/* The operations of a server, as its own OpenAPI describes them. */

export interface Schema {
  type?: string | string[]
  enum?: readonly unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  examples?: readonly unknown[]
  additionalProperties?: unknown
  'x-amount'?: object
  'x-record-id'?: boolean
  'x-spelling-of'?: string
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
}

export interface Described {
  operation: string
  method: 'GET' | 'POST' | 'PUT'
  /** With `{name}` for path parameters. */
  path: string
  parameters: readonly Parameter[]
  /** The schema of the body for each content type that it accepts. */
  bodies: Readonly<Record<string, Schema>>
  /** The statuses that a response can have. */
  statuses: ReadonlySet<number>
  /** Whether it takes a key. */
  takesKey: boolean
}

interface Document {
  paths: Record<string, Record<string, Operation>>
}

interface Operation {
  operationId: string
  security?: readonly object[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, object>
}

/** Reads the operations from the body of `/openapi.json`, without those at a second URL. */
export function describedIn(document: Document): Described[] {
  const { paths } = plainDocument(document)
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({
      operation: one.operationId,
      method: method.toUpperCase() as Described['method'],
      path,
      parameters: one.parameters ?? [],
      bodies: Object.fromEntries(
        Object.entries(one.requestBody?.content ?? {}).map(([type, { schema }]) => [type, schema]),
      ),
      statuses: new Set(Object.keys(one.responses).map(Number)),
      takesKey: one.security?.length !== 0,
    })),
  )
}

/** Strings of which at least one fits each pattern in the API. */
const TEXTS = [
  ...['Ada Ventures', 'ada@example.com', '0123456785', 'NGN', 'NG', 'DESC', '+2348031234567'],
  ...['2026-01-01', 'Africa/Lagos', '6.5,3.3', 'GET', 'invoice.paid', '#27447a', 'sample-1'],
  ...['https://example.com/hook', '1500.00', '58', 'sample', '2xx', 'pc_test_sample1'],
]

/** Returns a value that a schema accepts. Throws if it cannot find one. */
export function sampleOf(schema: Schema, name: string): unknown {
  const { enum: values, examples, items, minItems = 0, minimum = 1, properties, required } = schema
  if ('const' in schema) return schema.const
  if (values) return values[0]
  if (examples && examples.length > 0) return examples[0]
  if (schema['x-amount']) return 100
  const types = [schema.type ?? []].flat()
  if (properties || types.includes('object')) {
    const needed = (required ?? []).map((one) => [one, sampleOf(properties![one]!, one)])
    return Object.fromEntries(needed)
  }
  if (types.includes('array')) {
    return Array.from({ length: minItems }, () => sampleOf(items ?? {}, name))
  }
  if (types.includes('integer') || types.includes('number')) return minimum
  if (types.includes('boolean')) return true
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  const pattern = new RegExp(schema.pattern ?? '', 'u')
  const text = TEXTS.find(
    (one) => one.length >= minLength && one.length <= maxLength && pattern.test(one),
  )
  if (text === undefined) throw new Error(`no sample of ${name}: ${JSON.stringify(schema)}`)
  return text
}
