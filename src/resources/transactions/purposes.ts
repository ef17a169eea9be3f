import type { Db, Tx } from '../../db/database.ts'
import type { NewEvent } from '../../events/append.ts'
import type { Minor } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { TransactionRow } from './queries.ts'
import type { SettlementBatch } from './settle-batch.ts'

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
  /** What is to follow in the same transaction, once the money is in the books. */
  afterwards?(tx: Tx): Promise<void>
}

/** A payment of which some was given back, told to what it was for. */
export interface GivenBack {
  tenant: Tenant
  transaction: TransactionRow
  /** Nothing of the payment is left. */
  isFull: boolean
  now: Date
}

/**
 * What a transaction can pay for. `transactions/` knows no purpose: the slices that take payments
 * put theirs in the table of `src/app/shared.ts`, since they create transactions and would
 * otherwise import each other in a circle.
 */
export interface Purpose {
  /**
   * Locks what is paid for until the transaction ends. Everybody who touches a transaction and what
   * it pays for locks in this order: the purpose, the transaction, its account, the ledger.
   */
  lock(tx: Tx, tenant: Tenant, purposeId: number): Promise<void>
  receive(tx: Tx, receipt: Receipt): Promise<Received>
  /**
   * Too little is sent back whatever the business's policy is: what is sold is sold whole, and
   * shares of a part could not be made up for by the rest.
   */
  isSoldWhole?: true
  /** Where payments that came in full need neither of the two: many are settled at once. */
  settlements?: SettlementBatch
  /** Told in the transaction that posts a refund; answers what to tell of it. */
  refunded?(tx: Tx, refund: GivenBack): Promise<NewEvent[]>
  /** The reference of the transaction that stands for what a reference of its own names. */
  transactionOf?(db: Db, tenant: Tenant, reference: string): Promise<string | undefined>
}
export type Purposes = Readonly<Record<string, Purpose>>
