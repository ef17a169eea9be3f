/** Classifies database failures by SQLSTATE or by the socket's error code. */

const codeOf = (error: unknown): string => String((error as { code?: unknown })?.code ?? '')
const messageOf = (error: unknown): string => String((error as Error)?.message ?? '')

/**
 * Thrown in a transaction that has read data which another transaction has since changed. The
 * transaction then runs again and reads the new data. `cause` is the error to throw if this happens
 * too many times.
 */
export class ConcurrentChange extends Error {
  constructor(cause: Error) {
    super('Another transaction was faster', { cause })
    this.name = 'ConcurrentChange'
  }
}

/** Returns whether the transaction can run again, because nothing in it was committed. */
export function isRetryable(error: unknown): boolean {
  return error instanceof ConcurrentChange || ['40001', '40P01'].includes(codeOf(error))
}

/** Errors on an open connection, or while opening one. */
const SOCKET_CODES = new Set([
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETRESET',
  'ENETUNREACH',
  'ENOENT',
  'ENOTCONN',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])
// 57P01 to 57P05: server shutting down, crashed or starting up, database dropped, session idle too
// long. 08: connection. 25P03 and 25P04: the server ended a transaction that was idle, or open, for
// too long. 40003: the server does not know whether the statement completed.
const LOST_STATE = /^(08|57P0[1-5]$|25P0[34]$|40003$)/
const LOST_MESSAGE =
  /Connection terminated|Client has encountered a connection error|not queryable|Query read timeout/

/**
 * Returns whether the connection is lost. If it is, the outcome of the last statement is unknown.
 */
export function isLostConnection(error: unknown): boolean {
  const code = codeOf(error)
  if (SOCKET_CODES.has(code) || LOST_STATE.test(code) || /^ERR_(SSL|TLS)/.test(code)) return true
  return LOST_MESSAGE.test(messageOf(error))
}

/**
 * Returns whether the database can't serve requests now, because it is unreachable, read-only,
 * full, out of connections or too slow.
 */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  // 28: access refused. 53: no space, memory or connections. 58: I/O.
  if (/^(28|53|58)/.test(code) || isTimeout(error)) return true
  return isReadOnly(error) || isLostConnection(error)
}

/** Returns whether a statement was cancelled because it ran, or waited for a lock, for too long. */
export const isTimeout = (error: unknown): boolean => ['55P03', '57014'].includes(codeOf(error))

/** Returns whether the server is read-only: a standby, or a demoted primary. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === '25006'

/** Returns whether Citus refuses a statement, or cannot write its part for a machine. */
export const isIndivisible = (error: unknown): boolean => ['0A000', '42601'].includes(codeOf(error))

export const isDiskFull = (error: unknown): boolean => codeOf(error) === '53100'

/** Returns whether a connection must not be used again after this error. */
export const isLastOfConnection = (error: unknown): boolean =>
  isLostConnection(error) || isReadOnly(error)

export const isUniqueViolation = (error: unknown, constraint?: string): boolean =>
  codeOf(error) === '23505' &&
  (constraint === undefined || (error as { constraint?: string }).constraint === constraint)

export const isCheckViolation = (error: unknown, constraint: string): boolean =>
  codeOf(error) === '23514' && (error as { constraint?: string }).constraint === constraint

export const isLockTimeout = (error: unknown): boolean => {
  const { cause } = (error ?? {}) as { cause?: unknown }
  return codeOf(error) === '55P03' || (cause !== undefined && codeOf(cause) === '55P03')
}

/** The messages of failures of rows that Citus copies, which have the code of an internal error. */
const COPY_FAILURES: readonly [RegExp, string][] = [
  [/^duplicate key value violates unique constraint/, '23505'],
  [/ violates foreign key constraint/, '23503'],
  [/ violates check constraint/, '23514'],
  [/ violates not-null constraint/, '23502'],
  [/^canceling statement due to lock timeout/, '55P03'],
  [/^canceling statement due to statement timeout/, '57014'],
  [/^deadlock detected|distributed deadlock/, '40P01'],
]

/**
 * Adds what an error of Citus lacks. Citus passes on the message of a machine, but not the name of
 * the constraint in it, nor the code if it copies rows to the machine.
 */
export function restoreFailure(error: Error & { code?: string; constraint?: string }): void {
  if (error.code === 'XX000') {
    const [, code] = COPY_FAILURES.find(([says]) => says.test(error.message)) ?? []
    if (code !== undefined) error.code = code
  }
  if (!error.code?.startsWith('23') || error.constraint) return
  const name = /constraint "([^"]+)"/.exec(error.message)?.[1]
  if (name !== undefined) error.constraint = name.replace(/_\d{6,}$/, '')
}
