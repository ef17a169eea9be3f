import type { ClientRequest } from 'node:http'
import { isIP, type LookupFunction, connect as openSocket, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { connect as openSecureSocket } from 'node:tls'
import { redactedJson, redactText, redactUrl } from '../../lib/redact.ts'
import { BrokenExchange, exchange, type Received, TIMED_OUT } from '../../safe-fetch/exchange.ts'
import {
  type Allows,
  http,
  https,
  type Resolve,
  readPublicUrl,
  safeLookup,
} from '../../safe-fetch/guard.ts'
import { Json, printJson, readJson } from './json.ts'

export interface HttpRequest {
  /** As in the provider's documentation, for the record: `POST /transfer`. */
  operation: string
  method: 'GET' | 'POST' | 'PUT'
  /** Starts with a slash, and is added to the base URL. */
  path: string
  /** Instead of the base URL and `path`: a complete URL that the provider has given. */
  url?: string
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  /** Sent as JSON: amounts as bigints in minor units, or as `majorNumber`. */
  body?: Readonly<Record<string, unknown>>
  /** Sent instead of `body`. */
  file?: { contentType: string; bytes: Buffer }
  /** Whether repeating it can neither move money nor create something twice. */
  isSafeToRepeat: boolean
}

export type HttpResult =
  | {
      kind: 'response'
      status: number
      headers: Readonly<Record<string, string>>
      /** A single string if the response is not JSON. */
      body: Json
    }
  /** Not one byte of the request was written. `rate_limited`: by ourselves. */
  | { kind: 'not_sent'; reason: 'not_reached' | 'rate_limited'; message: string }
  /** Something was written. `status` is null if there was no response. */
  | { kind: 'lost'; reason: 'timed_out' | 'disconnected' | 'unreadable'; status: number | null }

export interface HttpClient {
  /** Never throws because of the network or of the provider. */
  send(request: HttpRequest): Promise<HttpResult>
}

/** One exchange for the record of calls. Its texts contain no secrets. */
export interface RecordedExchange {
  operation: string
  path: string
  /** False for an order. */
  isSafeToRepeat: boolean
  /** Null if there was no response. */
  status: number | null
  /** `response`, or why there was none. */
  result: 'response' | 'not_reached' | 'rate_limited' | 'timed_out' | 'disconnected' | 'unreadable'
  durationMs: number
  /** Redacted JSON, cut after RECORD_BYTES_MAX. */
  request: string | null
  response: string | null
}

interface ClientOptions {
  baseUrl: string
  /** For all requests of the client together: waiting, connecting, and reading to the last byte. */
  deadlineMs: number
  /**
   * Waits until the connection's limits allow a request, and returns how to end it. Returns
   * undefined if that takes longer than `withinMs`.
   */
  takeSlot?(request: HttpRequest, withinMs: number): Promise<(() => void) | undefined>
  record?(exchange: RecordedExchange): void
}

interface TransportOptions {
  allows: Allows
  /** Resolves host names; uses the machine's resolver by default. */
  resolve?: Resolve | undefined
  /** Certificates to trust instead of Node's. */
  ca?: string | undefined
  /** The pause before a request is repeated; twice as long before the next time. */
  pauseMs?: number
}

export interface Transport {
  /** Returns a client for one call of a connector. */
  client(options: ClientOptions): HttpClient
  /** Closes pooled connections. Requests that move money continue until their deadline. */
  close(): void
}

const RESPONSE_BYTES_MAX = 1024 * 1024
const RECORD_BYTES_MAX = 4 * 1024

/** A request that is safe to repeat is sent up to this many times. */
const TRIES_MAX = 3
const PAUSE_MS = 200

/** How many idle connections are kept per provider, and for how long. */
const KEPT_MAX = 8
const KEPT_MS = 10_000

/**
 * Sends requests to providers, and knows whether a request may have arrived.
 *
 * A request that moves money gets a new connection, and is written only when that is open:
 * whatever fails before was not sent, and whatever fails after may have been executed. On a pooled
 * connection that the provider has just closed, the two would look the same. Other requests use a
 * pool, and are repeated. Redirects are not followed.
 */
export function openTransport(options: TransportOptions): Transport {
  const { allows, resolve, ca, pauseMs: firstPauseMs = PAUSE_MS } = options
  const kept = { keepAlive: true, maxFreeSockets: KEPT_MAX, timeout: KEPT_MS }
  const plain = new http.Agent(kept)
  const secure = new https.Agent({ ...kept, ...(ca && { ca }) })
  const lookup = safeLookup(allows, resolve)
  let isClosed = false

  async function open(
    url: URL,
    { method, isSafeToRepeat }: HttpRequest,
    headers: Record<string, string>,
    leftMs: number,
  ): Promise<Opened> {
    if (!isSafeToRepeat) {
      const socket = await openConnection(url, { lookup, ca }, leftMs)
      if (socket.destroyed) throw new Error('the connection was closed')
      try {
        const request = http.request({
          createConnection: () => socket,
          method,
          path: url.pathname + url.search,
          headers: { ...headers, host: url.host },
        })
        return { request, isConnected: () => true }
      } catch (error) {
        // A header that HTTP does not allow, such as a key with a line break.
        socket.destroy()
        throw error
      }
    }
    const isSecure = url.protocol === 'https:'
    const request = isSecure
      ? https.request(url, { method, lookup, headers, agent: secure, ...(ca && { ca }) })
      : http.request(url, { method, lookup, headers, agent: plain })
    let isConnected = false
    request.once('socket', (socket) => {
      if (request.reusedSocket) isConnected = true
      else socket.once(isSecure ? 'secureConnect' : 'connect', () => (isConnected = true))
    })
    return { request, isConnected: () => isConnected }
  }

  async function sendOnce(url: URL, request: HttpRequest, leftMs: number): Promise<HttpResult> {
    const startMs = performance.now()
    const sent = request.file?.bytes ?? (request.body && printJson(request.body))
    const headers = headersOf(request, sent)
    let opened: Opened
    try {
      opened = await open(url, request, headers, leftMs)
    } catch (error) {
      return notSent(error)
    }
    try {
      const timeoutMs = leftMs - (performance.now() - startMs)
      const limits = { timeoutMs, bytesMax: RESPONSE_BYTES_MAX }
      return responseOf(await exchange(opened.request, sent, limits))
    } catch (error) {
      return opened.isConnected() ? lost(error) : notSent((error as Error).cause ?? error)
    }
  }

  function client({ baseUrl, deadlineMs, takeSlot, record }: ClientOptions): HttpClient {
    const untilMs = performance.now() + deadlineMs
    const leftMs = () => untilMs - performance.now()

    async function sendInTurn(url: URL, request: HttpRequest): Promise<HttpResult> {
      if (leftMs() <= 0) return notSent(TIMED_OUT)
      const release = takeSlot ? await takeSlot(request, leftMs()) : () => {}
      if (!release) return TOO_MANY
      try {
        return leftMs() > 0 ? await sendOnce(url, request, leftMs()) : TOO_MANY
      } finally {
        release()
      }
    }

    async function send(request: HttpRequest): Promise<HttpResult> {
      let url: URL
      try {
        url = readPublicUrl(request.url ?? baseUrl.replace(/\/$/, '') + request.path, allows)
      } catch {
        return { kind: 'not_sent', reason: 'not_reached', message: 'The address is not allowed.' }
      }
      for (const [name, value] of Object.entries(request.query ?? {})) {
        url.searchParams.append(name, value)
      }
      for (let round = 1; ; round++) {
        const startMs = performance.now()
        const result = await sendInTurn(url, request)
        record?.(recordOf(url, request, result, performance.now() - startMs))
        const pauseMs = firstPauseMs * round * (0.5 + Math.random())
        const isLast = !request.isSafeToRepeat || round === TRIES_MAX || isClosed
        if (isLast || !mayPass(result) || pauseMs >= leftMs()) return result
        await wait(pauseMs)
      }
    }
    return { send }
  }

  return {
    client,
    close() {
      isClosed = true
      plain.destroy()
      secure.destroy()
    },
  }
}

interface Opened {
  request: ClientRequest
  /** Whether something of the request may have been written. */
  isConnected(): boolean
}

/** Returns a connection over which nothing has been written yet. */
function openConnection(
  url: URL,
  { lookup, ca }: { lookup: LookupFunction; ca: string | undefined },
  timeoutMs: number,
): Promise<Socket> {
  const isSecure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const to = { host, port: Number(url.port) || (isSecure ? 443 : 80), lookup }
  const socket = isSecure
    ? openSecureSocket({ ...to, ...(ca && { ca }), ...(isIP(host) === 0 && { servername: host }) })
    : openSocket(to)
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const timer = setTimeout(() => socket.destroy(TIMED_OUT), timeoutMs)
  // Stays for as long as the connection, because an error that nobody handles ends the process.
  socket.on('error', reject)
  socket.once('close', () => reject(new Error('the connection was closed')))
  socket.once(isSecure ? 'secureConnect' : 'connect', () => resolve(socket))
  return promise.finally(() => clearTimeout(timer))
}

/** No compression, because responses are short, and a limit of bytes then limits the memory. */
const headersOf = (
  { headers, file }: HttpRequest,
  body: string | Buffer | undefined,
): Record<string, string> => ({
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'Tradepost',
  ...(body !== undefined && {
    'content-type': file?.contentType ?? 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  }),
  ...headers,
})

function responseOf({ status, headers, body }: Received): HttpResult {
  const all: Record<string, string> = {}
  for (const [name, value = ''] of Object.entries(headers)) {
    all[name] = Array.isArray(value) ? value.join(', ') : value
  }
  const text = body.toString('utf8')
  // The start of a longer response is not read as if it were the whole.
  const isWhole = body.length < RESPONSE_BYTES_MAX
  return { kind: 'response', status, headers: all, body: isWhole ? readJson(text) : new Json(text) }
}

function lost(error: unknown): HttpResult {
  const { cause, status = null } = error instanceof BrokenExchange ? error : { cause: error }
  if (cause === TIMED_OUT) return { kind: 'lost', reason: 'timed_out', status }
  const isInvalid = (cause as NodeJS.ErrnoException).code?.startsWith('HPE_')
  return { kind: 'lost', reason: isInvalid ? 'unreadable' : 'disconnected', status }
}

const notSent = (error: unknown): HttpResult => ({
  kind: 'not_sent',
  reason: 'not_reached',
  message: `The provider could not be reached: ${(error as Error).message}`,
})

const TOO_MANY: HttpResult = {
  kind: 'not_sent',
  reason: 'rate_limited',
  message: 'Too many other requests were waiting for this provider.',
}

/** Whether the same request may succeed a moment later. */
function mayPass(result: HttpResult): boolean {
  if (result.kind === 'response') return result.status >= 500
  return result.reason === 'not_reached' || result.reason === 'disconnected'
}

function recordOf(
  url: URL,
  { operation, isSafeToRepeat, body, url: given }: HttpRequest,
  result: HttpResult,
  durationMs: number,
): RecordedExchange {
  return {
    operation,
    isSafeToRepeat,
    // The query of a URL that the provider has given can be what allows its use.
    path: redactUrl(given === undefined ? url.pathname + url.search : url.pathname),
    status: result.kind === 'not_sent' ? null : result.status,
    result: result.kind === 'response' ? 'response' : result.reason,
    durationMs,
    request: body ? redactedJson(body, RECORD_BYTES_MAX).text : null,
    response:
      result.kind === 'response'
        ? redactedJson(result.body.toJSON(), RECORD_BYTES_MAX).text
        : result.kind === 'not_sent'
          ? redactText(result.message)
          : null,
  }
}
