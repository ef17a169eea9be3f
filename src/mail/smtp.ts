import { readSmtpUrl } from '../lib/service-urls.ts'
import type { Secret } from '../lib/tokens.ts'
import { headerText } from './header-text.ts'
import type { Letter } from './letter.ts'

export interface SmtpOptions {
  /** `smtp[s]://user:password@host:port?tls=required|optional|off`. */
  url: Secret
  /** The address that mails come from. */
  from: string
  timeoutsMs?: Partial<SmtpTimeouts>
}

export interface SmtpTimeouts {
  /** Until the connection stands, TLS included. */
  connect: number
  greeting: number
  /** Without a byte from the server. */
  silence: number
  /** For one mail in all: a server that trickles is never silent. */
  whole: number
  /** For what is on its way when the process is to stop. */
  grace: number
}

/**
 * A server that looks through a mail before it says yes may take a minute, and has it all the same
 * when we leave before that: its customer would get one more copy with each of our attempts
 * (RFC 5321, 4.5.3.2.6). Where nothing is said at all, nobody waits but mails.
 */
export const SMTP_TIMEOUTS_MS: Readonly<SmtpTimeouts> = {
  connect: 10_000,
  greeting: 10_000,
  silence: 120_000,
  whole: 180_000,
  grace: 5_000,
}

/** Mails on their way at once, each on a connection of its own. */
export const SMTP_CONNECTIONS_MAX = 5

/** Shorter than servers wait: one that they close first costs the next mail a round. */
const IDLE_MS = 20_000

export interface Envelope {
  to: string
  /** Always the same for one mail, so that a repeat can be recognised as one. */
  messageId: string
}

export type Outcome =
  | { kind: 'sent' }
  /** The server will never take it: there is no such mailbox, or it dislikes the content. */
  | { kind: 'refused'; reason: string }
  /** Not now. `isServer` when it is the server's trouble, which any other mail would meet too. */
  | { kind: 'postponed'; reason: string; isServer: boolean }

export interface Smtp {
  /** The host of the sender's address: the right-hand side of our Message-IDs. */
  domain: string
  /** Answers in bounded time and never throws. */
  send(letter: Letter, envelope: Envelope): Promise<Outcome>
  /** Ends idle connections now, and what is on its way after a moment of grace. */
  close(): void
}

/** The library is loaded here, since a server without SMTP has no use for it. */
export async function openSmtp({ url, from, timeoutsMs = {} }: SmtpOptions): Promise<Smtp> {
  const { default: nodemailer } = await import('nodemailer')
  const timeouts = { ...SMTP_TIMEOUTS_MS, ...timeoutsMs }
  const transport = nodemailer.createTransport({
    ...readSmtpUrl(url.reveal()),
    pool: true,
    maxConnections: SMTP_CONNECTIONS_MAX,
    // Its own repeats could send twice what a lost connection leaves in doubt. Ours are noted.
    maxRequeues: 0,
    idleTimeout: IDLE_MS,
    connectionTimeout: timeouts.connect,
    dnsTimeout: timeouts.connect,
    greetingTimeout: timeouts.greeting,
    socketTimeout: timeouts.silence,
    socketCloseTimeout: 1_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const closing = new AbortController()

  async function send(letter: Letter, { to, messageId }: Envelope): Promise<Outcome> {
    try {
      await transport.sendMail({
        envelope: { from, to: [to] },
        from: { name: letter.fromName, address: from },
        to: { name: '', address: to },
        ...(letter.replyTo && { replyTo: { name: letter.fromName, address: letter.replyTo } }),
        subject: letter.subject,
        text: letter.text,
        html: letter.html,
        messageId,
        // So that no holiday notice answers it (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(timeouts.whole)]),
      })
      return { kind: 'sent' }
    } catch (error) {
      return outcomeOf(error as SmtpError)
    }
  }

  return {
    domain: from.slice(from.lastIndexOf('@') + 1),
    send,
    close() {
      transport.close()
      setTimeout(() => closing.abort(), timeouts.grace).unref()
    },
  }
}

interface SmtpError extends Error {
  code?: string
  command?: string
  responseCode?: number
  response?: string
  /** True for 5xx but 503. */
  permanent?: boolean
}

/**
 * What the server says of this recipient or text is final when it is a 5xx; all else is not. At
 * DATA some say what they think of the recipient, and others that the quota of a day is used up: no
 * reason for the queue to rest, and none to give the mail up.
 */
function outcomeOf(error: SmtpError): Outcome {
  const { code, command = '', responseCode, permanent } = error
  const reason = headerText(error.response ?? `${code ?? ''} ${error.message}`, 500)
  const isSaidAt = (step: string) => code === 'EENVELOPE' && command.startsWith(step)
  const isAboutMail = code === 'EMESSAGE' || isSaidAt('RCPT')
  if (isAboutMail && permanent) return { kind: 'refused', reason }
  const isServer = !(isAboutMail || isSaidAt('DATA')) || responseCode === 421
  return { kind: 'postponed', reason, isServer }
}
