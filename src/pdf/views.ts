import type { Minor } from '../lib/money.ts'
import type { CheckoutView, InvoiceFacts, MerchantView, PaymentMade } from '../pages/views.ts'

/** The content of a printed invoice, as plain data. */
export interface InvoicePaper {
  test: boolean
  merchant: PaperMerchant
  invoice: Omit<InvoiceFacts, 'status'> & {
    status: InvoiceFacts['status'] | 'Draft'
    voidedAt?: Date
    updatedAt: Date
  }
  customer: { name?: string; email: string; phone?: string }
  /** The payments, oldest first. */
  payments: readonly PaymentMade[]
  /** The URL to pay at. Absent if nothing is due, or not yet. */
  payAt?: string
  /** The merchant’s, as an IANA name. */
  timeZone: string
  /** BCP 47, for amounts and dates. */
  locale: string
}

/** The content of a printed receipt, as plain data. */
export interface ReceiptPaper
  extends Pick<
    CheckoutView,
    | 'test'
    | 'isRefunded'
    | 'customer'
    | 'lines'
    | 'subtotalMinor'
    | 'discount'
    | 'delivery'
    | 'amountMinor'
    | 'feeMinor'
    | 'owed'
    | 'currency'
    | 'payments'
    | 'answers'
    | 'createdAt'
    | 'timeZone'
  > {
  merchant: PaperMerchant
  /** The reference that people quote: of the order, or of the checkout if there is none. */
  reference: string
  /** The title of the payment page. */
  title?: string
  paidAt: Date
  updatedAt: Date
  /** BCP 47: the payer’s, for texts, amounts and dates. */
  locale: string
}

/** The documents that the thread draws. */
export type Sheet = InvoicePaper | ReceiptPaper

export type PaperMerchant = MerchantView & { brand: Brand }

/** The branding of a business. */
export interface Brand {
  /** Dark enough for white text: `#0b5f45`. */
  color: string
  /** PNG or JPEG; without one, a block with the initial of the name is drawn. */
  logo?: { bytes: Buffer; width: number; height: number }
}

export interface Sum {
  label: string
  minor: Minor
  isStrong?: boolean
}
