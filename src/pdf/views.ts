import type { Minor } from '../lib/money.ts'
import type { CheckoutView, InvoiceFacts, MerchantView, PaymentMade } from '../pages/views.ts'

/** Everything that stands on an invoice on paper, as plain data. */
export interface InvoicePaper {
  test: boolean
  merchant: PaperMerchant
  invoice: Omit<InvoiceFacts, 'status'> & {
    status: InvoiceFacts['status'] | 'Draft'
    voidedAt?: Date
    updatedAt: Date
  }
  customer: { name?: string; email: string; phone?: string }
  /** What was paid, oldest first. */
  payments: readonly PaymentMade[]
  /** Where it can be paid. Absent when there is nothing to pay, or not yet. */
  payAt?: string
  /** The merchant's, as IANA name. */
  timeZone: string
  /** BCP 47, for amounts and dates. */
  locale: string
}

/** Everything that stands on the receipt of a checkout on paper, as plain data. */
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
  /** For people to quote: of the order, or of the checkout where there is none. */
  reference: string
  /** Of the page that it was paid on. */
  title?: string
  paidAt: Date
  updatedAt: Date
  /** BCP 47: the payer's, for words, amounts and dates. */
  locale: string
}

/** What the thread draws. */
export type Sheet = InvoicePaper | ReceiptPaper

export type PaperMerchant = MerchantView & { brand: Brand }

/** How a business shows itself. */
export interface Brand {
  /** Dark enough for white letters: `#0b5f45`. */
  color: string
  /** PNG or JPEG; a block with the initial of its name stands in for it. */
  logo?: { bytes: Buffer; width: number; height: number }
}

export interface Sum {
  label: string
  minor: Minor
  isStrong?: boolean
}
