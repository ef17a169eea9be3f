import type { Database, Db, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { headerText } from '../../mail/header-text.ts'
import type { Letter, Mailing, MailRow } from '../../mail/letter.ts'
import { type NoticeLetterView, noticeLetter } from '../../mail/letters.ts'
import { MAIL_SWEEPER, queueMails } from '../../mail/queue.ts'
import { decrypt, encrypt } from './encryption.ts'
import { urlOfLink } from './one-time-links.ts'
import { type LinkKind, type PersonRow, selectLink, selectMailingBusiness } from './queries.ts'
import { hashOf } from './sessions.ts'

export interface NoticeDeps {
  db: Database
  ids: Ids
  nudge(sweeper: string, afterMs?: number): void
}

/** What a mail to a person says; `token` of a link is sealed in its row. */
export type Notice =
  | { what: keyof typeof CHANGES }
  | { what: 'password' | 'email'; token: string }
  | {
      what: 'password_reset'
      /** A second factor was removed with it. */
      isCleared: boolean
      /** Those that remain; `token` is of the link that removes them. */
      passkeys: { name: string; at: string }[]
      token?: string
    }
  | { what: 'invitation'; token: string; business: string; role: string; by: string }

/** What happened to an account, and what to do when it was somebody else. */
const CHANGES = {
  locked: [
    'Somebody tries to sign in to your account',
    'There were five wrong passwords or codes for your account. Whoever goes on from the same place ' +
      'waits a minute, then longer each time; browsers in which you signed in before are not kept ' +
      'waiting by it.',
    'If it was you, wait and try again, or set another password. If it was not, your password ' +
      'was not found out; two-factor makes sure that it never is enough.',
  ],
  password_changed: [
    'Your password was changed',
    'The password of your account was changed, and all its other sessions ended.',
    'If it was not you, set another one at once by “Forgotten your password?”.',
  ],
  two_factor_on: [
    'Two-factor was turned on',
    'From now on a code of your authenticator app is needed to sign in; your other sessions ended.',
    'If it was not you, set another password at once, and ask the owner of the business for help.',
  ],
  two_factor_off: [
    'Two-factor was turned off',
    'Your password alone is enough to sign in now.',
    'If it was not you, set another password at once, and turn it on again.',
  ],
  two_factor_reset: [
    'Your second factor was removed',
    'Whoever runs the server removed your authenticator app, your recovery codes and your passkeys, ' +
      'and ended all your sessions. Your password alone is enough to sign in now.',
    'If you did not ask for it, set another password at once, and tell the owner of the business. ' +
      'If you did, sign in and set up another app.',
  ],
  recovery_codes: [
    'You have new recovery codes',
    'The recovery codes that you had do not work any more.',
    'If it was not you, set another password at once.',
  ],
  passkey_added: [
    'A passkey was added',
    'One can sign in to your account with a new passkey.',
    'If it was not you, remove it, and set another password at once.',
  ],
  passkeys_removed: [
    'Your passkeys were removed',
    'All passkeys of your account were removed by a link that we mailed to you, and all its sessions ended.',
    'If it was not you, somebody else reads your mail. Change the password of your mailbox first, then the one of this account.',
  ],
  email_proved: [
    'Your email address is confirmed',
    'You used a link that we mailed to this address for the first time. Before that, anyone could have ' +
      'made the account, so we removed its passkeys, its authenticator app and its recovery codes, and ' +
      'ended its sessions.',
    'Sign in and set up your second factor again.',
  ],
} as const

const REASON = 'You get this because there is an account with your address on a Tradepost server.'

/** Mails somebody with an account. */
export const tellPerson = (
  deps: NoticeDeps,
  person: Pick<PersonRow, 'id' | 'email'>,
  notice: Notice,
  now: Date,
): Promise<void> => deps.db.transaction((tx) => tellPersonIn(tx, deps, person, notice, now))

/** The same in the transaction of its cause, by the queue of the first business. */
export async function tellPersonIn(
  tx: Tx,
  { ids, nudge }: Pick<NoticeDeps, 'ids' | 'nudge'>,
  person: Pick<PersonRow, 'id' | 'email'>,
  notice: Notice,
  now: Date,
): Promise<void> {
  const businessId = await selectMailingBusiness(tx, person, now)
  // Who is in no business any more has nothing to sign in to.
  if (businessId === undefined) return
  const to = { businessId, personId: person.id, to: person.email }
  await queueNotice(tx, { ids, nudge }, to, notice, now)
}

/** Writes a mail in the transaction of its cause. */
export async function queueNotice(
  tx: Tx,
  { ids, nudge }: Pick<NoticeDeps, 'ids' | 'nudge'>,
  { businessId, personId, to }: { businessId: number; personId: number; to: string },
  notice: Notice,
  now: Date,
): Promise<void> {
  const { token, ...said } = notice as Notice & { token?: string }
  const sealed = token && (await encrypt(tx, `mail ${to}`, token)).toString('base64')
  await queueMails(tx, ids, [
    {
      businessId,
      // Of neither mode; a test clock must not move it.
      live: true,
      kind: 'person_notice',
      subjectType: 'person',
      subjectId: personId,
      to,
      data: { ...said, ...(sealed && { sealed }) },
      at: now,
    },
  ])
  tx.after(() => nudge(MAIL_SWEEPER))
}

export const personMailing = ({ publicUrl }: { publicUrl: string }): Mailing => ({
  compose: (db, mail, now) => compose(db, publicUrl, mail, now),
})

type StoredNotice = Notice & { sealed?: string }
type LinkMail = Omit<NoticeLetterView, 'link' | 'facts'> & { text: string }

async function compose(
  db: Db,
  publicUrl: string,
  mail: MailRow,
  now: Date,
): Promise<Letter | undefined> {
  const notice = JSON.parse(mail.data ?? '{}') as StoredNotice
  const address = ['Account', mail.to_address] as const
  const openLink = async (kind: LinkKind, text: string) => {
    if (!notice.sealed) return undefined
    const sealed = Buffer.from(notice.sealed, 'base64')
    const token = await decrypt(db, `mail ${mail.to_address}`, sealed)
    // Undefined when it was used, revoked, or its time is over.
    const link = await selectLink(db, hashOf(token), now)
    return link && { url: urlOfLink(publicUrl, kind, token), text }
  }
  /** No mail goes out whose link does not work any more. */
  const linkMail = async (kind: LinkKind, view: LinkMail) => {
    const link = await openLink(kind, view.text)
    return link && withLink({ reason: REASON, ...view, facts: [address], link })
  }
  if (notice.what === 'password') {
    return linkMail('password', {
      text: 'Set another password',
      heading: 'Set another password',
      paragraphs: [
        'Somebody, most likely you, forgot the password of your account.',
        'The link works once, for 30 minutes. If it was not you, there is nothing to do.',
      ],
    })
  }
  if (notice.what === 'invitation') {
    const [business, by] = [headerText(notice.business), headerText(notice.by)]
    return linkMail('invitation', {
      text: 'Join',
      heading: `Join ${business} on Tradepost`,
      paragraphs: [
        `${by} invites you to work with ${business}, as ${notice.role}.`,
        'The link works once, for seven days.',
      ],
      reason: `You get this because ${by} gave us your address.`,
    })
  }
  if (notice.what === 'email') {
    return linkMail('email', {
      text: 'Confirm email address',
      heading: 'Confirm your email address',
      paragraphs: [
        'An account was made with this address. If it is yours, sign in and confirm the address.',
        'The link works once, for seven days. If you did not make an account, ignore this mail: ' +
          'nobody can use the account for anything that you are invited to.',
      ],
    })
  }
  const facts = [address, ['When', mail.created_at.toISOString()] as const]
  if (notice.what === 'password_reset') {
    const link = await openLink('passkeys', 'Remove all passkeys')
    const view = { ...ofReset(notice), facts, reason: REASON }
    return link ? withLink({ ...view, link }) : noticeLetter(view)
  }
  const [heading, ...paragraphs] = CHANGES[notice.what]
  return noticeLetter({ heading, paragraphs, facts, reason: REASON })
}

/** Its link is for its recipient alone: the letter that is kept has none. */
function withLink({ link, ...view }: NoticeLetterView & { link: object }): Letter {
  const { paragraphs } = view
  const kept = noticeLetter({ ...view, paragraphs: [...paragraphs, NO_LINK] })
  return { ...noticeLetter({ ...view, link } as NoticeLetterView), kept }
}

const NO_LINK = 'The link of this email is not kept.'

/** What the mail about a reset says, but for the link that removes the passkeys that remain. */
function ofReset({ isCleared, passkeys }: Notice & { what: 'password_reset' }) {
  const [heading, changed, otherwise] = CHANGES.password_changed
  const names = passkeys.map(({ name, at }) => `${headerText(name)} (added ${at.slice(0, 10)})`)
  const cleared =
    'It was the first time that you used a link mailed to this address. Before that, anyone could have ' +
    'made the account, so we also removed its passkeys, its authenticator app and its recovery codes. ' +
    'Sign in and set up your second factor again.'
  const left =
    `These passkeys can still sign in to your account: ${names.join(', ')}. ` +
    'If you do not know one of them, remove them all with the link below. It works once, for seven days.'
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
