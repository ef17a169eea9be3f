import { history } from './history.ts'
import { type InputArgs, type OperationName, type OperationResponse, requestOf } from './request.ts'
import { businessId, csrfToken, type Mode, modeOf } from './session.ts'

/** The server refused the request, or could not be reached (status 0). */
export class ApiError extends Error {
  readonly status: number
  /** A code from docs/errors.md. `offline` means that there was no response. */
  readonly code: string
  /** Errors by field name, in the API's words. */
  readonly fields: Record<string, string[]>
  readonly requestId: string | undefined
  /** The request that failed, so that the dashboard can look for the record in the other mode. */
  asked: { path: string; query: Query } | undefined

  constructor(
    message: string,
    about: {
      status: number
      code: string
      fields?: Record<string, string[]>
      requestId?: string | undefined
    },
  ) {
    super(message)
    this.status = about.status
    this.code = about.code
    this.fields = about.fields ?? {}
    this.requestId = about.requestId
  }
}

export type Query = Record<string, string | number | boolean | undefined | null>

export interface Call {
  method?: 'GET' | 'POST' | 'PUT'
  query?: Query | undefined
  body?: unknown
  /** The same for all retries of an action, so that the action only happens once. */
  idempotencyKey?: string | undefined
  /**
   * The ETag with which the record was read. If the record has changed since, the server responds
   * with 412.
   */
  ifMatch?: string | undefined
  /** The mode and business to act in, if not the current ones. */
  place?: Place | undefined
  signal?: AbortSignal | undefined
  /** Reports the upload progress of files, from 0 to 1. */
  progress?: ((share: number) => void) | undefined
}

export interface Place {
  mode: Mode
  business: string | undefined
}

export const currentPlace = (): Place => ({
  mode: modeOf(history.location.pathname),
  business: businessId(),
})

/** Paths omit this part: `payment-service/invoices`. */
const FAMILY = 'external/v1'

/**
 * Calls an operation of the API or the console (`/console/…`) as the signed-in user. If the server
 * needs the password again, asks for it first. Throws ApiError.
 */
export async function call<T>(path: string, asked: Call = {}): Promise<T> {
  // Keeps the mode and business of the call, because the user may be on another screen by the time
  // they have entered the password.
  const options = { ...asked, place: asked.place ?? currentPlace() }
  const response = await send(path, options)
  const isJson = response.headers.get('content-type')?.includes('json')
  const body = isJson ? await response.json() : await response.text()
  if (response.ok) return withTag(response, body) as T
  const error = errorOf(response, body)
  error.asked = { path, query: options.query ?? {} }
  // A user who was typing can sign in again, and the request then continues.
  if (error.code === 'session_ended' && (await sessionEnded())) return call(path, options)
  if (error.code !== 'reauthentication_needed') throw error
  await askAgain()
  return call(path, options)
}

type Beside = Omit<Call, 'method' | 'query' | 'body'>

export function callOperation<Name extends OperationName>(
  name: Name,
  ...args: [...InputArgs<Name>, options?: Beside]
): Promise<OperationResponse<Name>> {
  const [input = {}, options = {}]: readonly unknown[] = args
  const { path, ...request } = requestOf(name, input as Record<string, unknown>)
  return call(path, { ...(options as Beside), ...request })
}

/** Adds the version of the record to the envelope, so that both are cached together. */
function withTag(response: Response, body: unknown): unknown {
  const etag = response.headers.get('etag')
  return etag && typeof body === 'object' && body !== null ? { ...body, etag } : body
}

export const addressOf = (path: string, query: Query = {}): string => {
  const url = path.startsWith('/') ? path : `/api/${path.replace('/', `/${FAMILY}/`)}`
  const given = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  )
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text ? `${url}?${text}` : url
}

async function send(path: string, options: Call) {
  const { method = 'GET', query, body, idempotencyKey, ifMatch, signal } = options
  const { mode, business } = options.place ?? currentPlace()
  const isForm = body instanceof FormData
  const headers: Record<string, string> = {
    'x-tradepost-mode': mode,
    ...(business && { 'x-business-id': business }),
    ...(method !== 'GET' && { 'x-csrf-token': csrfToken() }),
    ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
    ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    ...(ifMatch && { 'if-match': ifMatch }),
  }
  try {
    const put = options.progress ? putUp(options.progress) : fetch
    return await put(addressOf(path, query), {
      method,
      headers,
      credentials: 'same-origin',
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError('The server cannot be reached. Check your connection, then try again.', {
      status: 0,
      code: 'offline',
    })
  }
}

/** The contract has four envelopes, each with its message in a different place. */
function errorOf(response: Response, body: unknown): ApiError {
  const said = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const text = [said.message, said.error].find((one) => typeof one === 'string')
  return new ApiError(
    (text as string | undefined) ?? `The server responded with ${response.status}.`,
    {
      status: response.status,
      code: String(said.errorCode ?? response.status),
      fields: (said.errors as Record<string, string[]> | undefined) ?? {},
      requestId:
        (said.requestId as string | undefined) ?? response.headers.get('x-request-id') ?? undefined,
    },
  )
}

let askAgain: () => Promise<void> = () =>
  Promise.reject(new Error('no password prompt is available'))
let sessionEnded: () => Promise<boolean> | undefined = () => undefined

/**
 * Registers two handlers. `reauthenticate` asks for the password again. `ended` runs when the
 * session has ended and, if the user can sign in again, resolves to whether they did.
 */
export function setSessionHandlers(handlers: {
  reauthenticate(): Promise<void>
  ended(): Promise<boolean> | undefined
}): void {
  askAgain = handlers.reauthenticate
  sessionEnded = handlers.ended
}

type Init = Pick<RequestInit, 'method' | 'body' | 'signal'> & { headers?: Record<string, string> }

/** Works like `fetch`, and also reports upload progress. */
const putUp =
  (progress: (share: number) => void) =>
  (address: string, { method = 'POST', headers = {}, body, signal }: Init): Promise<Response> =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open(method, address)
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
      request.upload.onprogress = ({ loaded, total, lengthComputable }) => {
        if (lengthComputable) progress(total === 0 ? 1 : loaded / total)
      }
      request.onload = () => {
        const type = request.getResponseHeader('content-type') ?? ''
        resolve(
          new Response(request.responseText, {
            status: request.status,
            headers: { 'content-type': type },
          }),
        )
      }
      request.onerror = () => reject(new TypeError('The connection was lost.'))
      request.onabort = () => reject(new DOMException('The request was cancelled.', 'AbortError'))
      signal?.addEventListener('abort', () => request.abort())
      request.send(body as XMLHttpRequestBodyInit)
    })
