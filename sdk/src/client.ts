import type { CallOptions, Operation, SentBody } from './call.ts'
import { type Arguments, addressOf, argumentsOf, bodyOf, type ResponseInfo } from './call.ts'
import {
  ApiError,
  ConfigurationError,
  ConnectionError,
  errorOf,
  TimeoutError,
  TradepostError,
} from './errors.ts'
import { List, type Page } from './lists.ts'
import { type Api, OPERATIONS } from './operations.ts'
import {
  baseOf,
  checkKey,
  checkOptions,
  type Mode,
  modeOf,
  type TradepostOptions,
} from './options.ts'
import { withRetries } from './retry.ts'
import { VERSION } from './version.ts'

const TIMEOUT_MS = 60_000
/** The server allows an hour for an upload of 500 MiB. */
const UPLOAD_TIMEOUT_MS = 3_600_000
const RETRIES_MAX = 3

/** Gives the class its groups of methods, which the constructor builds from the table. */
const Groups = Object as unknown as new () => Api

/**
 * A client for one Tradepost server:
 *
 *     const tradepost = new Tradepost({ key: 'sk_test_…', baseUrl: 'http://127.0.0.1:4000' })
 *     const invoice = await tradepost.invoices.create({ customerEmail, amount: 15000.5 })
 *
 * A method returns the record, a `List` or, for a file, the `Response` to read it from. It throws
 * an ApiError if the server refuses the request, a ConnectionError if no response arrives, and a
 * ConfigurationError if the call can't work and nothing has been sent. Every write has an
 * Idempotency-Key. Retries use the same key, so the write only happens once.
 */
export class Tradepost extends Groups {
  readonly baseUrl: string
  /** The key's mode or, if a function returns the key, the mode in the options. */
  readonly mode: Mode | undefined

  /** Throws a ConfigurationError in a browser, or if the key or URL can't work. */
  constructor(options: TradepostOptions) {
    super()
    checkOptions(options)
    this.baseUrl = baseOf(options.baseUrl)
    this.mode = typeof options.key === 'string' ? modeOf(options.key) : options.mode
    for (const [group, operations] of Object.entries(OPERATIONS)) {
      const methods = Object.entries(operations as Record<string, Operation>).map(
        ([name, operation]) => [name, methodOf(operation, options)],
      )
      Object.assign(this, { [group]: Object.freeze(Object.fromEntries(methods)) })
    }
  }
}

type Body = Record<string, unknown>

function methodOf(operation: Operation, options: TradepostOptions) {
  return (...given: unknown[]) => {
    const called = argumentsOf(operation, given)
    if (operation.answer !== 'list') return send(operation, options, called)
    const ask = async (input: Body) => {
      const { data, meta } = (await send(operation, options, { ...called, input })) as Page<unknown>
      return { data, meta }
    }
    return new List(ask, called.input, operation.paging ?? 'whole')
  }
}

/** Makes a call and its retries, all with the same Idempotency-Key. */
async function send(
  operation: Operation,
  client: TradepostOptions,
  called: Arguments,
): Promise<unknown> {
  const { options } = called
  const { method, isIdempotent = false, isRead = method === 'GET' } = operation
  const url = baseOf(client.baseUrl) + addressOf(operation, called)
  const body = bodyOf(operation, called)
  const idempotencyKey = isIdempotent ? keyOf(options) : undefined
  const request = { operation, url, body, idempotencyKey }
  const policy = {
    retriesMax: options.retriesMax ?? client.retriesMax ?? RETRIES_MAX,
    isSafe: isRead || isIdempotent,
    signal: options.signal,
  }
  try {
    return await withRetries((count) => attempt(request, client, options, count), policy)
  } catch (error) {
    if (error instanceof ApiError || error instanceof ConnectionError) {
      error.idempotencyKey = idempotencyKey
    }
    throw error
  }
}

function keyOf({ idempotencyKey = crypto.randomUUID() }: CallOptions): string {
  if (/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) return idempotencyKey
  throw new ConfigurationError('idempotencyKey must be 1 to 255 visible ASCII characters.')
}

interface Outgoing {
  operation: Operation
  url: string
  body: SentBody | undefined
  idempotencyKey: string | undefined
}

async function attempt(
  request: Outgoing,
  client: TradepostOptions,
  options: CallOptions,
  attempts: number,
): Promise<unknown> {
  const { operation, url, body, idempotencyKey } = request
  const headers = await headersOf(request, client, options)
  const usual = body instanceof FormData ? UPLOAD_TIMEOUT_MS : TIMEOUT_MS
  const timeoutMs = options.timeoutMs ?? client.timeoutMs ?? usual
  const { response, text } = await within({ timeoutMs, url }, options.signal, async (signal) => {
    const { fetch = globalThis.fetch } = client
    const init = { method: operation.method, headers, signal, redirect: 'manual' } as const
    const response = await fetch(url, body === undefined ? init : { ...init, body })
    if (!response.ok) throw await errorOf(response, Date.now())
    // The caller reads files. Anything else is read to the end here, because the response can still
    // be cut off.
    const text = operation.answer === 'file' ? undefined : await response.text()
    return { response, text }
  })
  options.onResponse?.(infoOf(response, attempts, idempotencyKey))
  return text === undefined ? response : answerOf(operation, text)
}

/**
 * Headers passed to a call override the client's headers. Both override those that the SDK sets.
 */
async function headersOf(
  { operation, body, idempotencyKey }: Outgoing,
  client: TradepostOptions,
  options: CallOptions,
): Promise<Headers> {
  const { businessId } = client
  const headers = new Headers({
    ...(await authorization(operation, client)),
    'user-agent': `tradepost-sdk/${VERSION}`,
    ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(businessId !== undefined && { 'x-business-id': `${businessId}` }),
  })
  const given = [...Object.entries(client.headers ?? {}), ...Object.entries(options.headers ?? {})]
  for (const [name, value] of given) headers.set(name, value)
  return headers
}

async function authorization({ name, isKeyless }: Operation, client: TradepostOptions) {
  if (isKeyless) return {}
  const key = typeof client.key === 'function' ? await client.key() : client.key
  if (key === undefined) throw new ConfigurationError(`${name} needs a key.`)
  checkKey(key, client)
  return { authorization: `Bearer ${key}` }
}

/**
 * Runs `work` with a signal that aborts it after the timeout. If `work` fails, throws an error that
 * names the cause.
 */
async function within<T>(
  { timeoutMs, url }: { timeoutMs: number; url: string },
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const late = new AbortController()
  const timer = timeoutMs > 0 ? setTimeout(() => late.abort(), timeoutMs) : undefined
  try {
    return await work(signal ? AbortSignal.any([signal, late.signal]) : late.signal)
  } catch (error) {
    if (error instanceof ApiError || error instanceof ConfigurationError) throw error
    if (signal?.aborted) throw signal.reason
    if (late.signal.aborted) throw new TimeoutError(`No response arrived within ${timeoutMs} ms.`)
    throw new ConnectionError(connectionMessage(url, error), { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

function connectionMessage(url: string, error: unknown): string {
  const { origin } = new URL(url)
  const { code } = ((error as { cause?: { code?: string } }).cause ?? {}) as { code?: string }
  if (code === 'ECONNREFUSED') return `No server is listening at ${origin} (connection refused).`
  if (code === 'ENOTFOUND') return `The host name in ${origin} does not exist.`
  return `The connection to ${origin} failed before the complete response arrived.`
}

function answerOf({ name, answer }: Operation, text: string): unknown {
  let body: Body
  try {
    body = JSON.parse(text) as Body
  } catch (cause) {
    // The URL probably belongs to a different server.
    throw new TradepostError(`The response to ${name} is not JSON. Check baseUrl.`, { cause })
  }
  return answer === 'record' ? recordIn(body) : body
}

/** Returns `data`, together with the fields beside it. */
function recordIn({ status: _status, message: _message, error: _error, data, ...beside }: Body) {
  return { ...beside, ...(data as object) }
}

function infoOf(
  { status, headers }: Response,
  attempts: number,
  idempotencyKey: string | undefined,
): ResponseInfo {
  return {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    isReplayed: headers.get('idempotent-replayed') === 'true',
    attempts,
    idempotencyKey,
    headers,
  }
}
