import type { Log } from '../../db/log.ts'
import type { Deps } from '../../deps.ts'
import { isKeyInUrl, requireScope, secondFactorNeeded, valuesOf } from '../../http/auth.ts'
import { success } from '../../http/errors.ts'
import { networkOf } from '../../http/ip-addresses.ts'
import { type RateLimit, rateLimiter } from '../../http/rate-limit.ts'
import { type PublicInput, type Route, route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { wholeOrPage } from '../../lib/paging.ts'
import { invalid, Problem } from '../../lib/problem.ts'
import { type IssuedToken, issueToken, provePartner, TOKEN_SECONDS } from './authenticate.ts'
import {
  GrantList,
  GrantPath,
  GrantQuery,
  NewGrant,
  OAuthRequest,
  OAuthToken,
  OneGrant,
  OneToken,
  TokenRequest,
} from './schemas.ts'
import { readPartnerScopes } from './scopes.ts'
import { grantPartner, listGrants, revokeGrant } from './service.ts'

const slice = { service: 'user-service', family: 'both', errors: 'fields' } as const

export const partnerRoutes = ({ db, ids }: Pick<Deps, 'db' | 'ids'>): Route[] => [
  route({
    ...slice,
    operation: 'grant_partner',
    summary: 'Let a partner act for the business',
    method: 'POST',
    path: '/partners',
    scope: 'keys:write',
    proven: true,
    status: 201,
    body: NewGrant,
    answer: OneGrant,
    handle: ({ caller, body: { clientId, scopes = null }, once }) => {
      requireRightToGrant(caller)
      for (const scope of readPartnerScopes(scopes) ?? []) requireScope(caller, scope)
      return once(async (tx) => {
        const grant = await grantPartner(tx, ids, caller, { clientId, scopes })
        return success('Partner granted access.', grant)
      })
    },
  }),
  route({
    ...slice,
    operation: 'list_partners',
    summary: 'List the partners of the business',
    method: 'GET',
    path: '/partners',
    scope: 'keys:read',
    query: GrantQuery,
    answer: GrantList,
    handle: async ({ caller, query }) => {
      const { rows, meta } = wholeOrPage(await listGrants(db, caller), query)
      return success('Partners.', rows, meta)
    },
  }),
  route({
    ...slice,
    operation: 'revoke_partner',
    summary: 'End what a partner may do for the business',
    method: 'POST',
    path: '/partners/:clientId/revoke',
    scope: 'keys:write',
    proven: true,
    params: GrantPath,
    answer: OneGrant,
    handle: ({ caller, params, once }) =>
      once(async (tx) => {
        const grant = await revokeGrant(tx, caller, params.clientId)
        return success('Partner access revoked.', grant)
      }),
  }),
]

/**
 * A restricted key could hand on more than it has, and a live grant outlives the session of the
 * person who gives it, as a live key does. Throws `insufficient_scope` and `second_factor_needed`
 * (403).
 */
function requireRightToGrant({ live, person, scopes }: Caller): void {
  if (!person && scopes !== null) {
    throw new Problem('forbidden', 'insufficient_scope', 'A restricted key cannot grant access.')
  }
  if (!live || person?.hasSecondFactor) return
  throw secondFactorNeeded(
    'In live mode, only people signed in with a second factor can give a partner access.',
  )
}

interface TokenDeps extends Pick<Deps, 'db' | 'clock'> {
  log: Log
  rateLimit: RateLimit
}

/** What somebody claims to be. */
interface Claimed {
  clientId: string
  clientSecret: string
}

/** Of one address, of all that it asks for: a partner needs one token an hour. */
const ASKING: RateLimit = { perSecond: 5, burst: 50 }
/** Of one partner, from wherever; only who has proved to be it counts, so nobody locks it out. */
const GETTING: RateLimit = { perSecond: 1, burst: 50 }
/** Of one address with one client id. */
const FAILING: RateLimit = { perSecond: 0.1, burst: 10 }

/** Counts what one network asks of `partnerTokenRoutes`; throws 429. */
export function tokenLimiter({ clock, rateLimit }: Pick<TokenDeps, 'clock' | 'rateLimit'>) {
  const take = rateLimiter(rateLimit.perSecond === 0 ? rateLimit : ASKING)
  return (network: string | number) => take(network, clock.now().getTime())
}

/**
 * How a partner gets its tokens: our way, and that of RFC 6749. No Idempotency-Key is taken, whose
 * answer would keep the secret.
 */
export function partnerTokenRoutes(deps: TokenDeps): Route[] {
  const exchange = exchanger(deps)
  return [
    route({
      caller: 'public',
      operation: 'create_partner_token',
      summary: 'Exchange the credentials of a partner for a token',
      method: 'POST',
      service: 'auth-service',
      family: 'both',
      path: '/token',
      errors: 'fields',
      body: TokenRequest,
      answer: OneToken,
      handle: async (input) => {
        const { token, scopes } = await exchange(input, input.body, input.body.scope)
        return success('Token created.', {
          accessToken: token,
          tokenType: 'Bearer',
          expiresIn: TOKEN_SECONDS,
          scope: scopes.join(' '),
        })
      },
    }),
    route({
      caller: 'public',
      operation: 'create_oauth_token',
      summary: 'Exchange client credentials for a token, as RFC 6749 has it',
      method: 'POST',
      family: 'bare',
      path: '/oauth/token',
      errors: 'oauth',
      form: true,
      body: OAuthRequest,
      answer: OAuthToken,
      handle: async (input) => {
        const { grant_type, scope } = input.body
        if (grant_type !== 'client_credentials') throw otherGrant()
        const { token, scopes } = await exchange(input, claimedBy(input), scope)
        return {
          access_token: token,
          token_type: 'Bearer' as const,
          expires_in: TOKEN_SECONDS,
          scope: scopes.join(' '),
        }
      },
    }),
  ]
}

/** Credentials into a token. Throws one 401 for whatever is wrong with them. */
function exchanger({ db, clock, log, rateLimit }: TokenDeps) {
  const isOff = rateLimit.perSecond === 0
  const takeFailure = rateLimiter(isOff ? rateLimit : FAILING)
  const takeToken = rateLimiter(isOff ? rateLimit : GETTING)

  return async (
    { ip, request: { url, headers } }: PublicInput,
    { clientId, clientSecret }: Claimed,
    scope: string | undefined,
  ): Promise<IssuedToken> => {
    const now = clock.now()
    const { origin } = headers
    // An address may have been logged on its way.
    const partner = isKeyInUrl(url)
      ? undefined
      : await provePartner(db, clientId, clientSecret, now)
    if (partner && origin !== undefined) {
      const fields = { partner: clientId, origin: origin.slice(0, 200) }
      log.warn(fields, 'the secret of a partner was used from a browser: rotate it')
    }
    if (!partner || origin !== undefined) {
      takeFailure(`${networkOf(ip)} ${clientId}`, now.getTime())
      throw invalidClient()
    }
    takeToken(clientId, now.getTime())
    return issueToken(db, partner, scope, now)
  }
}

/** RFC 6749, 2.3.1: by HTTP Basic or in the body, and not by both. */
function claimedBy({ request, body }: PublicInput<OAuthRequest>): Claimed {
  const authorization = valuesOf(request, 'authorization')
  const { client_id: id = '', client_secret: secret = '' } = body
  if (authorization.length === 0) return { clientId: id, clientSecret: secret }
  if (secret) throw invalid({ client_secret: ['must be sent once: by Basic or in the body'] })
  const claimed = authorization.length === 1 ? basicOf(authorization[0]!) : undefined
  if (!claimed || (id && id !== claimed.clientId)) throw invalidClient()
  return claimed
}

function basicOf(header: string): Claimed | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header) ?? []
  const pair = encoded && Buffer.from(encoded, 'base64').toString('utf8')
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(pair ?? '') ?? []
  try {
    return { clientId: unescaped(id), clientSecret: unescaped(secret) }
  } catch {
    return undefined
  }
}

/** Each of the two was escaped as in a form before they were joined. */
const unescaped = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))

const invalidClient = () =>
  new Problem('unauthenticated', 'invalid_client', 'The client credentials are not valid.', {
    headers: { 'www-authenticate': 'Basic realm="tradepost"' },
  })

const otherGrant = () =>
  new Problem(
    'invalid',
    'unsupported_grant_type',
    'The grant_type must be client_credentials: no other is supported.',
  )
