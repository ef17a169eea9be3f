import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RouteOptions,
} from 'fastify'
import type { ErrorCode } from '../lib/error-codes.ts'
import { Problem, unavailable } from '../lib/problem.ts'
import { newReference, randomText } from '../lib/tokens.ts'
import { beginRequest, isTracing, type RequestSpan } from '../tracing/tracing.ts'
import { BODY_BYTES_MAX, isJsonUtf8, parseJson } from './bodies.ts'
import { isBrowserNavigation, sendDashboard } from './dashboard.ts'
import { errorBodies, type Failure, toFailure } from './errors.ts'
import { sendUnreadable } from './pages.ts'
import type { Mounted } from './route.ts'
import { dropUnread, handleInOrder, isResponding, nextResponse } from './slow-readers.ts'
import { isUploading } from './uploads.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Contains every route, so that tests and benchmarks don't miss any. */
    everyRoute: RouteOptions[]
  }
}

export interface ServerOptions {
  logger: FastifyBaseLogger
  /** IP addresses or CIDR ranges of the reverse proxies whose X-Forwarded-For is trusted. */
  trustProxy: string[]
  /** Whether clients can only reach the server over https. */
  isSecure?: boolean
  slowRequests?: SlowRequests
}

/** Limits for slow clients, for which Fastify would otherwise wait indefinitely. */
export interface SlowRequests {
  /** How long the headers can take to arrive. */
  headersMs: number
  /** How long the whole request can take to arrive. */
  wholeMs: number
  /** How often open connections are checked against these limits. */
  lookMs: number
  /** How long a client can read nothing of its response. */
  unreadMs: number
}
const SLOW_REQUESTS: SlowRequests = {
  headersMs: 10_000,
  wholeMs: 15_000,
  lookMs: 1_000,
  unreadMs: 60_000,
}

/** The limit for all headers, including the URL. */
const HEADER_BYTES_MAX = 16 * 1024

/**
 * Applies for a year, and only to this host name, because other hosts in the domain are not ours.
 */
const HTTPS_ALONE = 'max-age=31536000'

export const HANDLER_TIMEOUT_MS = 30_000

/**
 * Builds a server without routes, with what all routes share: limits, body parsing, logs and error
 * responses.
 */
export function buildServer(options: ServerOptions): FastifyInstance {
  const server = fastifyOf(options)
  server.decorateRequest('caller', null)
  server.decorateRequest('visitor', null)
  server.decorateRequest('answered', null)
  server.decorateRequest('sent', null)
  server.decorateRequest('errorCode', null)
  server.decorateRequest('uploads', null)
  // The routes validate bodies and responses themselves; the schemas here only document them.
  server.setValidatorCompiler(() => () => true)
  server.setSerializerCompiler(() => (data) => JSON.stringify(data))
  readOnlyJson(server)
  server.decorate('everyRoute', [])
  server.addHook('onRoute', (route) => {
    server.everyRoute.push(route)
    if (route.config?.operation) return
    // Operations have their own timeout (`handlerTimeout` in route.ts), and only they appear in the
    // reference.
    route.handlerTimeout = HANDLER_TIMEOUT_MS
    route.schema = { ...route.schema, hide: true }
  })
  handleInOrder(server)
  dropUnread(server, (options.slowRequests ?? SLOW_REQUESTS).unreadMs)
  traceRequests(server)
  refuseEarly(server, options)
  logAnswers(server, options)
  answerFailures(server)
  return server
}

function fastifyOf(options: ServerOptions): FastifyInstance {
  const { headersMs, wholeMs, lookMs } = options.slowRequests ?? SLOW_REQUESTS
  return Fastify({
    loggerInstance: options.logger,
    // Each line includes the request's id explicitly, because a child logger per request would slow
    // requests by 4%.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIds(),
    requestIdHeader: false,
    trustProxy: options.trustProxy.length > 0 ? options.trustProxy : false,
    bodyLimit: BODY_BYTES_MAX.plain,
    requestTimeout: wholeMs,
    keepAliveTimeout: 60_000,
    forceCloseConnections: 'idle',
    // Requests are refused below, in the route's envelope.
    return503OnClosing: false,
    http: {
      headersTimeout: headersMs,
      connectionsCheckingInterval: lookMs,
      maxHeaderSize: HEADER_BYTES_MAX,
      // Such requests are refused below, because Node's own response has no body.
      requireHostHeader: false,
    },
    // No parameter can exceed the header limit, so only the schema decides whether one is too long.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: HEADER_BYTES_MAX },
    frameworkErrors: (error, request, reply: FastifyReply) => {
      const failure = toFailure(error, request)
      reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff' })
      if (failure.code === 'bad_url' && sendUnreadable(request, reply)) return
      reply.code(failure.status).headers(failure.headers).send(errorBodies.fields(failure))
    },
    clientErrorHandler: answerUnreadable,
  }) as unknown as FastifyInstance
}

/**
 * Refuses requests before routing: those that arrive while the server is closing, and those for
 * which there is no route.
 */
function refuseEarly(server: FastifyInstance, { isSecure }: ServerOptions): void {
  let isClosing = false
  const closeIdle = idleCloser(server.server)
  server.addHook('preClose', async () => {
    isClosing = true
    closeIdle()
  })
  function refusal(request: FastifyRequest): Problem | undefined {
    if (isClosing) return unavailable('closing', 'The server is shutting down.')
    // The request is refused before its body is read, because there is no operation to receive it.
    if (request.is404 && !isBrowserNavigation(request)) return nothingHere()
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') return noHost()
    return undefined
  }
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    if (isSecure) reply.header('strict-transport-security', HTTPS_ALONE)
    done(refusal(request))
  })
}

function logAnswers(server: FastifyInstance, { logger }: ServerOptions): void {
  // No field of these lines can contain a secret, and looking for one costs a tenth of a small
  // request.
  const log = logger.child({}, { redact: [] })
  server.addHook('onResponse', (request, reply, done) => {
    const { url = 'unknown', config } = request.routeOptions
    log.info(
      {
        requestId: request.id,
        method: request.method,
        route: url,
        operation: config?.operation,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        businessId: request.caller?.businessId,
        keyId: request.caller?.keyId,
        partner: request.caller?.partner,
      },
      'answered',
    )
    done()
  })
}

function answerFailures(server: FastifyInstance): void {
  server.setNotFoundHandler(async (request, reply) => {
    if (!isBrowserNavigation(request)) throw nothingHere()
    return sendUnreadable(request, reply) ? reply : sendDashboard(reply.code(404))
  })
  server.setErrorHandler((error, request, reply) => {
    const failure = toFailure(error, request)
    if (failure.status >= 500) logFailure(request, error, failure)
    const shape = errorBodies[request.routeOptions.config?.errors ?? 'fields']
    request.errorCode = failure.code
    request.answered = JSON.stringify(shape(failure))
    return reply
      .code(failure.status)
      .headers(failure.headers)
      .type('application/json; charset=utf-8')
      .send(request.answered)
  })
}

const noHost = () => new Problem('invalid', 'bad_request', 'The Host header is missing.')

const nothingHere = () =>
  new Problem('not_found', 'route_not_found', 'There is no operation at this URL.')

/** How long requests in progress can take to finish after the server starts to stop. */
const DRAIN_MS = 10_000

/** Waits for requests in progress, but not indefinitely for a client that never finishes. */
export async function closeDrained({
  server,
  close,
}: Pick<FastifyInstance, 'server' | 'close'>): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
  await close()
  clearTimeout(timer)
}

/**
 * How long a connection that has carried no request yet can still send one while the server closes.
 */
const SILENT_MS = 500

/**
 * Returns a function that drops inactive connections while the server closes. Idle connections
 * would delay it by a minute. Browsers open connections in advance, and Node does not count them as
 * idle until they have carried a request.
 */
function idleCloser(server: Server): () => void {
  const silent = new Set<Socket>()
  server.on('connection', (socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  server.on('request', ({ socket }) => silent.delete(socket))

  return () => {
    const idle = setInterval(() => server.closeIdleConnections(), 50)
    const late = setTimeout(() => {
      for (const socket of silent) socket.destroy()
    }, SILENT_MS)
    server.once('close', () => {
      clearInterval(idle)
      clearTimeout(late)
    })
  }
}

/**
 * An expected failure needs no fix in the server, so it is logged as a warning, without a stack.
 */
function logFailure(request: FastifyRequest, error: unknown, said: Failure): void {
  const { log, id: requestId, raw } = request
  const isForeseen = error instanceof Problem && !error.cause
  if (isForeseen) log.warn({ requestId, code: said.code }, said.message)
  // The client disconnected, so nothing is wrong here.
  else if (hasLeft(raw, error)) log.info({ requestId }, 'the client disconnected')
  else log.error({ requestId, ...causeOf(error) }, said.message)
}

/** Returns whether the request failed because its client closed the connection. */
const hasLeft = (raw: IncomingMessage, error: unknown): boolean =>
  raw.errored !== null && (error === raw.errored || codeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE')

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException | undefined)?.code

const causeOf = (error: unknown) => ({ err: (error as Error)?.cause ?? error })

/**
 * Makes ids from `req_`, random characters for the process, and a count. They are unique and
 * sortable, and cheaper than 100 random bits each.
 */
function requestIds(): () => string {
  const process = randomText(8)
  let count = 0
  return () => `req_${process}${(++count).toString(36).padStart(6, '0')}`
}

/** Accepts only JSON in UTF-8; Fastify would accept plain text, any charset and raw gzip. */
function readOnlyJson(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      const encoding = request.headers['content-encoding']
      if (encoding && encoding !== 'identity') throw unsupported('Content-Encoding')
      if (!isJsonUtf8(String(request.headers['content-type']))) throw unsupported('charset')
      const json = withoutMark(bytes)
      const value = parseJson(json)
      request.sent = json
      return value
    },
  )
}

/** Editors and some clients send a byte order mark first; it is not part of the JSON. */
const withoutMark = (bytes: Buffer): Buffer =>
  bytes.subarray(0, MARK.length).equals(MARK) ? bytes.subarray(MARK.length) : bytes

const MARK = Buffer.from('\ufeff')

const unsupported = (what: string) =>
  new Problem(
    'unsupported',
    'unsupported_content_type',
    `Send the body as application/json in UTF-8, without this ${what}.`,
  )

const BROKEN: Record<string, [status: string, code: ErrorCode, message: string]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'headers_too_large',
    'The headers are larger than 16 KiB.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    'request_timeout',
    'The request took too long to arrive.',
  ],
}
const MALFORMED = [
  '400 Bad Request',
  'malformed_request',
  'The request is not valid HTTP/1.1.',
] as const

/** Connections with unreadable input whose earlier requests are still being handled. */
const unreadable = new WeakSet<object>()

/**
 * Input that cannot even be parsed still gets an error in envelope B, after the responses to the
 * requests before it: the first of these would otherwise look as if it had been refused.
 */
function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: { writable: boolean; end(text: string): void; destroy(error?: Error): void },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error)
    return
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return
  if (isResponding(socket)) {
    socket.destroy()
    return
  }
  if (unreadable.has(socket)) return
  const before = nextResponse(socket)
  if (before) {
    unreadable.add(socket)
    before.once('close', () => {
      unreadable.delete(socket)
      answerUnreadable(error, socket)
    })
    return
  }
  const [status, code, message] = BROKEN[error.code ?? ''] ?? MALFORMED
  const requestId = newReference('req')
  const failure: Failure = { status: 0, code, message, fields: {}, requestId, headers: {} }
  const body = JSON.stringify(errorBodies.fields(failure))
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      'X-Content-Type-Options: nosniff\r\n' +
      `X-Request-Id: ${requestId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  )
}

declare module 'fastify' {
  interface FastifyRequest {
    span: RequestSpan | null
  }
}

/** Health checks and metrics would hide everything else. */
const OF_OPERATOR = ['/health/live', '/health/ready', '/metrics']

/** Starts a span for each request, if tracing is on when the server is built. */
function traceRequests(server: FastifyInstance): void {
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

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/**
 * Makes every known URL respond to unsupported methods with a 405 that lists the supported ones.
 */
export function mountMethodGuards(server: FastifyInstance, mounted: readonly Mounted[]): void {
  const byUrl = Map.groupBy(mounted, ({ url }) => url.replace(/:\w+/g, ':x'))
  for (const group of byUrl.values()) {
    const allowed = new Set(group.map(({ method }) => method))
    if (allowed.has('GET')) allowed.add('HEAD')
    const [{ url, errors }] = group as [Mounted]
    server.route({
      method: METHODS.filter((method) => !allowed.has(method)),
      url,
      config: { errors },
      onRequest: async ({ method }) => {
        throw notAllowed(method, [...allowed].join(', '))
      },
      handler: async () => {},
    })
  }
}

const notAllowed = (method: string, allow: string) =>
  new Problem(
    'method_not_allowed',
    'method_not_allowed',
    `${method} is not allowed here. Allowed: ${allow}.`,
    { headers: { allow } },
  )
