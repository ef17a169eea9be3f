/** The parts of an OpenAPI document that a collection is made of. */
interface Document {
  info: { title: string; version: string }
  paths: Record<string, Record<string, Operation>>
}

interface Operation {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  parameters?: { name: string; in: string; required?: boolean; description?: string }[]
  requestBody?: { content?: Record<string, { schema?: Schema }> }
}

interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  default?: unknown
  format?: string
}

/**
 * The document as a Postman collection (format 2.1), which Bruno and Insomnia read too: a folder
 * for each tag, the address and the key as variables, and a body with what is required.
 */
export function postmanOf(document: Document, publicUrl: string): object {
  const { info, paths } = document
  const requests = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      folder: operation.tags?.[0] ?? 'Other',
      item: itemOf(path, method.toUpperCase(), operation),
    })),
  )
  const folders = Map.groupBy(requests, ({ folder }) => folder)
  return {
    info: {
      name: info.title,
      description: `Version ${info.version}. Set the variable key to a test key first.`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{key}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: publicUrl },
      { key: 'key', value: '' },
    ],
    item: [...folders].map(([name, some]) => ({ name, item: some.map(({ item }) => item) })),
  }
}

function itemOf(path: string, method: string, operation: Operation) {
  const { operationId, summary, description, parameters = [], requestBody } = operation
  const query = parameters.filter((one) => one.in === 'query')
  const inPath = parameters.filter((one) => one.in === 'path')
  const steps = path.split('/').slice(1)
  const spelt = steps.map((step) => step.replace(/^\{(.+)\}$/, ':$1'))
  const isKeyed = parameters.some(({ name }) => name === 'Idempotency-Key')
  return {
    name: summary ?? operationId ?? path,
    request: {
      method,
      ...(description && { description }),
      header: isKeyed ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : [],
      url: {
        raw: `{{baseUrl}}/${spelt.join('/')}`,
        host: ['{{baseUrl}}'],
        path: spelt,
        query: query.map(({ name, required, description: about = '' }) => ({
          key: name,
          value: '',
          description: about,
          disabled: !required,
        })),
        variable: inPath.map(({ name }) => ({ key: name, value: '' })),
      },
      ...(requestBody && { body: bodyOf(requestBody) }),
    },
  }
}

function bodyOf({ content = {} }: NonNullable<Operation['requestBody']>) {
  const json = content['application/json']?.schema
  if (json) {
    const raw = JSON.stringify(exampleOf(json), undefined, 2)
    return { mode: 'raw', raw, options: { raw: { language: 'json' } } }
  }
  const [[type, form] = ['', undefined]] = Object.entries(content)
  const fields = Object.keys(form?.schema?.properties ?? {})
  const isUpload = type === 'multipart/form-data'
  const entries = fields.map((key) => ({ key, value: '', type: key === 'file' ? 'file' : 'text' }))
  return isUpload
    ? { mode: 'formdata', formdata: entries }
    : { mode: 'urlencoded', urlencoded: entries }
}

/** What is required, each with the plainest value of its type. */
function exampleOf(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return exampleOf(schema.anyOf[0] ?? {})
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object' || schema.properties) {
    const { properties = {}, required = [] } = schema
    return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]))
  }
  if (type === 'array') return schema.items ? [exampleOf(schema.items)] : []
  if (type === 'number' || type === 'integer') return 1
  if (type === 'boolean') return false
  return schema.format === 'email' ? 'ada@example.com' : ''
}
