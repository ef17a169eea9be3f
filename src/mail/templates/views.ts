import type { Minor } from '../../lib/money.ts'
import type { Language } from '../../pages/texts.ts'

/** Whom a letter to a customer is from. */
export interface Sender {
  name: string
  email?: string
  phone?: string
  /** `#0b7a4b` */
  color?: string
  /** An address of a picture, and the picture's own size. */
  logo?: { url: string; width: number; height: number }
}

/** Who a letter is from and to, as plain data. Templates know no database. */
export interface LetterView {
  test: boolean
  merchant: Sender
  /** The merchant's, as IANA name. */
  timeZone: string
}

export interface InvoiceLetterView extends LetterView {
  /** A reminder's words depend on how the due day lies to today. */
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
  /** Days until the due date by the merchant's calendar; negative when it is past. */
  daysLeft?: number
  hostedUrl: string
  /** A channel is connected by which the payer can pay at `hostedUrl`. */
  payableOnline: boolean
  /** How to pay where none is. */
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
  /** All that came in with this payment. */
  paidMinor: Minor
  /** Of that, a fee on top of the invoice. */
  feeMinor: Minor
  /** Of that, more than was due. */
  excessMinor: Minor
  /** All of it is owed back, as nothing was due any more: why. */
  owedBack?: 'paid' | 'cancelled'
  /** Of the whole invoice. */
  leftMinor: Minor
  paidAt: Date
  channel: 'BANK_TRANSFER' | 'USSD' | 'CARD' | 'WALLET' | 'OFFLINE'
  reference: string
  hostedUrl: string
}

/** What a customer bought, or gave, on a page or through a shop of the merchant's. */
export interface OrderLetterView extends LetterView {
  /** For people to quote: of the order, or of the checkout where there is none. */
  reference: string
  customerName?: string
  currency: string
  /** Empty where only an amount was paid. */
  lines: readonly { name: string; quantity: number; unitMinor: Minor; amountMinor: Minor }[]
  subtotalMinor: Minor
  discount?: { code: string; amountMinor: Minor }
  delivery?: { location?: string; address?: string; feeMinor: Minor }
  /** The total before a fee on top. */
  amountMinor: Minor
  /** All that came in with the payments that paid it; 0 where nothing was to be paid. */
  paidMinor: Minor
  /** Of that, fees on top. */
  feeMinor: Minor
  paidAt: Date
  /** Absent where nothing was to be paid. */
  channel?: ReceiptLetterView['channel']
  downloads: readonly { name: string; href: string; expiresAt?: Date }[]
  receiptUrl: string
  /** The same to print and to keep. */
  pdfUrl: string
}

export interface RefundLetterView extends LetterView {
  language: Language
  customerName?: string
  currency: string
  amountMinor: Minor
  /** All that the payment was. */
  paidMinor: Minor
  refundedAt: Date
  reference: string
  paymentReference: string
}

/** To the owner of a business: something about it needs a look. */
export interface NoticeLetterView {
  /** Absent where it is about neither mode. */
  test?: boolean
  heading: string
  paragraphs: readonly string[]
  facts: readonly (readonly [name: string, value: string])[]
  /** What to press. */
  link?: { url: string; text: string }
  /** Why one gets it, when not as the owner of the business. */
  reason?: string
}
