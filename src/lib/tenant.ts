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
}

/** Proves a key or a partner's token; throws `unauthenticated` for every reason alike. */
export type Authenticate = (credentials: Credentials) => Promise<Caller>

/** Who is asking, as proved by the secret key or a partner's token. */
export interface Caller extends Tenant {
  /** Of a partner, the grant that lets it act for this business. */
  keyId: number
  /** The client id of the partner that is asking. */
  partner?: string
  /** What a restricted key may do, as `invoices:read`; null for a plain secret key: everything. */
  scopes: readonly string[] | null
  expiresAt: Date | null
  /** IANA name; days in filters and due dates are days there. */
  timeZone: string
  /** The moment that decides: the server's clock, moved by the test clock of the business. */
  now: Date
}
