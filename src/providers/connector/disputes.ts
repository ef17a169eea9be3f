import type { Minor } from '../../lib/money.ts'
import type { About, Moment, Outcome, Range } from './types.ts'

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
  /** The provider's number of the disputed payment, if it is known. */
  paymentId?: string | null
}

export interface DisputePage {
  disputes: readonly (DisputeState & { providerId: string })[]
  next: string | null
}

/** What a provider can do about disputes. */
export interface DisputeOperations {
  /** Lists the disputes that were opened in a range of time. Absent if there is no such list. */
  listDisputes?(about: Moment, range: Range, cursor: string | null): Promise<Outcome<DisputePage>>
  /**
   * Looks up a dispute by the provider's number for it, and by that of the disputed payment, if it
   * is known: some providers only list disputes. Changes nothing.
   */
  lookUpDispute?(
    about: Moment,
    providerId: string,
    paymentId?: string | null,
  ): Promise<Outcome<DisputeState>>
  /**
   * Accepts or contests a dispute. After a second response, the outcome is `unknown`, and a lookup
   * tells which one counts. Absent if people can only respond at the provider.
   */
  respondToDispute?(
    about: About,
    providerId: string,
    response: DisputeResponse,
  ): Promise<Outcome<DisputeState>>
}
