import type { Tenant } from './caller.ts'

/** A request that was authenticated, and its response. */
export interface Exchange {
  tenant: Tenant
  keyId: number
  /** The client id of the partner that sent the request, if any. */
  partner: string | undefined
  requestId: string
  method: string
  operation: string
  /** Path and query as received. */
  url: string
  status: number
  durationMs: number
  ip: string
  userAgent: string | undefined
  idempotencyKey: string | undefined
  /** The response was replayed from an earlier request with the same Idempotency-Key. */
  replayed: boolean
  errorCode: string | undefined
  /** Sizes of the bodies; undefined where unknown. */
  requestBytes: number | undefined
  responseBytes: number | undefined
  /**
   * The request body: a value, or JSON as received. Undefined if there was none or it is not
   * stored.
   */
  sent: unknown
  /** The response body, as JSON. */
  answered: string | undefined
}

/** Records requests and responses. */
export interface ExchangeLog {
  /** Does not delay the caller, and never throws. */
  note(exchange: Exchange): void
  counts(): ExchangeCounts
}

export interface ExchangeCounts {
  /** Waiting for their insert. */
  waiting: number
  written: number
  bodiesDropped: number
  linesDropped: number
}
