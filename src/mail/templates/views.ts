import type { Minor } from '../../lib/money.ts'
import type { Language } from '../../pages/texts.ts'

/** The merchant who sends an email to a customer. */
export interface Sender {
  name: string
  email?: string
  phone?: string
  /** `#0b7a4b` */
  color?: string
  /** An image URL with the image's size. */
  logo?: { url: string; width: number; height: number }
}

/** Data that every customer email needs. Templates don't access the database. */
export interface LetterView {
  test: boolean
  merchant: Sender
  /** The merchant's time zone, as an IANA name. */
  timeZone: string
}

export interface InvoiceLetterView extends LetterView {
  /** The text of a reminder depends on the days until the due date. */
  purpose: 'invoice' | 'reminder'
  number: string
  customerName?: string
  note?: string
  lineItems: readonly { name: string; quantity: number; unitMinor: Minor; amountMinor: Minor }[]
  amountMinor: Minor
  paidMinor: Minor
  dueMinor: Minor
  currency: string
  /** `YYYY-MM-DD`. */
  dueDate?: string
  /** Days until the due date in the merchant's time zone; negative if it has passed. */
  daysLeft?: number
  hostedUrl: string
  /** A channel is connected, so the payer can pay at `hostedUrl`. */
  payableOnline: boolean
  /** How to pay otherwise. */
  manual?: {
    bankName: string
    accountNumber: string
    accountName: string
    instructions: string | null
  }
}

export interface ReceiptLetterView extends LetterView {
  number: string
  customerName?: string
  currency: string
  /** The full amount received. */
  paidMinor: Minor
  /** Of that, a fee on top of the invoice. */
  feeMinor: Minor
  /** Of that, the amount beyond what was due. */
  excessMinor: Minor
  /** The full amount will be refunded because nothing was due any more, and why. */
  owedBack?: 'paid' | 'cancelled'
  /** Of the whole invoice. */
  leftMinor: Minor
  paidAt: Date
  channel: 'BANK_TRANSFER' | 'USSD' | 'CARD' | 'WALLET' | 'OFFLINE'
  reference: string
  hostedUrl: string
}

/** What a customer bought or donated, on a page or through the merchant's own shop. */
export interface OrderLetterView extends LetterView {
  /** The reference that people quote: the order's, or the checkout's if there is no order. */
  reference: string
  customerName?: string
  currency: string
  /** Empty if only an amount was paid. */
  lines: readonly { name: string; quantity: number; unitMinor: Minor; amountMinor: Minor }[]
  subtotalMinor: Minor
  discount?: { code: string; amountMinor: Minor }
  delivery?: { location?: string; address?: string; feeMinor: Minor }
  /** The total before a fee on top. */
  amountMinor: Minor
  /** The full amount of its payments; 0 if nothing was due. */
  paidMinor: Minor
  /** Of that, fees on top. */
  feeMinor: Minor
  paidAt: Date
  /** Absent if nothing was due. */
  channel?: ReceiptLetterView['channel']
  downloads: readonly { name: string; href: string; expiresAt?: Date }[]
  receiptUrl: string
  /** The receipt as PDF. */
  pdfUrl: string
}

export interface RefundLetterView extends LetterView {
  language: Language
  customerName?: string
  currency: string
  amountMinor: Minor
  /** The full amount of the payment. */
  paidMinor: Minor
  refundedAt: Date
  reference: string
  paymentReference: string
}

/** An email to the owner of a business about something that needs attention. */
export interface NoticeLetterView {
  /** Absent if it concerns neither mode. */
  test?: boolean
  heading: string
  paragraphs: readonly string[]
  facts: readonly (readonly [name: string, value: string])[]
  /** The button. */
  link?: { url: string; text: string }
  /** Why the recipient gets it, if not as the owner of the business. */
  reason?: string
}
