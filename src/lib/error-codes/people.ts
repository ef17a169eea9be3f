import type { ErrorCodeEntry } from './entry.ts'

/** What the merchant's people meet at the dashboard; keys never do. */
export const PEOPLE = {
  session_ended: {
    kind: 'unauthenticated',
    means: 'Nobody is signed in at the dashboard, or not any more.',
    mend: 'Sign in again.',
  },
  csrf_refused: {
    kind: 'forbidden',
    means: 'A change did not come from a page of the dashboard.',
    mend: 'Load the dashboard again.',
  },
  reauthentication_needed: {
    kind: 'forbidden',
    means: 'A person is to give the password again for this; keys are not asked.',
    mend: 'Send the password to `/console/reauthenticate`, then repeat it within five minutes.',
  },
  business_not_found: {
    kind: 'not_found',
    means: 'You are not a member of a business with this id.',
    mend: 'Choose one of your businesses.',
  },
  link_not_found: {
    kind: 'not_found',
    means: 'The link was used before, its time is over, or it never was one.',
    mend: 'Ask whoever gave it to you for another.',
  },
  sign_in_failed: {
    kind: 'unauthenticated',
    means: 'The address or the password is wrong; which of them is not told.',
    mend: 'Try again, or set another password.',
  },
  sign_in_locked: {
    kind: 'rate_limited',
    means: 'There were too many wrong passwords or codes one after the other.',
    mend: 'Wait for `Retry-After`.',
  },
} satisfies Record<string, ErrorCodeEntry>
