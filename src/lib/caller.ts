/** A business and a mode. In every table with tenants' data, each key begins with these two. */
export interface Tenant {
  businessId: number
  /** False for test mode: the same rules apply, but no real money moves. */
  live: boolean
}

/** What a request presents to identify its sender. */
export interface Credentials {
  /** The bearer value, as sent. */
  key: string
  /** `X-Business-Id`, as sent. It names the business that a partner acts for. */
  businessId: string | undefined
  ip: string
  /** The `Origin` header, which browsers send but backends do not. */
  origin: string | undefined
  /** The session of a member using the dashboard, sent instead of a key. */
  session?: SessionCredentials
}

/** What a request from the dashboard presents to identify its sender. */
export interface SessionCredentials {
  /** The value of the session cookie. */
  token: string
  /** Whether the cookie's name has a prefix that stops other hosts from setting it. */
  isHostBound: boolean
  /** `X-CSRF-Token`, which only our own pages can know. */
  csrf: string | undefined
  /** `X-Tradepost-Mode`: test mode unless it says live. */
  live: boolean
  /** Whether the method can change data: anything but GET and HEAD. */
  writes: boolean
}

/**
 * Verifies a key or a partner's token. Throws the same `unauthenticated` error for every reason.
 */
export type Authenticate = (credentials: Credentials) => Promise<Caller>

export const ROLES = ['owner', 'admin', 'developer', 'finance', 'support', 'viewer'] as const
export type Role = (typeof ROLES)[number]

/** A member, as identified by their session. */
export interface Person {
  id: number
  name: string
  role: string
  /** Whether the member entered the password within the last five minutes. */
  isReauthenticated: boolean
  /** Whether the session was opened with a second factor (an authenticator app) or a passkey. */
  hasSecondFactor: boolean
}

/** The sender of a request, identified by a secret key, a partner's token or a session. */
export interface Caller extends Tenant {
  /** The key; for a partner, the grant that lets it act for this business. */
  keyId: number
  /** The client id of the partner that sent the request. */
  partner?: string
  /**
   * The dashboard member who sent the request, if any. In that case, `keyId` also identifies the
   * member.
   */
  person?: Person
  /** The key's name, and the member who created it; `madeBy` is null if unknown. */
  key?: { name: string; madeBy: number | null }
  /** The scopes of a restricted key, such as `invoices:read`; null for a key with full access. */
  scopes: readonly string[] | null
  expiresAt: Date | null
  /** IANA name; filters and due dates use days in this time zone. */
  timeZone: string
  /** The current time for every rule: the server's clock, shifted by the business's test clock. */
  now: Date
}

/** Returns whether a caller has a scope, for responses that omit parts instead of failing. */
export function hasScope({ scopes }: Pick<Caller, 'scopes'>, scope: string): boolean {
  if (scopes === null || scopes.includes(scope)) return true
  const [collection, verb] = scope.split(':')
  return verb === 'read' && scopes.includes(`${collection}:write`)
}
