import type { IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'
import {
  type Allows,
  http,
  https,
  NOT_PUBLIC_ERROR,
  notPublic,
  type Resolve,
  readPublicUrl,
  refusedUrl as refused,
  requireOrdinaryUrl,
  safeLookup,
} from './guard.ts'

/** The limit for the whole fetch, from the first step to the last byte. */
const FETCH_MS = 15_000

interface FetchOptions {
  allows: Allows
  /** See `requireOrdinaryUrl`. */
  from: { live: boolean; publicUrl: string }
  timeoutMs?: number
  /** Resolves host names; uses the machine's resolver by default. */
  resolve?: Resolve | undefined
}

/**
 * Fetches the content of a URL given by an outsider, and connects only to allowed IP addresses. The
 * address is checked after the name has been resolved, as part of opening the connection, so a
 * second DNS response cannot change it. Does not follow redirects. Throws 400 naming `url`.
 */
export async function fetchFile<T>(
  address: string,
  { allows, from, timeoutMs = FETCH_MS, resolve }: FetchOptions,
  take: (content: IncomingMessage) => Promise<T>,
): Promise<T> {
  const url = readPublicUrl(address, allows)
  requireOrdinaryUrl(url, from)
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await open(url, safeLookup(allows, resolve), signal)
  try {
    if (response.statusCode !== 200) {
      throw refused(`must respond with 200; it responded with ${response.statusCode}`)
    }
    return await take(response)
  } catch (error) {
    throw signal.aborted || response.errored ? refused('took too long or was interrupted') : error
  } finally {
    response.destroy()
  }
}

function open(url: URL, lookup: LookupFunction, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? https.request : http.request
  return new Promise((resolve, reject) => {
    const options = {
      lookup,
      signal,
      // Opens a new connection, because an idle one may have been opened for another URL.
      agent: false as const,
      headers: { accept: 'image/*', 'user-agent': 'Tradepost' },
    }
    request(url, options, resolve)
      .on('error', (error) =>
        reject(error === NOT_PUBLIC_ERROR ? notPublic() : unreachable(signal)),
      )
      .end()
  })
}

const unreachable = (signal: AbortSignal) =>
  refused(signal.aborted ? 'took too long' : 'could not be reached')
