import { connect, createServer, type Server, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { CERTIFICATE } from '../../certificate.ts'

/**
 * What the gate does to one connection. Bytes are those of the plain stream, also under TLS. With
 * `after`, the gate first passes on exactly that many bytes of the request or of the response.
 */
export type Behaviour =
  | { kind: 'pass' }
  /** Passes nothing on, and closes nothing. */
  | { kind: 'stall'; after?: After }
  /** Ends the connection abruptly: the client reads ECONNRESET. */
  | { kind: 'reset'; after?: After }
  /** Ends the connection properly: the client reads the end of the stream. */
  | { kind: 'end'; after?: After }
  /** Answers the client's greeting with bytes that are not TLS. */
  | { kind: 'tls_fail' }

interface After {
  of: 'request' | 'response'
  bytes: number
}

/** A TCP gate before a server, for what only a network can do. */
interface Gate {
  port: number
  url: string
  /** Counts the accepted connections. */
  accepted: number
  /** Counts the plain bytes that clients sent, on all connections. */
  received: number
  /** Decides about each connection when it is accepted. Passes everything on by default. */
  decide: () => Behaviour
  /** Refuses connections from now on, and resets open ones. */
  refuse(): void
  /** Accepts connections again, on the same port. */
  accept(): Promise<void>
  /** Resets all open connections, like a network that went away. */
  resetAll(): void
  close(): Promise<void>
}

interface GateOptions {
  /** Speaks TLS to clients, with the certificate of `test/certificate.ts`. */
  tls?: boolean
}

export async function openGate(to: { port: number }, { tls }: GateOptions = {}): Promise<Gate> {
  const open = new Set<Socket>()
  let listener: Server | undefined

  function pass(near: Socket): void {
    gate.accepted += 1
    open.add(near)
    near.on('error', () => {})
    near.on('close', () => open.delete(near))
    const behaviour = gate.decide()
    if (behaviour.kind === 'tls_fail') {
      near.once('data', () => near.end('this is not TLS\n'))
      return
    }
    if (behaviour.kind !== 'pass' && !behaviour.after) return void cut(behaviour.kind, near, near)
    const plain = tls
      ? new TLSSocket(near, { isServer: true, key: CERTIFICATE.key, cert: CERTIFICATE.cert })
      : near
    const far = connect({ host: '127.0.0.1', port: to.port, allowHalfOpen: true })
    plain.on('data', (bytes: Buffer) => {
      gate.received += bytes.length
    })
    plain.on('error', () => {})
    plain.on('close', () => far.destroy())
    // The server has reset its side.
    far.on('error', () => near.resetAndDestroy())
    const limitOf = (direction: After['of']) =>
      behaviour.kind !== 'pass' && behaviour.after!.of === direction
        ? { ...behaviour.after!, cut: () => cut(behaviour.kind, near, plain, far) }
        : undefined
    forward(plain, far, limitOf('request'))
    forward(far, plain, limitOf('response'))
  }

  function cut(kind: 'stall' | 'reset' | 'end', near: Socket, plain: Socket, far?: Socket): void {
    if (kind === 'reset') near.resetAndDestroy()
    else if (kind === 'end') {
      // Unread bytes would turn the end of the stream into a reset.
      plain.end()
      plain.resume()
      far?.pause()
    } else {
      plain.pause()
      far?.pause()
    }
  }

  async function accept(): Promise<void> {
    if (listener) return
    for (;;) {
      const server = createServer({ allowHalfOpen: true }, pass)
      // A refused port must not be given to another test, so it is none that the system gives away.
      const port = gate.port || 20_000 + Math.floor(Math.random() * 12_000)
      const isListening = await new Promise<boolean>((resolve, reject) => {
        server.once('error', (error: NodeJS.ErrnoException) =>
          error.code === 'EADDRINUSE' && !gate.port ? resolve(false) : reject(error),
        )
        server.listen(port, '127.0.0.1', () => resolve(true))
      })
      if (!isListening) continue
      listener = server
      gate.port = port
      gate.url = `http${tls ? 's' : ''}://127.0.0.1:${port}`
      return
    }
  }

  function refuse(): void {
    listener?.close()
    listener = undefined
    resetAll()
  }
  function resetAll(): void {
    for (const socket of open) socket.resetAndDestroy()
  }

  const gate: Gate = {
    port: 0,
    url: '',
    accepted: 0,
    received: 0,
    decide: () => ({ kind: 'pass' }),
    refuse,
    accept,
    resetAll,
    close: async () => refuse(),
  }
  await accept()
  return gate
}

/** Passes bytes on, up to where the connection is to be cut. */
function forward(
  from: Socket,
  to: Socket,
  limit: { bytes: number; cut(): void } | undefined,
): void {
  let left = limit?.bytes ?? Number.POSITIVE_INFINITY
  from.on('data', (bytes: Buffer) => {
    if (left === 0 || to.writableEnded) return
    const passed = bytes.subarray(0, left)
    left -= passed.length
    if (left > 0 || !limit) return void to.write(passed)
    // The receiver gets these bytes first.
    to.write(passed, () => limit.cut())
  })
  from.on('end', () => left > 0 && to.end())
}
