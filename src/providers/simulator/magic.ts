import type { Minor } from '../../lib/money.ts'
import type { PayoutOrder, RefundOrder, VendOrder } from '../connector/types.ts'
import type { OrderStatus } from './queries.ts'

/**
 * An order's steps, each of which follows after a delay. An order without steps stays in its state.
 */
export interface OrderScript {
  steps: readonly { status: OrderStatus; message: string }[]
  /** How long the provider takes to respond, as a multiple of the usual delay. */
  silentDelays: number
}

const PAID: OrderScript = {
  steps: [{ status: 'Successful', message: 'Paid' }],
  silentDelays: 0,
}
const ends = (status: OrderStatus, message: string): OrderScript => ({
  steps: [{ status, message }],
  silentDelays: 0,
})
const STAYS: OrderScript = { steps: [], silentDelays: 0 }

export const UNKNOWN_ACCOUNT = '0000000002'

const BY_ACCOUNT: Record<string, OrderScript> = {
  '0000000001': PAID,
  [UNKNOWN_ACCOUNT]: ends('Failed', 'No such account at this bank'),
  '0000000003': ends('Blocked', 'Held for review'),
  '0000000004': ends('Rejected', 'The bank does not accept it'),
  // Needs approval before it is paid.
  '0000000005': PAID,
  '0000000006': STAYS,
  '0000000007': {
    steps: [...PAID.steps, { status: 'Returned', message: 'Returned by the bank' }],
    silentDelays: 0,
  },
}

const OUT_BY_KOBO: Record<string, OrderScript> = {
  '1': ends('Failed', 'Declined by the bank'),
  '2': ends('Failed', 'Insufficient funds'),
  '3': { ...PAID, silentDelays: 5 },
  '4': STAYS,
}

const byKobo = (amount_minor: Minor) => (amount_minor % 100n).toString()

/**
 * The kobo part of the amount selects the script (docs/CONTRACT.md, Test mode): `.01` declined,
 * `.02` insufficient funds, `.03` a timeout and a late success, `.04` pending.
 */
export function ussdScriptOf(amount_minor: Minor): OrderScript {
  const kobo = byKobo(amount_minor)
  if (kobo === '3') return { ...ends('Successful', 'Approved late'), silentDelays: 5 }
  return OUT_BY_KOBO[kobo] ?? ends('Successful', 'Approved')
}

/**
 * The account number selects the script, or otherwise the kobo part of the amount. A blocked payout
 * is paid when it is requested again.
 */
export function payoutScriptOf(
  { accountNumber, amount_minor }: Pick<PayoutOrder, 'accountNumber' | 'amount_minor'>,
  attempt: number,
): OrderScript {
  const script = BY_ACCOUNT[accountNumber]
  if (attempt > 1 && script?.steps[0]?.status === 'Blocked') return PAID
  return script ?? OUT_BY_KOBO[byKobo(amount_minor)] ?? PAID
}

/** The kobo part of the amount selects the script; `.05` is a refund that needs a person to act. */
export function refundScriptOf({ amount_minor }: Pick<RefundOrder, 'amount_minor'>): OrderScript {
  const kobo = byKobo(amount_minor)
  if (kobo === '5') return ends('NeedsAttention', 'The payer’s bank asks for a different account')
  return OUT_BY_KOBO[kobo] ?? PAID
}

interface VendScript extends OrderScript {
  /** Whether the response to the order already reports the outcome. If not, a later lookup does. */
  isAnswered: boolean
}

const told = (script: OrderScript): VendScript => ({ ...script, isAnswered: true })
const later = (script: OrderScript): VendScript => ({ ...script, isAnswered: false })

const DELIVERED = ends('Successful', 'Delivered')

const VEND_BY_CUSTOMER: Record<string, VendScript> = {
  '0000000001': told(DELIVERED),
  '0000000002': told(ends('Failed', 'The biller refused this customer')),
  '0000000003': later(ends('Failed', 'Held for review, then refused')),
  '0000000004': told(ends('Failed', 'The biller does not accept it')),
  '0000000006': later(STAYS),
  '0000000007': told(DELIVERED),
}

const VEND_BY_KOBO: Record<string, VendScript> = {
  '1': told(ends('Failed', 'Declined by the biller')),
  '2': told(ends('Failed', 'The provider has insufficient funds')),
  '3': later({ ...DELIVERED, silentDelays: 5 }),
  '4': later(STAYS),
}

/** The customer's number selects the script, or otherwise the kobo part of the amount. */
export const vendScriptOf = ({
  customerId,
  amount_minor,
}: Pick<VendOrder, 'customerId' | 'amount_minor'>): VendScript =>
  VEND_BY_CUSTOMER[customerId] ?? VEND_BY_KOBO[byKobo(amount_minor)] ?? told(DELIVERED)
