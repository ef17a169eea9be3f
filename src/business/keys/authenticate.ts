import type { Log } from '../../db/log.ts'
import type { Deps } from '../../deps.ts'
import { allowList } from '../../http/ip-addresses.ts'
import type { Authenticate, Caller, Credentials } from '../../lib/caller.ts'
import { addMs, type Clock } from '../../lib/clock.ts'
import type { Peers } from '../../lib/peers.ts'
import { unauthenticated } from '../../lib/problem.ts'
import { hashOf, isWellFormed } from './format.ts'
import { recordBrowserUse } from './mails.ts'
import { type AuthenticatedKey, selectByHash, updateLastUsed } from './queries.ts'

export type AuthDeps = Pick<Deps, 'db' | 'ids' | 'clock' | 'publicUrl' | 'nudge'> & { log: Log }

interface Proven {
  row: AuthenticatedKey
  allows(ip: string): boolean
}

/**
 * Verifies keys. A malformed key is refused without a query, and a key that was verified less than
 * a second ago needs none. A revoked key therefore stops working within a second.
 */
export function authenticator(deps: AuthDeps): Authenticate {
  const { db, clock, publicUrl, log } = deps
  const known = credentialCache<Proven>(({ row }) => row.business_id)
  const load = async (hash: Buffer): Promise<Proven | undefined> => {
    const row = await selectByHash(db, hash)
    return row && { row, allows: allowList(row.allowed_ips) }
  }
  const ownOrigins = originsOf(publicUrl)
  const marks = throttledWriter(log)

  /**
   * Refuses a secret key that a browser sends, because everyone who opens that page can read the
   * key. Test keys work on the server's own pages.
   */
  function refuseBrowser({ row }: Proven, origin: string): void {
    if (!row.live && ownOrigins.has(origin)) return
    const key = { businessId: row.business_id, live: row.live, keyId: row.id }
    const fields = { businessId: row.business_id, keyId: row.id, origin: origin.slice(0, 200) }
    marks(`browser ${row.id}`, row.browser_seen_at, BROWSER_SEEN_EVERY_MS, clock, (now) => {
      log.warn(
        fields,
        'a secret key was used from a browser: revoke it, and keep its replacement on a server',
      )
      return recordBrowserUse(deps, key, fields.origin, now)
    })
    throw unauthenticated(
      'This request comes from a browser: it has an Origin header. Use the secret key on your server only.',
    )
  }

  return async ({ key, ip, origin }: Credentials): Promise<Caller> => {
    if (key.startsWith('pk_')) {
      throw unauthenticated('This is a public key. Send the secret key, which starts with sk_.')
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
  // Uses the server's clock, because moving the test clock forward must not make its owner's keys
  // expire.
  if (row.expires_at && row.expires_at <= now) return false
  return allows(ip)
}

const callerOf = (row: AuthenticatedKey, now: Date): Caller => ({
  businessId: row.business_id,
  live: row.live,
  keyId: row.id,
  key: { name: row.label ?? row.hint, madeBy: row.created_by },
  scopes: row.scopes,
  expiresAt: row.expires_at,
  timeZone: row.time_zone,
  now: row.live ? now : addMs(now, row.test_clock_offset_ms),
})

/** A server on this machine has several host names, and its pages work under any of them. */
function originsOf(publicUrl: string): ReadonlySet<string> {
  const { origin, protocol, hostname, port } = new URL(publicUrl)
  const loopback = ['localhost', '127.0.0.1', '[::1]']
  if (!loopback.includes(hostname)) return new Set([origin])
  return new Set(loopback.map((name) => `${protocol}//${name}${port && `:${port}`}`))
}

const KNOWN_MS = 1_000
const KNOWN_MAX = 10_000

/** For each business, when cached data about its keys became outdated. */
const forgotten = new Map<number, number>()

/** The other processes of this server that cache keys. */
let peers: Peers | undefined
const beingForgotten = new Set<Promise<unknown>>()
const FORGET_TOPIC = 'forget keys'

/** Makes `forgetKeysOf` apply to all processes of this server. */
export function shareForgottenKeys(others: Peers): void {
  peers = others
  peers.on(FORGET_TOPIC, forgetHere)
}

/**
 * Returns a promise that resolves once the other processes have forgotten what this one has, or
 * undefined if they already have. There is no need to wait for a process longer than a second,
 * because its cached keys expire by then.
 */
export const keysBeingForgotten = (): Promise<unknown> | undefined =>
  beingForgotten.size === 0 ? undefined : Promise.all(beingForgotten)

/**
 * Makes every authenticator in this process reload a business's keys and its partners' tokens.
 * Moves of the test clock, changes to settings and revocations therefore apply as soon as the
 * caller has the response.
 */
export function forgetKeysOf(businessId: number): void {
  forgetHere(businessId)
  if (!peers) return
  const others = peers.ask(FORGET_TOPIC, businessId)
  beingForgotten.add(others)
  void others.finally(() => beingForgotten.delete(others))
}

function forgetHere(businessId: number): void {
  const now = performance.now()
  forgotten.delete(businessId)
  forgotten.set(businessId, now)
  // No cached data is older than this, so earlier entries are no longer needed.
  for (const [business, at] of forgotten) {
    if (now - at < KNOWN_MS + LOADING_MS_MAX) break
    forgotten.delete(business)
  }
}

/** The longest possible duration of a lookup: the statement timeout plus a margin. */
const LOADING_MS_MAX = 15_000

interface Known<Proven> {
  /** When the lookup started. The data is at least this recent. */
  since: number
  proven: Promise<Proven | undefined>
}

/** Caches each result for a second, and shares a lookup between simultaneous requests. */
export function credentialCache<Proven>(businessOf: (proven: Proven) => number) {
  const known = new Map<string, Known<Proven>>()

  function begin(name: string, load: () => Promise<Proven | undefined>): Known<Proven> {
    const entry: Known<Proven> = { since: performance.now(), proven: load() }
    known.delete(name)
    known.set(name, entry)
    if (known.size > KNOWN_MAX) known.delete(known.keys().next().value as string)
    const drop = () => {
      if (known.get(name) === entry) known.delete(name)
    }
    // Unknown keys are not cached, because made-up keys would push out the real ones.
    entry.proven.then((proven) => proven ?? drop(), drop)
    return entry
  }

  return async (
    name: string,
    load: () => Promise<Proven | undefined>,
  ): Promise<Proven | undefined> => {
    const entry = known.get(name)
    if (entry && performance.now() - entry.since < KNOWN_MS) {
      const proven = await entry.proven
      const outdatedAt = (proven && forgotten.get(businessOf(proven))) ?? -1
      if (outdatedAt < entry.since) return proven
    }
    return begin(name, load).proven
  }
}

/** Two marks for each of the 10,000 cached keys. */
const MARKS_MAX = 20_000

export const USED_EVERY_MS = 60_000
export const BROWSER_SEEN_EVERY_MS = 3_600_000

/**
 * Makes writes on which no request depends, such as the time of last use. A request neither waits
 * for its write nor fails with it. Each name is written at most once per `everyMs`.
 */
export function throttledWriter(log: Log) {
  const written = new Map<string, number>()

  return (
    name: string,
    before: Date | null,
    everyMs: number,
    clock: Clock,
    write: (now: Date) => Promise<void>,
  ): void => {
    const now = clock.now()
    const last = Math.max(written.get(name) ?? 0, before?.getTime() ?? 0)
    if (now.getTime() - last < everyMs) return
    written.delete(name)
    written.set(name, now.getTime())
    if (written.size > MARKS_MAX) written.delete(written.keys().next().value as string)
    write(now).catch((err) => log.warn({ err }, 'could not record that a key was used'))
  }
}
