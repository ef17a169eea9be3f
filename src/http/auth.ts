import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Caller, Credentials, SessionCredentials } from '../lib/caller.ts'
import { invalid, Problem, unauthenticated } from '../lib/problem.ts'

const KEY_IN_URL = /(?:[sp]k|p[st])_(?:test|live)_/

const ESCAPED = /%([0-7][\da-f])/gi
const unescaped = (_escape: string, code: string) => String.fromCharCode(Number.parseInt(code, 16))

/** Returns whether a URL contains a key, or a partner's secret or token. Many systems log URLs. */
export const isKeyInUrl = (url: string): boolean => KEY_IN_URL.test(url.replace(ESCAPED, unescaped))

/** Reads the credentials, or throws 401. Rejects a key that is in the URL. */
export function credentialsOf(request: FastifyRequest): Credentials {
  const sent = valuesOf(request, 'authorization')
  const session = sent.length === 0 ? sessionOf(request) : undefined
  if (session) return { key: '', session, ...shownBy(request) }
  const [, key] = /^Bearer +([^\s]+)$/i.exec(sent[0] ?? '') ?? []
  if (sent.length !== 1 || !key || isKeyInUrl(request.url)) throw unauthenticated()
  return { key, ...shownBy(request) }
}

const shownBy = ({ headers, ip }: FastifyRequest) => ({
  // Node joins repeated headers with a comma, which never occurs in an id.
  businessId: headers['x-business-id'] as string | undefined,
  ip,
  origin: headers.origin,
})

/** Over TLS, the `__Host-` prefix makes the browser reject this cookie from other hosts. */
export const SESSION_COOKIES = ['__Host-tradepost', 'tradepost'] as const

/** Returns the session for a request from the dashboard, if any. */
export function sessionOf(request: FastifyRequest): SessionCredentials | undefined {
  const { headers, method } = request
  const cookies = cookiesOf(request)
  const name = SESSION_COOKIES.find((one) => cookies.get(one))
  const token = name && cookies.get(name)
  if (!token) return undefined
  return {
    token,
    isHostBound: name === SESSION_COOKIES[0],
    csrf: headers['x-csrf-token'] as string | undefined,
    live: isLive(headers),
    writes: method !== 'GET' && method !== 'HEAD',
  }
}

/**
 * Returns a session's mode, which is test mode if the header is missing. Throws 400 for any other
 * value, so that a misspelt mode never selects the wrong one.
 */
export function isLive({ 'x-tradepost-mode': mode = 'test' }: IncomingHttpHeaders): boolean {
  if (mode === 'test' || mode === 'live') return mode === 'live'
  throw invalid({ 'X-Tradepost-Mode': ['must be test or live'] })
}

export const cookiesOf = ({ headers }: FastifyRequest): Map<string, string> =>
  new Map(
    (headers.cookie ?? '').split(';').map((pair) => {
      const [name = '', value = ''] = pair.split('=')
      return [name.trim(), value.trim()]
    }),
  )

/**
 * Returns every value of a header as received. Node keeps only the first or joins them, which hides
 * repeats.
 */
export function valuesOf(request: FastifyRequest, name: string): string[] {
  const { rawHeaders } = request.raw
  const values: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i]!
    if (header.length === name.length && header.toLowerCase() === name) {
      values.push(rawHeaders[i + 1]!)
    }
  }
  return values
}

/** Throws 403 if a restricted key, or a role, lacks the operation's scope. */
export function requireScope({ scopes, person }: Caller, scope: string): void {
  if (scopes === null || scopes.includes(scope)) return
  const [collection] = scope.split(':')
  if (scope.endsWith(':read') && scopes.includes(`${collection}:write`)) return
  const message = person
    ? `Your role (${person.role}) does not include ${scope}.`
    : `This key lacks the scope ${scope}.`
  throw new Problem('forbidden', 'insufficient_scope', message)
}

/** Throws 403 if a member must enter the password again first; keys are exempt. */
export function requireReauthentication({ person }: Caller): void {
  if (person && !person.isReauthenticated) throw reauthenticationNeeded()
}

/** How long a password entry counts as recent. */
const PROVEN_MS = 5 * 60_000

export const isReauthenticated = ({ proven_at }: { proven_at: Date }, now: Date): boolean =>
  now.getTime() - proven_at.getTime() < PROVEN_MS

export const sessionEnded = () =>
  new Problem('unauthenticated', 'session_ended', 'Your session has ended. Sign in again.')

export const csrfRefused = () =>
  new Problem(
    'forbidden',
    'csrf_refused',
    'This request did not come from the dashboard. Reload the page.',
  )

export const reauthenticationNeeded = () =>
  new Problem('forbidden', 'reauthentication_needed', 'Enter your password again to continue.')

export const secondFactorNeeded = (message: string) =>
  new Problem('forbidden', 'second_factor_needed', message)
