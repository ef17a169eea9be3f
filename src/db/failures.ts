/** What a failure of the database means, by SQLSTATE or by the socket's own code. */

const codeOf = (error: unknown): string => String((error as { code?: unknown })?.code ?? '')
const messageOf = (error: unknown): string => String((error as Error)?.message ?? '')

/** The database asks for the transaction to be run again: nothing of it was kept. */
export function isRetryable(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error))
}

const SOCKET_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT'])
// Shutting down, crashed, starting up: 57P01 to 57P03; 57P05 is our own idle time-out.
const SHUTDOWN = /^57P0[1235]$/

/** The connection is gone; whether the last statement was done is not known. */
export function isLostConnection(error: unknown): boolean {
  const code = codeOf(error)
  if (SOCKET_CODES.has(code) || SHUTDOWN.test(code) || /^(08|25P03)/.test(code)) return true
  return /Connection terminated|Client has encountered a connection error|not queryable|Query read timeout/.test(
    messageOf(error),
  )
}

/** The database cannot serve just now: gone, full, out of connections or too slow. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  // 53: no room, memory or connections. 55P03: lock time-out. 57014: statement time-out. 58: I/O.
  if (/^(53|58)/.test(code) || code === '55P03' || code === '57014') return true
  if (/timeout exceeded when trying to connect/.test(messageOf(error))) return true
  return isLostConnection(error)
}

export const isUniqueViolation = (error: unknown, constraint?: string): boolean =>
  codeOf(error) === '23505' &&
  (constraint === undefined || (error as { constraint?: string }).constraint === constraint)

export const isCheckViolation = (error: unknown, constraint: string): boolean =>
  codeOf(error) === '23514' && (error as { constraint?: string }).constraint === constraint

export const isLockTimeout = (error: unknown): boolean => {
  const { cause } = (error ?? {}) as { cause?: unknown }
  return codeOf(error) === '55P03' || (cause !== undefined && codeOf(cause) === '55P03')
}
