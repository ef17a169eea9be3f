import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate, Caller, Credentials, Role } from '../lib/caller.ts'
import type { Clock } from '../lib/clock.ts'
import {
  credentialsOf,
  csrfRefused,
  isProven,
  proofNeeded,
  requireProof,
  requireScope,
  sessionEnded,
  sessionOf,
} from './auth.ts'
import { networkOf } from './ip-addresses.ts'
import { isOwnOrigin } from './loopback.ts'
import type { Route } from './route.ts'

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

/** What decides who may call an operation, and how often. */
export interface Gate {
  clock: Clock
  publicUrl: string
  authenticate: Authenticate
  sessions: {
    /** Proves a session; throws 401 where there is none. */
    prove(shown: Credentials): Promise<SignedIn>
    /** The caller that a session is for the business named, else for the first. */
    callerOf(
      signedIn: SignedIn,
      shown: Pick<Credentials, 'businessId' | 'session'>,
      now: Date,
    ): Caller
  }
  /** Counts one request of a key, a person or an address; answers headers, or throws 429. */
  takeToken(who: string | number): Record<string, string>
}

type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

export const isOfKey = ({ caller = 'key' }: Pick<Route, 'caller'>): boolean => caller === 'key'

/**
 * Makes the hook that proves who sends a request of an operation, before anything is parsed: a bad
 * key is 401 whatever else is wrong.
 */
export function admitter(spec: Route, gate: Gate): Admit {
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
  ({ scope, proven }: Route, { authenticate, takeToken }: Gate): Admit =>
  async (request, reply) => {
    // What a session is answered has no `Authorization` that would keep it out of shared caches.
    reply.header('cache-control', 'no-store')
    const caller = await authenticate(credentialsOf(request))
    request.caller = caller
    reply.headers(takeToken(caller.keyId))
    requireScope(caller, scope!)
    if (proven === true || (proven && caller.live)) requireProof(caller)
  }

/** What a program sends to get its token proves it. */
const tokenAdmitter =
  ({ takeToken }: Gate): Admit =>
  async ({ ip }, reply) => {
    // What is answered is a secret.
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
    reply.headers(takeToken(networkOf(ip)))
  }

/** Another page must not sign anybody in as somebody else. */
const pageAdmitter =
  ({ method }: Route, { publicUrl }: Gate): Admit =>
  async ({ headers: { origin } }) => {
    if (method !== 'GET' && origin !== undefined && !isOwnOrigin(publicUrl, origin)) {
      throw csrfRefused()
    }
  }

const sessionAdmitter =
  ({ caller: kind, scope, proven }: Route, { sessions, clock }: Gate): Admit =>
  async (request) => {
    // A key or a token is no session, and a session beside it does not count.
    const session = request.headers.authorization === undefined ? sessionOf(request) : undefined
    if (!session) throw sessionEnded()
    const { ip, headers } = request
    const businessId = headers['x-business-id'] as string | undefined
    const shown = { key: '', session, businessId, ip, origin: headers.origin }
    const signedIn = await sessions.prove(shown)
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
    if (proven && !isProven(signedIn.session, now)) throw proofNeeded()
  }
