/** Wording for the mailbox. It exists only in English, because only developers read it. */
export const mailboxTexts = {
  title: 'Mailbox',
  text: 'No SMTP server is set up, so emails stay on this server. These are the latest 50.',
  none: 'No emails yet',
  noneText: 'Send an invoice to see its email here.',
  noReason: '(no longer needed)',
  back: 'All emails',
  to: 'To',
  from: 'From',
  replyTo: 'Reply to',
  written: 'Written',
  state: 'State',
  error: 'Last error',
  html: 'HTML',
  plain: 'Plain text',
  status: {
    Queued: 'Queued',
    Sent: 'Sent',
    Failed: 'Failed',
    Captured: 'Not sent',
    Dropped: 'No longer needed',
  },
}
