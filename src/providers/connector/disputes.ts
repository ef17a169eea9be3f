import type { Minor } from '../../lib/money.ts'

/** A payer's claim for the return of a payment, as the provider sees it. */
export interface DisputeState {
  status: 'AwaitingResponse' | 'UnderReview' | 'Won' | 'Lost' | 'Accepted'
  amount_minor: Minor
  currency: string
  /** The reference under which the charge was sent; null if the provider does not say. */
  chargeReference: string | null
  reason: string
  /** When our response is due; null if the provider sets no deadline. */
  dueAt: Date | null
}

export interface DisputeResponse {
  accept: boolean
  amount_minor: Minor
  message: string
  customer: {
    email: string
    name: string
    phone: string
    serviceDetails: string
    deliveryAddress?: string
    deliveredOn?: Date
  } | null
  file: { name: string; contentType: string; bytes: Buffer } | null
}

export interface DisputePage {
  disputes: readonly (DisputeState & { providerId: string })[]
  next: string | null
}
