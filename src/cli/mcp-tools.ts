import { randomUUID } from 'node:crypto'

/** The parts of the OpenAPI document that tools are made of. */
export interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>
}

interface DocumentedOperation {
  operationId?: string
  summary?: string
  description?: string
  deprecated?: boolean
  parameters?: {
    name: string
    in: string
    required?: boolean
    schema?: object
    description?: string
  }[]
  requestBody?: { content?: Record<string, { schema?: BodySchema }> }
  responses?: Record<string, { content?: Record<string, unknown> }>
  security?: object[]
}

interface BodySchema {
  type?: string
  properties?: Record<string, object>
  required?: string[]
}

/** One operation of the API as a model may call it. */
export interface Tool {
  name: string
  title: string
  description: string
  writes: boolean
  /** JSON Schema of an object: path, query and body together. */
  inputSchema: { type: 'object'; properties: Record<string, object>; required?: string[] }
  call(input: Record<string, unknown>): Promise<{ status: number; text: string }>
}

interface Access {
  baseUrl: string
  key: string
  /** Operations that change something are left out unless this is true. */
  allowWrites: boolean
}

/** The tools of a server: every operation that answers JSON and takes a key, but files. */
export function toolsOf({ paths }: Document, access: Access): Tool[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const tool = toolOf(path, method, operation, access)
      return tool ? [tool] : []
    }),
  )
}

function toolOf(path: string, method: string, operation: DocumentedOperation, access: Access) {
  const { operationId, summary = '', description = '', deprecated, security } = operation
  const writes = method !== 'get'
  if (!operationId || deprecated || !security?.length || !answersJson(operation)) return undefined
  if (writes && !access.allowWrites) return undefined
  const content = operation.requestBody?.content
  if (content && !content['application/json']) return undefined

  const body = content?.['application/json']?.schema ?? {}
  const parameters = (operation.parameters ?? []).filter((one) => one.in !== 'header')
  const properties: Record<string, object> = {
    ...Object.fromEntries(
      parameters.map((one) => [one.name, { ...one.schema, ...describedBy(one) }]),
    ),
    ...body.properties,
  }
  // What has a default is filled in by the server, and need not be said.
  const required = [
    ...parameters.filter((one) => one.required).map(({ name }) => name),
    ...(body.required ?? []),
  ].filter((name) => !('default' in (properties[name] ?? {})))
  return {
    name: operationId,
    title: summary,
    description: [summary, aboutOf(description)].filter((text) => text !== '').join('. '),
    writes,
    inputSchema: { type: 'object' as const, properties, ...(required.length > 0 && { required }) },
    call: (input: Record<string, unknown>) => send({ path, method, parameters, access, input }),
  }
}

/** Without what only a reader of the reference needs: an assistant pays for each word. */
const aboutOf = (description: string): string =>
  description
    .replace(/A restricted key needs the scope `[^`]*`\.|It asks for no key\./g, '')
    .replace(/Answers under `\/v1\/` without `external` too\./g, '')
    .trim()

const describedBy = ({ description }: { description?: string }) =>
  description ? { description } : {}

function answersJson({ responses = {} }: DocumentedOperation): boolean {
  const success = responses['200'] ?? responses['201']
  return success?.content?.['application/json'] !== undefined
}

interface Sending {
  path: string
  method: string
  parameters: { name: string; in: string }[]
  access: Access
  input: Record<string, unknown>
}

const TIMEOUT_MS = 60_000

/** Sends one call. A write has an Idempotency-Key of its own: a repeat of it is harmless. */
async function send({ path, method, parameters, access, input }: Sending) {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const taken = (name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return value
  }
  let address = path
  const query = new URLSearchParams()
  for (const { name, in: place } of parameters) {
    const value = taken(name)
    if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(String(value)))
    else if (value !== undefined) query.set(name, String(value))
  }
  const writes = method !== 'get'
  const response = await fetch(`${access.baseUrl}${address}${query.size > 0 ? `?${query}` : ''}`, {
    method: method.toUpperCase(),
    headers: {
      authorization: `Bearer ${access.key}`,
      'user-agent': 'tradepost-mcp',
      ...(writes && {
        'content-type': 'application/json',
        'idempotency-key': `mcp-${randomUUID()}`,
      }),
    },
    ...(writes && { body: JSON.stringify(Object.fromEntries(rest)) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  return { status: response.status, text: await response.text() }
}
