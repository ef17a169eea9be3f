import type { Kept, Listed } from '../../mail/mailbox.ts'
import type { MailListed, MailView } from '../../pages/pages.ts'

/** A line of the list. */
export const lineOf = ({ mail, name, subject, at }: Listed): MailListed => ({
  path: `/mailbox/${name}`,
  subject: subject ?? null,
  to: mail.to_address,
  status: mail.status,
  createdAt: at,
})

/** A mail with its letter in both forms. */
export const readOf = (kept: Kept): MailView => ({
  ...lineOf(kept),
  createdAt: kept.mail.created_at,
  attempts: kept.mail.attempts,
  error: kept.mail.last_error,
  ...(kept.letter && {
    letter: {
      from: kept.letter.fromName,
      replyTo: kept.letter.replyTo,
      text: kept.letter.text,
    },
  }),
})
