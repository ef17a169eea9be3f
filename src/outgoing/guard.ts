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
  const host = url.hostname.replace(/^\[|\]$/g, '')
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
