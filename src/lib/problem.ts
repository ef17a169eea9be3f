import type { CodeOf, ErrorCode, NotFoundNoun } from './error-codes.ts'

/** Why a request failed. Domain code names the kind; `http/errors.ts` has its status. */
export type ProblemKind =
  | 'invalid' // the request has an invalid value
  | 'unauthenticated'
  | 'forbidden' // a valid key without the scope
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict' // the record is not, or no longer, in a state that allows this
  | 'gone' // it existed and has expired
  | 'precondition' // a step that must come first has not happened
  | 'too_large'
  | 'unsatisfiable' // the file does not have the requested byte range
  | 'unsupported' // a content type or encoding we do not read
  | 'key_reused' // the same Idempotency-Key with a different request
  | 'rate_limited'
  | 'internal' // an error on our side; the caller does not see the cause
  | 'unavailable' // nothing was done, so it can be retried

/** Error messages by field name, as the caller wrote it. */
export type Fields = Record<string, string[]>

/** More errors in one response would not help the caller. */
export const FIELD_ERRORS_MAX = 20
const PATH_LENGTH_MAX = 100
const FAULT_LENGTH_MAX = 2_000
/**
 * The limit for all errors as JSON. A response contains them twice, in `errors` and in its message.
 */
const FIELDS_BYTES_MAX = 24 * 1024

interface Details {
  fields?: Fields
  /** The number of seconds after which a retry makes sense; becomes `Retry-After`. */
  retryAfterSeconds?: number
  /** Additional response headers, such as `Allow`. */
  headers?: Record<string, string>
  cause?: unknown
}

/** The only error that domain code throws. `code` is stable and listed in error-codes.ts. */
export class Problem extends Error {
  readonly kind: ProblemKind
  readonly code: ErrorCode
  readonly fields: Fields
  readonly retryAfterSeconds: number | undefined
  readonly headers: Record<string, string>

  constructor(kind: ProblemKind, code: ErrorCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.name = 'Problem'
    this.kind = kind
    this.code = code
    this.fields = few(details.fields ?? {})
    this.retryAfterSeconds = details.retryAfterSeconds
    this.headers = details.headers ?? {}
  }
}

/**
 * Returns the same code and message whether a key is missing, unknown, revoked or from another
 * business, so that guessing reveals nothing.
 */
export const unauthenticated = (message = 'The secret key is missing or invalid.') =>
  new Problem('unauthenticated', 'invalid_key', message, {
    headers: { 'www-authenticate': 'Bearer' },
  })

/** The message repeats the fields in words, because only envelope B has a place for `fields`. */
export function invalid(all: Fields, code: CodeOf<'invalid'> = 'validation_failed'): Problem {
  const fields = few(all)
  const message = Object.entries(fields).map(([field, faults]) => `${field} ${faults.join(', ')}`)
  return new Problem('invalid', code, message.join('; '), { fields })
}

/** Returns the first errors, as many as fit in a response. */
function few(fields: Fields): Fields {
  // A field's name can be `__proto__`, which a plain assignment would lose.
  const shown = new Map<string, string[]>()
  let faults = 0
  let bytes = 0
  for (const [name, all] of Object.entries(fields)) {
    const path = cutAt(PATH_LENGTH_MAX, name)
    const says = all.slice(0, FIELD_ERRORS_MAX - faults).map((one) => cutAt(FAULT_LENGTH_MAX, one))
    faults += says.length
    bytes += Buffer.byteLength(JSON.stringify([path, says]))
    if (bytes > FIELDS_BYTES_MAX) break
    shown.set(path, [...(shown.get(path) ?? []), ...says])
    if (faults >= FIELD_ERRORS_MAX) break
  }
  return Object.fromEntries(shown)
}

const cutAt = (length: number, text: string): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`.toWellFormed()

export const conflict = (code: CodeOf<'conflict'>, message: string, fields: Fields = {}) =>
  new Problem('conflict', code, message, { fields })

/**
 * Returns a 404. `noun` is a noun from the contract in snake_case: `notFound('invoice')`. `fields`
 * are the request fields that name the record.
 */
export const notFound = (noun: NotFoundNoun, fields: readonly string[] = []) => {
  const at = fields.length === 0 ? '' : `: ${fields.join(', ')}`
  return new Problem(
    'not_found',
    `${noun}_not_found`,
    `No such ${noun.replaceAll('_', ' ')}${at}.`,
    {
      fields: Object.fromEntries(fields.map((field) => [field, ['does not exist']])),
    },
  )
}

/** Returns the result of a search; undefined if the search throws a 404. */
export async function findOrUndefined<Found>(search: Promise<Found>): Promise<Found | undefined> {
  try {
    return await search
  } catch (error) {
    if (error instanceof Problem && error.kind === 'not_found') return undefined
    throw error
  }
}

export const unavailable = (code: CodeOf<'unavailable'>, message: string, cause?: unknown) =>
  new Problem('unavailable', code, message, { retryAfterSeconds: 1, cause })
