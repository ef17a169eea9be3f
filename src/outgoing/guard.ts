import { type LookupAddress, lookup as resolveName } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
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
