import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Database, Tx } from '../db/database.ts'
import { type Answer, type Claim, findAnswer, once, twoPhase } from '../db/idempotency.ts'
import type { ExchangeLog } from '../lib/call-record.ts'
import type { Authenticate, Caller } from '../lib/caller.ts'
import { serializer } from '../lib/serializer.ts'
import { credentialsOf, requireProof, requireScope } from './auth.ts'
import { coerced, refuseBadUrl } from './coerce.ts'
import { Download, sendDownload } from './download.ts'
import { type ErrorBody, success } from './errors.ts'
import { changedMeanwhile, type Guarded, isWanted, tagOf } from './etag.ts'
import { deadline } from './handler-timeout.ts'
import { claimerOf } from './idempotency-key.ts'
import { BODY_BYTES_MAX, refuseBadText, withoutSecrets } from './json.ts'
import { type DescribedRoute, openapiOf } from './openapi.ts'
import { noting } from './request-log.ts'
import { ownTenantCheck } from './tenant-fields.ts'
import {
  asWritten,
  folder,
  ignoredFields,
  namingField,
  refuserOfUnknown,
} from './unknown-fields.ts'
import {
  hintAtMultipart,
  type Spool,
  type Upload,
  type UploadLimits,
  withFiles,
} from './uploads.ts'
import { validator } from './validation.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    errors?: ErrorBody
    operation?: string
  }
  interface FastifyRequest {
    caller: Caller | null
  }
}

/** The two path families of the contract, and operations that stand under neither. */
const FAMILIES = {
  external: ['external/v1'],
  plain: ['v1'],
  both: ['external/v1', 'v1'],
  bare: [],
}

export type Service = `${'user' | 'payment' | 'transaction' | 'auth'}-service`

/** One operation as data. The types of `body`, `query` and `params` follow from their schemas. */
export interface Route<
  Body extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Params extends TSchema = TSchema,
> extends Guarded {
  /** Its name in CONTRACT.md and in OpenAPI, verb first: `create_invoice`. */
  operation: string
  summary: string
  method: 'GET' | 'POST' | 'PUT'
  /** Absent for a bare path. */
  service?: Service
  family: keyof typeof FAMILIES
  path: `/${string}`
  /** The other address of the same operation, whose Idempotency-Keys are this one's too. */
  sameAs?: `${Service}/${string}`
  /** What a restricted key needs: `invoices:write`. */
  scope: string
  /**
   * A person at the dashboard gives the password again for it: money leaves, or keys are made.
   * `live`: in live mode alone.
   */
  proven?: true | 'live'
  /** A POST that changes nothing: it takes no Idempotency-Key. */
  reads?: true
  /** 200 unless docs/CONTRACT.md says 201. */
  status?: 200 | 201
  errors: ErrorBody
  /** For OpenAPI: statuses that its method, path and fields do not tell. */
  alsoFails?: readonly (404 | 412)[]
  body?: Body
  query?: Query
  params?: Params
  /** It takes files as multipart/form-data, whose other parts are the body. */
  uploads?: UploadLimits
  /** Its calls are not noted. */
  unlogged?: boolean
  /** The whole success body; only what it lists leaves. `FileOf` when it is a file. */
  answer: TSchema
  /** Fields of `data` that are secrets. They are not kept: a repeat is answered null for them. */
  secrets?: readonly string[]
  /** Told in the headers of every answer, and in OpenAPI. */
  deprecated?: Deprecation
  handle(
    input: Input<Static<Body>, Static<Query>, Static<Params>>,
  ): Promise<Answer | Download | object>
}

export interface Input<Body = unknown, Query = unknown, Params = unknown> {
  caller: Caller
  body: Body
  query: Query
  params: Params
  /** What came with a multipart body, whole; removed when the request ends. */
  files: readonly Upload[]
  /** The Idempotency-Key of this request, if it has one. */
  claim: Claim | undefined
  /** Makes the bytes to send, and to keep for a repeat, of a success body. */
  answer(body: object): Answer
  /** What a repeat is answered, for whoever does much before `once`; throws as `once` does. */
  earlier(): Promise<Answer | undefined>
  /** One transaction for a write: claim, effect and stored answer commit together. */
  once(work: (tx: Tx) => Promise<object>): Promise<Answer>
  /** For effects that commit by themselves and are harmless when run again. */
  repeatable(work: () => Promise<object>): Promise<Answer>
}

/** Describes one operation; only there for the types. */
export function route<Body extends TSchema, Query extends TSchema, Params extends TSchema>(
  spec: Route<Body, Query, Params>,
): Route {
  return spec as unknown as Route
}

export interface Kernel {
  db: Database
  authenticate: Authenticate
  /** Counts one request of a key; answers headers, or throws 429. */
  takeToken(keyId: number): Record<string, string>
  /** How long an Idempotency-Key and its answer are kept. */
  idempotencyMs: number
  /** Longest a handler may take; see HANDLER_TIMEOUT_MS. */
  handlerTimeoutMs: number
  spool: Spool
  /** Where calls are noted; absent when they are not. */
  exchanges?: ExchangeLog | undefined
}

/** One mounted URL, for the contract's test. */
export interface Mounted {
  method: string
  url: string
  operation: string
  status: number
  errors: ErrorBody
}

/** A file of 500 MiB takes its time to get into a bucket. */
const STORING_MS = 600_000

/** Mounts each operation under every path family it belongs to. */
export function mount(server: FastifyInstance, kernel: Kernel, routes: Route[]): Mounted[] {
  const inTime = deadline(kernel.handlerTimeoutMs)
  const storingInTime = deadline(STORING_MS)
  const taking = routes.filter(({ uploads }) => uploads)
  const others = routes.filter(({ uploads }) => !uploads)
  if (taking.length > 0) {
    void server.register(async (scope) => {
      await scope.register(multipart)
      mountOn(scope, kernel, taking, storingInTime)
    })
  }
  mountOn(server, kernel, others, inTime)
  return routes.flatMap((spec) => urlsOf(spec).map((url) => mountedAs(spec, url)))
}

function mountOn(
  server: FastifyInstance,
  kernel: Kernel,
  routes: Route[],
  inTime: ReturnType<typeof deadline>,
): void {
  for (const spec of routes) {
    const handler = handlerOf(spec, kernel, inTime)
    for (const [i, url] of urlsOf(spec).entries()) {
      const documented: DescribedRoute = { ...spec, isAlias: i > 0 }
      server.route({
        method: spec.method,
        url,
        schema: openapiOf(documented),
        bodyLimit: BODY_BYTES_MAX[spec.uploads?.json ? 'picture' : 'operation'],
        config: { errors: spec.errors, operation: spec.operation },
        onRequest: [
          ...announcersOf(spec, url),
          (request, reply) => admit(request, reply, spec, kernel),
        ],
        ...noting(kernel.exchanges, spec),
        ...(spec.uploads && { errorHandler: hintAtMultipart }),
        handler: spec.uploads ? withFiles(handler, spec, kernel.spool) : handler,
      })
    }
  }
}

const mountedAs = ({ method, operation, status = 200, errors }: Route, url: string): Mounted => ({
  method,
  url,
  operation,
  status,
  errors,
})

/** One for each path family that it is in: `/api/payment-service/v1/invoices`. */
export function urlsOf({ service, family, path }: Pick<Route, 'service' | 'family' | 'path'>) {
  if (family === 'bare') return [path as string]
  return FAMILIES[family].map((prefix) => `/api/${service}/${prefix}${path}`)
}

/** Says of a deprecated operation that it is, to those too whom it refuses. */
function announcersOf({ deprecated, path }: Route, url: string) {
  if (!deprecated) return []
  const headers = deprecationHeaders(deprecated, url, path)
  return [async (_request: FastifyRequest, reply: FastifyReply) => void reply.headers(headers)]
}

/** Runs before anything is parsed, so a bad key is 401 whatever else is wrong. */
async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  { scope, proven }: Route,
  { authenticate, takeToken }: Kernel,
): Promise<void> {
  // What a session is answered has no `Authorization` that would keep it out of shared caches.
  reply.header('cache-control', 'no-store')
  const caller = await authenticate(credentialsOf(request))
  request.caller = caller
  reply.headers(takeToken(caller.keyId))
  requireScope(caller, scope)
  if (proven === true || (proven && caller.live)) requireProof(caller)
}

function handlerOf(
  spec: Route,
  { db, idempotencyMs }: Kernel,
  inTime: ReturnType<typeof deadline>,
) {
  const read = readerOf(spec)
  const serialize = serializer(spec.answer)
  const status = spec.status ?? 200
  const claimOf = claimerOf(spec, idempotencyMs)
  const ignoredOf = ignoredFields(spec.body)

  return async (request: FastifyRequest, reply: FastifyReply, files: readonly Upload[] = []) => {
    const { written, ...values } = read(request)
    const input = { ...values, files }
    const ignored = ignoredOf(input.body)
    if (ignored !== undefined) reply.header('tradepost-ignored-fields', ignored)
    const answer = (body: object): Answer =>
      withoutSecrets({ status, body: serialize(body) }, body, spec.secrets)
    const claim = claimOf(request, input)
    /** Behind the record's lock, so that nobody changes it between this look and the write. */
    async function refuseChanged(tx: Tx): Promise<void> {
      const { edited, held } = spec
      if (!edited || !held || request.headers['if-match'] === undefined) return
      const body = serialize(success('', await held(tx, input)))
      if (!isWanted(request, () => tagOf(edited, body))) throw changedMeanwhile()
    }
    const work = spec.handle({
      ...input,
      claim,
      answer,
      earlier: async () => claim && findAnswer(db, claim),
      once: (work) =>
        once(db, claim, async (tx) => {
          await refuseChanged(tx)
          return answer(await work(tx))
        }),
      repeatable: (work) =>
        twoPhase(db, claim, {
          finish: async () => ({ answer: answer(await work()), isFinal: true }),
        }),
    })
    const result = await inTime(work).catch((error) => {
      throw asWritten(namingField(error, input.body), written)
    })
    if (result instanceof Download) return sendDownload(request, reply, result)
    const { status: sent, body, replayed } = isAnswer(result) ? result : answer(result)
    if (replayed) reply.header('idempotent-replayed', 'true')
    if (spec.edited) reply.header('etag', tagOf(spec.edited, body))
    request.answered = body
    return reply.code(sent).type('application/json; charset=utf-8').send(body)
  }
}

const isAnswer = (result: object): result is Answer => typeof (result as Answer).body === 'string'

/** Validates path, query and body once, in that order. */
function readerOf(spec: Route) {
  const params = spec.params && { schema: spec.params, check: validator(spec.params, 'path') }
  const query = spec.query && { schema: spec.query, check: validator(spec.query, 'query') }
  // What changes a record says by null that a field is to be empty.
  const nothingIsAbsent = spec.method === 'POST'
  const checkBody = spec.body && validator(spec.body, 'body', { nothingIsAbsent })
  const refuseUnknown = refuserOfUnknown(spec)
  const checkTenant = ownTenantCheck(spec)
  const foldQuery = folder(spec.query)
  const foldBody = folder(spec.body)

  return (request: FastifyRequest) => {
    refuseBadUrl(request)
    refuseUnknown?.(request.query)
    const read = (part: typeof params, values: unknown) => {
      if (!part) return {}
      const typed = coerced(values as Record<string, unknown>, part.schema)
      refuseBadText(typed)
      part.check(typed)
      return typed
    }
    const body = request.body === undefined ? {} : request.body
    checkBody?.(body)
    const typed = { params: read(params, request.params), query: read(query, request.query) }
    checkTenant(request, request.caller!)
    const inQuery = foldQuery(typed.query)
    const inBody = foldBody(body)
    return {
      caller: request.caller!,
      params: typed.params,
      query: inQuery.value,
      body: inBody.value,
      written: inBody.written.size > 0 ? inBody.written : inQuery.written,
    }
  }
}

/** An operation that goes on as it is until a day, and what is to be used instead. */
interface Deprecation {
  /** The path of its successor, of the same service: `/bank`. */
  successor: `/${string}`
  since: Date
  /** When it may stop answering. */
  until: Date
}

/**
 * The headers that say so on every answer: `Deprecation` by RFC 9745, `Sunset` by RFC 8594, and
 * the successor in the family that `url`, the mounted address of `path`, is of.
 */
function deprecationHeaders(
  { successor, since, until }: Deprecation,
  url: string,
  path: string,
): Record<string, string> {
  const address = `${url.slice(0, -path.length)}${successor}`
  return {
    deprecation: `@${since.getTime() / 1000}`,
    sunset: until.toUTCString(),
    link: `<${address}>; rel="successor-version"`,
  }
}
