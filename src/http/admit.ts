import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate, Caller, Credentials, Role, Tenant } from '../lib/caller.ts'
import type { Clock } from '../lib/clock.ts'
import {
  credentialsOf,
  csrfRefused,
  isReauthenticated,
  reauthenticationNeeded,
  requireReauthentication,
  requireScope,
  sessionEnded,
  sessionOf,
} from './auth.ts'
import { isOwnOrigin, networkOf } from './ip-addresses.ts'
import type { Route } from './route.ts'

/** A session that has not expired, and its owner. */
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
  /**
   * Whether the session was opened with more than a password: an authenticator app or a passkey.
   */
  has_second_factor: boolean
}

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

export interface SignedIn {
  session: Session
  /** The owner's businesses, oldest membership first. */
  members: Membership[]
}

export interface AdmissionDeps {
  clock: Clock
  publicUrl: string
  authenticate: Authenticate
  pauses: {
    /** Throws 503 if the operator has paused the business. */
    requireOpen(tenant: Tenant): Promise<void>
  }
  sessions: {
    /** Verifies a session; throws 401 if there is none. */
    verify(shown: Credentials): Promise<SignedIn>
    /**
     * Returns the caller for a session, in the named business or otherwise in the person's first
     * one.
     */
    callerOf(
      signedIn: SignedIn,
      shown: Pick<Credentials, 'businessId' | 'session'>,
      now: Date,
    ): Caller
  }
  /**
   * Counts one request by a key, a person or an IP address. Returns the rate-limit headers, or
   * throws 429.
   */
  takeToken(who: string | number): Record<string, string>
}

type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

export const isOfKey = ({ caller = 'key' }: Pick<Route, 'caller'>): boolean => caller === 'key'

/**
 * Returns the hook that identifies the sender of a request. It runs before anything is parsed, so a
 * bad key results in 401 even if the rest of the request is invalid too.
 */
export function admissionHook(spec: Route, gate: AdmissionDeps): Admit {
  const { caller = 'key', family } = spec
  if (caller === 'key') return keyAdmitter(spec, gate)
  if (family !== undefined) return tokenAdmitter(gate)
  const admit = caller === 'public' ? pageAdmitter(spec, gate) : sessionAdmitter(spec, gate)
  return async (request, reply) => {
    reply.header('cache-control', 'no-store')
    gate.takeToken(`console ${networkOf(request.ip)}`)
    await admit(request, reply)
  }
}

const keyAdmitter =
  ({ scope, proven, method }: Route, { authenticate, pauses, takeToken }: AdmissionDeps): Admit =>
  async (request, reply) => {
    // Unlike `Authorization`, a session cookie does not keep responses out of shared caches.
    reply.header('cache-control', 'no-store')
    const caller = await authenticate(credentialsOf(request))
    request.caller = caller
    reply.headers(takeToken(caller.keyId))
    requireScope(caller, scope!)
    // Members still see what there is.
    if (!caller.person || method !== 'GET') await pauses.requireOpen(caller)
    if (proven === true || (proven && caller.live)) requireReauthentication(caller)
  }

/** For requests whose body contains the sender's credentials. */
const tokenAdmitter =
  ({ takeToken }: AdmissionDeps): Admit =>
  async ({ ip }, reply) => {
    // The response contains a secret.
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
    reply.headers(takeToken(networkOf(ip)))
  }

/** Stops another site from signing the visitor in as someone else. */
const pageAdmitter =
  ({ method }: Route, { publicUrl }: AdmissionDeps): Admit =>
  async ({ headers: { origin } }) => {
    if (method !== 'GET' && origin !== undefined && !isOwnOrigin(publicUrl, origin)) {
      throw csrfRefused()
    }
  }

const sessionAdmitter =
  ({ caller: kind, scope, proven }: Route, { sessions, clock }: AdmissionDeps): Admit =>
  async (request) => {
    // If the request has a key or token, any session sent with it is ignored.
    const session = request.headers.authorization === undefined ? sessionOf(request) : undefined
    if (!session) throw sessionEnded()
    const { ip, headers } = request
    const businessId = headers['x-business-id'] as string | undefined
    const shown = { key: '', session, businessId, ip, origin: headers.origin }
    const signedIn = await sessions.verify(shown)
    const now = clock.now()
    if (kind === 'member') {
      const caller = sessions.callerOf(signedIn, shown, now)
      const member = signedIn.members.find((one) => one.business_id === caller.businessId)!
      request.caller = caller
      request.visitor = { signedIn, caller, member }
      if (scope) requireScope(caller, scope)
    } else {
      request.visitor = { signedIn }
    }
    if (proven && !isReauthenticated(signedIn.session, now)) throw reauthenticationNeeded()
  }
