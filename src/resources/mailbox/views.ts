import type { Kept } from '../../mail/mailbox.ts'
import type { MailListed, MailView } from '../../pages/pages.ts'

/** A line of the list. */
export const listedOf = ({ mail, name, letter }: Kept): MailListed => ({
  path: `/mailbox/${name}`,
  subject: letter?.subject ?? null,
  to: mail.to_address,
  status: mail.status,
  createdAt: mail.created_at,
})

/** A mail with its letter in both forms. */
export const readOf = (kept: Kept): MailView => ({
  ...listedOf(kept),
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
