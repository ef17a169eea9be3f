import type { Db } from '../../db/database.ts'
import type { Authenticate, Caller, Credentials } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { unauthenticated } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import {
  type AuthDeps,
  BROWSER_SEEN_EVERY_MS,
  credentialCache,
  throttledWriter,
  USED_EVERY_MS,
} from '../keys/authenticate.ts'
import { hashOf } from '../keys/format.ts'
import type { Scope } from '../keys/scopes.ts'
import {
  type AuthenticatedPartner,
  type AuthenticatedToken,
  insertToken,
  selectByCredentials,
  selectByToken,
  updateGrantUsed,
} from './queries.ts'
import { commonScopes, isClientSecret, isToken, newToken, readRequestedScopes } from './scopes.ts'

/** A verified token for one business, with its scopes for that business. */
interface Proven {
  row: AuthenticatedToken
  scopes: readonly string[]
}

/**
 * Verifies partners' tokens, and passes everything else to `proveKey`. As with keys, a token is
 * cached for at most a second, and stops working within a second of being revoked. Any problem with
 * the token or its business gives the same 401 as for a key.
 */
export function partnerAuthenticator(deps: AuthDeps, proveKey: Authenticate): Authenticate {
  const { db, clock, log } = deps
  const known = credentialCache<Proven>(({ row }) => row.business_id)
  const marks = throttledWriter(log)

  async function load(hash: Buffer, businessId: number): Promise<Proven | undefined> {
    const row = await selectByToken(db, hash, businessId)
    return row && { row, scopes: scopesOf(row) }
  }

  /** Our pages never use tokens, so no origin is allowed to send one. */
  function refuseBrowser({ row }: Proven, origin: string): void {
    const { business_id: businessId, client_id: partner } = row
    marks(`browser ${partner}`, null, BROWSER_SEEN_EVERY_MS, clock, async () =>
      log.warn(
        { businessId, partner, origin: origin.slice(0, 200) },
        'a partner token was used from a browser',
      ),
    )
    throw unauthenticated(
      'This request comes from a browser: it has an Origin header. Use the token on your server only.',
    )
  }

  async function prove({ key: token, businessId: named = '', origin }: Credentials) {
    const businessId = /^\d{1,16}$/.test(named) ? toId(named) : 0
    if (!isToken(token) || businessId === 0) throw unauthenticated()
    const hash = hashOf(token)
    const name = `${hash.toString('base64')} ${businessId}`
    const proven = await known(name, () => load(hash, businessId))
    const now = clock.now()
    if (!proven || proven.row.expires_at <= now) throw unauthenticated()
    if (origin !== undefined) refuseBrowser(proven, origin)

    const caller = callerOf(proven, now)
    marks(`used ${caller.keyId}`, proven.row.last_used_at, USED_EVERY_MS, clock, (at) =>
      updateGrantUsed(db, caller, at),
    )
    return caller
  }

  return (credentials) =>
    credentials.key.startsWith('pt_') ? prove(credentials) : proveKey(credentials)
}

/** Never returns null, which would mean full access, including scopes that partners can't have. */
const scopesOf = ({ token_scopes, grant_scopes, partner_scopes }: AuthenticatedToken) =>
  commonScopes(token_scopes, grant_scopes, partner_scopes)

const callerOf = ({ row, scopes }: Proven, now: Date): Caller => ({
  businessId: row.business_id,
  live: row.live,
  keyId: row.grant_id,
  partner: row.client_id,
  scopes,
  expiresAt: row.expires_at,
  timeZone: row.time_zone,
  now: row.live ? now : addMs(now, row.test_clock_offset_ms),
})

export const TOKEN_SECONDS = 3_600

/** The token is only available here: the database stores its hash. */
export interface IssuedToken {
  token: string
  scopes: Scope[]
}

/**
 * Verifies credentials. Returns undefined if anything about them is wrong. A malformed secret needs
 * no query.
 */
export async function authenticatePartner(
  db: Db,
  clientId: string,
  clientSecret: string,
  now: Date,
): Promise<AuthenticatedPartner | undefined> {
  if (!isClientSecret(clientSecret)) return undefined
  return selectByCredentials(db, clientId, hashOf(clientSecret), now)
}

/**
 * Creates a token for a verified partner, valid for an hour, with all of its scopes or only the
 * requested ones. Throws `invalid_scope` (400).
 */
export async function issueToken(
  db: Db,
  { live, scopes: ofPartner, secret_id }: AuthenticatedPartner,
  asked: string | undefined,
  now: Date,
): Promise<IssuedToken> {
  const scopes = asked === undefined ? null : readRequestedScopes(asked, ofPartner)
  const token = newToken(live)
  await insertToken(db, {
    hash: hashOf(token),
    secret_id,
    scopes,
    expires_at: addMs(now, TOKEN_SECONDS * 1_000),
    created_at: now,
  })
  return { token, scopes: commonScopes(scopes, ofPartner) }
}
