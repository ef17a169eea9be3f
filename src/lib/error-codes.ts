import type { ProblemKind } from './problem.ts'

interface ErrorCodeEntry {
  /** Decides the status; a number is the status of what is refused before it is a request. */
  kind: ProblemKind | number
  means: string
  /** What the caller does about it. */
  mend: string
}

/** Every `errorCode` there is. docs/errors.md is printed from it: `npm test -- test/errors -u`. */
export const ERROR_CODES = {
  // What was sent cannot be read.
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
    means: 'The address has escapes that are not UTF-8 text, or a NUL.',
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
    means: 'The body is larger than 1 MiB.',
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

  // What was sent can be read, and is not accepted.
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
    mend: 'Send `Authorization: Bearer sk_…`, from a backend on the allow-list.',
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
    means: 'The wallet has less than this takes; nothing was moved.',
    mend: 'Fund the wallet, or take less.',
  },

  // There is nothing, or nothing of yours, at that address.
  route_not_found: {
    kind: 'not_found',
    means: 'There is no operation at this address.',
    mend: 'Compare it with /docs; a few operations have one family of paths only.',
  },
  method_not_allowed: {
    kind: 'method_not_allowed',
    means: 'The address has operations, but none with this method.',
    mend: 'Use one of those that `Allow` names.',
  },
  asset_not_found: {
    kind: 'not_found',
    means: 'The page that named this file is of another version.',
    mend: 'Load the page again.',
  },
  invoice_not_found: {
    kind: 'not_found',
    means: 'There is no such invoice in this business and mode.',
    mend: 'Check the reference, and that the key is of the right mode.',
  },
  key_not_found: {
    kind: 'not_found',
    means: 'There is no such key in this business.',
    mend: 'List the keys.',
  },
  transaction_not_found: {
    kind: 'not_found',
    means: 'There is no such transaction in this business and mode.',
    mend: 'Check the id or reference, and that the key is of the right mode.',
  },
  virtual_account_not_found: {
    kind: 'not_found',
    means: 'No payment of this business waits for money on that account number.',
    mend: 'Check the number; it may have expired.',
  },

  // It cannot be done now.
  request_in_progress: {
    kind: 'conflict',
    means: 'The first request with this Idempotency-Key is still running.',
    mend: 'Send it again, with the same key, after `Retry-After`.',
  },
  idempotency_key_reused: {
    kind: 'key_reused',
    means: 'This Idempotency-Key was used for another request.',
    mend: 'Use a new key for a new request.',
  },
  invoice_state: {
    kind: 'conflict',
    means: 'The invoice is in a state that does not allow this; the message names both.',
    mend: 'Get the invoice, and look at its status.',
  },
  invoice_not_payable: {
    kind: 'conflict',
    means: 'The invoice was paid or voided meanwhile.',
    mend: 'Look at its page again.',
  },
  key_state: {
    kind: 'conflict',
    means: 'The key is revoked or expired.',
    mend: 'Create a new one.',
  },
  transaction_state: {
    kind: 'conflict',
    means: 'The payment has ended already.',
    mend: 'Get the transaction, and look at its status.',
  },
  already_posted: {
    kind: 'conflict',
    means: 'This movement of money was posted already; it was not posted again.',
    mend: 'Nothing: look at the record that caused it.',
  },
  hold_ended: {
    kind: 'conflict',
    means: 'Money that was held was paid out or given back already.',
    mend: 'Look at the record that held it.',
  },
  provider_refused: {
    kind: 'conflict',
    means: 'The bank or network would not start this payment; the message says why.',
    mend: 'Try another channel.',
  },

  // Ours.
  internal: {
    kind: 'internal',
    means: 'Something went wrong on our side; the log has it under the request id.',
    mend: 'Send it again with the same Idempotency-Key; tell the operator the request id.',
  },
  timed_out: {
    kind: 'internal',
    means: 'The answer took longer than 30 seconds; what became of it is not known.',
    mend: 'Send it again with the same Idempotency-Key.',
  },
  outcome_unknown: {
    kind: 'internal',
    means: 'The database was lost while it stored this; what became of it is not known.',
    mend: 'Send it again with the same Idempotency-Key.',
  },
  database_unavailable: {
    kind: 'unavailable',
    means: 'The database cannot be reached, or is too slow; nothing was done.',
    mend: 'Send it again after `Retry-After`.',
  },
  live_provider_missing: {
    kind: 'unavailable',
    means: 'No live provider is configured for this channel; nothing was done.',
    mend: 'Use a test key, or have the operator configure a provider.',
  },
  account_not_resolved: {
    kind: 'unavailable',
    means: 'The bank did not answer whose account this is; nothing was changed.',
    mend: 'Send it again later.',
  },
  payment_just_ended: {
    kind: 'unavailable',
    means: 'The payment ended while this looked at it.',
    mend: 'Send it again.',
  },
  closing: {
    kind: 'unavailable',
    means: 'The server is closing.',
    mend: 'Send it to another one, or again after `Retry-After`.',
  },
} satisfies Record<string, ErrorCodeEntry>

export type ErrorCode = keyof typeof ERROR_CODES

/** The codes of one kind. */
export type CodeOf<Kind extends ProblemKind> = {
  [Code in ErrorCode]: (typeof ERROR_CODES)[Code]['kind'] extends Kind ? Code : never
}[ErrorCode]

type Before<End extends string, Code = ErrorCode> = Code extends `${infer Noun}${End}`
  ? Noun
  : never

/** What can be missing, in the words of the contract: `invoice`. */
export type NotFoundNoun = Before<'_not_found'>

/** What has states that may not allow a move. */
export type StateNoun = Before<'_state'>
