import { machine } from '../../lib/machine.ts'

export const TRANSACTION_STATES = [
  'Pending',
  'Successful',
  'Failed',
  'Abandoned',
  'PartiallyRefunded',
  'Refunded',
  'Reversed',
] as const
export type TransactionState = (typeof TRANSACTION_STATES)[number]

/** The channels through which payers can pay, or have paid in the past. */
export const CHANNELS = ['USSD', 'BANK_TRANSFER', 'CARD', 'WALLET', 'OFFLINE'] as const

/**
 * The states of a transaction. `ledger` is what each move does with the money, in the same database
 * transaction: `settle` books it, `refund` returns it, and `reverse` deducts a lost chargeback.
 *
 *   Pending ─succeed→ Successful ─refund_part→ PartiallyRefunded ─refund_rest→ Refunded
 *      ├─fail→ Failed      ├─refund_rest→ Refunded
 *      └─abandon→ Abandoned ─succeed→ (accepted once, marked late)
 */
export const transactionMachine = machine({
  noun: 'transaction',
  initial: ['Pending'],
  states: TRANSACTION_STATES,
  moves: {
    succeed: { from: ['Pending', 'Abandoned'], to: 'Successful', ledger: 'settle' },
    fail: { from: ['Pending'], to: 'Failed', ledger: 'none' },
    abandon: { from: ['Pending'], to: 'Abandoned', ledger: 'none' },
    refund_part: {
      from: ['Successful', 'PartiallyRefunded'],
      to: 'PartiallyRefunded',
      ledger: 'refund',
    },
    refund_rest: { from: ['Successful', 'PartiallyRefunded'], to: 'Refunded', ledger: 'refund' },
    reverse: { from: ['Successful', 'PartiallyRefunded'], to: 'Reversed', ledger: 'reverse' },
  },
})
