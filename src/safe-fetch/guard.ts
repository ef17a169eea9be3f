import { type LookupAddress, lookup as resolveName } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { invalid } from '../lib/problem.ts'

/** Whether this server may call an address; `isPublicAddress`, or a wider one. */
export type Allows = (address: string) => boolean

/** Endings of names of a house, a machine or a cloud's inside, whatever they resolve to. */
const INSIDE = [
  'internal',
  'local',
  'localdomain',
  'lan',
  'intranet',
  'home.arpa',
  // What clouds know of their machines.
  'metadata.goog',
  'metadata.tencentyun.com',
  'metadata.packet.net',
]

/** Ports that web servers use; others are those of databases, mail servers and the like. */
const PORTS = ['', '80', '443', '8443']

/**
 * Refuses an address that is new and that only somebody who probes networks would give: a number in
 * place of a name where real money moves, another port than those of web servers, and this server
 * itself. Throws 400 naming `url`.
 */
export function refuseOddUrl(url: URL, { live, publicUrl }: { live: boolean; publicUrl: string }) {
  const own = new URL(publicUrl).hostname
  const host = url.hostname
  if (host === own && isIP(bare(own)) === 0 && own.includes('.')) {
    throw refusedUrl('must not be the address of this server')
  }
  if (!live) return
  if (isIP(bare(host)) !== 0) throw refusedUrl('must have a name instead of an IP address')
  if (!PORTS.includes(url.port)) throw refusedUrl('must have port 80, 443 or 8443')
}

const bare = (host: string) => host.replace(/^\[|\]$/g, '')

/**
 * The address that somebody outside gave for this server to call. Throws 400 naming `url` for one
 * that cannot be public by its text alone; what its name resolves to is seen by `guardedLookup`, in
 * the very connection that is opened. Names of this machine pass where its addresses are allowed.
 */
export function readPublicUrl(address: string, allows: Allows): URL {
  const url = URL.parse(address)
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw refusedUrl('must be an address that begins with https:// or http://')
  }
  if (url.username || url.password) throw refusedUrl('must not have a name and password in it')
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

/** What a connection fails with whose name is of an address that is not allowed. */
export const NOT_PUBLIC = new Error('the name is of an address that is not public')

/** All addresses of a name, as `dns.lookup` finds them. */
export type Resolve = (
  host: string,
  options: { all: true },
  done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void

/**
 * Refuses a name when any of its addresses is not allowed. The connection is then opened to one of
 * those that were looked at, so that no second answer can name another.
 */
export const guardedLookup =
  (allows: Allows, resolve: Resolve = resolveName): LookupFunction =>
  (host, { all }, done) =>
    resolve(host, { all: true }, (error, found) => {
      const [first] = found ?? []
      if (error || !first) return done(error ?? NOT_PUBLIC, '')
      if (!found.every(({ address }) => allows(address))) return done(NOT_PUBLIC, '')
      return all ? done(null, found) : done(null, first.address, first.family)
    })

export const refusedUrl = (fault: string) => invalid({ url: [fault] }, 'url_refused')

export const notPublic = () => refusedUrl('must be a public address')

/** Ranges that are of a machine, a house, a provider's inside or nobody's (RFC 6890 and after). */
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

/** All that is public in version 6 begins with 001; of that, these are not. */
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
 * Whether an address is of the open internet: what a server may be made to call by somebody who
 * names an address. Forms of version 6 that carry one of version 4 are not.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !blocked.check(address, 'ipv4')
  return family === 6 && global6.check(address, 'ipv6') && !blocked6.check(address, 'ipv6')
}

/**
 * `node:http` and `node:https` as `require` gives them. An import from either makes Node look at
 * each of its exports, one of which loads the whole of `fetch`: 14 MB of an idle server.
 */
export const http = process.getBuiltinModule('node:http')
export const https = process.getBuiltinModule('node:https')
