import { machine } from '../../lib/machine.ts'

export const CHECKOUT_STATES = ['Open', 'Paid', 'Expired', 'Cancelled'] as const
export type CheckoutState = (typeof CHECKOUT_STATES)[number]

/**
 * The life of a checkout.
 *
 *   Open ─pay→ Paid
 *    ├─expire→ Expired ──pay_late→ Paid
 *    └─cancel→ Cancelled ┘
 */
export const checkoutMachine = machine({
  noun: 'checkout',
  initial: ['Open', 'Paid'],
  states: CHECKOUT_STATES,
  moves: {
    pay: { from: ['Open'], to: 'Paid' },
    // When what was given back meanwhile is still to be had.
    pay_late: { from: ['Expired', 'Cancelled'], to: 'Paid' },
    expire: { from: ['Open'], to: 'Expired' },
    cancel: { from: ['Open'], to: 'Cancelled' },
  },
})
