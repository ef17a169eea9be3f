import type { FastifyInstance } from 'fastify'
import { beginRequest, isTracing, type RequestSpan } from '../tracing/tracing.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span: RequestSpan | null
  }
}

/** Health checks and metrics would hide everything else. */
const OF_OPERATOR = ['/health/live', '/health/ready', '/metrics']

/** Starts a span for each request, if tracing is on when the server is built. */
export function traceRequests(server: FastifyInstance): void {
  if (!isTracing()) return
  server.decorateRequest('span', null)
  server.addHook('onRequest', (request, reply, done) => {
    const { method, headers, id } = request
    const { url: route = 'unknown', config } = request.routeOptions
    if (OF_OPERATOR.includes(route)) return done()
    // Never the URL itself, because it can contain the token of a page.
    const attributes = {
      'http.request.method': method,
      'http.route': route,
      'tradepost.request_id': id,
      'tradepost.operation': config?.operation,
    }
    const span = beginRequest(`${method} ${route}`, { attributes, headers })
    if (!span) return done()
    request.span = span
    reply.raw.once('close', () => {
      const { statusCode: status } = reply
      const { businessId, live } = request.caller ?? {}
      const told = {
        'http.response.status_code': status,
        'tradepost.business_id': businessId,
        'tradepost.mode': live === undefined ? undefined : live ? 'live' : 'test',
        'tradepost.error_code': request.errorCode ?? undefined,
        'tradepost.disconnected': reply.raw.writableFinished ? undefined : true,
      }
      span.end(told, status >= 500 ? (request.errorCode ?? String(status)) : undefined)
    })
    span.enter(done)
  })
  // The events of a body arrive outside of the span.
  server.addHook('preValidation', ({ span }, _reply, done) => (span ? span.enter(done) : done()))
}
