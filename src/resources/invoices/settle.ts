import { termsOf } from '../businesses/terms.ts'
import type { Deps } from '../deps.ts'
import type { Purpose } from '../transactions/purposes.ts'
import { mailReceipt } from './mail.ts'
import { updatePaid } from './queries.ts'
import { changedEvent } from './service.ts'
import { invoiceMachine } from './states.ts'

/**
 * What a payment does to its invoice: adds to it as far as it is due. Nothing of it is kept by an
 * invoice that is Paid, Void or still a Draft; the whole is then an overpayment.
 */
export function invoicePurpose(deps: Pick<Deps, 'publicUrl' | 'ids' | 'nudge'>): Purpose {
  return async (tx, { tenant, transaction, amount_minor, now }) => {
    const nothing = { kept_minor: 0n, events: [] }
    if (amount_minor <= 0n) return nothing
    const { from } = invoiceMachine.moves.pay_rest
    const row = await updatePaid(tx, tenant, transaction.purpose_id, { amount_minor, from, now })
    if (!row) return nothing

    const { time_zone } = await termsOf(tx, tenant)
    const type = row.status === 'Paid' ? 'invoice.paid' : 'invoice.partially_paid'
    const shown = { publicUrl: deps.publicUrl, timeZone: time_zone }
    await mailReceipt(tx, deps, row, transaction.id, now)
    return {
      kept_minor: row.kept_minor,
      events: [await changedEvent(tx, shown, type, row, now)],
    }
  }
}
