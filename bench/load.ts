import { fork } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'

export const CONNECTIONS = 64

/** What a load generator sends. Paths, bodies and keys are used in turn. */
export interface Requests {
  port: number
  method: 'GET' | 'POST'
  paths: string[]
  /** As JSON. Each request replaces `########` with its own number. */
  bodies?: object[]
  headers?: Record<string, string>
  /** API keys of the same server. */
  keys?: string[]
  /** Adds a different Idempotency-Key to each request. */
  isIdempotent?: boolean
  /** A response whose first 2 KB lack this text counts as refused, whatever its status. */
  expected?: string
}

export interface Load extends Requests {
  seconds: number
  /** Ends earlier, after this many requests. */
  requestsMax?: number
}

export interface Loaded {
  perSecond: number
  p50Ms: number
  p99Ms: number
  requests: number
}

/**
 * Sends requests for some seconds from a separate process, over 64 keep-alive connections with one
 * open request each. It only parses responses to find where they end. It needs a fifth of the CPU
 * time that fetch does, which matters when it shares two cores with the server. Throws if a
 * response was refused, because a refusal is often faster than a success.
 */
export function load(options: Load): Promise<Loaded> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), ['child'], { execArgv: [] })
    child.once('message', ({ refusal, ...loaded }: Loaded & { refusal?: string }) => {
      if (refusal === undefined) resolve(loaded)
      else reject(new Error(`${options.method} ${options.paths[0]} was refused: ${refusal}`))
    })
    child.once('error', reject)
    child.once('exit', (code) => code && reject(new Error(`the load generator ended with ${code}`)))
    child.send(options)
  })
}

if (process.argv[2] === 'child' && process.send) {
  process.once('message', (options) => void answer(options as Load))
}

async function answer(options: Load): Promise<void> {
  process.send?.(await generate(options))
  process.disconnect()
}

async function generate(options: Load): Promise<Loaded & { refusal: string | undefined }> {
  const { port, seconds, requestsMax = Number.POSITIVE_INFINITY, expected = '' } = options
  const nextRequest = writer(options)
  const times: number[] = []
  let sent = 0
  let refusal: string | undefined
  const began = performance.now()
  const until = began + seconds * 1000

  const one = (socket: Socket) =>
    new Promise<void>((resolve, reject) => {
      let started = 0
      let missing = 0
      const next = () => {
        started = performance.now()
        if (started < until && sent < requestsMax) {
          sent++
          socket.write(nextRequest())
        } else {
          socket.end()
          resolve()
        }
      }
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('the server closed a connection')))
      socket.on('data', (bytes: Buffer) => {
        if (missing === 0) {
          const text = bytes.toString('latin1', 0, 2048)
          const end = text.indexOf('\r\n\r\n') + 4
          const length = /content-length: (\d+)/i.exec(text)
          // Without its length, the end is the end of the last chunk.
          missing = length ? end + Number(length[1]) : Number.POSITIVE_INFINITY
          const isRefused = text[9] !== '2' || !text.includes(expected, end)
          if (isRefused) refusal ??= text.slice(0, 800)
        }
        missing -= bytes.length
        if (missing === Number.POSITIVE_INFINITY && bytes.toString('latin1').endsWith('0\r\n\r\n'))
          missing = 0
        if (missing > 0) return
        missing = 0
        times.push(performance.now() - started)
        next()
      })
      socket.once('connect', next)
    })

  const sockets = Array.from({ length: CONNECTIONS }, () => connect({ port, host: '127.0.0.1' }))
  await Promise.all(sockets.map(one))
  const took = (performance.now() - began) / 1000
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
  const perSecond = times.length / took
  return { perSecond, p50Ms: at(0.5), p99Ms: at(0.99), requests: times.length, refusal }
}

/** Returns the text of one request after the other. */
function writer(options: Load): () => string {
  const { method, paths, bodies = [], headers = {}, keys = [], isIdempotent } = options
  const head = Object.entries({ host: '127.0.0.1', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  const texts = bodies.map((body) => JSON.stringify(body))
  let sent = 0
  return () => {
    const path = paths[sent % paths.length]!
    const text = texts[sent % texts.length]
    const bearer = keys[sent % keys.length]
    sent++
    const body = text?.replace('########', ownNumber(sent)) ?? ''
    const authorization = bearer ? `authorization: Bearer ${bearer}\r\n` : ''
    const key = isIdempotent ? `idempotency-key: ${process.pid}-${sent}\r\n` : ''
    const about = body
      ? `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
      : ''
    return `${method} ${path} HTTP/1.1\r\n${head}${authorization}${key}${about}\r\n${body}`
  }
}

/** Eight digits that differ from those of the load generators before. */
const ownNumber = (sent: number) => `${process.pid % 100}${sent}`.padStart(8, '0')
