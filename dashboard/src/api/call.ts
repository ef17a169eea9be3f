import { history } from './history.ts'
import { type Answer, type InputArgs, type OperationName, requestOf } from './request.ts'
import { businessId, csrfToken, type Mode, modeOf } from './session.ts'

/** What the server refused, or that it could not be reached (status 0). */
export class ApiError extends Error {
  readonly status: number
  /** Of docs/errors.md; `offline` when there was no answer. */
  readonly code: string
  /** Field name to what is wrong with it, as the API says it. */
  readonly fields: Record<string, string[]>
  readonly requestId: string | undefined
  /** What was asked for, so that it can be looked for elsewhere. */
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
  /** Of one intent: kept while it is tried again, so that it happens once. */
  idempotencyKey?: string | undefined
  /** The ETag of the record as it was read: 412 when somebody changed it since. */
  ifMatch?: string | undefined
  /** Where it is done, if not in the mode and business in view. */
  place?: Place | undefined
  signal?: AbortSignal | undefined
  /** Told of what has gone up, from 0 to 1: for files. */
  progress?: ((share: number) => void) | undefined
}

export interface Place {
  mode: Mode
  business: string | undefined
}

/** The mode and business in view. */
export const placeInView = (): Place => ({
  mode: modeOf(history.location.pathname),
  business: businessId(),
})

/** Paths of the API without their family: `payment-service/invoices`. */
const FAMILY = 'external/v1'

/**
 * Calls an operation of the API, or of the console (`/console/…`), as the person who is signed in.
 * Throws ApiError; asks for the password first where the server wants it again.
 */
export async function call<T>(path: string, asked: Call = {}): Promise<T> {
  // Where it was meant: the screen may be another one when the person has given the password.
  const options = { ...asked, place: asked.place ?? placeInView() }
  const response = await send(path, options)
  const isJson = response.headers.get('content-type')?.includes('json')
  const body = isJson ? await response.json() : await response.text()
  if (response.ok) return withTag(response, body) as T
  const error = errorOf(response, body)
  error.asked = { path, query: options.query ?? {} }
  // Where somebody was typing, they may sign in again, and it goes on.
  if (error.code === 'session_ended' && (await sessionEnded())) return call(path, options)
  if (error.code !== 'reauthentication_needed') throw error
  await askAgain()
  return call(path, options)
}

/** What may be said of a call beside its input. */
type Beside = Omit<Call, 'method' | 'query' | 'body'>

/** The same by the name of an operation. */
export function callOperation<Name extends OperationName>(
  name: Name,
  ...args: [...InputArgs<Name>, options?: Beside]
): Promise<Answer<Name>> {
  const [input = {}, options = {}]: readonly unknown[] = args
  const { path, ...request } = requestOf(name, input as Record<string, unknown>)
  return call(path, { ...(options as Beside), ...request })
}

/** The version of a record goes with its envelope, through caches too. */
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
  const { mode, business } = options.place ?? placeInView()
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
    throw new ApiError('The server cannot be reached. Check the connection, then try again.', {
      status: 0,
      code: 'offline',
    })
  }
}

/** All four envelopes of the contract say the same in other words. */
function errorOf(response: Response, body: unknown): ApiError {
  const said = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const text = [said.message, said.error].find((one) => typeof one === 'string')
  return new ApiError((text as string | undefined) ?? `The server answered ${response.status}.`, {
    status: response.status,
    code: String(said.errorCode ?? response.status),
    fields: (said.errors as Record<string, string[]> | undefined) ?? {},
    requestId:
      (said.requestId as string | undefined) ?? response.headers.get('x-request-id') ?? undefined,
  })
}

let askAgain: () => Promise<void> = () => Promise.reject(new Error('nobody can be asked'))
let sessionEnded: () => Promise<boolean> | undefined = () => undefined

/**
 * Who is asked for the password again, and what happens when the session is over: where somebody may
 * sign in again, whether they did.
 */
export function whenNeeded(handlers: {
  reauthenticate(): Promise<void>
  ended(): Promise<boolean> | undefined
}): void {
  askAgain = handlers.reauthenticate
  sessionEnded = handlers.ended
}

type Init = Pick<RequestInit, 'method' | 'body' | 'signal'> & { headers?: Record<string, string> }

/** As `fetch`, and tells how much of the body has gone up, which `fetch` cannot. */
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
      request.onerror = () => reject(new TypeError('The connection broke.'))
      request.onabort = () => reject(new DOMException('It was called off.', 'AbortError'))
      signal?.addEventListener('abort', () => request.abort())
      request.send(body as XMLHttpRequestBodyInit)
    })
