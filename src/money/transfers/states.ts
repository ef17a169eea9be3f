import { machine } from '../../lib/machine.ts'

export const TRANSFER_STATES = [
  'Unverified',
  'Pending',
  'Successful',
  'Failed',
  'Blocked',
  'Rejected',
] as const
export type TransferState = (typeof TRANSFER_STATES)[number]

/**
 * The states of a transfer. `ledger` is what each move does with the amount held at creation, in
 * the same database transaction: post pays it out, void releases it, return puts back what was paid
 * out. `event` is the event that the move sends. See docs/decisions/0025-money-out.md.
 *
 *   Unverified ─approve→ Pending ─succeed→ Successful ─return→ Failed
 *        │                │  │ └─fail→ Failed
 *        └─reject→ Rejected ←┘ └─block→ Blocked ─retry→ Pending
 *          cancel    refuse, cancel        └─succeed, fail: the provider decided after all
 */
export const transferMachine = machine({
  noun: 'transfer',
  initial: ['Pending', 'Unverified'],
  states: TRANSFER_STATES,
  moves: {
    approve: { from: ['Unverified'], to: 'Pending', ledger: 'none', event: 'transfer.pending' },
    reject: { from: ['Unverified'], to: 'Rejected', ledger: 'void', event: 'transfer.rejected' },
    // Only while the order has not been sent.
    cancel: {
      from: ['Unverified', 'Pending'],
      to: 'Rejected',
      ledger: 'void',
      event: 'transfer.rejected',
    },
    succeed: {
      from: ['Pending', 'Blocked'],
      to: 'Successful',
      ledger: 'post',
      event: 'transfer.successful',
    },
    fail: { from: ['Pending', 'Blocked'], to: 'Failed', ledger: 'void', event: 'transfer.failed' },
    block: { from: ['Pending'], to: 'Blocked', ledger: 'none', event: 'transfer.blocked' },
    refuse: { from: ['Pending'], to: 'Rejected', ledger: 'void', event: 'transfer.rejected' },
    retry: { from: ['Blocked'], to: 'Pending', ledger: 'none', event: 'transfer.pending' },
    return: { from: ['Successful'], to: 'Failed', ledger: 'return', event: 'transfer.reversed' },
  },
})
export type TransferMove = keyof typeof transferMachine.moves
