import { fork } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'

/**
 * A load generator in a separate process. It uses keep-alive connections with one open request
 * each, and only parses responses to find where they end. It needs a fifth of the CPU time that
 * fetch does, which matters when it shares two cores with the server.
 */
export interface Load {
  port: number
  connections: number
  seconds: number
  /** The head of every request, without Content-Length and whatever `unique` adds. */
  head: string
  /** Each request replaces `########` in it with its own number. */
  body: string
  /** Adds a different Idempotency-Key to each request. */
  unique: boolean
}

export interface Loaded {
  perSecond: number
  p50Ms: number
  p99Ms: number
  requests: number
  /** Responses other than 2xx. */
  refused: number
}

/** Runs in a child process so that the server under test has the event loop to itself. */
export function load(options: Load): Promise<Loaded> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), ['child'])
    child.once('message', (result) => resolve(result as Loaded))
    child.once('error', reject)
    child.once('exit', (code) => code && reject(new Error(`the load generator ended with ${code}`)))
    child.send(options)
  })
}

async function generate({ port, connections, seconds, head, body, unique }: Load): Promise<Loaded> {
  const until = performance.now() + seconds * 1000
  const times: number[] = []
  let refused = 0
  let sent = 0
  const length = `content-length: ${Buffer.byteLength(body)}\r\n`

  const request = () => {
    sent++
    const key = unique ? `idempotency-key: ${process.pid}-${sent}\r\n` : ''
    const own = body.replace('########', `${process.pid % 100}${sent}`.padStart(8, '0'))
    return `${head}${key}${body ? length : ''}\r\n${own}`
  }

  const one = (socket: Socket) =>
    new Promise<void>((resolve, reject) => {
      let started = 0
      let missing = 0
      const next = () => {
        if (performance.now() >= until) {
          socket.end()
          resolve()
          return
        }
        started = performance.now()
        socket.write(request())
      }
      socket.on('error', reject)
      socket.on('data', (bytes: Buffer) => {
        if (missing === 0) {
          const text = bytes.toString('latin1', 0, 2048)
          const end = text.indexOf('\r\n\r\n') + 4
          const size = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
          if (text.charCodeAt(9) !== 0x32) refused++
          missing = end + size
        }
        missing -= bytes.length
        if (missing > 0) return
        missing = 0
        times.push(performance.now() - started)
        next()
      })
      socket.once('connect', next)
    })

  await Promise.all(
    Array.from({ length: connections }, () => one(connect({ port, host: '127.0.0.1' }))),
  )
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN
  return {
    perSecond: times.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    requests: times.length,
    refused,
  }
}

if (process.argv[2] === 'child' && process.send) {
  process.once('message', (options) => void answer(options as Load))
}

async function answer(options: Load): Promise<void> {
  process.send?.(await generate(options))
  process.disconnect()
}
