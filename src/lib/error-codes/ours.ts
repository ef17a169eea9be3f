import type { ErrorCodeEntry } from './entry.ts'

/** Ours. */
export const OURS = {
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
    means:
      'The database cannot be reached, is read-only, is full or is too slow; nothing was done.',
    mend: 'Send it again after `Retry-After`.',
  },
  server_busy: {
    kind: 'unavailable',
    means: 'More requests are waiting for the database than it can serve soon; nothing was done.',
    mend: 'Send it again after `Retry-After`.',
  },
  pdf_busy: {
    kind: 'unavailable',
    means: 'Too many PDFs are wanted at once; nothing was done.',
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
  dashboard_not_built: {
    kind: 'unavailable',
    means: 'The dashboard was not built; the API and the pages of payers are there.',
    mend: 'Start once with `npm start`, which builds it.',
  },
  closing: {
    kind: 'unavailable',
    means: 'The server is closing.',
    mend: 'Send it to another one, or again after `Retry-After`.',
  },
} satisfies Record<string, ErrorCodeEntry>
