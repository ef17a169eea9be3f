import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'

/** A response, up to the limit of its body. */
export interface Received {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** An exchange that broke off, with everything that had arrived by then. */
export class BrokenExchange extends Error {
  /** Null if there was no response, like `body`. */
  readonly status: number | null
  readonly body: Buffer | null
  /** Whether the request went over a connection that an earlier request had opened. */
  readonly isReused: boolean

  constructor(cause: Error, request: ClientRequest, received: Received | undefined) {
    super(cause.message, { cause })
    this.status = received?.status ?? null
    this.body = received?.body ?? null
    this.isReused = request.reusedSocket
  }
}

export const TIMED_OUT = new Error('the response took too long')

/**
 * Sends a request's body and returns the response. Stops reading after `bytesMax` bytes. Rejects
 * with BrokenExchange; after `timeoutMs`, its cause is TIMED_OUT.
 */
export function exchange(
  request: ClientRequest,
  body: string | Buffer | undefined,
  { timeoutMs, bytesMax }: { timeoutMs: number; bytesMax: number },
): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>()
  const chunks: Buffer[] = []
  let bytes = 0
  let answer: IncomingMessage | undefined

  let isOver = false
  let isLate = false
  const timer = setTimeout(
    () => {
      isLate = true
      request.destroy(TIMED_OUT)
    },
    Math.max(1, timeoutMs),
  )

  function received(): Received | undefined {
    if (!answer?.statusCode) return undefined
    const { statusCode: status, headers } = answer
    return { status, headers, body: Buffer.concat(chunks).subarray(0, bytesMax) }
  }

  function end(): void {
    const response = received()
    if (isOver || !response) return
    isOver = true
    clearTimeout(timer)
    resolve(response)
  }

  function breakOff(cause: Error): void {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    reject(new BrokenExchange(isLate ? TIMED_OUT : cause, request, received()))
  }

  request.on('error', breakOff)
  // There was no response and no error: the request was destroyed, or the connection switched to
  // another protocol.
  request.on('close', () => isOver || breakOff(cutOff()))
  request.on('response', (response) => {
    answer = response
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes < bytesMax) return
      end()
      request.destroy()
    })
    response.on('end', () => (response.complete ? end() : breakOff(cutOff())))
    response.on('error', breakOff)
  })
  // A string body is sent in one write together with the headers.
  request.end(body)
  return promise
}

const cutOff = () =>
  Object.assign(new Error('the connection was interrupted'), { code: 'ECONNRESET' })

/**
 * Returns `Retry-After`, which is a number of seconds or a date, as milliseconds from `now`.
 * Returns undefined if it is neither.
 */
export function readRetryAfter(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const ms = Date.parse(text) - now.getTime()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
