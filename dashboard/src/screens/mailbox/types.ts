import { t } from '../../texts/mailbox.ts'

export interface MailLine {
  id: number
  kind: string
  to: string
  subject: string | null
  status: string
  createdAt: string
}

export interface MailRecord extends MailLine {
  attempts: number
  error: string | null
  sentAt: string | null
  from: string | null
  replyTo: string | null
  text: string | null
  /** Of its letter, for a frame. */
  htmlUrl: string | null
}

const KINDS: Record<string, string> = {
  invoice: 'Invoice',
  invoice_again: t.invoiceAgain,
  invoice_reminder: 'Reminder',
  receipt: 'Receipt',
  order_receipt: t.receiptOfAnOrder,
  refund: t.refund,
  owner_notice: t.noticeAboutAKey,
  webhook_disabled: t.noticeAboutAWebhook,
  person_news: t.noticeToTeam,
}

export const kindOf = (kind: string): string => KINDS[kind] ?? kind
