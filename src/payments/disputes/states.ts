import { machine } from '../../lib/machine.ts'

export const DISPUTE_STATES = ['Open', 'UnderReview', 'Won', 'Lost', 'Accepted'] as const
export type DisputeState = (typeof DISPUTE_STATES)[number]

/**
 * The states of a dispute. Only the provider's word moves a dispute, even if the business has
 * accepted it. `ledger` is what each move does with the money that a new dispute puts on hold.
 *
 *   Open ─review→ UnderReview ─win→ Won
 *    │ ↑ └──────ask_again┘ ├─lose→ Lost
 *    │                     └─accept→ Accepted
 *    └─win→ Won, ─lose→ Lost, ─accept→ Accepted
 *
 * A dispute without a response stays Open after its deadline until the provider decides.
 */
export const disputeMachine = machine({
  noun: 'dispute',
  initial: ['Open'],
  states: DISPUTE_STATES,
  moves: {
    review: { from: ['Open'], to: 'UnderReview', ledger: 'none' },
    ask_again: { from: ['UnderReview'], to: 'Open', ledger: 'none' },
    win: { from: ['Open', 'UnderReview'], to: 'Won', ledger: 'void' },
    lose: { from: ['Open', 'UnderReview'], to: 'Lost', ledger: 'post' },
    accept: { from: ['Open', 'UnderReview'], to: 'Accepted', ledger: 'post' },
  },
})
