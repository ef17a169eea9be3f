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
}

const KINDS: Record<string, string> = {
  invoice: 'Invoice',
  invoice_again: 'Invoice, again',
  invoice_reminder: 'Reminder',
  receipt: 'Receipt',
  order_receipt: 'Receipt of an order',
  owner_notice: 'Notice about a key',
  webhook_disabled: 'Notice about a webhook',
}

export const kindOf = (kind: string): string => KINDS[kind] ?? kind
