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
