import type { Tx } from '../../db/database.ts'
import type { Caller } from '../../lib/tenant.ts'
import { updateVoid } from './queries.ts'
import { closeWaysToPay, type InvoiceDeps, refusal, told } from './service.ts'
import { invoiceMachine } from './states.ts'

/**
 * Ends an invoice that nobody is to pay any more. What was paid on it stays with the business; what
 * comes later goes back to the payer.
 */
export async function voidInvoice(tx: Tx, deps: InvoiceDeps, caller: Caller, reference: string) {
  const { from } = invoiceMachine.moves.void
  const row = await updateVoid(tx, caller, reference, from, caller.now)
  if (!row) throw await refusal(tx, caller, reference, 'void')
  const record = await told(tx, deps, caller, 'invoice.voided', row)
  await closeWaysToPay(tx, deps, caller, row)
  return record
}
