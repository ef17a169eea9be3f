import type { Deposit } from '../../../../../sdk/src/operations.ts'

/** Where the money of a deposit is, or that it was accepted. */
export const stateOf = ({ status, returnStatus }: Pick<Deposit, 'status' | 'returnStatus'>) =>
  returnStatus ?? status

/** Why a deposit was not accepted at first. */
const REASONS: Record<string, string> = {
  amount_too_low: 'Less than expected',
  amount_too_high: 'More than expected',
  wrong_currency: 'In the wrong currency',
  account_expired: 'Too late',
  already_paid: 'Already paid',
}

/** The same, as the end of a sentence that begins with "This money". */
const BECAUSE: Record<string, string> = {
  amount_too_low: 'is less than we expected',
  amount_too_high: 'is more than we expected',
  wrong_currency: 'is in a different currency from the payment',
  account_expired: 'arrived after the payment had expired or ended',
  already_paid: 'arrived after the payment had already been made',
}

export const reasonName = (reason: string): string => REASONS[reason] ?? reason

export const because = (reason: string | null): string =>
  (reason && BECAUSE[reason]) ?? 'does not fit the payment'

export const senderOf = ({ sender }: Pick<Deposit, 'sender'>): string =>
  sender?.accountName ?? sender?.bankName ?? 'Unknown sender'
