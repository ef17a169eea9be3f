import type { ErrorCodeEntry } from './entry.ts'

/** What was sent cannot be read. */
export const UNREADABLE = {
  malformed_request: {
    kind: 400,
    means: 'The bytes are not an HTTP request.',
    mend: 'Send HTTP/1.1, with an HTTP library rather than by hand.',
  },
  request_timeout: {
    kind: 408,
    means: 'The request did not arrive whole within 15 seconds, its headers within 10.',
    mend: 'Send it again; nothing was done.',
  },
  headers_too_large: {
    kind: 431,
    means: 'The headers are larger than 16 KiB.',
    mend: 'Send fewer or shorter headers.',
  },
  bad_request: {
    kind: 'invalid',
    means: 'The request breaks a rule of HTTP that the message names.',
    mend: 'Mend what the message names.',
  },
  bad_url: {
    kind: 'invalid',
    means: 'The address has escapes that are not UTF-8 text, or a name with a NUL.',
    mend: 'Escape it as encodeURIComponent does.',
  },
  bad_content_length: {
    kind: 'invalid',
    means: 'The body is not as long as Content-Length says.',
    mend: 'Let the HTTP library count.',
  },
  unsupported_content_type: {
    kind: 'unsupported',
    means: 'The body is not JSON in UTF-8, or is compressed.',
    mend: 'Send it as application/json, not compressed.',
  },
  body_too_large: {
    kind: 'too_large',
    means: 'The body is larger than this address takes; the message says how much it takes.',
    mend: 'Send less at once.',
  },
  invalid_utf8: {
    kind: 'invalid',
    means: 'The body is not UTF-8.',
    mend: 'Encode it as UTF-8.',
  },
  invalid_json: {
    kind: 'invalid',
    means: 'The body is not JSON, or has a property named __proto__.',
    mend: 'Mend the place that the message names.',
  },
  body_too_deep: {
    kind: 'invalid',
    means: 'Lists and objects are nested deeper than 32.',
    mend: 'Flatten it.',
  },
} satisfies Record<string, ErrorCodeEntry>
