import type { ErrorCodeEntry } from './entry.ts'

/** What was sent can be read, and is not accepted. */
export const REFUSED = {
  validation_failed: {
    kind: 'invalid',
    means: 'Fields are missing or wrong; nothing was stored.',
    mend: 'Mend each field that `errors`, or else the message, names.',
  },
  invalid_text: {
    kind: 'invalid',
    means: 'A text has a NUL or half of a surrogate pair, which cannot be stored.',
    mend: 'Strip it from the fields named.',
  },
  invalid_key: {
    kind: 'unauthenticated',
    means: 'The secret key is missing, malformed, unknown, revoked, expired, or not for you.',
    mend: 'Send `Authorization: Bearer sk_…`, from a backend on the allow-list; with a partner’s token also `X-Business-Id`.',
  },
  invalid_client: {
    kind: 'unauthenticated',
    means: 'The client id or the client secret is missing, unknown, revoked or past its end.',
    mend: 'Send the credentials that the operator gave you, from a backend.',
  },
  invalid_scope: {
    kind: 'invalid',
    means: 'A scope does not exist, or is none of those that the partner has.',
    mend: 'Leave `scope` out to get all of them, or name some of them with a space between.',
  },
  unsupported_grant_type: {
    kind: 'invalid',
    means: '`grant_type` is not `client_credentials`.',
    mend: 'Send `grant_type=client_credentials`.',
  },
  insufficient_scope: {
    kind: 'forbidden',
    means: 'The key is restricted and lacks the scope that the message names.',
    mend: 'Use a key with that scope.',
  },
  rate_limited: {
    kind: 'rate_limited',
    means: 'The key has used up its requests of this second.',
    mend: 'Wait for `Retry-After`, and keep to `RateLimit-Remaining`.',
  },
  reminded_lately: {
    kind: 'rate_limited',
    means: 'The customer was reminded of this invoice less than an hour ago.',
    mend: 'Wait for `Retry-After`.',
  },
  test_mode_only: {
    kind: 'invalid',
    means: 'Only test mode can be simulated.',
    mend: 'Use a test key.',
  },
  clock_too_far: {
    kind: 'invalid',
    means: 'The test clock goes at most ten years ahead.',
    mend: 'Advance it by less.',
  },
  insufficient_balance: {
    kind: 'invalid',
    responseCode: '51',
    means: 'The wallet, or a subaccount that had a share, has less than this takes; nothing moved.',
    mend: 'Fund the wallet, wait for other payments, or take less.',
  },
  approval_needed: {
    kind: 'invalid',
    responseCode: '61',
    means: 'The bill would take the day above `dailyApprovalAbove`; nothing was bought.',
    mend: 'Let a person pay it at the dashboard, or wait for the next day.',
  },
  refund_exceeds_payment: {
    kind: 'invalid',
    means: 'Less than this is left of the payment after its earlier refunds; nothing was done.',
    mend: 'Refund less, or leave the amount out to refund all that is left.',
  },
  discount_refused: {
    kind: 'invalid',
    means: 'The discount code cannot be used for this; `errors` has the reason under its name.',
    mend: 'Tell the buyer why, or leave the code out.',
  },
  subaccount_exists: {
    kind: 'invalid',
    means: 'Another subaccount has this account at this bank; it may be Inactive.',
    mend: 'Search the subaccounts for the account number, and use or activate that one.',
  },
  shares_over_100: {
    kind: 'invalid',
    means: 'The shares of the split page would be more than 100% together.',
    mend: 'Get the split page, and give less than `totalShare` leaves.',
  },
} satisfies Record<string, ErrorCodeEntry>

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

/** About files: pictures, what is downloaded, and the store of both. */
export const FILES = {
  invalid_multipart: {
    kind: 'invalid',
    means: 'The multipart body breaks off, or is not multipart.',
    mend: 'Let the HTTP library write it, and send all of it.',
  },
  too_many_parts: {
    kind: 'too_large',
    means: 'The multipart body has more files or fields than are taken at once.',
    mend: 'Send the files in several requests.',
  },
  file_too_large: {
    kind: 'too_large',
    means: 'A file, or all of a request together, is larger than the message says.',
    mend: 'Send less, or have the operator raise `UPLOAD_MEDIA_MIB` or `UPLOAD_FILE_MIB`.',
  },
  bad_picture: {
    kind: 'invalid',
    means: 'The bytes are no JPEG, PNG, WebP or GIF, are cut off, or would be too large a picture.',
    mend: 'Send a picture that opens elsewhere, of at most 40 megapixels.',
  },
  too_many_files: {
    kind: 'invalid',
    means: 'There would be more pictures or files than the message says.',
    mend: 'Delete one first; of pictures for payment pages, go on a day later.',
  },
  url_refused: {
    kind: 'invalid',
    means:
      'The server does not call this address: it is not public, or its file did not come in time.',
    mend: 'Give a public address that answers 200 itself, or send the file.',
  },
  range_not_satisfiable: {
    kind: 'unsatisfiable',
    means: 'The `Range` begins behind the end of the file.',
    mend: 'Ask for bytes that are there; `Content-Range` says how many there are.',
  },
  media_not_found: {
    kind: 'not_found',
    means: 'There is no such picture of this product or variant, or at this address any more.',
    mend: 'List the media of the product.',
  },
  digital_file_not_found: {
    kind: 'not_found',
    means: 'The product has no such digital file.',
    mend: 'List the digital files of the product.',
  },
  download_not_found: {
    kind: 'not_found',
    means: 'This is no link of ours to a file.',
    mend: 'Check that all of the link was copied.',
  },
  download_ended: {
    kind: 'gone',
    means: 'The link has expired, was revoked, or was used as often as it allows.',
    mend: 'Ask whoever sold the file for a new one.',
  },
  storage_unavailable: {
    kind: 'unavailable',
    means: 'The store of files cannot be reached, or is full; nothing was done.',
    mend: 'Send it again after `Retry-After`.',
  },
  uploads_busy: {
    kind: 'unavailable',
    means: 'Too many files come in at once, of yours or of everybody; nothing was done.',
    mend: 'Send it again after `Retry-After`.',
  },
} satisfies Record<string, ErrorCodeEntry>
