import type { ErrorCode } from '../lib/error-codes.ts'
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
  flag: (failure: Failure) => ({ error: true, message: failure.message, ...trace(failure) }),
  /** C with a text: payment pages, delivery fees, split-page subaccounts. */
  text: (failure: Failure) => ({ error: failure.message, ...trace(failure) }),
  /** D: USSD transactions; exactly the contract's keys. */
  coded: ({ message, status, code }: Failure) => ({
    message,
    code: status,
    error: code.toUpperCase(),
  }),
} satisfies Record<string, (failure: Failure) => object>
export type ErrorBody = keyof typeof errorBodies

/** Envelope A; `meta` stands beside `data` in lists. */
export const success = (message: string, data: unknown, meta?: object) =>
  meta ? { status: 'success', message, data, meta } : { status: 'success', message, data }
