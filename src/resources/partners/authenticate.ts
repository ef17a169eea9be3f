import { addMs } from '../../lib/clock.ts'
import { unauthenticated } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import type { Authenticate, Caller, Credentials } from '../../lib/tenant.ts'
import type { AuthDeps } from '../keys/authenticate.ts'
import { hashOf } from '../keys/format.ts'
import { remembering } from '../keys/known.ts'
import { BROWSER_SEEN_EVERY_MS, marker, USED_EVERY_MS } from '../keys/marks.ts'
import { isToken } from './format.ts'
import { type ProvenToken, selectByToken } from './queries.ts'
import { updateGrantUsed } from './queries-grants.ts'
import { commonScopes } from './scopes.ts'

/** A token for one business as the database had it, with what it may do there. */
interface Proven {
  row: ProvenToken
  scopes: readonly string[]
}

/**
 * Proves partners' tokens, and leaves everything else to `proveKey`. A token is as fast as a key,
 * and as soon refused: what is known of it is at most a second old. What is wrong with it, or with
 * the business that it is for, is one 401, the same as a key's.
 */
export function partnerAuthenticator(deps: AuthDeps, proveKey: Authenticate): Authenticate {
  const { db, clock, log } = deps
  const known = remembering<Proven>(({ row }) => row.business_id)
  const marks = marker(log)

  async function load(hash: Buffer, businessId: number): Promise<Proven | undefined> {
    const row = await selectByToken(db, hash, businessId)
    return row && { row, scopes: scopesOf(row) }
  }

  /** No page of ours has a token, so there is no origin that may send one. */
  function refuseBrowser({ row }: Proven, origin: string): void {
    const { business_id: businessId, client_id: partner } = row
    marks(`browser ${partner}`, null, BROWSER_SEEN_EVERY_MS, clock, async () =>
      log.warn(
        { businessId, partner, origin: origin.slice(0, 200) },
        'the token of a partner was used from a browser',
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

/** Never null, which would be everything: what no partner may is left out here. */
const scopesOf = ({ token_scopes, grant_scopes, partner_scopes }: ProvenToken) =>
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
