import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { invalid, Problem } from '../lib/problem.ts'
import { serializer } from '../lib/serializer.ts'
import { isKeyInUrl, valuesOf } from './auth.ts'
import { deadline } from './handler-timeout.ts'
import { isJsonUtf8, refuseBadText } from './json.ts'
import { openapiOf } from './openapi.ts'
import { type Mounted, type Route, urlsOf } from './route.ts'
import { validator } from './validation.ts'

type Shared = 'operation' | 'summary' | 'service' | 'family' | 'path' | 'errors' | 'answer'

/**
 * An operation that asks for no key, since it is how one gets one: its caller is proved by what it
 * sends. It takes no Idempotency-Key, whose answer would keep the secret that it gives away.
 */
export interface OpenRoute<Body extends TSchema = TSchema> extends Pick<Route, Shared> {
  method: 'POST'
  body: Body
  /** The body is a form, application/x-www-form-urlencoded, instead of JSON. */
  form?: boolean
  handle(asked: Asked<Static<Body>>): Promise<object>
}

/** A request of somebody who is still to be proved. */
export interface Asked<Body = unknown> {
  body: Body
  ip: string
  origin: string | undefined
  /** The `Authorization` header, as often as it came. */
  authorization: readonly string[]
  /** The address has a secret, which may have been logged on its way. */
  isKeyInUrl: boolean
}

/** Describes one open operation; only there for the types. */
export function openRoute<Body extends TSchema>(spec: OpenRoute<Body>): OpenRoute {
  return spec as unknown as OpenRoute
}

export interface OpenKernel {
  /** Counts one request of an address; answers headers, or throws 429. */
  takeToken(ip: string): Record<string, string>
  handlerTimeoutMs: number
}

/** Mounts each open operation under every path family it belongs to. */
export function mountOpen(
  server: FastifyInstance,
  kernel: OpenKernel,
  routes: readonly OpenRoute[],
): Mounted[] {
  const inTime = deadline(kernel.handlerTimeoutMs)
  void server.register(async (scope) => {
    for (const spec of routes.filter(({ form }) => !form)) mountOne(scope, kernel, spec, inTime)
  })
  void server.register(async (scope) => {
    readOnlyForms(scope)
    for (const spec of routes.filter(({ form }) => form)) mountOne(scope, kernel, spec, inTime)
  })
  return routes.flatMap((spec) =>
    urlsOf(spec).map((url) => {
      const { method, operation, errors } = spec
      return { method, url, operation, status: 200, errors }
    }),
  )
}

function mountOne(
  server: FastifyInstance,
  { takeToken }: OpenKernel,
  spec: OpenRoute,
  inTime: ReturnType<typeof deadline>,
): void {
  const { method, operation, errors, body } = spec
  const check = validator(body, 'body', { nothingIsAbsent: true })
  const serialize = serializer(spec.answer)

  async function handler(request: FastifyRequest, reply: FastifyReply) {
    const { ip, url, headers } = request
    const sent = request.body === undefined ? {} : request.body
    check(sent)
    const asked = {
      body: sent,
      ip,
      origin: headers.origin,
      authorization: valuesOf(request, 'authorization'),
      isKeyInUrl: isKeyInUrl(url),
    }
    const answer = await inTime(spec.handle(asked))
    return reply.type('application/json; charset=utf-8').send(serialize(answer))
  }

  for (const [i, url] of urlsOf(spec).entries()) {
    server.route({
      method,
      url,
      schema: openapiOf({ ...spec, isAlias: i > 0 }),
      config: { errors, operation },
      onRequest: async ({ ip }, reply) => {
        // What is answered is a secret.
        reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
        reply.headers(takeToken(ip))
      },
      handler,
    })
  }
}

const FORM = 'application/x-www-form-urlencoded'

function readOnlyForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    FORM,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      const { 'content-encoding': encoding, 'content-type': type } = request.headers
      if ((encoding && encoding !== 'identity') || !isJsonUtf8(String(type))) throw noForm()
      return parseForm(bytes)
    },
  )
  scope.addContentTypeParser('*', async () => {
    throw noForm()
  })
}

const noForm = () =>
  new Problem('unsupported', 'unsupported_content_type', `Send the body as ${FORM} in UTF-8.`)

/** What is sent without a value was not sent, and nothing may be sent twice (RFC 6749, 3.2). */
function parseForm(bytes: Buffer): Record<string, string> {
  if (!isUtf8(bytes)) throw new Problem('invalid', 'invalid_utf8', 'The body is not valid UTF-8.')
  const sent = [...new URLSearchParams(bytes.toString('utf8'))].filter(([, value]) => value !== '')
  const values = Object.fromEntries(sent)
  refuseBadText(values)
  const seen = new Set<string>()
  const repeated = sent.filter(([name]) => seen.size === seen.add(name).size)
  if (repeated.length === 0) return values
  throw invalid(Object.fromEntries(repeated.map(([name]) => [name, ['must be given once']])))
}
