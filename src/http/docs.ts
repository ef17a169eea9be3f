import { createHash } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { plainDocument } from '../lib/openapi.ts'
import { llmsTextOf } from './llms.ts'
import { postmanOf } from './postman.ts'
import type { Mounted } from './route.ts'

/**
 * Nothing leaves the machine: no fonts, proxy or telemetry of the reference's makers. The page runs
 * the scripts that it has, by their hashes, and no other.
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

/** `/openapi.json`, the same in other forms, and a reference to read and try it at `/docs`. */
export function mountDocs(server: FastifyInstance, publicUrl: string): Mounted[] {
  const plain = () => plainDocument(server.swagger() as never)
  // Made when it is first asked for: what is mounted later is in it too.
  const papers = {
    '/openapi.json': () => JSON.stringify(server.swagger()),
    '/postman.json': () => JSON.stringify(postmanOf(plain() as never, publicUrl)),
    '/llms.txt': () => llmsTextOf(plain() as never, publicUrl),
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
 * The reference's plugin in a server of its own that never listens, made when somebody first looks:
 * its script stands in memory, 25 MB of a server that should do with 120.
 */
async function openReference(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const inner = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  await inner.register(scalar, { routePrefix: '/docs', configuration: CONFIGURATION as object })
  await inner.ready()
  return inner
}
