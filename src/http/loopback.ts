import type { FastifyRequest } from 'fastify'

/** Returns whether a request was made on this machine without passing through a proxy on it. */
export function isLocal({ headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>): boolean {
  const isPassedOn = Object.keys(headers).some((name) => SET_BY_PROXIES.test(name))
  return !isPassedOn && /^(::1|(::ffff:)?127\.)/.test(socket.remoteAddress ?? '')
}

/**
 * Headers that proxies, tunnels and CDNs add. These are broad patterns rather than a list of names:
 * a false match hides a page from a developer, but a missed one exposes the page to everyone.
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

export const isLoopbackUrl = (url: string): boolean => LOOPBACK.test(URL.parse(url)?.hostname ?? '')

/**
 * Returns whether the browser believes it is talking to this machine. Another site can make its own
 * name point here (DNS rebinding), but its requests then carry that name.
 */
export const isForLoopback = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  isLoopbackUrl(`http://${headers.host ?? ''}`)

export const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/**
 * Returns whether one of our own pages sent the request. A server on this machine has several
 * names, and can be reached through ports other than its own, such as the port of a development
 * server in front of it.
 */
export function isOwnOrigin(publicUrl: string, origin: string): boolean {
  const own = new URL(publicUrl)
  if (!LOOPBACK_NAMES.includes(own.hostname)) return origin === own.origin
  return URL.canParse(origin) && LOOPBACK_NAMES.includes(new URL(origin).hostname)
}
