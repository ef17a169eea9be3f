const SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tel:'])

/**
 * Returns a URL that is safe in an `href`, or undefined. Preact escapes attributes but allows
 * `javascript:` URLs, so every URL set by a merchant must pass through this function.
 */
export function safeUrl(address: string | undefined): string | undefined {
  if (!address || !URL.canParse(address)) return undefined
  const url = new URL(address)
  if (!SCHEMES.has(url.protocol)) return undefined
  // `https://bank.example@evil.example` looks like the bank's URL.
  if (url.username || url.password) return undefined
  return url.href
}

/**
 * Returns whether a Content Security Policy with these sources allows a URL. A source is an origin,
 * whose host can start with `*.`, and whose port can be `*`.
 */
export function isAmong(address: string, sources: readonly string[]): boolean {
  const url = URL.parse(address)
  return url !== null && sources.some((source) => isFrom(url, source))
}

function isFrom({ protocol, hostname, port }: URL, source: string): boolean {
  const [, scheme, wildcard, host = '', place = ''] =
    /^(https?:)\/\/(\*\.)?([^:/]+)(?::(\d+|\*))?$/.exec(source) ?? []
  const isHost = wildcard ? hostname.endsWith(`.${host}`) : hostname === host
  return protocol === scheme && isHost && (place === '*' || place === port)
}

/**
 * Returns the `mailto:` URL for an email address. It cannot contain a subject or another recipient.
 */
export const mailUrl = (email: string | undefined) =>
  safeUrl(email && `mailto:${encodeURIComponent(email).replace('%40', '@')}`)

/**
 * Returns the `tel:` URL for a phone number or a USSD code. The `#` of a code is escaped, because
 * it would otherwise start a fragment.
 */
export const dialUrl = (number: string | undefined) =>
  safeUrl(number && `tel:${number.replace(/[^\d+*#]/g, '').replaceAll('#', '%23')}`)

/** Shortens `https://www.ada.example/` to `ada.example`. */
export const siteOf = (website: string): string =>
  website.replace(/^https?:\/\/(?:www\.)?/, '').replace(/\/$/, '')
