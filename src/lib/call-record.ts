import type { Tenant } from './caller.ts'

/** An authenticated request and its response. */
export interface CallRecord {
  tenant: Tenant
  keyId: number
  /** The client id of the partner that sent the request, if any. */
  partner: string | undefined
  requestId: string
  method: string
  operation: string
  /** The path and query as received. */
  url: string
  status: number
  durationMs: number
  ip: string
  userAgent: string | undefined
  idempotencyKey: string | undefined
  /** Whether the response was replayed from a previous request with the same Idempotency-Key. */
  replayed: boolean
  errorCode: string | undefined
  /** The sizes of the bodies; undefined if unknown. */
  requestBytes: number | undefined
  responseBytes: number | undefined
  /**
   * The request body: a value, or JSON as received. Undefined if there was none or it isn't stored.
   */
  sent: unknown
  /** The response body, as JSON. */
  answered: string | undefined
}

export interface CallLog {
  /** Adds an exchange, without delaying the caller; never throws. */
  note(exchange: CallRecord): void
  counts(): CallLogCounts
}

export interface CallLogCounts {
  /** How many exchanges are waiting to be inserted. */
  waiting: number
  written: number
  bodiesDropped: number
  linesDropped: number
}
