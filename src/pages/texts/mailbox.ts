/** Of the mailbox, in English alone: whoever develops reads it, no payer ever does. */
export const mailboxTexts = {
  title: 'Mailbox',
  text: 'No SMTP server is set, so these mails stayed on this machine. The newest 50 are shown.',
  none: 'No mail yet',
  noneText: 'Send an invoice, and its mail is here.',
  noReason: '(not needed any more)',
  back: 'All mails',
  to: 'To',
  from: 'From',
  replyTo: 'Reply to',
  written: 'Written',
  state: 'State',
  error: 'Last error',
  html: 'As HTML',
  plain: 'As text',
  status: {
    Queued: 'Queued',
    Sent: 'Sent',
    Failed: 'Failed',
    Captured: 'Kept here',
    Dropped: 'Not needed any more',
  },
}
