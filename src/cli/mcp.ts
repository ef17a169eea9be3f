import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import type { Command } from 'commander'
import { plainDocument } from '../lib/openapi.ts'
import { VERSION } from '../version.ts'
import { type ClientOptions, clientOptions, resolveTarget } from './listen.ts'
import { terminal, UsageError } from './output.ts'

interface Options extends ClientOptions {
  allowWrites?: boolean
  live?: boolean
}

export function mcpCommand(program: Command): void {
  const mcp = program
    .command('mcp')
    .description('Let an AI assistant use the API (Model Context Protocol over standard input)')
    .option('--allow-writes', 'also allow changes (default: read only)')
    .option('--live', 'also accept a live key (default: test keys only)')
    .addHelpText(
      'after',
      `
Examples:
  $ tradepost mcp
  $ TRADEPOST_KEY=sk_test_… TRADEPOST_URL=https://pay.example.com tradepost mcp --allow-writes`,
    )
    .action(run)
  clientOptions(mcp)
}

async function run({ allowWrites = false, live = false, ...options }: Options): Promise<void> {
  const { key, baseUrl } = await resolveTarget(options)
  if (!key.startsWith('sk_test_') && !(live && key.startsWith('sk_live_'))) {
    throw new UsageError('Assistants can only use a test key. Use --live to allow a live one.')
  }
  const tools = toolsOf(await documentOf(baseUrl), { baseUrl, key, allowWrites })
  const { fromJsonSchema, McpServer } = await import('@modelcontextprotocol/server')
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
  const serve = () => {
    const server = new McpServer({ name: 'tradepost', version: VERSION })
    for (const tool of tools) {
      const { name, title, description, inputSchema, writes } = tool
      server.registerTool(
        name,
        {
          title,
          description,
          inputSchema: fromJsonSchema<Record<string, unknown>>(inputSchema as never),
          annotations: { readOnlyHint: !writes, destructiveHint: writes, openWorldHint: false },
        },
        (input: Record<string, unknown>) => answerOf(tool, input),
      )
    }
    return server
  }
  const mode = allowWrites ? 'reading and writing' : 'read only'
  terminal().stderr.write(`Tradepost at ${baseUrl}: ${tools.length} tools, ${mode}.\n`)
  const input = new PassThrough()
  const transport = new StdioServerTransport(input, terminal().stdout)
  endAfterAnswers(input, transport)
  serveStdio(serve, { transport })
}

interface Message {
  id?: string | number
  method?: string
}

/** How long requests can take after the end of standard input. */
const ANSWERS_MS = 60_000

/** Passes on standard input, and ends it only when every request has a response. */
function endAfterAnswers(
  input: PassThrough,
  transport: { send(message: never): Promise<void> },
): void {
  const open = new Set<string | number>()
  let hasEnded = false
  const endIfAnswered = () => {
    if (hasEnded && open.size === 0) input.end()
  }
  createInterface({ input: terminal().stdin })
    .on('line', (line) => {
      const { id, method } = messageIn(line)
      if (id !== undefined && method !== undefined) open.add(id)
      input.write(`${line}\n`)
    })
    .on('close', () => {
      hasEnded = true
      endIfAnswered()
      setTimeout(() => input.end(), ANSWERS_MS).unref()
    })
  const send = transport.send.bind(transport)
  transport.send = async (message: Message) => {
    await send(message as never)
    if (message.id !== undefined && message.method === undefined) open.delete(message.id)
    endIfAnswered()
  }
}

function messageIn(line: string): Message {
  try {
    return JSON.parse(line) as Message
  } catch {
    return {}
  }
}

async function documentOf(baseUrl: string): Promise<Document> {
  const response = await fetch(`${baseUrl}/openapi.json`).catch(() => undefined)
  if (!response?.ok) throw new Error(`No Tradepost server is responding at ${baseUrl}.`)
  return plainDocument((await response.json()) as Document)
}

/**
 * The maximum length of the text for the model. A longer response would displace the rest of its
 * context.
 */
const TEXT_MAX = 60_000

async function answerOf(tool: Tool, input: Record<string, unknown>) {
  const { texts, isError } = await tool.call(input)
  const shown = texts.map((text) =>
    text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}… (truncated: ask for less)` : text,
  )
  return { content: shown.map((text) => ({ type: 'text' as const, text })), isError }
}

/** The parts of the OpenAPI document from which tools are built. */
interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>
}

interface DocumentedOperation {
  operationId?: string
  summary?: string
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

/** An API operation as a tool for the model. */
interface Tool {
  name: string
  title: string
  description: string
  writes: boolean
  /**
   * The JSON Schema for an object that combines path, query and body, with the Idempotency-Key of a
   * write.
   */
  inputSchema: { type: 'object'; properties: Record<string, object>; required?: string[] }
  call(input: Record<string, unknown>): Promise<Answer>
}

interface Answer {
  texts: string[]
  isError: boolean
}

interface Access {
  baseUrl: string
  key: string
  /** If false, operations that change something are left out. */
  allowWrites: boolean
}

/**
 * Returns the tools of a server: every operation that takes a key and returns JSON, except for
 * operations on files.
 */
function toolsOf({ paths }: Document, access: Access): Tool[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const tool = toolOf(path, method, operation, access)
      return tool ? [tool] : []
    }),
  )
}

function toolOf(path: string, method: string, operation: DocumentedOperation, access: Access) {
  const { operationId, summary = '', deprecated, security } = operation
  const writes = method !== 'get'
  if (!operationId || deprecated || !security?.length || !answersJson(operation)) return undefined
  if (writes && !access.allowWrites) return undefined
  const content = operation.requestBody?.content
  if (content && !content['application/json']) return undefined

  const body = content?.['application/json']?.schema ?? {}
  const all = operation.parameters ?? []
  const parameters = all.filter((one) => one.in !== 'header')
  const takesKey = all.some((one) => one.in === 'header' && one.name === 'Idempotency-Key')
  const properties: Record<string, object> = {
    ...Object.fromEntries(
      parameters.map((one) => [one.name, { ...one.schema, ...describedBy(one) }]),
    ),
    ...body.properties,
    ...(takesKey && { idempotencyKey: IDEMPOTENCY_KEY }),
  }
  // The server fills in defaults, so a field with a default is not required.
  const required = [
    ...parameters.filter((one) => one.required).map(({ name }) => name),
    ...(body.required ?? []),
  ].filter((name) => !('default' in (properties[name] ?? {})))
  return {
    name: operationId,
    title: summary,
    // The description in the document is about scopes and URLs, which the assistant does not need,
    // and every word costs tokens.
    description: summary,
    writes,
    inputSchema: { type: 'object' as const, properties, ...(required.length > 0 && { required }) },
    call: (input: Record<string, unknown>) =>
      send({ path, method, parameters, takesKey, access, input }),
  }
}

const IDEMPOTENCY_KEY = {
  type: 'string',
  pattern: '^[!-~]{1,255}$',
  description: 'Only to repeat a failed call: the key that its error named.',
}

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
  /** Whether the operation takes an Idempotency-Key, as all writes do. */
  takesKey: boolean
  access: Access
  input: Record<string, unknown>
}

/** For all attempts of a call: most assistants give up after a minute, and would miss the error. */
const TIMEOUT_MS = 55_000
const RETRIES_MAX = 3
/** The assistant learns at once why it must wait longer, as while the server is read-only. */
const RETRY_AFTER_MAX_MS = 10_000

/**
 * Sends a request and its retries, all with the same Idempotency-Key. If the outcome of a write is
 * not known in the end, the answer names the key, so that the assistant can repeat the call without
 * making the change twice.
 */
async function send(sending: Sending): Promise<Answer> {
  // Imported here, so that other commands don't load it.
  const { ApiError, ConnectionError, errorOf, withRetries } = await import('../../sdk/src/index.ts')
  const { url, init, key } = requestOf(sending)
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const attempt = async () => {
    try {
      const response = await fetch(url, { ...init, signal })
      if (!response.ok) throw await errorOf(response, Date.now())
      return await response.text()
    } catch (cause) {
      if (cause instanceof ApiError || signal.aborted) throw cause
      throw new ConnectionError((cause as Error).message, { cause })
    }
  }
  try {
    // Every tool either only reads or takes a key.
    const limits = { retriesMax: RETRIES_MAX, retryAfterMaxMs: RETRY_AFTER_MAX_MS }
    const text = await withRetries(attempt, { ...limits, isSafe: true, signal })
    return { texts: [text], isError: false }
  } catch (error) {
    const failure = error instanceof ApiError ? error : undefined
    const text = failure
      ? textOf(failure.body)
      : `The server did not respond: ${(error as Error).message}`
    const isFinal = failure && failure.status < 500 && failure.retryAfterMs === undefined
    return { texts: [text, ...(key && !isFinal ? [repeatWith(key)] : [])], isError: true }
  }
}

const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body))

const repeatWith = (key: string) =>
  `To repeat this call, use the same input with "idempotencyKey": "${key}". ` +
  'Without it, the change could be made twice.'

function requestOf({ path, method, parameters, takesKey, access, input }: Sending) {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const taken = (name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return value
  }
  const key = takesKey ? String(taken('idempotencyKey') ?? `mcp-${randomUUID()}`) : undefined
  let address = path
  const query = new URLSearchParams()
  for (const { name, in: place } of parameters) {
    const value = taken(name)
    if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(String(value)))
    else if (value !== undefined) query.set(name, String(value))
  }
  const hasBody = method !== 'get'
  const init = {
    method: method.toUpperCase(),
    headers: {
      authorization: `Bearer ${access.key}`,
      'user-agent': 'tradepost-mcp',
      ...(hasBody && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
    },
    ...(hasBody && { body: JSON.stringify(Object.fromEntries(rest)) }),
  }
  return { url: `${access.baseUrl}${address}${query.size > 0 ? `?${query}` : ''}`, init, key }
}
