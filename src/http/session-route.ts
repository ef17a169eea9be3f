import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Caller, Credentials, Role } from '../lib/caller.ts'
import type { Clock } from '../lib/clock.ts'
import {
  csrfRefused,
  isProven,
  proofNeeded,
  requireScope,
  sessionEnded,
  sessionOf,
} from './auth.ts'
import { coerced, refuseBadUrl } from './coerce.ts'
import { Download, sendDownload } from './download.ts'
import { networkOf } from './ip-addresses.ts'
import { BODY_BYTES_MAX, refuseBadText } from './json.ts'
import { isOwnOrigin } from './loopback.ts'
import { validator } from './validation.ts'

/** A session that is not over, and whose it is. */
export interface Session {
  id: number
  person_id: number
  csrf: string
  proven_at: Date
  last_seen_at: Date
  expires_at: Date
  name: string
  email: string
  email_proved: boolean
  has_totp: boolean
  has_passkey: boolean
  /** More than the password stands behind it: an app, or the passkey that it began with. */
  has_second_factor: boolean
}

/** That somebody belongs to a business. */
export interface Membership {
  business_id: number
  reference: string
  name: string
  role: Role
  currency: string
  time_zone: string
  status: string
  test_clock_offset_ms: number
  requires_two_factor: boolean
}

/** Who is signed in. */
export interface SignedIn {
  session: Session
  /** Whose businesses, oldest first. */
  members: Membership[]
}

/** Who may call a route of the console: anybody, who is signed in, or a member with a scope. */
type Asker = 'anybody' | 'person' | 'member'

/** One route of the dashboard's own, as data; its answers are envelope A. */
export interface ConsoleRoute<
  Body extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Params extends TSchema = TSchema,
> {
  method: 'GET' | 'POST'
  path: `/${string}`
  asker: Asker
  /** What the role needs; of members only. */
  scope?: string
  /** The password must have been given within five minutes. */
  proven?: true
  /** As the audit log calls it, when it is written there after the answer: `key.create`. */
  action?: string
  body?: Body
  /** The limit of its body, where 16 KiB is too little. */
  bodyBytes?: keyof typeof BODY_BYTES_MAX
  query?: Query
  params?: Params
  handle(
    asked: Asked<Static<Body>, Static<Query>, Static<Params>>,
  ): Promise<object | Download | undefined>
}

export interface Asked<Body = unknown, Query = unknown, Params = unknown> {
  body: Body
  query: Query
  params: Params
  ip: string
  userAgent: string | undefined
  requestId: string
  /** The server's clock; a caller has its own, which a test clock moves. */
  now: Date
  request: FastifyRequest
  reply: FastifyReply
  /** Of who is signed in; throws 401 for `anybody`. */
  signedIn: SignedIn
  /** Of members; throws 401 for others. */
  caller: Caller
}

/** Describes one route; only there for the types. */
export function consoleRoute<Body extends TSchema, Query extends TSchema, Params extends TSchema>(
  spec: ConsoleRoute<Body, Query, Params>,
): ConsoleRoute {
  return spec as unknown as ConsoleRoute
}

interface ConsoleKernel {
  publicUrl: string
  clock: Clock
  /** Proves a session; throws 401 where there is none. */
  prove(shown: Credentials): Promise<SignedIn>
  /** The caller that a session is for the business named, else for the first. */
  callerOf(
    signedIn: SignedIn,
    shown: Pick<Credentials, 'businessId' | 'session'>,
    now: Date,
  ): Caller
  /** Counts one request of an address or a person; throws 429. */
  takeToken(who: string | number): void
}

/** Mounts the dashboard's own routes under /console. */
export function mountConsole(
  server: FastifyInstance,
  kernel: ConsoleKernel,
  routes: readonly ConsoleRoute[],
): void {
  for (const spec of routes) {
    const read = readerOf(spec)
    const proofs = new WeakMap<FastifyRequest, PropertyDescriptorMap>()
    server.route({
      method: spec.method,
      url: `/console${spec.path}`,
      bodyLimit: BODY_BYTES_MAX[spec.bodyBytes ?? 'plain'],
      ...(spec.body && { schema: { body: spec.body } }),
      config: { errors: 'fields', ...(spec.action && { operation: spec.action }) },
      onRequest: async (request, reply) => {
        reply.header('cache-control', 'no-store')
        kernel.takeToken(`console ${networkOf(request.ip)}`)
        proofs.set(request, await admit(request, spec, kernel))
      },
      handler: async (request, reply) => {
        const asked = {
          ...read(request),
          ip: request.ip,
          userAgent: request.headers['user-agent'],
          requestId: request.id,
          now: kernel.clock.now(),
          request,
          reply,
        }
        const answer = await spec.handle(
          Object.defineProperties(asked, proofs.get(request)!) as Asked,
        )
        if (reply.sent || answer === undefined) return reply
        if (answer instanceof Download) return sendDownload(request, reply, answer)
        request.answered = JSON.stringify(answer)
        return reply.type('application/json; charset=utf-8').send(request.answered)
      },
    })
  }
}

/** What a request proves of who sends it, before its body is read. */
async function admit(
  request: FastifyRequest,
  { asker, scope, proven, method }: ConsoleRoute,
  { prove, callerOf, clock, publicUrl }: ConsoleKernel,
): Promise<PropertyDescriptorMap> {
  if (asker === 'anybody') {
    // Another page must not sign anybody in as somebody else.
    const { origin } = request.headers
    if (method !== 'GET' && origin !== undefined && !isOwnOrigin(publicUrl, origin)) {
      throw csrfRefused()
    }
    const nobody = { get: () => raise(sessionEnded()) }
    return { signedIn: nobody, caller: nobody }
  }
  // A key or a token is no session, and a session beside it does not count.
  const session = request.headers.authorization === undefined ? sessionOf(request) : undefined
  if (!session) throw sessionEnded()
  const { ip, headers } = request
  const businessId = headers['x-business-id'] as string | undefined
  const shown = { key: '', session, businessId, ip, origin: headers.origin }
  const signedIn = await prove(shown)
  const caller = asker === 'member' ? callerOf(signedIn, shown, clock.now()) : undefined
  if (caller) request.caller = caller
  if (caller && scope) requireScope(caller, scope)
  if (proven && !isProven(signedIn.session, clock.now())) throw proofNeeded()
  return {
    signedIn: { value: signedIn },
    caller: caller ? { value: caller } : { get: () => raise(sessionEnded()) },
  }
}

function raise(error: Error): never {
  throw error
}

function readerOf({ params, query, body }: ConsoleRoute) {
  const checkParams = params && validator(params, 'path')
  const checkQuery = query && validator(query, 'query')
  const checkBody = body && validator(body, 'body')

  return (request: FastifyRequest) => {
    refuseBadUrl(request)
    const read = (schema: TSchema | undefined, check: typeof checkQuery, values: unknown) => {
      if (!schema) return {}
      const typed = coerced(values as Record<string, unknown>, schema)
      refuseBadText(typed)
      check?.(typed)
      return typed
    }
    const sent = request.body === undefined ? {} : request.body
    checkBody?.(sent)
    return {
      params: read(params, checkParams, request.params),
      query: read(query, checkQuery, request.query),
      body: sent,
    }
  }
}

/** The currency of the business that a member is looking at. */
export const currencyOf = ({ signedIn, caller }: Asked): string =>
  signedIn.members.find(({ business_id }) => business_id === caller.businessId)!.currency
