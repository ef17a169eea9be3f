import { type TSchema, Type } from 'typebox'
import type { ErrorBody } from './envelopes.ts'
import { refTo } from './openapi-headers.ts'

const errorCode = Type.String({
  description: 'A stable word for programs; docs/errors.md lists all.',
})
const requestId = Type.String({ description: 'Name it when you ask the operator for help.' })
const message = Type.String({ description: 'For people.' })
const trace = { errorCode: Type.Optional(errorCode), requestId: Type.Optional(requestId) }

const SCHEMAS = {
  fields: Type.Object({
    status: Type.Literal('error'),
    message,
    errors: Type.Record(Type.String(), Type.Array(Type.String()), {
      description: 'What is wrong, by the name of the field.',
    }),
    ...trace,
  }),
  flag: Type.Object({
    error: Type.Literal(true),
    message,
    responseCode: Type.Optional(Type.String()),
    ...trace,
  }),
  text: Type.Object({ error: message, ...trace }),
  coded: Type.Object({
    message,
    code: Type.Integer({ description: 'The status.' }),
    error: Type.String({ description: 'The stable word, in capitals.' }),
  }),
  oauth: Type.Object({ error: Type.String(), error_description: Type.String() }),
} satisfies Record<ErrorBody, TSchema>

const NAMES: Record<ErrorBody, string> = {
  fields: 'FieldsError',
  flag: 'FlagError',
  text: 'TextError',
  coded: 'CodedError',
  oauth: 'OAuthError',
}

const WORDS = {
  400: 'The body, a parameter or a header is not valid.',
  401: 'The credentials are missing or not valid.',
  403: 'The key does not have the scope that this operation needs.',
  404: 'The business has no such record in this mode.',
  409: 'The record is in a state that does not allow this, or the same request is still running.',
  412: 'The record has changed since it was read, or a step that must come first is missing.',
  413: 'The body is too large.',
  415: 'The server does not read this type of body.',
  422: 'The Idempotency-Key was already used for another request.',
  429: 'Too many requests: wait as long as `Retry-After` says.',
  500: 'The server failed. With code `timed_out` or `outcome_unknown`, the outcome is unknown.',
  503: 'The server cannot do this now, and did nothing: try again after `Retry-After`.',
}

type Status = keyof typeof WORDS

/** What decides how an operation can fail. */
export interface Fallible {
  method: string
  /** It changes nothing, although its method is POST. */
  reads?: true
  scope?: string
  errors: ErrorBody
  body?: TSchema
  query?: TSchema
  params?: TSchema
  /** It compares `If-Match` with what it changes. */
  held?: unknown
  /** What the rest does not tell. */
  alsoFails?: readonly Status[]
}

/** The references of an operation to the responses that describe its errors, by status. */
export function failuresOf(operation: Fallible): Record<string, { $ref: string }> {
  return Object.fromEntries(
    statusesOf(operation).map((status) => [
      status,
      refTo('responses', nameOf(operation.errors, status)),
    ]),
  )
}

const nameOf = (errors: ErrorBody, status: Status) => `${NAMES[errors]}${status}`

function statusesOf(operation: Fallible): Status[] {
  const { method, reads, scope, body, query, params, held, alsoFails } = operation
  const hasBody = method !== 'GET'
  const writes = hasBody && !reads
  const isKeyed = scope !== undefined
  const has: [Status, boolean][] = [
    [403, isKeyed],
    [404, isKeyed && (params !== undefined || [query, body].some(isAboutRecord))],
    [409, writes && isKeyed],
    [412, held !== undefined],
    [413, hasBody],
    [415, hasBody],
    [422, writes && isKeyed],
  ]
  const some = has.filter(([, answers]) => answers).map(([status]) => status)
  return [400, 401, ...some, ...(alsoFails ?? []), 429, 500, 503]
}

interface Shape {
  properties?: Record<string, TSchema>
  items?: TSchema
}

const NAME_OF_RECORD = /(?:^id|^reference|Ids?|Reference|[a-z]Code|_code|^bank|^sub_?account)$/

const isAboutRecord = (schema: TSchema | undefined) => schema !== undefined && namesRecord(schema)

/** Whether a part of a request names a record that may not be there. */
function namesRecord(schema: TSchema): boolean {
  const { properties = {}, items } = schema as Shape
  if ('x-record-id' in schema) return true
  const named = Object.entries(properties).some(
    ([name, part]) => (NAME_OF_RECORD.test(name) && name !== 'postalCode') || namesRecord(part),
  )
  return named || (items !== undefined && namesRecord(items))
}

/** The schema of each envelope. */
export const errorSchemas = (): Record<string, TSchema> =>
  Object.fromEntries(
    Object.entries(SCHEMAS).map(([errors, schema]) => [NAMES[errors as ErrorBody], schema]),
  )

/** A response for each envelope and status. */
export function errorResponses(): Record<string, object> {
  const bodies = Object.keys(SCHEMAS) as ErrorBody[]
  const statuses = Object.keys(WORDS).map(Number) as Status[]
  return Object.fromEntries(
    bodies.flatMap((errors) =>
      statuses.map((status) => [nameOf(errors, status), responseOf(errors, status)]),
    ),
  )
}

const responseOf = (errors: ErrorBody, status: Status) => ({
  description: WORDS[status],
  headers: {
    'X-Request-Id': refTo('headers', 'RequestId'),
    ...((status === 429 || status === 503) && { 'Retry-After': refTo('headers', 'RetryAfter') }),
    ...(status === 401 && { 'WWW-Authenticate': refTo('headers', 'WwwAuthenticate') }),
  },
  content: { 'application/json': { schema: refTo('schemas', NAMES[errors]) } },
})
