import type { Minor } from '../../lib/money.ts'
import type { Language } from '../../pages/texts.ts'

/** The merchant who sends an email to a customer. */
export interface Sender {
  name: string
  email?: string
  phone?: string
  /** `#0b7a4b` */
  color?: string
  logo?: { url: string; width: number; height: number }
}

/** Data that every customer email needs. Templates never access the database. */
export interface EmailView {
  test: boolean
  merchant: Sender
  /** The merchant's time zone, as an IANA name. */
  timeZone: string
}

export interface InvoiceEmailView extends EmailView {
  /** For a reminder, the wording depends on the days until the due date. */
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
  /** Whether a channel is connected, so that the payer can pay at `hostedUrl`. */
  payableOnline: boolean
  /** How to pay if no channel is connected. */
  manual?: {
    bankName: string
    accountNumber: string
    accountName: string
    instructions: string | null
  }
}

export interface ReceiptEmailView extends EmailView {
  number: string
  customerName?: string
  currency: string
  /** The full amount received. */
  paidMinor: Minor
  /** The fee added on top of the invoice, included in that amount. */
  feeMinor: Minor
  /** The part of that amount that exceeds what was due. */
  excessMinor: Minor
  /** Why the full amount will be refunded. Set if nothing was due. */
  owedBack?: 'paid' | 'cancelled'
  /** The amount still due on the whole invoice. */
  leftMinor: Minor
  paidAt: Date
  channel: 'BANK_TRANSFER' | 'USSD' | 'CARD' | 'WALLET' | 'OFFLINE'
  reference: string
  hostedUrl: string
}

/**
 * The data for an email about what a customer bought or donated, on a payment page or through the
 * merchant's own shop.
 */
export interface OrderEmailView extends EmailView {
  /** The reference for people to quote: the order's or, if there is no order, the checkout's. */
  reference: string
  customerName?: string
  currency: string
  /** Empty if the customer paid only an amount. */
  lines: readonly { name: string; quantity: number; unitMinor: Minor; amountMinor: Minor }[]
  subtotalMinor: Minor
  discount?: { code: string; amountMinor: Minor }
  delivery?: { location?: string; address?: string; feeMinor: Minor }
  /** The total before any fee is added. */
  amountMinor: Minor
  /** The full amount of the order's payments; 0 if nothing was due. */
  paidMinor: Minor
  /** The fees added on top, included in that amount. */
  feeMinor: Minor
  paidAt: Date
  /** Absent if nothing was due. */
  channel?: ReceiptEmailView['channel']
  downloads: readonly { name: string; href: string; expiresAt?: Date }[]
  receiptUrl: string
  /** The receipt as a PDF. */
  pdfUrl: string
}

export interface RefundEmailView extends EmailView {
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

/** An email to a business's owner about something that needs attention. */
export interface NoticeEmailView {
  /** Absent if the email doesn't concern a particular mode. */
  test?: boolean
  heading: string
  paragraphs: readonly string[]
  facts: readonly (readonly [name: string, value: string])[]
  link?: { url: string; text: string }
  /** Why the recipient gets the email. Absent for the owner of the business. */
  reason?: string
}
