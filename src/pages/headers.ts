/**
 * Returns the headers for every HTML response. Pages don't load anything from other origins, don't
 * run anything without the nonce, can't be framed by other sites, and aren't cached. Their forms
 * lead only to this server and to `formTargets`, even by a redirect.
 */
export function pageHeaders(
  nonce: string,
  formTargets: readonly string[] = [],
): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy(nonce, formTargets),
    'cache-control': 'no-store',
    // The language and the compression depend on these headers.
    vary: 'accept-language, cookie, accept-encoding',
    // The URL gives access to the invoice, so it must not leak through links. (With no-referrer,
    // our own forms would post with `Origin: null`.)
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex, nofollow',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  }
}

const policy = (nonce: string, formTargets: readonly string[]) =>
  [
    "default-src 'none'",
    "style-src 'self'",
    `script-src 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    ["form-action 'self'", ...formTargets].join(' '),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
