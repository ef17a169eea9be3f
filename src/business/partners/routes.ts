import type { Log } from '../../db/log.ts'
import type { Deps } from '../../deps.ts'
import { isKeyInUrl, requireScope, secondFactorNeeded, valuesOf } from '../../http/auth.ts'
import { success } from '../../http/errors.ts'
import { networkOf } from '../../http/ip-addresses.ts'
import { type Limiting, openLimiter, type RateLimit } from '../../http/rate-limit.ts'
import { type PublicInput, type Route, route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { allOrPage } from '../../lib/paging.ts'
import { invalid, Problem } from '../../lib/problem.ts'
import { authenticatePartner, type IssuedToken, issueToken, TOKEN_SECONDS } from './authenticate.ts'
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
    summary: 'Grant a partner access to the business',
    method: 'POST',
    path: '/partners',
    scope: 'keys:write',
    proven: true,
    status: 201,
    body: NewGrant,
    response: OneGrant,
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
    summary: 'List the business’s partners',
    method: 'GET',
    path: '/partners',
    scope: 'keys:read',
    query: GrantQuery,
    response: GrantList,
    handle: async ({ caller, query }) => {
      const { rows, meta } = allOrPage(await listGrants(db, caller), query)
      return success('Partners retrieved.', rows, meta)
    },
  }),
  route({
    ...slice,
    operation: 'revoke_partner',
    summary: 'Revoke a partner’s access to the business',
    method: 'POST',
    path: '/partners/:clientId/revoke',
    scope: 'keys:write',
    proven: true,
    params: GrantPath,
    response: OneGrant,
    handle: ({ caller, params, once }) =>
      once(async (tx) => {
        const grant = await revokeGrant(tx, caller, params.clientId)
        return success('Partner access revoked.', grant)
      }),
  }),
]

/**
 * Refuses restricted keys, which could grant more access than they have. For a live grant, which
 * outlives the session of the member who grants it, also requires a second factor. Throws
 * `insufficient_scope` and `second_factor_needed` (403).
 */
function requireRightToGrant({ live, person, scopes }: Caller): void {
  if (!person && scopes !== null) {
    throw new Problem('forbidden', 'insufficient_scope', 'A restricted key cannot grant access.')
  }
  if (!live || person?.hasSecondFactor) return
  throw secondFactorNeeded(
    'In live mode, granting access requires two-factor authentication on your account.',
  )
}

interface TokenDeps extends Pick<Deps, 'db'>, Limiting {
  log: Log
}

/** Credentials that have not been verified yet. */
interface Claimed {
  clientId: string
  clientSecret: string
}

/** Per IP address, across all its requests. A partner needs only one token an hour. */
const ASKING: RateLimit = { perSecond: 5, burst: 50 }
/**
 * Per partner, from any IP address. Only verified requests count, so nobody else can make a partner
 * reach the limit.
 */
const GETTING: RateLimit = { perSecond: 1, burst: 50 }
/** Per IP address and client id. */
const FAILING: RateLimit = { perSecond: 0.1, burst: 10 }

/** Limits one network's requests to `partnerTokenRoutes`; throws 429. */
export const tokenLimiter = (limiting: Limiting) => openLimiter(limiting, 'token requests', ASKING)

/**
 * The token endpoints for partners: our own, and the one in RFC 6749. They accept no
 * Idempotency-Key, because the stored response would contain the secret.
 */
export function partnerTokenRoutes(deps: TokenDeps): Route[] {
  const exchange = exchanger(deps)
  return [
    route({
      caller: 'public',
      operation: 'create_partner_token',
      summary: 'Exchange a partner’s credentials for a token',
      method: 'POST',
      service: 'auth-service',
      family: 'both',
      path: '/token',
      errors: 'fields',
      body: TokenRequest,
      response: OneToken,
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
      summary: 'Exchange client credentials for a token (RFC 6749)',
      method: 'POST',
      family: 'bare',
      path: '/oauth/token',
      errors: 'oauth',
      form: true,
      body: OAuthRequest,
      response: OAuthToken,
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

/** Exchanges credentials for a token. Throws the same 401 for any problem with the credentials. */
function exchanger(deps: TokenDeps) {
  const { db, clock, log } = deps
  const takeFailure = openLimiter(deps, 'invalid client secrets', FAILING)
  const takeToken = openLimiter(deps, 'partner tokens', GETTING)

  return async (
    { ip, request: { url, headers } }: PublicInput,
    { clientId, clientSecret }: Claimed,
    scope: string | undefined,
  ): Promise<IssuedToken> => {
    const now = clock.now()
    const { origin } = headers
    // Refuses credentials in the URL, which may have been logged on the way.
    const partner = isKeyInUrl(url)
      ? undefined
      : await authenticatePartner(db, clientId, clientSecret, now)
    if (partner && origin !== undefined) {
      const fields = { partner: clientId, origin: origin.slice(0, 200) }
      log.warn(fields, 'a partner secret was used from a browser: rotate it')
    }
    if (!partner || origin !== undefined) {
      takeFailure(`${networkOf(ip)} ${clientId}`)
      throw invalidClient()
    }
    takeToken(clientId)
    return issueToken(db, partner, scope, now)
  }
}

/** Credentials come with HTTP Basic or in the body, but not both (RFC 6749, 2.3.1). */
function claimedBy({ request, body }: PublicInput<OAuthRequest>): Claimed {
  const authorization = valuesOf(request, 'authorization')
  const { client_id: id = '', client_secret: secret = '' } = body
  if (authorization.length === 0) return { clientId: id, clientSecret: secret }
  if (secret)
    throw invalid({
      client_secret: ['must be sent only once, either with HTTP Basic or in the body'],
    })
  const claimed = authorization.length === 1 ? basicOf(authorization[0]!) : undefined
  if (!claimed || (id && id !== claimed.clientId)) throw invalidClient()
  return claimed
}

function basicOf(header: string): Claimed | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header) ?? []
  const pair = encoded && Buffer.from(encoded, 'base64').toString('utf8')
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(pair ?? '') ?? []
  try {
    const claimed = { clientId: unescaped(id), clientSecret: unescaped(secret) }
    // PostgreSQL cannot store NUL, so no client has these credentials.
    return `${claimed.clientId}${claimed.clientSecret}`.includes('\0') ? undefined : claimed
  } catch {
    return undefined
  }
}

/** Clients form-encode the client id and the secret separately before joining them. */
const unescaped = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))

const invalidClient = () =>
  new Problem('unauthenticated', 'invalid_client', 'The client credentials are not valid.', {
    headers: { 'www-authenticate': 'Basic realm="tradepost"' },
  })

const otherGrant = () =>
  new Problem(
    'invalid',
    'unsupported_grant_type',
    'grant_type must be client_credentials; no other type is supported.',
  )
