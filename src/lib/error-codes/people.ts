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
  people_only: {
    kind: 'forbidden',
    means: 'No key can do this: it says which people have to agree when money leaves.',
    mend: 'Do it at the dashboard.',
  },
  approvers_missing: {
    kind: 'conflict',
    means: 'An approval limit needs two people who can approve transfers.',
    mend: 'Invite another owner, admin or finance person first.',
  },
  approval_change_gone: {
    kind: 'conflict',
    means: 'This change of the approval limits was confirmed, withdrawn or replaced meanwhile.',
    mend: 'Read the settings again.',
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
  code_needed: {
    kind: 'unauthenticated',
    means: 'The password is right, and two-factor is on.',
    mend: 'Send the same again with `code`, of the authenticator app or a recovery code.',
  },
  code_wrong: {
    kind: 'unauthenticated',
    means: 'The code is wrong, too old, or was used before.',
    mend: 'Wait for the next code of the app, or use a recovery code.',
  },
  two_factor_state: {
    kind: 'conflict',
    means: 'Two-factor is on already, is not on, or was not begun.',
    mend: 'Look at your security settings again.',
  },
  passkey_refused: {
    kind: 'unauthenticated',
    means: 'The passkey is unknown here, or signed something else than was asked.',
    mend: 'Try again, or sign in with the password.',
  },
  passkey_exists: {
    kind: 'conflict',
    means: 'This passkey was added before.',
    mend: 'Use it.',
  },
  passkeys_unavailable: {
    kind: 'conflict',
    means: 'The server is reached by an address without a name, for which there are no passkeys.',
    mend: 'Give it a name with `PUBLIC_URL`.',
  },
  passkey_not_found: {
    kind: 'not_found',
    means: 'You have no such passkey.',
    mend: 'List your passkeys.',
  },
  session_not_found: {
    kind: 'not_found',
    means: 'You have no such session; it may have ended.',
    mend: 'List your sessions.',
  },
  member_not_found: {
    kind: 'not_found',
    means: 'Nobody of this business has this id; they may have been removed.',
    mend: 'List the team.',
  },
  invitation_not_found: {
    kind: 'not_found',
    means: 'The invitation was used, taken back, or its time is over.',
    mend: 'List the team.',
  },
  member_exists: {
    kind: 'conflict',
    means: 'Who has this address is a member of the business already.',
    mend: 'Change their role instead.',
  },
  two_factor_required: {
    kind: 'forbidden',
    means: 'The business requires a second factor, and only the password stands behind you.',
    mend: 'Set up an authenticator app or a passkey, or sign in with the passkey that you have.',
  },
  second_factor_needed: {
    kind: 'forbidden',
    means: 'Nobody does this whose account the password alone opens, such as live secret keys.',
    mend: 'Set up an authenticator app or a passkey, or sign in with the passkey that you have.',
  },
  owner_needed: {
    kind: 'forbidden',
    means: 'Only an owner makes, invites or removes owners, or requires a second factor.',
    mend: 'Ask an owner.',
  },
  last_owner: {
    kind: 'conflict',
    means: 'The business would have no owner any more.',
    mend: 'Make another member an owner first.',
  },
  second_person_needed: {
    kind: 'forbidden',
    means:
      'It needs a second person: you made it, by hand or with your key, or this key does not say who you are.',
    mend: 'Ask another owner, admin or finance member to approve it.',
  },
} satisfies Record<string, ErrorCodeEntry>
