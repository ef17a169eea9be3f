/** Whose data, and in which mode. The first part of every key of every tenant table. */
export interface Tenant {
  businessId: number
  /** False for test mode: the same rules, but no real money moves. */
  live: boolean
}

/** What a request shows of who sends it. */
export interface Credentials {
  /** The bearer value, as sent. */
  key: string
  /** `X-Business-Id`, as sent: for which business a partner asks. */
  businessId: string | undefined
  ip: string
  /** The `Origin` header: a browser sends it, a backend does not. */
  origin: string | undefined
  /** Instead of a key: the session of somebody at the dashboard. */
  session?: SessionCredentials
}

/** What a request of the dashboard shows of who sends it. */
export interface SessionCredentials {
  /** What the cookie holds. */
  token: string
  /** Its name is one that the browser lets no other host set. */
  isHostBound: boolean
  /** `X-CSRF-Token`, which only our own pages can know. */
  csrf: string | undefined
  /** `X-Tradepost-Mode`: test unless it says live. */
  live: boolean
  /** Something may change: all but GET and HEAD. */
  writes: boolean
}

/** Proves a key or a partner's token; throws `unauthenticated` for every reason alike. */
export type Authenticate = (credentials: Credentials) => Promise<Caller>

export const ROLES = ['owner', 'admin', 'developer', 'finance', 'support', 'viewer'] as const
export type Role = (typeof ROLES)[number]

/** Somebody of the merchant's people, as a session proved. */
export interface Person {
  id: number
  name: string
  role: string
  /** The password was given within five minutes. */
  isProven: boolean
  /** More than the password stands behind the session: an app, or a passkey. */
  hasSecondFactor: boolean
}

/** Who is asking, as proved by a secret key, a partner's token or a session. */
export interface Caller extends Tenant {
  /** Of a partner, the grant that lets it act for this business. */
  keyId: number
  /** The client id of the partner that is asking. */
  partner?: string
  /** The person at the dashboard who is asking; `keyId` is theirs too. */
  person?: Person
  /** How people know the key that is asking, and who made it; null where that is not known. */
  key?: { name: string; madeBy: number | null }
  /** What a restricted key may do, as `invoices:read`; null for a plain secret key: everything. */
  scopes: readonly string[] | null
  expiresAt: Date | null
  /** IANA name; days in filters and due dates are days there. */
  timeZone: string
  /** The moment that decides: the server's clock, moved by the test clock of the business. */
  now: Date
}

/** Whether a caller has a scope, for what is left out of an answer rather than refused. */
export function hasScope({ scopes }: Pick<Caller, 'scopes'>, scope: string): boolean {
  if (scopes === null || scopes.includes(scope)) return true
  const [collection, verb] = scope.split(':')
  return verb === 'read' && scopes.includes(`${collection}:write`)
}
