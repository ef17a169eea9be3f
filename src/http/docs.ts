import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import type { Mounted } from './route.ts'

/**
 * Nothing leaves the machine: neither fonts nor a proxy nor telemetry of the reference's makers.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `/openapi.json`, and a reference to read and try it at `/docs`. */
export async function mountDocs(server: FastifyInstance): Promise<Mounted[]> {
  let document: string | undefined
  server.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    document ??= JSON.stringify(server.swagger())
    return reply.type('application/json; charset=utf-8').send(document)
  })
  await server.register(async (docs) => {
    docs.addHook('onSend', async (_request, reply) => {
      reply.headers({ 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff' })
    })
    await docs.register(scalar, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        title: 'Tradepost API',
        withDefaultFonts: false,
        telemetry: false,
        proxyUrl: '',
        hideClientButton: true,
        agent: { disabled: true },
        showDeveloperTools: 'never',
        authentication: { preferredSecurityScheme: 'secretKey' },
      } as object,
    })
  })
  const shared = { method: 'GET', status: 200, errors: 'fields' } as const
  return [
    { ...shared, operation: 'get_openapi', url: '/openapi.json' },
    { ...shared, operation: 'get_docs', url: '/docs' },
  ]
}
