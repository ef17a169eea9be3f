import { machine } from '../../lib/machine.ts'

export const SETTLEMENT_STATES = ['Pending', 'Paid', 'Failed'] as const
export type SettlementState = (typeof SETTLEMENT_STATES)[number]

/**
 * The life of a settlement. `ledger` is what each move does to what was held when it was created,
 * in the same database transaction: post pays it out, void gives it back to the subaccount. `event`
 * is what is told of it. docs/design/settlements.md.
 *
 *   Pending ─pay→ Paid
 *      └─fail→ Failed: what it was to pay is open again, and goes into the next
 */
export const settlementMachine = machine({
  noun: 'settlement',
  initial: ['Pending'],
  states: SETTLEMENT_STATES,
  moves: {
    pay: { from: ['Pending'], to: 'Paid', ledger: 'post', event: 'settlement.paid' },
    fail: { from: ['Pending'], to: 'Failed', ledger: 'void', event: null },
  },
})
export type SettlementMove = keyof typeof settlementMachine.moves
