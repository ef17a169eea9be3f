import type { ErrorCodeEntry } from '../lib/error-codes/entry.ts'
import { ERROR_CODES, type ErrorCode } from '../lib/error-codes.ts'
import type { Fields } from '../lib/problem.ts'

/** What went wrong, ready to be shaped. */
export interface Failure {
  status: number
  code: ErrorCode
  message: string
  fields: Fields
  requestId: string
  headers: Record<string, string>
}

const trace = ({ code, requestId }: Failure) => ({ errorCode: code, requestId })

function responseCodeOf({ code }: Failure) {
  const { responseCode }: ErrorCodeEntry = ERROR_CODES[code]
  return responseCode === undefined ? {} : { responseCode }
}

/** The contract's error bodies. A route names the one that all of its failures take. */
export const errorBodies = {
  /** B: invoices, subaccounts, product media, lookups, and everything outside a route. */
  fields: (failure: Failure) => ({
    status: 'error',
    message: failure.message,
    errors: failure.fields,
    ...trace(failure),
  }),
  /** C with a flag: utility payments. */
  flag: (failure: Failure) => ({
    error: true,
    message: failure.message,
    ...responseCodeOf(failure),
    ...trace(failure),
  }),
  /** C with a text: payment pages, delivery fees, split-page subaccounts. */
  text: (failure: Failure) => ({ error: failure.message, ...trace(failure) }),
  /** D: USSD transactions; exactly the contract's keys. */
  coded: ({ message, status, code }: Failure) => ({
    message,
    code: status,
    error: code.toUpperCase(),
  }),
  /** RFC 6749, 5.2: what OAuth clients read. */
  oauth: ({ code, status, message }: Failure) => ({
    error: OAUTH_ERRORS.has(code) ? code : oauthErrorOf(status),
    // Other characters are not allowed there.
    error_description: message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'"),
  }),
} satisfies Record<string, (failure: Failure) => object>
export type ErrorBody = keyof typeof errorBodies

/** Our codes that are errors of the RFC by the same name. */
const OAUTH_ERRORS: ReadonlySet<string> = new Set([
  'invalid_client',
  'invalid_scope',
  'unsupported_grant_type',
])

function oauthErrorOf(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}

/** Envelope A; `meta` stands beside `data` in lists. */
export const success = (message: string, data: unknown, meta?: object) =>
  meta ? { status: 'success', message, data, meta } : { status: 'success', message, data }
