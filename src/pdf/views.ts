import type { Minor } from '../lib/money.ts'
import type { InvoiceFacts, MerchantView, PaymentMade } from '../pages/views.ts'

/** Everything that stands on an invoice on paper, as plain data. */
export interface InvoicePaper {
  test: boolean
  merchant: MerchantView & { brand: Brand }
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

/** How a business shows itself. */
export interface Brand {
  /** Dark enough for white letters: `#0b5f45`. */
  color: string
  /** PNG or JPEG; a block with the initial of its name stands in for it. */
  logo?: Buffer
}

export interface Sum {
  label: string
  minor: Minor
  isStrong?: boolean
}
