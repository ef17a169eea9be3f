import type { Log } from '../../db/log.ts'
import { addMs } from '../../lib/clock.ts'
import { unauthenticated } from '../../lib/problem.ts'
import type { Authenticate, Caller, Credentials } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { allowList } from './addresses.ts'
import { hashOf, isWellFormed } from './format.ts'
import { remembering } from './known.ts'
import { BROWSER_SEEN_EVERY_MS, marker, USED_EVERY_MS } from './marks.ts'
import { noteBrowser } from './notices.ts'
import { type ProvenRow, selectByHash, updateLastUsed } from './queries.ts'

export type AuthDeps = Pick<Deps, 'db' | 'ids' | 'clock' | 'publicUrl' | 'nudge'> & { log: Log }

/** A key as the database had it. */
interface Proven {
  row: ProvenRow
  allows(ip: string): boolean
}

/**
 * Proves keys. A malformed one costs nothing, and one that was just proved costs no query: what is
 * known of a key is at most a second old, so a revoked key ends within that.
 */
export function authenticator(deps: AuthDeps): Authenticate {
  const { db, clock, publicUrl, log } = deps
  const known = remembering<Proven>(({ row }) => row.business_id)
  const load = async (hash: Buffer): Promise<Proven | undefined> => {
    const row = await selectByHash(db, hash)
    return row && { row, allows: allowList(row.allowed_ips) }
  }
  const ownOrigins = originsOf(publicUrl)
  const marks = marker(log)

  /** The Origin rule: a secret key that a browser sends is in the hands of its visitors. */
  function refuseBrowser({ row }: Proven, origin: string): void {
    if (!row.live && ownOrigins.has(origin)) return
    const key = { businessId: row.business_id, live: row.live, keyId: row.id }
    const fields = { businessId: row.business_id, keyId: row.id, origin: origin.slice(0, 200) }
    marks(`browser ${row.id}`, row.browser_seen_at, BROWSER_SEEN_EVERY_MS, clock, (now) => {
      log.warn(fields, 'a secret key was used from a browser: revoke it, and keep it on a server')
      return noteBrowser(deps, key, fields.origin, now)
    })
    throw unauthenticated(
      'This request comes from a browser: it has an Origin header. Use the secret key on your server only.',
    )
  }

  return async ({ key, ip, origin }: Credentials): Promise<Caller> => {
    if (key.startsWith('pk_')) {
      throw unauthenticated('This is a public key. Send the secret key, which begins with sk_.')
    }
    if (!key.startsWith('sk_') || !isWellFormed(key)) throw unauthenticated()
    const hash = hashOf(key)
    const proven = await known(hash.toString('base64'), () => load(hash))
    const now = clock.now()
    if (!proven || !isGood(proven, ip, now)) throw unauthenticated()
    if (origin !== undefined) refuseBrowser(proven, origin)

    const caller = callerOf(proven.row, now)
    marks(`used ${caller.keyId}`, proven.row.last_used_at, USED_EVERY_MS, clock, (at) =>
      updateLastUsed(db, caller, at),
    )
    return caller
  }
}

function isGood({ row, allows }: Proven, ip: string, now: Date): boolean {
  if (row.status !== 'Active' || row.revoked_at) return false
  // By the server's clock: moving the test clock is to age invoices, not to lock its owner out.
  if (row.expires_at && row.expires_at <= now) return false
  return allows(ip)
}

const callerOf = (row: ProvenRow, now: Date): Caller => ({
  businessId: row.business_id,
  live: row.live,
  keyId: row.id,
  key: { name: row.label ?? row.hint, madeBy: row.created_by },
  scopes: row.scopes,
  expiresAt: row.expires_at,
  timeZone: row.time_zone,
  now: row.live ? now : addMs(now, row.test_clock_offset_ms),
})

/** A server on this machine has several names there; a page from any of them is its own. */
function originsOf(publicUrl: string): ReadonlySet<string> {
  const { origin, protocol, hostname, port } = new URL(publicUrl)
  const loopback = ['localhost', '127.0.0.1', '[::1]']
  if (!loopback.includes(hostname)) return new Set([origin])
  return new Set(loopback.map((name) => `${protocol}//${name}${port && `:${port}`}`))
}
