import type { Minor } from '../lib/money.ts'
import type { CheckoutView, InvoiceFacts, MerchantView, PaymentMade } from '../pages/views.ts'

/** The content of a printed invoice, as plain data. */
export interface InvoicePdfView {
  test: boolean
  merchant: PdfMerchant
  invoice: Omit<InvoiceFacts, 'status'> & {
    status: InvoiceFacts['status'] | 'Draft'
    voidedAt?: Date
    updatedAt: Date
  }
  customer: { name?: string; email: string; phone?: string }
  /** The payments, oldest first. */
  payments: readonly PaymentMade[]
  /** The URL for paying. Absent if nothing is due, or if the invoice can't be paid yet. */
  payAt?: string
  /** The merchant’s time zone, as an IANA name. */
  timeZone: string
  /** The BCP 47 locale for amounts and dates. */
  locale: string
}

/** The content of a printed receipt, as plain data. */
export interface ReceiptPdfView
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
  merchant: PdfMerchant
  /** The reference for people to quote: the order's or, if there is no order, the checkout's. */
  reference: string
  /** The title of the payment page. */
  title?: string
  paidAt: Date
  updatedAt: Date
  /** The payer’s BCP 47 locale, for wording, amounts and dates. */
  locale: string
}

export type PdfView = InvoicePdfView | ReceiptPdfView

export type PdfMerchant = MerchantView & { brand: Brand }

export interface Brand {
  /** Dark enough for white text: `#0b5f45`. */
  color: string
  /** A PNG or JPEG. If it is absent, a block with the initial of the name appears instead. */
  logo?: { bytes: Buffer; width: number; height: number }
}

export interface TotalLine {
  label: string
  minor: Minor
  isStrong?: boolean
}
