import { machine } from '../../lib/machine.ts'

export const UTILITY_STATES = ['Pending', 'Successful', 'Failed'] as const
export type UtilityState = (typeof UTILITY_STATES)[number]

/**
 * The states of a utility payment. `ledger` is what each move does with the amount held at
 * creation, in the same database transaction: `post` pays it to the provider, and `void` returns
 * it. `event` is the event that the move causes. See docs/design/bills.md.
 */
export const utilityMachine = machine({
  noun: 'utility_payment',
  initial: ['Pending'],
  states: UTILITY_STATES,
  moves: {
    succeed: { from: ['Pending'], to: 'Successful', ledger: 'post', event: 'utility.successful' },
    fail: { from: ['Pending'], to: 'Failed', ledger: 'void', event: 'utility.failed' },
  },
})
export type UtilityMove = keyof typeof utilityMachine.moves
