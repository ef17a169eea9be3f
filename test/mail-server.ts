import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll } from 'vitest'
import type { AppOptions } from '../src/app.ts'
import { Secret } from '../src/lib/tokens.ts'

/** The server's reply at one step: yes, an SMTP error, none, or a cut connection. */
export type Reply = 'yes' | 'nothing' | 'cut' | { code: number; text: string }

export interface Received {
  recipients: string[]
  raw: string
  mail: Email
}

/** Short timeouts for a server that hangs. */
export const TIMEOUTS_MS = { connect: 4_000, greeting: 2_000, silence: 2_000 }

/**
 * Starts a real SMTP server on loopback. `replies` can be changed at any time. `received` has the
 * messages that it accepted, and `seen` every message whose text arrived.
 */
export async function startMailServer(options: SMTPServerOptions = {}) {
  const replies: { connect: Reply; recipient: Reply; data: Reply } = {
    connect: 'yes',
    recipient: 'yes',
    data: 'yes',
  }
  const received: Received[] = []
  const seen: Received[] = []
  /** Steps without a reply, which can be answered later. */
  const waiting: ((reply: Reply) => void)[] = []

  const answer = (reply: Reply, done: (error?: Error) => void): void => {
    if (reply === 'nothing') waiting.push((later) => answer(later, done))
    else if (reply === 'cut') cut()
    else if (reply === 'yes') done()
    else done(Object.assign(new Error(reply.text), { responseCode: reply.code }))
  }
  const cut = () => {
    for (const { _socket } of server.connections as unknown as Iterable<Connection>) {
      _socket.destroy()
    }
  }

  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    logger: false,
    closeTimeout: 100,
    onConnect: (_session, done) => answer(replies.connect, done),
    onRcptTo: (_address, _session, done) => answer(replies.recipient, done),
    onData: (stream, session, done) => {
      const recipients = session.envelope.rcptTo.map(({ address }) => address)
      void read(stream, recipients).then((message) => {
        seen.push(message)
        answer(replies.data, (error) => {
          if (!error) received.push(message)
          done(error)
        })
      }, done)
    },
    ...options,
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  afterAll(() => {
    cut()
    return new Promise<void>((done) => server.close(done))
  })
  return { port, replies, received, seen, waiting, connections: server.connections }
}

async function read(stream: Readable, recipients: string[]): Promise<Received> {
  const raw = Buffer.concat(await stream.toArray()).toString('utf8')
  return { recipients, raw, mail: await PostalMime.parse(raw) }
}

interface Connection {
  _socket: { destroy(): void }
}

/** The option `smtp` for a server that sends mail through it. */
export const smtpAt = (
  port: number,
  { scheme = 'smtp', query = '', timeoutsMs = TIMEOUTS_MS as Timeouts } = {},
): NonNullable<AppOptions['smtp']> => ({
  url: new Secret(`${scheme}://127.0.0.1:${port}${query}`),
  from: 'mails@pay.example',
  timeoutsMs,
})

type Timeouts = NonNullable<NonNullable<AppOptions['smtp']>['timeoutsMs']>
