import { machine } from '../../lib/machine.ts'

export const CHECKOUT_STATES = ['Open', 'Paid', 'Expired', 'Cancelled'] as const
export type CheckoutState = (typeof CHECKOUT_STATES)[number]

/**
 * The life of a checkout.
 *
 *   Open ─pay→ Paid
 *    ├─expire→ Expired ──pay_late→ Paid
 *    └─cancel→ Cancelled ┘
 *
 * A payer can start again what expired or what they cancelled: reopen leads back to Open.
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
    reopen: { from: ['Expired', 'Cancelled'], to: 'Open' },
  },
})

/** How it stands at a moment: its time may be over before the sweeper comes by. */
export const stateAt = (
  { status, expires_at }: { status: CheckoutState; expires_at: Date },
  now: Date,
): CheckoutState => (status === 'Open' && expires_at <= now ? 'Expired' : status)
