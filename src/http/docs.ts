import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Fastify from 'fastify'
import { plainDocument } from '../lib/openapi.ts'
import { fromRoot } from '../root.ts'
import type { Mounted } from './route.ts'

/**
 * The page makes no external requests, because it doesn't use the fonts, proxy or telemetry of the
 * reference's vendor. It runs only the scripts that it contains, which are allowed by their hashes.
 */
const policyOf = (page: string) =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...hashesOf(page)].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g

const hashesOf = (page: string): string[] =>
  [...page.matchAll(SCRIPT)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  )

const CONFIGURATION = {
  url: '/openapi.json',
  title: 'Tradepost API',
  pageTitle: 'Tradepost API',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  authentication: { preferredSecurityScheme: 'secretKey' },
}

/** Mounts `/openapi.json`, its other formats, and the interactive reference at `/docs`. */
export function mountDocs(server: FastifyInstance, publicUrl: string): Mounted[] {
  const plain = (): ApiDocument => plainDocument(server.swagger() as never)
  // Built on the first request, so that operations mounted later are included.
  const papers = {
    '/openapi.json': () => JSON.stringify(server.swagger()),
    '/postman.json': () => JSON.stringify(postmanOf(plain(), publicUrl)),
    '/llms.txt': () => llmsTextOf(plain(), publicUrl),
  }
  for (const [url, make] of Object.entries(papers)) {
    const type = url.endsWith('.json') ? 'application/json' : 'text/plain'
    let paper: string | undefined
    server.get(url, async (_request, reply) => {
      paper ??= make()
      return reply.type(`${type}; charset=utf-8`).send(paper)
    })
  }

  let reference: Promise<FastifyInstance> | undefined
  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    reference ??= openReference()
    const answer = await (await reference).inject(request.url)
    const type = answer.headers['content-type']
    const isPage = String(type).startsWith('text/html')
    return reply
      .code(answer.statusCode)
      .headers({
        'content-type': type,
        ...(answer.headers.location && { location: answer.headers.location }),
        'content-security-policy': policyOf(isPage ? answer.payload : ''),
      })
      .send(answer.rawPayload)
  }
  server.get('/docs', show)
  server.get('/docs/*', show)

  const shared = { method: 'GET', status: 200, errors: 'fields' } as const
  return [
    { ...shared, operation: 'get_openapi', url: '/openapi.json' },
    { ...shared, operation: 'get_postman_collection', url: '/postman.json' },
    { ...shared, operation: 'get_llms_text', url: '/llms.txt' },
    { ...shared, operation: 'get_docs', url: '/docs' },
  ]
}

/**
 * Loads the reference's plugin into an inner server that never listens. This happens on first use,
 * because the plugin's script takes 25 MB of memory in a server that should need 120 MB.
 */
async function openReference(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const inner = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  await inner.register(scalar, { routePrefix: '/docs', configuration: CONFIGURATION as object })
  await inner.ready()
  return inner
}

const INTRODUCTION = fromRoot('docs/llms.txt')

/** Returns the text for language models (llmstxt.org): docs/llms.txt and every operation. */
function llmsTextOf({ paths }: ApiDocument, publicUrl: string): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary = '', tags }]) => ({
      tag: tags?.[0] ?? 'Other',
      line: `- \`${method.toUpperCase()} ${path}\` (${operationId}): ${summary}`,
    })),
  )
  const sections = [...Map.groupBy(operations, ({ tag }) => tag)].map(
    ([tag, some]) => `## ${tag}\n\n${some.map(({ line }) => line).join('\n')}\n`,
  )
  const introduction = readFileSync(INTRODUCTION, 'utf8').replaceAll('{url}', publicUrl)
  return [introduction, ...sections].join('\n')
}

/** The parts of an OpenAPI document that the other formats use. */
interface ApiDocument {
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
 * Returns the document as a Postman collection (format 2.1), which Bruno and Insomnia also read. It
 * has a folder for each tag, variables for the URL and the key, and bodies with the required
 * fields.
 */
function postmanOf(document: ApiDocument, publicUrl: string): object {
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
      description: `Version ${info.version}. First, set the variable "key" to a test key.`,
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

/** Returns the required fields, each with the simplest value for its type. */
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
