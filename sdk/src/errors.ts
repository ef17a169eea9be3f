/** The base class of all errors in this package. */
export class TradepostError extends Error {
  override name = 'TradepostError'
}

/** The client was created or called in a way that can't work. Nothing was sent. */
export class ConfigurationError extends TradepostError {
  override name = 'ConfigurationError'
}

/**
 * No complete response arrived: the connection was refused or cut off, or the host name is unknown.
 * `cause` contains the original error. The outcome of a write is unknown. If the write is sent
 * again with `idempotencyKey`, it only happens once.
 */
export class ConnectionError extends TradepostError {
  override name = 'ConnectionError'
  /** The number of attempts. */
  attempts = 1
  idempotencyKey: string | undefined
}

/** There was no response within `timeoutMs`. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError'
}

/** A webhook that must not be trusted. `reason` says why, and can be logged. */
export class WebhookVerificationError extends TradepostError {
  override name = 'WebhookVerificationError'
}

/** The details of an error, whatever form the API's response had. */
export interface Failure {
  status: number
  /**
   * A stable code in snake_case (docs/errors.md lists them all), or for example `http_502` if the
   * response has no code.
   */
  code: string
  message: string
  /** The invalid fields, each with what is wrong with it. */
  fields: Record<string, string[]>
  requestId: string | undefined
  /** From Retry-After. */
  retryAfterMs: number | undefined
  /** The body: an object if it was JSON, otherwise a string. */
  body: unknown
}

/** The server responded with an error. Each subclass stands for some of the statuses. */
export class ApiError extends TradepostError implements Failure {
  override name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly fields: Record<string, string[]>
  readonly requestId: string | undefined
  readonly retryAfterMs: number | undefined
  readonly body: unknown
  /** The number of attempts. */
  attempts = 1
  idempotencyKey: string | undefined

  constructor({ message, status, code, fields, requestId, retryAfterMs, body }: Failure) {
    super(message)
    this.status = status
    this.code = code
    this.fields = fields
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
    this.body = body
  }
}

/** 400, 405, 413, 415, 416: the request is invalid. `fields` names the invalid fields. */
export class InvalidRequestError extends ApiError {
  override name = 'InvalidRequestError'
}
/** 401: the key is missing, wrong, revoked or expired. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError'
}
/** 403: the key is valid, but lacks the required scope. */
export class PermissionError extends ApiError {
  override name = 'PermissionError'
}
/** 404: the record does not exist, or this key can't access it. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError'
}
/** 409: the record is in the wrong state for this operation, or the reference is already taken. */
export class ConflictError extends ApiError {
  override name = 'ConflictError'
}
/** 410: the record no longer exists. */
export class GoneError extends ApiError {
  override name = 'GoneError'
}
/** 412: another request must be made first, such as the customer enquiry for a bill payment. */
export class PreconditionError extends ApiError {
  override name = 'PreconditionError'
}
/** 422: the Idempotency-Key was already used for a different request. */
export class IdempotencyError extends ApiError {
  override name = 'IdempotencyError'
}
/** 429: too many requests; `retryAfterMs` says when to try again. */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError'
}
/** 500 and above: the server failed. Only a 503 means that nothing was done. */
export class ServerError extends ApiError {
  override name = 'ServerError'
}
/** 503: the server is temporarily unavailable, and nothing was done. */
export class UnavailableError extends ServerError {
  override name = 'UnavailableError'
}

const CLASSES: Record<number, typeof ApiError> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  405: InvalidRequestError,
  409: ConflictError,
  410: GoneError,
  412: PreconditionError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  416: InvalidRequestError,
  422: IdempotencyError,
  429: RateLimitError,
  503: UnavailableError,
}

/** Reads a failed response to the end and creates the error for its status. */
export async function errorOf(response: Response, now: number): Promise<ApiError> {
  const { status, headers } = response
  const text = await response.text()
  const body = jsonOf(text)
  const said = messageOf(body)
  const failure: Failure = {
    status,
    code: said.code ?? `http_${status}`,
    message: said.message ?? `The server returned ${status} without a reason.`,
    fields: fieldsOf(body),
    requestId: textIn(body, 'requestId') ?? headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfterOf(headers.get('retry-after'), now),
    body: body ?? text,
  }
  return new (CLASSES[status] ?? (status >= 500 ? ServerError : ApiError))(failure)
}

/**
 * Reads the message from the four envelopes and the OAuth one: B `{status, message, errors}`, C
 * `{error: true, message}` or `{error}`, D `{message, code, error}`, `{error, error_description}`.
 * In D and OAuth, `error` is the code; B and C can have it as `errorCode`.
 */
function messageOf(body: Body | undefined): { message?: string | undefined; code?: string } {
  const error = textIn(body, 'error')
  const described = textIn(body, 'error_description')
  const message = described ?? textIn(body, 'message')
  const code =
    textIn(body, 'errorCode') ?? (message === undefined ? undefined : error?.toLowerCase())
  return { message: message ?? error, ...(code !== undefined && { code }) }
}

type Body = Record<string, unknown>

function jsonOf(text: string): Body | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as Body) : undefined
  } catch {
    return undefined
  }
}

function textIn(body: Body | undefined, name: string): string | undefined {
  const value = body?.[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function fieldsOf(body: Body | undefined): Record<string, string[]> {
  const errors = body?.errors
  return typeof errors === 'object' && errors !== null ? (errors as Record<string, string[]>) : {}
}

/** Parses a number of seconds or an HTTP date. */
function retryAfterOf(value: string | null, now: number): number | undefined {
  if (value === null || value.trim() === '') return undefined
  const seconds = Number(value)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
