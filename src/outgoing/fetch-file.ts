import { lookup as resolveName } from 'node:dns'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { invalid } from '../lib/problem.ts'

/** From the first step to the last byte. */
const FETCH_MS = 15_000

export interface FetchOptions {
  /** Whether this server may call an address; `isPublicAddress`. */
  allows(address: string): boolean
  timeoutMs?: number
}

/**
 * Fetches the content of an address that somebody outside gave. Only addresses that are allowed are
 * called: each is looked at after its name was resolved, in the very connection that is opened, so
 * that no second answer can name another. Redirects are not followed. Throws 400 naming `url`.
 */
export async function fetchFile<T>(
  address: string,
  { allows, timeoutMs = FETCH_MS }: FetchOptions,
  take: (content: IncomingMessage) => Promise<T>,
): Promise<T> {
  const url = readUrl(address, allows)
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await open(url, allows, signal)
  try {
    if (response.statusCode !== 200) {
      throw refused(`must answer 200 itself; it answered ${response.statusCode}`)
    }
    return await take(response)
  } catch (error) {
    throw signal.aborted || response.errored ? refused('took too long, or broke off') : error
  } finally {
    response.destroy()
  }
}

function readUrl(address: string, allows: FetchOptions['allows']): URL {
  const url = URL.parse(address)
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw refused('must be an address that begins with https:// or http://')
  }
  if (url.username || url.password) throw refused('must not have a name and password in it')
  // A name is looked at when it is resolved; an address would not be.
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !allows(host)) throw notPublic()
  return url
}

function open(
  url: URL,
  allows: FetchOptions['allows'],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const options = {
      lookup: guardedLookup(allows),
      signal,
      // A connection of its own: one that is kept may have been opened for somebody else.
      agent: false as const,
      headers: { accept: 'image/*', 'user-agent': 'Tradepost' },
    }
    request(url, options, resolve)
      .on('error', (error) => reject(error === NOT_PUBLIC ? notPublic() : unreachable(signal)))
      .end()
  })
}

const NOT_PUBLIC = new Error('the name is of an address that is not public')

/** Refuses a name when any of its addresses is not allowed, and else pins the first. */
const guardedLookup =
  (allows: FetchOptions['allows']): LookupFunction =>
  (host, { all }, done) =>
    resolveName(host, { all: true }, (error, found) => {
      const [first] = found ?? []
      if (error || !first) return done(error ?? NOT_PUBLIC, '')
      if (!found.every(({ address }) => allows(address))) return done(NOT_PUBLIC, '')
      return all ? done(null, [first]) : done(null, first.address, first.family)
    })

const refused = (fault: string) => invalid({ url: [fault] }, 'url_refused')

const notPublic = () => refused('must be a public address')

const unreachable = (signal: AbortSignal) =>
  refused(signal.aborted ? 'took too long' : 'could not be reached')
