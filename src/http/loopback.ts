import type { FastifyRequest } from 'fastify'

/** Whether a request was made on this machine itself, and not passed on by a proxy on it. */
export function isLocal({ headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>): boolean {
  const isPassedOn = Object.keys(headers).some((name) => SET_BY_PROXIES.test(name))
  return !isPassedOn && /^(::1|(::ffff:)?127\.)/.test(socket.remoteAddress ?? '')
}

/**
 * What proxies, tunnels and content networks add of their own. Kinds of names rather than a list:
 * one too many hides a page from a developer, one too few shows it to everybody.
 */
const SET_BY_PROXIES = new RegExp(
  [
    /forwarded/,
    /^via$|^cdn-loop$|^x-varnish$|^x-original-/,
    /(^|-)(client|real|remote|connecting|connection|peer|(proxy)?user|external)-?(ip|addr)/,
    /^(x-)?(akamai|amzn?|appengine|arr|azure|cf|cloud|do|envoy|fastly|fly|ngrok|vercel)-/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Whether an address names this machine by what it calls itself. */
export const isLoopbackUrl = (url: string): boolean => LOOPBACK.test(URL.parse(url)?.hostname ?? '')

/**
 * Whether the browser believes that it talks to this machine. A page from elsewhere can have its
 * own name point here (DNS rebinding), but its requests then bear that name.
 */
export const isForLoopback = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  isLoopbackUrl(`http://${headers.host ?? ''}`)

/** The names of this machine, as URLs have them. */
export const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/**
 * Whether a page of ours sent it. A server of this machine has several names there, and is reached
 * by more ports than its own, such as that of a server for development before it.
 */
export function isOwnOrigin(publicUrl: string, origin: string): boolean {
  const own = new URL(publicUrl)
  if (!LOOPBACK_NAMES.includes(own.hostname)) return origin === own.origin
  return URL.canParse(origin) && LOOPBACK_NAMES.includes(new URL(origin).hostname)
}
