import { databaseDown } from '../db/connections.ts'
import { isUnavailable } from '../db/failures.ts'
import { type ErrorCode, RESPONSE_CODES } from '../lib/error-codes.ts'
import {
  FIELD_ERRORS_MAX,
  type Fields,
  invalid,
  Problem,
  type ProblemKind,
} from '../lib/problem.ts'
import { sizeOf } from './bodies.ts'

/** The HTTP status for each kind of problem; the only such table. */
export const STATUS = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  precondition: 412,
  too_large: 413,
  unsupported: 415,
  unsatisfiable: 416,
  key_reused: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} satisfies Record<ProblemKind, number>

/** Fastify's own errors that a problem describes more precisely than their status. */
const FRAMEWORK: Record<string, () => Problem> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new Problem('unsupported', 'unsupported_content_type', 'Send the body as application/json.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new Problem('invalid', 'bad_content_length', 'The body length does not match Content-Length.'),
  FST_ERR_BAD_URL: () => new Problem('invalid', 'bad_url', 'The path is not a valid URL path.'),
  FST_ERR_HANDLER_TIMEOUT: () =>
    new Problem('internal', 'timed_out', 'The request took too long; its outcome is unknown.'),
}

const tooLarge = (bodyBytesMax: number) =>
  new Problem('too_large', 'body_too_large', `The body is larger than ${sizeOf(bodyBytesMax)}.`)

interface FrameworkFailure {
  statusCode?: number
  code?: string
  message?: string
}

interface Failed {
  id: string
  routeOptions: { bodyLimit?: number }
}

/**
 * Converts any error to a Problem. An unexpected one becomes a 500 that does not reveal its cause.
 */
export function toProblem(error: unknown, request: Failed): Problem {
  if (error instanceof Problem) return error
  const { statusCode = 500, code = '', message = '' } = (error ?? {}) as FrameworkFailure
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge(request.routeOptions.bodyLimit ?? 0)
  const known = FRAMEWORK[code]
  if (known) return known()
  if (isUnavailable(error)) return databaseDown(error)
  if (code.startsWith('FST_') && statusCode >= 400 && statusCode < 500) {
    return new Problem('invalid', 'bad_request', message)
  }
  const text = 'Something went wrong on our side.'
  return new Problem('internal', 'internal', text, { cause: error })
}

/** Returns the response to a failed request, for any thrown value. */
export function toFailure(error: unknown, request: Failed): Failure {
  const { kind, code, message, fields, retryAfterSeconds, headers } = toProblem(error, request)
  return {
    status: STATUS[kind],
    code,
    message,
    fields,
    requestId: request.id,
    headers: retryAfterSeconds ? { ...headers, 'retry-after': `${retryAfterSeconds}` } : headers,
  }
}

/** An error as Ajv reports it; with `verbose`, it includes the schema. */
export interface SchemaError {
  keyword: string
  instancePath: string
  params: Record<string, unknown>
  message?: string
  parentSchema?: {
    'x-says'?: string
    'x-record-id'?: boolean
    'x-amount'?: object
    propertyNames?: { maxLength?: number }
  }
}

/**
 * Names each invalid field as the caller wrote it: `lineItems.0.quantity must be a whole number`.
 */
export function schemaProblem(faults: SchemaError[], part: string): Problem {
  const fields: Fields = {}
  for (const fault of faults.slice(0, FIELD_ERRORS_MAX)) {
    const field = fieldOf(fault) || part
    const says = saysOf(fault)
    const said = Object.hasOwn(fields, field) ? fields[field]! : []
    if (!said.includes(says)) fields[field] = [...said, says]
  }
  return invalid(fields)
}

function fieldOf({ instancePath, params }: SchemaError): string {
  const path = instancePath.split('/').slice(1)
  const missing = params.missingProperty
  return [...path, ...(missing ? [String(missing)] : [])]
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
}

const TYPE_WORDS: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
}

const listed = (values: unknown[]): string =>
  values.filter((value) => value !== null).join(', ') + (values.includes(null) ? ' or null' : '')

function saysOf({ keyword, params, message = 'is not valid', parentSchema }: SchemaError): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'type': {
      if (parentSchema?.['x-record-id']) return 'must be an id: a whole number or a numeric string'
      if (parentSchema?.['x-amount']) return 'must be a number or a string such as "1500.50"'
      const types = [params.type].flat().map((type) => TYPE_WORDS[String(type)] ?? String(type))
      return `must be ${types.join(' or ')}`
    }
    case 'x-amount':
    case 'x-needs':
    case 'x-record-id':
    case 'x-json-bytes-max':
      return message
    case 'enum':
      return (
        parentSchema?.['x-says'] ?? `must be one of ${listed(params.allowedValues as unknown[])}`
      )
    case 'minLength':
      return params.limit === 1
        ? 'must not be empty'
        : `must have at least ${params.limit} characters`
    case 'maxLength':
      return `must have at most ${params.limit} characters`
    case 'propertyNames':
      return `must have property names of at most ${parentSchema?.propertyNames?.maxLength} characters`
    case 'minItems':
      return params.limit === 1
        ? 'must have at least 1 entry'
        : `must have at least ${params.limit} entries`
    case 'maxItems':
      return `must have at most ${params.limit} entries`
    case 'maxProperties':
      return `must have at most ${params.limit} properties`
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'maximum':
      return `must be at most ${params.limit}`
    default:
      return parentSchema?.['x-says'] ?? message
  }
}

/** A failure, before it is put into its envelope. */
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
  const responseCode = RESPONSE_CODES[code]
  return responseCode === undefined ? {} : { responseCode }
}

/** The error bodies in the contract. A route uses one of them for all its failures. */
export const errorBodies = {
  /** Envelope B: invoices, subaccounts, product media, lookups, and everything outside a route. */
  fields: (failure: Failure) => ({
    status: 'error',
    message: failure.message,
    errors: failure.fields,
    ...trace(failure),
  }),
  /** Envelope C with a flag: utility payments. */
  flag: (failure: Failure) => ({
    error: true,
    message: failure.message,
    ...responseCodeOf(failure),
    ...trace(failure),
  }),
  /** Envelope C with a string: payment pages, delivery fees, split-page subaccounts. */
  text: (failure: Failure) => ({ error: failure.message, ...trace(failure) }),
  /** Envelope D: USSD transactions. It has exactly the keys in the contract. */
  coded: ({ message, status, code }: Failure) => ({
    message,
    code: status,
    error: code.toUpperCase(),
  }),
  /** RFC 6749, 5.2, for OAuth clients. */
  oauth: ({ code, status, message }: Failure) => ({
    error: OAUTH_ERRORS.has(code) ? code : oauthErrorOf(status),
    // The RFC allows no other characters.
    error_description: message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'"),
  }),
} satisfies Record<string, (failure: Failure) => object>
export type ErrorBody = keyof typeof errorBodies

/** Our codes that the RFC also defines. */
const OAUTH_ERRORS: ReadonlySet<string> = new Set([
  'invalid_client',
  'invalid_scope',
  'unsupported_grant_type',
])

function oauthErrorOf(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}

interface Success<Data> {
  status: 'success'
  message: string
  data: Data
}

/** Envelope A; lists have `meta` next to `data`. */
export function success<Data>(message: string, data: Data): Success<Data>
export function success<Data, Meta extends object>(
  message: string,
  data: Data,
  meta: Meta,
): Success<Data> & { meta: Meta }
export function success<Data, Meta extends object>(
  message: string,
  data: Data,
  meta: Meta | undefined,
): Success<Data> & { meta?: Meta }
export function success(message: string, data: unknown, meta?: object) {
  return meta ? { status: 'success', message, data, meta } : { status: 'success', message, data }
}
