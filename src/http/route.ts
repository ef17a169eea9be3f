import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Database, Tx } from '../db/database.ts'
import {
  type Claim,
  findAnswerInBatch,
  once,
  type StoredResponse,
  twoPhase,
} from '../db/idempotency.ts'
import { inTurnsOf } from '../db/turns.ts'
import type { CallLog } from '../lib/call-record.ts'
import type { Caller } from '../lib/caller.ts'
import { Problem } from '../lib/problem.ts'
import { serializer } from '../lib/serializer.ts'
import { timeLimit } from '../lib/time-limit.ts'
import {
  type AdmissionDeps,
  admissionHook,
  isOfKey,
  type Membership,
  type SignedIn,
} from './admit.ts'
import { BODY_BYTES_MAX, readOnlyForms, refuseBadText, withoutSecrets } from './bodies.ts'
import { Download, sendDownload } from './download.ts'
import { type ErrorBody, success } from './errors.ts'
import { type ConditionalEdit, isIfMatchMet, recordChanged, tagOf } from './etag.ts'
import { claimReader } from './idempotency-key.ts'
import { openapiOf } from './openapi.ts'
import { requestLogHook } from './request-log.ts'
import {
  aliasResolver,
  ignoredFields,
  unknownParameterCheck,
  withFieldNamed,
  withWrittenNames,
} from './unknown-fields.ts'
import {
  type Spool,
  suggestMultipart,
  type Upload,
  type UploadLimits,
  withFiles,
} from './uploads.ts'
import { coerceStrings, ownTenantCheck, refuseBadUrl, validator } from './validation.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    errors?: ErrorBody
    operation?: string
    /** A POST that changes nothing. */
    reads?: true
  }
  interface FastifyRequest {
    caller: Caller | null
    /** The sender of a request to a dashboard route. */
    visitor: { signedIn?: SignedIn; caller?: Caller; member?: Membership } | null
  }
}

/** The path families in the contract, and one for operations that don't belong to any. */
const FAMILIES = {
  external: ['external/v1'],
  plain: ['v1'],
  both: ['external/v1', 'v1'],
  bare: [],
}

export type Service = `${'user' | 'payment' | 'transaction' | 'auth'}-service`

/**
 * Who can call an operation. `key`: an API key, a partner's token, or the session of a member whose
 * role has the scope. `member`: a signed-in member, for the business they are viewing. `person`:
 * any signed-in person. `public`: anyone.
 */
type CallerKind = 'key' | 'member' | 'person' | 'public'

/** One operation described as data. Its schemas determine the types of its input and response. */
interface Spec<
  Kind extends CallerKind,
  Body extends TSchema,
  Query extends TSchema,
  Params extends TSchema,
  Reply extends TSchema,
> extends ConditionalEdit<
    Pick<Input<Static<Body>, Static<Query>, Static<Params>>, 'caller' | 'body' | 'query' | 'params'>
  > {
  /** Defaults to `key`. */
  caller?: Kind
  /** Its name in CONTRACT.md and in OpenAPI, verb first: `create_invoice`. */
  operation: string
  summary?: string
  method: 'GET' | 'POST' | 'PUT'
  /** Absent for a bare path. */
  service?: Service
  /** Absent for operations that only the dashboard uses; those are under `/console`. */
  family?: keyof typeof FAMILIES
  path: `/${string}`
  /** The operation's other URL, which shares its Idempotency-Keys. */
  sameAs?: `${Service}/${string}`
  /** The scope that a restricted key, or a role, needs: `invoices:write`. */
  scope?: string
  /**
   * Requires members using the dashboard to enter their password again, because the operation sends
   * money or creates keys. `live`: only in live mode.
   */
  proven?: true | 'live'
  /** Marks a POST that changes nothing, so it takes no Idempotency-Key. */
  reads?: true
  /** 200 unless docs/CONTRACT.md says 201. */
  status?: 200 | 201
  /** Defaults to `fields`. */
  errors?: ErrorBody
  /** For OpenAPI: statuses that cannot be derived from the method, path and fields. */
  alsoFails?: readonly (404 | 412)[]
  body?: Body
  query?: Query
  params?: Params
  /** The size limit for the body, if the usual one does not fit (`bodySizeOf`). */
  bodyBytes?: keyof typeof BODY_BYTES_MAX
  /** The body is a form (application/x-www-form-urlencoded) instead of JSON. */
  form?: true
  /** Accepts files as multipart/form-data; the other parts form the body. */
  uploads?: UploadLimits
  /** Excluded from the request log. */
  unlogged?: boolean
  /**
   * The schema of the whole success body; properties that it lacks are not sent. Use `FileOf` for a
   * file.
   */
  response: Reply
  /** Fields in `data` that are secrets. They are not stored: a replay contains null instead. */
  secrets?: readonly string[]
  /** Announced in the headers of every response, and in OpenAPI. */
  deprecated?: Deprecation
  handle(
    input: Inputs<Static<Body>, Static<Query>, Static<Params>, Static<Reply>>[Kind],
  ): Promise<Static<Reply> | StoredResponse<Static<Reply>>>
}

interface Needed {
  key: Published & { scope: string }
  member: { family?: undefined; proven?: true }
  person: { family?: undefined; scope?: undefined }
  public: { scope?: undefined; proven?: undefined } & (Published | { family?: undefined })
}

/** The parts of an operation that appear in the contract and OpenAPI. */
export interface Published {
  family: keyof typeof FAMILIES
  summary: string
  errors: ErrorBody
}

/** An operation whose types were checked where it was defined. */
export type Route = Spec<CallerKind, TSchema, TSchema, TSchema, TSchema>

interface Inputs<Body, Query, Params, Reply> {
  key: Input<Body, Query, Params, Reply>
  member: MemberInput<Body, Query, Params>
  person: PersonInput<Body, Query, Params>
  public: PublicInput<Body, Query, Params>
}

interface Values<Body, Query, Params> {
  body: Body
  query: Query
  params: Params
}

/** The input for a request with a key, a token or a session. */
export interface Input<Body = unknown, Query = unknown, Params = unknown, Reply = unknown>
  extends Values<Body, Query, Params> {
  caller: Caller
  /** The complete files from a multipart body; removed when the request ends. */
  files: readonly Upload[]
  /** This request's Idempotency-Key, if it has one. */
  claim: Claim | undefined
  /** Serialises a success body, to be sent and to be stored for replays. */
  respond(body: Reply): StoredResponse<Reply>
  /**
   * Returns the stored response if this is a replay, for handlers that do a lot before `once`;
   * throws the same errors as `once`.
   */
  earlier(): Promise<StoredResponse<Reply> | undefined>
  /**
   * Runs a write in one transaction: the claim, the effect and the stored response commit together.
   */
  once(work: (tx: Tx) => Promise<Reply>): Promise<StoredResponse<Reply>>
  /** Runs effects that commit by themselves and can safely run again. */
  repeatable(work: () => Promise<Reply>): Promise<StoredResponse<Reply>>
}

export interface PublicInput<Body = unknown, Query = unknown, Params = unknown>
  extends Values<Body, Query, Params> {
  ip: string
  userAgent: string | undefined
  requestId: string
  /** The time by the server's clock; a caller's own `now` can also depend on a test clock. */
  now: Date
  request: FastifyRequest
  reply: FastifyReply
}

export interface PersonInput<Body = unknown, Query = unknown, Params = unknown>
  extends PublicInput<Body, Query, Params> {
  signedIn: SignedIn
}

/** The input for a request from a signed-in member, for the business they are viewing. */
export interface MemberInput<Body = unknown, Query = unknown, Params = unknown>
  extends PersonInput<Body, Query, Params> {
  caller: Caller
  /** The person's membership in that business. */
  member: Membership
}

/** Returns its argument; it exists only so that the types are inferred. */
export function route<
  Body extends TSchema,
  Query extends TSchema,
  Params extends TSchema,
  Reply extends TSchema,
  Kind extends CallerKind = 'key',
>(spec: Spec<Kind, Body, Query, Params, Reply> & Needed[Kind]): Route {
  return spec
}

export interface Kernel extends AdmissionDeps {
  db: Database
  /** How long an Idempotency-Key and its response are stored. */
  idempotencyMs: number
  /** The longest that a handler can take; see HANDLER_TIMEOUT_MS. */
  handlerTimeoutMs: number
  spool: Spool
  /** The request log; absent when it is turned off. */
  exchanges?: CallLog | undefined
}

/** One mounted URL, for the contract test. */
export interface Mounted {
  method: string
  url: string
  operation: string
  status: number
  errors: ErrorBody
}

/** Allows enough time to upload a 500 MiB file to a bucket. */
const STORING_MS = 600_000

/**
 * Mounts each operation under each of its path families, or under `/console`. Returns the URLs that
 * the contract promises.
 */
export function mount(
  server: FastifyInstance,
  kernel: Kernel,
  routes: readonly Route[],
): Mounted[] {
  const inTime = handlerTimeout(kernel.handlerTimeoutMs)
  const storingInTime = handlerTimeout(STORING_MS)
  const taking = routes.filter(({ uploads }) => uploads)
  const forms = routes.filter(({ form }) => form)
  const others = routes.filter(({ uploads, form }) => !uploads && !form)
  if (taking.length > 0) {
    void server.register(async (scope) => {
      await scope.register(multipart)
      mountOn(scope, kernel, taking, storingInTime)
    })
  }
  if (forms.length > 0) {
    void server.register(async (scope) => {
      readOnlyForms(scope)
      mountOn(scope, kernel, forms, inTime)
    })
  }
  mountOn(server, kernel, others, inTime)
  return routes
    .filter(({ family }) => family !== undefined)
    .flatMap((spec) => urlsOf(spec).map((url) => mountedAs(spec, url)))
}

function mountOn(
  server: FastifyInstance,
  kernel: Kernel,
  routes: readonly Route[],
  inTime: ReturnType<typeof handlerTimeout>,
): void {
  for (const spec of routes) {
    const { method, family, operation, errors = 'fields', body, uploads, reads } = spec
    const own = { errors, ...(reads && { reads }) }
    const handler = handlerOf(spec, kernel, inTime)
    const admit = admissionHook(spec, kernel)
    const isPublished = family !== undefined
    for (const [i, url] of urlsOf(spec).entries()) {
      server.route({
        method,
        url,
        ...(isPublished
          ? { schema: openapiOf(spec, i > 0), config: { ...own, operation } }
          : { schema: { ...(body && { body }) }, config: own }),
        bodyLimit: BODY_BYTES_MAX[bodySizeOf(spec)],
        onRequest: [...announcersOf(spec, url), admit],
        ...(isOfKey(spec) && requestLogHook(kernel.exchanges, spec)),
        ...(uploads && { errorHandler: suggestMultipart }),
        handler: uploads ? withFiles(handler, spec, kernel) : handler,
      })
    }
  }
}

function bodySizeOf({ bodyBytes, uploads, ...spec }: Route): keyof typeof BODY_BYTES_MAX {
  if (bodyBytes) return bodyBytes
  if (uploads?.json) return 'picture'
  return isOfKey(spec) ? 'operation' : 'plain'
}

const mountedAs = (
  { method, operation, status = 200, errors = 'fields' }: Route,
  url: string,
): Mounted => ({ method, url, operation, status, errors })

/** Returns one URL for each of the route's path families: `/api/payment-service/v1/invoices`. */
function urlsOf({ service, family, path }: Pick<Route, 'service' | 'family' | 'path'>) {
  if (family === undefined) return [`/console${path}`]
  if (family === 'bare') return [path as string]
  return FAMILIES[family].map((prefix) => `/api/${service}/${prefix}${path}`)
}

/** Announces that an operation is deprecated, even in responses that refuse it. */
function announcersOf({ deprecated, path }: Route, url: string) {
  if (!deprecated) return []
  const headers = deprecationHeaders(deprecated, url, path)
  return [async (_request: FastifyRequest, reply: FastifyReply) => void reply.headers(headers)]
}

function handlerOf(spec: Route, kernel: Kernel, inTime: ReturnType<typeof handlerTimeout>) {
  const read = readerOf(spec)
  const serialize = serializer(spec.response)
  const status = spec.status ?? 200
  const answer = (body: unknown): StoredResponse =>
    withoutSecrets({ status, body: serialize(body) }, body, spec.secrets)
  const inputOf = isOfKey(spec) ? keyInputs(spec, kernel, answer) : personInputs(kernel)

  return async (request: FastifyRequest, reply: FastifyReply, files: readonly Upload[] = []) => {
    const { written, ...values } = read(request)
    const work = inTurnsOf(request.caller?.businessId, () =>
      spec.handle(inputOf(request, reply, values, files)),
    )
    let result: Awaited<typeof work>
    try {
      result = await inTime(work)
    } catch (error) {
      throw withWrittenNames(withFieldNamed(error, values.body), written)
    }
    // The handler has sent the response itself.
    if (result === undefined) return reply
    if (result instanceof Download) return sendDownload(request, reply, result)
    const { status: sent, body, replayed } = isAnswer(result) ? result : answer(result)
    if (replayed) reply.header('idempotent-replayed', 'true')
    if (spec.editable) reply.header('etag', tagOf(spec.editable, body))
    request.answered = body
    // Joins the pieces that the body was put together from, which take up several times as much
    // memory as the body while it waits.
    Buffer.byteLength(body)
    await untilTurnEnds()
    return reply.code(sent).type('application/json; charset=utf-8').send(body)
  }
}

const isAnswer = (result: unknown): result is StoredResponse =>
  typeof (result as StoredResponse).body === 'string'

type InputOf = (
  request: FastifyRequest,
  reply: FastifyReply,
  values: Values<unknown, unknown, unknown>,
  files: readonly Upload[],
) => Input | PublicInput

function keyInputs(
  spec: Route,
  { db, idempotencyMs }: Kernel,
  answer: (body: unknown) => StoredResponse,
): InputOf {
  const claimOf = claimReader(spec, idempotencyMs)
  const ignoredOf = ignoredFields(spec.body)
  const { editable: edited, locked: held } = spec

  return (request, reply, values, files) => {
    const input = { caller: request.caller!, ...values, files }
    const ignored = ignoredOf(input.body)
    if (ignored !== undefined) reply.header('tradepost-ignored-fields', ignored)
    const claim = claimOf(request, input)
    /**
     * Runs once the record is locked, so that it cannot change between this check and the write.
     */
    async function refuseChanged(tx: Tx): Promise<void> {
      if (!edited || !held || request.headers['if-match'] === undefined) return
      const { body } = answer(success('', await held(tx, input)))
      if (!isIfMatchMet(request, () => tagOf(edited, body))) throw recordChanged()
    }
    return {
      ...input,
      claim,
      respond: answer,
      earlier: async () => claim && findAnswerInBatch(db, claim),
      once: (work) =>
        once(db, claim, async (tx) => {
          await refuseChanged(tx)
          return answer(await work(tx))
        }),
      repeatable: (work) =>
        twoPhase(db, claim, {
          finish: async () => ({ answer: answer(await work()), isFinal: true }),
        }),
    }
  }
}

const personInputs =
  ({ clock }: Kernel): InputOf =>
  (request, reply, values) => ({
    ...values,
    ...request.visitor,
    ip: request.ip,
    userAgent: request.headers['user-agent'],
    requestId: request.id,
    now: clock.now(),
    request,
    reply,
  })

/** Validates the path, query and body once, in that order. */
function readerOf(spec: Route) {
  const isPublished = spec.family !== undefined
  const params = spec.params && { schema: spec.params, check: validator(spec.params, 'path') }
  const query = spec.query && { schema: spec.query, check: validator(spec.query, 'query') }
  // Update operations use null to clear a field.
  const nothingIsAbsent = isPublished && spec.method === 'POST'
  const checkBody = spec.body && validator(spec.body, 'body', { nothingIsAbsent })
  const refuseUnknown = isPublished ? unknownParameterCheck(spec) : undefined
  const checkTenant = isOfKey(spec) ? ownTenantCheck(spec) : undefined
  const foldQuery = aliasResolver(spec.query)
  const foldBody = aliasResolver(spec.body)

  return (request: FastifyRequest) => {
    refuseBadUrl(request)
    refuseUnknown?.(request.query)
    const read = (part: typeof params, values: unknown) => {
      if (!part) return {}
      const typed = coerceStrings(values as Record<string, unknown>, part.schema)
      refuseBadText(typed)
      part.check(typed)
      return typed
    }
    const body = request.body === undefined ? {} : request.body
    checkBody?.(body)
    const typed = { params: read(params, request.params), query: read(query, request.query) }
    checkTenant?.(request, request.caller!)
    const inQuery = foldQuery(typed.query)
    const inBody = foldBody(body)
    return {
      params: typed.params,
      query: inQuery.value,
      body: inBody.value,
      written: inBody.written.size > 0 ? inBody.written : inQuery.written,
    }
  }
}

/** Describes an operation that keeps working unchanged until a given date, and its replacement. */
interface Deprecation {
  /** The path of its successor in the same service: `/bank`. */
  successor: `/${string}`
  since: Date
  /** The date from which it can be removed. */
  until: Date
}

/**
 * Returns the headers that announce the deprecation on every response: `Deprecation` (RFC 9745),
 * `Sunset` (RFC 8594), and the successor in the family of `url`, the mounted URL for `path`.
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

/**
 * Stops waiting for a handler that takes too long; its work can still complete. Fastify's own
 * timeout would create an AbortController and a timer for each request.
 */
function handlerTimeout(limitMs: number) {
  const watch = timeLimit(limitMs)

  return <T>(work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const ended = watch(() => reject(timedOut()))
      work.then(
        (result) => {
          ended()
          resolve(result)
        },
        (error) => {
          ended()
          reject(error)
        },
      )
    })
}

const timedOut = () =>
  new Problem('internal', 'timed_out', 'The request took too long; its outcome is unknown.')

let turn: Promise<void> | undefined

/**
 * Resolves when the event loop has handled everything that had arrived. Responses that wait for it
 * are written one right after the other.
 *
 * The process that receives a response is often on this machine, as a reverse proxy is. While it
 * sleeps, a write has to wake it, which takes longer than all the rest of a small request. If the
 * writes follow each other closely, only the first one does.
 */
function untilTurnEnds(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined
      resolve()
    })
  })
  return turn
}
