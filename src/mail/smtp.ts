import { readSmtpUrl } from '../lib/service-urls.ts'
import type { Secret } from '../lib/tokens.ts'
import { type EmailContent, headerText } from './email.ts'

export interface SmtpOptions {
  /** `smtp[s]://user:password@host:port?tls=required|optional|off`. */
  url: Secret
  /** The sender address of all emails. */
  from: string
  timeoutsMs?: Partial<SmtpTimeouts>
}

interface SmtpTimeouts {
  /** The time allowed for connecting, including TLS. */
  connect: number
  greeting: number
  /** How long the server can be silent. */
  silence: number
  /**
   * The total time for one email, for servers that send a few bytes at a time and so are never
   * silent.
   */
  whole: number
  /** The time allowed for emails that are being sent when the process stops. */
  grace: number
}

/**
 * A server can take a minute to scan an email before accepting it, and delivers the email even if
 * we disconnect earlier. The customer would then get another copy with each attempt (RFC 5321,
 * 4.5.3.2.6). A silent server delays only emails.
 */
export const SMTP_TIMEOUTS_MS: Readonly<SmtpTimeouts> = {
  connect: 10_000,
  greeting: 10_000,
  silence: 120_000,
  whole: 180_000,
  grace: 5_000,
}

/** The number of emails sent at once, each on its own connection. */
export const SMTP_CONNECTIONS_MAX = 5

/**
 * Shorter than servers usually wait. If the server closes the connection first, the next email
 * costs another round trip.
 */
const IDLE_MS = 20_000

interface Envelope {
  to: string
  /** Stays the same for all attempts at an email, so that duplicates can be recognised. */
  messageId: string
}

export type Outcome =
  | { kind: 'sent' }
  /**
   * The server will never accept the email: the mailbox doesn't exist, or the server rejects the
   * content.
   */
  | { kind: 'refused'; reason: string }
  /**
   * The server doesn't accept the email now. `isServer` means that the server has a problem, which
   * would affect other emails too.
   */
  | { kind: 'postponed'; reason: string; isServer: boolean }

export interface Smtp {
  /** The host of the sender's address: the right-hand side of our Message-IDs. */
  domain: string
  /** Always returns within a limited time. Never throws. */
  send(letter: EmailContent, envelope: Envelope): Promise<Outcome>
  /** Connects and signs in, and resolves to what prevents that, if anything. */
  problem(): Promise<string | undefined>
  /** Closes idle connections now, and active ones after a grace period. */
  close(): void
}

/** Loads the library here, because a server without SMTP doesn't need it. */
export async function openSmtp({ url, from, timeoutsMs = {} }: SmtpOptions): Promise<Smtp> {
  const { default: nodemailer } = await import('nodemailer')
  const timeouts = { ...SMTP_TIMEOUTS_MS, ...timeoutsMs }
  const transport = nodemailer.createTransport({
    ...readSmtpUrl(url.reveal()),
    pool: true,
    maxConnections: SMTP_CONNECTIONS_MAX,
    // The library's own retries could send an email twice after a lost connection. Our retries are
    // recorded.
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

  async function send(letter: EmailContent, { to, messageId }: Envelope): Promise<Outcome> {
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
        // Prevents out-of-office replies (RFC 3834).
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
    problem: () => transport.verify().then(() => undefined, reasonOf),
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
  /** True for 5xx except 503. */
  permanent?: boolean
}

const reasonOf = ({ response, code, message }: SmtpError): string =>
  headerText(response ?? `${code ?? ''} ${message}`, 500)

/**
 * A 5xx response about this recipient or content is final; other responses are not. In response to
 * DATA, some servers reject the recipient and others report a daily quota. In neither case should
 * we pause the queue or give up on the email.
 */
function outcomeOf(error: SmtpError): Outcome {
  const { code, command = '', responseCode, permanent } = error
  const reason = reasonOf(error)
  const isSaidAt = (step: string) => code === 'EENVELOPE' && command.startsWith(step)
  const isAboutMail = code === 'EMESSAGE' || isSaidAt('RCPT')
  if (isAboutMail && permanent) return { kind: 'refused', reason }
  const isServer = !(isAboutMail || isSaidAt('DATA')) || responseCode === 421
  return { kind: 'postponed', reason, isServer }
}
