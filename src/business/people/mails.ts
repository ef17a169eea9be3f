import type { Database, Db, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import {
  aboutLink,
  type EmailComposer,
  type EmailContent,
  headerText,
  type MailRow,
} from '../../mail/email.ts'
import { MAIL_JOB, queueMails } from '../../mail/queue.ts'
import { type NoticeEmailView, renderNoticeEmail } from '../../mail/templates.ts'
import { urlOfLink } from './one-time-links.ts'
import { type LinkKind, type PersonRow, selectLink, selectMailingBusiness } from './queries.ts'
import { hashOf } from './sessions.ts'
import { readOld } from './two-factor.ts'

export interface NoticeDeps {
  db: Database
  ids: Ids
  keyring: Keyring
  nudge(job: string, afterMs?: number): void
}

/** The content of an email to a person. A link's `token` is stored encrypted. */
export type Notice =
  | { what: keyof typeof CHANGES }
  | { what: 'password' | 'email'; token: string }
  | {
      what: 'password_reset'
      /** Whether the reset also removed two-factor authentication. */
      isCleared: boolean
      /** The remaining passkeys. `token` is the token of the link that removes them. */
      passkeys: { name: string; at: string }[]
      token?: string
    }
  | { what: 'invitation'; token: string; business: string; role: string; by: string }

/** What happened to an account, and what to do if it was someone else. */
const CHANGES = {
  locked: [
    'Someone is trying to sign in to your account',
    'Someone entered five wrong passwords or codes for your account. Further attempts from the same ' +
      'place must wait a minute, then longer each time. This doesn’t affect browsers where you ' +
      'have signed in before.',
    'If it was you, wait and try again, or reset your password. If it wasn’t, your password ' +
      'has not been guessed. If it ever is, two-factor authentication still protects you.',
  ],
  password_changed: [
    'Your password was changed',
    'Your account’s password was changed, and all other sessions were signed out.',
    'If it wasn’t you, reset it now with “Forgot your password?”.',
  ],
  two_factor_on: [
    'Two-factor authentication was turned on',
    'You now need a code from your authenticator app to sign in. You have been signed out of your other sessions.',
    'If it wasn’t you, reset your password now, and ask the owner of the business for help.',
  ],
  two_factor_off: [
    'Two-factor authentication was turned off',
    'You now need only your password to sign in.',
    'If it wasn’t you, reset your password now, and turn two-factor authentication on again.',
  ],
  two_factor_reset: [
    'Your two-factor authentication was removed',
    'The server’s operator removed your authenticator app, your recovery codes and your passkeys, ' +
      'and ended all your sessions. You now need only your password to sign in.',
    'If you didn’t ask for this, reset your password now, and tell the owner of the business. ' +
      'If you did, sign in and set up two-factor authentication again.',
  ],
  recovery_codes: [
    'You have new recovery codes',
    'Your previous recovery codes no longer work.',
    'If it wasn’t you, reset your password now.',
  ],
  passkey_added: [
    'A passkey was added',
    'A new passkey can now be used to sign in to your account.',
    'If it wasn’t you, remove it and reset your password now.',
  ],
  passkeys_removed: [
    'Your passkeys were removed',
    'All passkeys on your account were removed with a link that we emailed to you, and all sessions were signed out.',
    'If it wasn’t you, someone else is reading your email. Change your email account’s password first, then your password here.',
  ],
  email_proved: [
    'Your email address is confirmed',
    'This is the first time you have used a link that we emailed to this address. Until now, anyone ' +
      'could have created the account, so we removed its passkeys, authenticator app and recovery codes, ' +
      'and ended its sessions.',
    'Sign in and set up two-factor authentication again.',
  ],
} as const

const REASON =
  'You’re receiving this because your email address has an account on a Tradepost server.'

export const emailPerson = (
  deps: NoticeDeps,
  person: Pick<PersonRow, 'id' | 'email'>,
  notice: Notice,
  now: Date,
): Promise<void> => deps.db.transaction((tx) => queuePersonEmail(tx, deps, person, notice, now))

/**
 * Emails a person in the caller's transaction, through the queue of the person's first business.
 */
export async function queuePersonEmail(
  tx: Tx,
  deps: Omit<NoticeDeps, 'db'>,
  person: Pick<PersonRow, 'id' | 'email'>,
  notice: Notice,
  now: Date,
): Promise<void> {
  const businessId = await selectMailingBusiness(tx, person, now)
  // A person without a business can't sign in to anything.
  if (businessId === undefined) return
  const to = { businessId, personId: person.id, to: person.email }
  await queueNotice(tx, deps, to, notice, now)
}

export async function queueNotice(
  tx: Tx,
  { ids, keyring, nudge }: Omit<NoticeDeps, 'db'>,
  { businessId, personId, to }: { businessId: number; personId: number; to: string },
  notice: Notice,
  now: Date,
): Promise<void> {
  const { token, ...said } = notice as Notice & { token?: string }
  const link = token && (await keyring.encrypt(tx, aboutLink(to), token))
  await queueMails(tx, ids, [
    {
      businessId,
      // The email belongs to neither mode, and a test clock must not affect when it is sent.
      live: true,
      kind: 'person_notice',
      subjectType: 'person',
      subjectId: personId,
      to,
      data: said,
      ...(link && { link }),
      at: now,
    },
  ])
  tx.after(() => nudge(MAIL_JOB))
}

type ComposerDeps = Pick<NoticeDeps, 'keyring'> & { publicUrl: string }

export const personEmailComposer = (deps: ComposerDeps): EmailComposer => ({
  compose: (db, mail, now) => compose(db, deps, mail, now),
})

/** Version 0.1 stored the token of the link in `sealed`. */
type StoredNotice = Notice & { sealed?: string }

async function readToken(
  db: Db,
  keyring: Keyring,
  { to_address: to, link_encrypted: encrypted }: MailRow,
  { sealed }: StoredNotice,
): Promise<string | undefined> {
  if (encrypted) return keyring.decrypt(db, aboutLink(to), encrypted)
  return sealed && readOld(db, `mail ${to}`, Buffer.from(sealed, 'base64'))
}
type LinkMail = Omit<NoticeEmailView, 'link' | 'facts'> & { text: string }

async function compose(
  db: Db,
  { publicUrl, keyring }: ComposerDeps,
  mail: MailRow,
  now: Date,
): Promise<EmailContent | undefined> {
  const notice = JSON.parse(mail.data ?? '{}') as StoredNotice
  const address = ['Account', mail.to_address] as const
  const openLink = async (kind: LinkKind, text: string) => {
    const token = await readToken(db, keyring, mail, notice)
    if (!token) return undefined
    // Undefined if the link has been used or revoked, or has expired.
    const link = await selectLink(db, hashOf(token), now)
    return link && { url: urlOfLink(publicUrl, kind, token), text }
  }
  /** An email is not sent if its link no longer works. */
  const linkMail = async (kind: LinkKind, view: LinkMail) => {
    const link = await openLink(kind, view.text)
    return link && withLink({ reason: REASON, ...view, facts: [address], link })
  }
  if (notice.what === 'password') {
    return linkMail('password', {
      text: 'Reset password',
      heading: 'Reset your password',
      paragraphs: [
        'Someone, probably you, asked to reset the password for your account.',
        'The link works once and expires in 30 minutes. If it wasn’t you, you can ignore this email.',
      ],
    })
  }
  if (notice.what === 'invitation') {
    const business = headerText(notice.business)
    const by = headerText(notice.by)
    return linkMail('invitation', {
      text: 'Join',
      heading: `Join ${business} on Tradepost`,
      paragraphs: [
        `${by} has invited you to join ${business} as ${notice.role}.`,
        'The link works once and expires in seven days.',
      ],
      reason: `You’re receiving this because ${by} gave us your email address.`,
    })
  }
  if (notice.what === 'email') {
    return linkMail('email', {
      text: 'Confirm email address',
      heading: 'Confirm your email address',
      paragraphs: [
        'An account was created with this email address. If it’s yours, sign in and confirm the address.',
        'The link works once and expires in seven days. If you didn’t create an account, ignore this email: ' +
          'the account can’t be used to accept your invitations.',
      ],
    })
  }
  const facts = [address, ['When', mail.created_at.toISOString()] as const]
  if (notice.what === 'password_reset') {
    const link = await openLink('passkeys', 'Remove all passkeys')
    const view = { ...ofReset(notice), facts, reason: REASON }
    return link ? withLink({ ...view, link }) : renderNoticeEmail(view)
  }
  const [heading, ...paragraphs] = CHANGES[notice.what]
  return renderNoticeEmail({ heading, paragraphs, facts, reason: REASON })
}

/** Only the recipient can have the link, so the stored copy of the email omits it. */
function withLink({ link, ...view }: NoticeEmailView & { link: object }): EmailContent {
  const { paragraphs } = view
  const kept = renderNoticeEmail({ ...view, paragraphs: [...paragraphs, NO_LINK] })
  return { ...renderNoticeEmail({ ...view, link } as NoticeEmailView), kept }
}

const NO_LINK = 'The link in this email is not stored.'

/**
 * Returns the content of a password reset email, without the link that removes the remaining
 * passkeys.
 */
function ofReset({ isCleared, passkeys }: Notice & { what: 'password_reset' }) {
  const [heading, changed, otherwise] = CHANGES.password_changed
  const names = passkeys.map(({ name, at }) => `${headerText(name)} (added ${at.slice(0, 10)})`)
  const cleared =
    'This is the first time you have used a link that we emailed to this address. Until now, anyone could have ' +
    'created the account, so we also removed its passkeys, authenticator app and recovery codes. ' +
    'Sign in and set up two-factor authentication again.'
  const left =
    `These passkeys can still be used to sign in to your account: ${names.join(', ')}. ` +
    'If you don’t recognise one of them, remove them all with the link below. It works once and expires in seven days.'
  return {
    heading,
    paragraphs: [
      changed,
      ...(isCleared ? [cleared] : []),
      ...(names.length > 0 ? [left] : []),
      otherwise,
    ],
  }
}
