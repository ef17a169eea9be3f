/**
 * Headers of every answer that carries a page. Nothing is loaded from elsewhere, nothing runs
 * without the nonce, no other site can frame the page, and no cache keeps what a payer saw.
 */
export function pageHeaders(nonce: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy(nonce),
    'cache-control': 'no-store',
    // What decides the language, and whether it is packed.
    vary: 'accept-language, cookie, accept-encoding',
    // The address is the invoice's secret: it must not travel to where a link leads. (Under
    // no-referrer our own forms would post with `Origin: null`.)
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex, nofollow',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  }
}

const policy = (nonce: string) =>
  [
    "default-src 'none'",
    "style-src 'self'",
    `script-src 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
