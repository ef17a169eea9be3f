import { BlockList, isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { invalid } from '../lib/problem.ts'

export const ADDRESSES_MAX = 50

interface Range {
  address: string
  bits: number
  family: 'ipv4' | 'ipv6'
}

/**
 * Reads IPv4 and IPv6 addresses and CIDR ranges; returns each once, in canonical form. Throws 400
 * naming `allowedIps`.
 */
export function readAddresses(texts: readonly string[]): string[] {
  if (texts.length > ADDRESSES_MAX) throw refused(`must have at most ${ADDRESSES_MAX} entries`)
  const spelt = texts.map((text) => {
    const range = rangeOf(text)
    if (!range) {
      const shown = JSON.stringify(text.slice(0, 50))
      throw refused(`has ${shown}, which is not an IP address or a range such as 203.0.113.0/24`)
    }
    const { address, bits, family } = range
    return bits === (family === 'ipv4' ? 32 : 128) ? address : `${address}/${bits}`
  })
  return [...new Set(spelt)]
}

const refused = (message: string) => invalid({ allowedIps: [message] })

/**
 * Returns a function that checks whether an address is in a list from `readAddresses`; an empty
 * list allows every address. A client that has disconnected no longer has an address, so it is not
 * in any list.
 */
export function allowList(addresses: readonly string[]): (ip: string | undefined) => boolean {
  if (addresses.length === 0) return () => true
  // The lists are separate: in a shared one, `::/0` would also match every IPv4 address.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const text of addresses) {
    const range = rangeOf(text)
    if (range) lists[range.family].addSubnet(range.address, range.bits, range.family)
  }
  return (ip) => {
    const asked = ip === undefined ? undefined : rangeOf(ip.replace(/%.*$/, ''))
    return asked !== undefined && lists[asked.family].check(asked.address, asked.family)
  }
}

/** Reads one address or range; undefined if it is neither. */
function rangeOf(text: string): Range | undefined {
  const [address = '', bitsText, ...more] = text.trim().toLowerCase().split('/')
  const version = isIP(address)
  if (version === 0 || address.includes('%') || more.length > 0) return undefined
  const most = version === 4 ? 32 : 128
  const bits = bitsText === undefined ? most : /^\d{1,3}$/.test(bitsText) ? Number(bitsText) : -1
  if (bits < 0 || bits > most) return undefined
  return version === 4 ? { address, bits, family: 'ipv4' } : unmapped(address, bits)
}

/** An IPv4 address that arrives over an IPv6 socket counts as that IPv4 address. */
function unmapped(address: string, bits: number): Range {
  // The URL parser writes every IPv6 address in its short canonical form.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const v4 = v4Of(short)
  if (v4 && bits >= 96) return { address: v4, bits: bits - 96, family: 'ipv4' }
  return { address: short, bits, family: 'ipv6' }
}

/** The short form writes `::ffff:1.2.3.4` in hexadecimal: `::ffff:102:304`. */
function v4Of(short: string): string | undefined {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short) ?? []
  if (!high || !low) return undefined
  const a = Number.parseInt(high, 16)
  const b = Number.parseInt(low, 16)
  return [a >> 8, a & 255, b >> 8, b & 255].join('.')
}

const GROUPS = 8
/** Internet providers give each customer a /64, and the customer can vary all bits after it. */
const NETWORK_GROUPS = 4

/**
 * Returns the network that an address belongs to: for IPv4, the address itself; for IPv6, its /64.
 * Clients that have disconnected no longer have an address and share one network.
 */
export function networkOf(ip: string | undefined): string {
  if (ip === undefined) return ''
  const { family, address } = rangeOf(ip.replace(/%.*$/, '')) ?? { family: 'ipv4', address: ip }
  if (family === 'ipv4') return address
  const [head, tail] = address.split('::').map((side) => side.split(':').filter(Boolean))
  const given = [...head!, ...(tail ?? [])].length
  const zeros = Array.from({ length: GROUPS - given }, () => '0')
  return [...head!, ...zeros, ...(tail ?? [])].slice(0, NETWORK_GROUPS).join(':')
}

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
