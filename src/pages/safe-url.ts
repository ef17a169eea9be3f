const SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tel:'])

/**
 * An address that may stand in an `href`, or undefined. Preact escapes an attribute but lets
 * `javascript:` through, so every address that a merchant can set passes here.
 */
export function safeUrl(address: string | undefined): string | undefined {
  if (!address || !URL.canParse(address)) return undefined
  const url = new URL(address)
  if (!SCHEMES.has(url.protocol)) return undefined
  // `https://bank.example@evil.example` looks like the bank.
  if (url.username || url.password) return undefined
  return url.href
}

/** `mailto:` of an e-mail address; nothing in it can add a subject or a copy. */
export const mailUrl = (email: string | undefined) =>
  safeUrl(email && `mailto:${encodeURIComponent(email).replace('%40', '@')}`)

/** `tel:` of a phone number or a USSD code, whose `#` would otherwise start a fragment. */
export const dialUrl = (number: string | undefined) =>
  safeUrl(number && `tel:${number.replace(/[^\d+*#]/g, '').replaceAll('#', '%23')}`)

/** `https://www.ada.example/` as people say it. */
export const siteOf = (website: string): string =>
  website.replace(/^https?:\/\/(?:www\.)?/, '').replace(/\/$/, '')
