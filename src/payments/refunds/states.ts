import { machine } from '../../lib/machine.ts'

export const REFUND_STATES = [
  'Pending',
  'Processing',
  'Processed',
  'Failed',
  'NeedsAttention',
] as const
export type RefundState = (typeof REFUND_STATES)[number]

/**
 * The states of a refund. `ledger` is what each move does with the money. The amount of a new
 * refund is put on hold, and the hold is posted or voided exactly once.
 *
 *   Pending ─send→ Processing ─succeed→ Processed
 *      │             │    ↑ └─need_attention→ NeedsAttention ─succeed→ Processed
 *      │             │    └──send, retry──────────┤
 *      └─fail, cancel┴───────────fail─────────────┴→ Failed
 */
export const refundMachine = machine({
  noun: 'refund',
  initial: ['Pending'],
  states: REFUND_STATES,
  moves: {
    send: { from: ['Pending', 'NeedsAttention'], to: 'Processing', ledger: 'none' },
    // Only while the order has not been sent.
    cancel: { from: ['Pending', 'Processing'], to: 'Failed', ledger: 'void' },
    retry: { from: ['NeedsAttention'], to: 'Processing', ledger: 'none' },
    succeed: { from: ['Processing', 'NeedsAttention'], to: 'Processed', ledger: 'post' },
    fail: { from: ['Pending', 'Processing', 'NeedsAttention'], to: 'Failed', ledger: 'void' },
    need_attention: { from: ['Processing'], to: 'NeedsAttention', ledger: 'none' },
  },
})
