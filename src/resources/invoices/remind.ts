import type { Tx } from '../../db/database.ts'
import { addMs } from '../../lib/clock.ts'
import { Problem } from '../../lib/problem.ts'
import type { Caller } from '../../lib/tenant.ts'
import { selectInvoice, updateReminded } from './queries.ts'
import { mailInvoice } from './send.ts'
import { type InvoiceDeps, recordOf, refusal } from './service.ts'
import { invoiceMachine } from './states.ts'

/** A customer is not reminded again by hand before so much time has gone by. */
const AGAIN_MS = 60 * 60_000

/** Mails the customer once more what is due. No event tells of it: the catalogue has none. */
export async function remindInvoice(tx: Tx, deps: InvoiceDeps, caller: Caller, reference: string) {
  const { from } = invoiceMachine.moves.remind
  const { now } = caller
  const row = await updateReminded(tx, caller, reference, {
    from,
    now,
    before: addMs(now, -AGAIN_MS),
  })
  if (!row) throw await whyNot(tx, caller, reference)
  await mailInvoice(tx, deps, caller, 'invoice_reminder', row)
  return recordOf(tx, deps, caller, row)
}

async function whyNot(tx: Tx, caller: Caller, reference: string): Promise<Problem> {
  const row = await selectInvoice(tx, caller, reference)
  const isOpen = row && invoiceMachine.moves.remind.from.some((state) => state === row.status)
  if (!isOpen || !row.reminded_at) return refusal(tx, caller, reference, 'remind')
  const waitMs = addMs(row.reminded_at, AGAIN_MS).getTime() - caller.now.getTime()
  const message = 'The customer was reminded less than an hour ago.'
  return new Problem('rate_limited', 'reminded_lately', message, {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  })
}
