import { type LookupAddress, lookup as resolveName } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { invalid } from '../lib/problem.ts'

/** Returns whether this server can call an IP address: `isPublicAddress`, or a less strict rule. */
export type Allows = (address: string) => boolean

/**
 * Suffixes of private names (in homes, on one machine, within clouds). Names with one of them are
 * refused, regardless of their IP addresses.
 */
const INSIDE = [
  'internal',
  'local',
  'localdomain',
  'lan',
  'intranet',
  'home.arpa',
  // Cloud metadata services.
  'metadata.goog',
  'metadata.tencentyun.com',
  'metadata.packet.net',
]

/**
 * Ports that web servers use. Other ports belong to databases, mail servers and similar services.
 */
const PORTS = ['', '80', '443', '8443']

/**
 * Refuses a new URL that only someone who probes networks would send: an IP address instead of a
 * name in live mode, a port that web servers do not use, or a URL of this server. Throws 400 naming
 * `url`.
 */
export function requireOrdinaryUrl(
  url: URL,
  { live, publicUrl }: { live: boolean; publicUrl: string },
) {
  const own = new URL(publicUrl).hostname
  const host = url.hostname
  if (host === own && isIP(bare(own)) === 0 && own.includes('.')) {
    throw refusedUrl('must not be the URL of this server')
  }
  if (!live) return
  if (isIP(bare(host)) !== 0) throw refusedUrl('must use a host name, not an IP address')
  if (!PORTS.includes(url.port)) throw refusedUrl('must use port 80, 443 or 8443')
}

const bare = (host: string) => host.replace(/^\[|\]$/g, '')

/**
 * Parses a URL given by an outsider for this server to call. Throws 400 naming `url` if the URL
 * itself shows that it isn't public. `safeLookup` checks the IP addresses of its name when the
 * connection is opened. This machine's names are accepted if its addresses are allowed.
 */
export function readPublicUrl(address: string, allows: Allows): URL {
  const url = URL.parse(address)
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw refusedUrl('must be a URL that starts with https:// or http://')
  }
  if (url.username || url.password) throw refusedUrl('must not contain a user name or password')
  const host = bare(url.hostname)
  const isAllowed = isIP(host) === 0 ? isPublicName(host, allows) : allows(host)
  if (!isAllowed) throw notPublic()
  return url
}

function isPublicName(host: string, allows: Allows): boolean {
  if (host.length > 253 || host.endsWith('.')) return false
  if (host === 'localhost' || host.endsWith('.localhost')) return allows('127.0.0.1')
  return host.includes('.') && !INSIDE.some((end) => host === end || host.endsWith(`.${end}`))
}

/** The error for a connection whose name resolves to an address that is not allowed. */
export const NOT_PUBLIC_ERROR = new Error('the host name resolves to an address that is not public')

/** Returns all addresses for a name, as `dns.lookup` does. */
export type Resolve = (
  host: string,
  options: { all: true },
  done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void

/**
 * Refuses a name if any of its IP addresses is not allowed. The connection then uses one of the
 * checked addresses, so a second DNS response cannot change it.
 */
export const safeLookup =
  (allows: Allows, resolve: Resolve = resolveName): LookupFunction =>
  (host, { all }, done) =>
    resolve(host, { all: true }, (error, found) => {
      const [first] = found ?? []
      if (error || !first) return done(error ?? NOT_PUBLIC_ERROR, '')
      if (!found.every(({ address }) => allows(address))) return done(NOT_PUBLIC_ERROR, '')
      return all ? done(null, found) : done(null, first.address, first.family)
    })

export const refusedUrl = (fault: string) => invalid({ url: [fault] }, 'url_refused')

export const notPublic = () => refusedUrl('must be a public URL')

/**
 * Ranges for a single machine, a home or a provider's internal network, and reserved ranges (RFC
 * 6890 and later).
 */
const NOT_PUBLIC_RANGES = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]

/** Every public IPv6 address starts with the bits 001. These ranges do too, but are not public. */
const NOT_PUBLIC_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '5f00::/16']

const blocked = listOf(NOT_PUBLIC_RANGES, 'ipv4')
const blocked6 = listOf(NOT_PUBLIC_6, 'ipv6')
const global6 = listOf(['2000::/3'], 'ipv6')

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [net = '', bits] = range.split('/')
    list.addSubnet(net, Number(bits), family)
  }
  return list
}

/**
 * Returns whether an address belongs to the public internet. Outsiders can make the server call
 * only public addresses. IPv6 forms that contain an IPv4 address do not count as public.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !blocked.check(address, 'ipv4')
  return family === 6 && global6.check(address, 'ipv6') && !blocked6.check(address, 'ipv6')
}

/**
 * `node:http` and `node:https`, as `require` returns them. An import makes Node evaluate all
 * exports, one of which loads all of `fetch`. That takes 14 MB in an idle server.
 */
export const http = process.getBuiltinModule('node:http')
export const https = process.getBuiltinModule('node:https')
