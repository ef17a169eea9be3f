import { machine } from '../../lib/machine.ts'

export const SETTLEMENT_STATES = ['Pending', 'Paid', 'Failed'] as const
export type SettlementState = (typeof SETTLEMENT_STATES)[number]

/**
 * The states a settlement can be in. `ledger` is what each move does with the amount held at
 * creation, in the same database transaction: post pays it out, void returns it to the subaccount,
 * return puts back what was paid out.
 * `event` is the event that the move sends. See docs/design/settlements.md.
 *
 *   Pending ─pay→ Paid ─return→ Failed
 *      └─fail→ Failed: its entries are open again, and go into the next settlement
 */
export const settlementMachine = machine({
  noun: 'settlement',
  initial: ['Pending'],
  states: SETTLEMENT_STATES,
  moves: {
    pay: { from: ['Pending'], to: 'Paid', ledger: 'post', event: 'settlement.paid' },
    fail: { from: ['Pending'], to: 'Failed', ledger: 'void', event: null },
    return: { from: ['Paid'], to: 'Failed', ledger: 'return', event: 'settlement.returned' },
  },
})
export type SettlementMove = keyof typeof settlementMachine.moves
