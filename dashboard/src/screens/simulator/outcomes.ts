import type { Outcomes } from '../../parts/Simulated.tsx'
import { t } from '../../texts/simulator.ts'

const { outcome } = t
const NONE: Outcomes = {}
const ENDS: Outcomes = { success: outcome.paid, failed: outcome.failed }

/* What the bank, the biller or the payer can still do with a record, as it is now. */

export const ofPayment = ({ channel, status }: { channel: string; status: string }): Outcomes =>
  channel === 'USSD' && status === 'Pending'
    ? { success: outcome.approved, failed: outcome.declined }
    : NONE

/** One that was sent back already stays so. */
export function ofTransfer(of: { status: string; reversedAt: string | null }): Outcomes {
  if (of.status === 'Pending') {
    return { ...ENDS, blocked: outcome.blocked, rejected: outcome.rejected }
  }
  if (of.status === 'Blocked') return ENDS
  return of.status === 'Successful' && !of.reversedAt ? { returned: outcome.returned } : NONE
}

/** For the bank a settlement is a transfer. */
export const ofSettlement = ({ status }: { status: string }): Outcomes =>
  status === 'Pending' ? ENDS : NONE

export function ofRefund({ status }: { status: string }): Outcomes {
  if (status === 'NeedsAttention') return ENDS
  return ['Pending', 'Processing'].includes(status)
    ? { ...ENDS, needs_attention: outcome.attention }
    : NONE
}

export const ofBill = ({ status }: { status: string }): Outcomes =>
  status === 'Pending' ? { success: outcome.delivered, failed: outcome.notDelivered } : NONE
