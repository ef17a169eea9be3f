import type { Minor } from '../../lib/money.ts'

/** How a simulated payment ends, by the kobo of its amount (decisions.md, section 11). */
export interface Script {
  status: 'Successful' | 'Failed' | 'Pending'
  message: string
  /** How often the usual delay passes before the provider answers at all. */
  silentDelays: number
}

const APPROVED: Script = { status: 'Successful', message: 'Approved', silentDelays: 0 }

const BY_KOBO: Record<string, Script> = {
  '1': { status: 'Failed', message: 'Declined by the bank', silentDelays: 0 },
  '2': { status: 'Failed', message: 'Insufficient funds', silentDelays: 0 },
  '3': { status: 'Successful', message: 'Approved late', silentDelays: 5 },
  '4': { status: 'Pending', message: 'Waiting for the bank', silentDelays: 0 },
}

/** `.01` declined, `.02` insufficient funds, `.03` a time-out and a late success, `.04` pending. */
export const scriptOf = (amount_minor: Minor): Script =>
  BY_KOBO[(amount_minor % 100n).toString()] ?? APPROVED
