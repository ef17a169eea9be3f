import type { Tenant } from './caller.ts'

/** A call of an operation that was answered to somebody who had proved who he is. */
export interface Exchange {
  tenant: Tenant
  keyId: number
  /** The client id of the partner that asked, if one did. */
  partner: string | undefined
  requestId: string
  method: string
  operation: string
  /** Path and query as they came. */
  url: string
  status: number
  durationMs: number
  ip: string
  userAgent: string | undefined
  idempotencyKey: string | undefined
  /** The answer was that of an earlier request with the same Idempotency-Key. */
  replayed: boolean
  errorCode: string | undefined
  /** Of the bodies; undefined where nothing says it. */
  requestBytes: number | undefined
  responseBytes: number | undefined
  /** What was sent: a value, or JSON as it came. Undefined when none was sent, or none is kept. */
  sent: unknown
  /** What was answered, as JSON. */
  answered: string | undefined
}

/** Records requests and responses. */
export interface ExchangeLog {
  /** Takes no time that anybody waits for, and never throws. */
  note(exchange: Exchange): void
  counts(): ExchangeCounts
}

export interface ExchangeCounts {
  /** Waiting to be written. */
  waiting: number
  written: number
  bodiesDropped: number
  linesDropped: number
}
