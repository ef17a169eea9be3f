import type { Tx } from '../../db/database.ts'
import type { NewEvent } from '../../events/append.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { TransactionRow } from './queries.ts'

/** A payment that came in, told to what it was for. */
export interface Receipt {
  tenant: Tenant
  transaction: TransactionRow
  /** Without a fee that the payer paid on top. */
  amount_minor: Minor
  now: Date
}

export interface Received {
  /** How much of it was due. The rest is kept as an overpayment, owed back to the payer. */
  kept_minor: Minor
  /** What to tell, after `transaction.successful`. */
  events: NewEvent[]
}

/**
 * What a transaction can pay for. `transactions/` knows no purpose: the slices that take payments
 * put theirs in the table of `src/app.ts`, since they create transactions and would otherwise
 * import each other in a circle.
 */
export interface Purpose {
  /**
   * Locks what is paid for until the transaction ends. Everybody who touches a transaction and what
   * it pays for locks in this order: the purpose, the transaction, its account, the ledger.
   */
  lock(tx: Tx, tenant: Tenant, purposeId: number): Promise<void>
  receive(tx: Tx, receipt: Receipt): Promise<Received>
}
export type Purposes = Readonly<Record<string, Purpose>>
