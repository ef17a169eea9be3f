import { machine } from '../../lib/machine.ts'

export const CHECKOUT_STATES = ['Open', 'Paid', 'Expired', 'Cancelled'] as const
export type CheckoutState = (typeof CHECKOUT_STATES)[number]

/**
 * The states of a checkout.
 *
 *   Open ─pay→ Paid
 *    ├─expire→ Expired ──pay_late→ Paid
 *    └─cancel→ Cancelled ┘
 *
 * A payer can restart a checkout that expired or that they cancelled. `reopen` makes it Open again.
 */
export const checkoutMachine = machine({
  noun: 'checkout',
  initial: ['Open', 'Paid'],
  states: CHECKOUT_STATES,
  moves: {
    pay: { from: ['Open'], to: 'Paid' },
    // A late payment needs everything that was released in the meantime to be still available.
    pay_late: { from: ['Expired', 'Cancelled'], to: 'Paid' },
    expire: { from: ['Open'], to: 'Expired' },
    cancel: { from: ['Open'], to: 'Cancelled' },
    reopen: { from: ['Expired', 'Cancelled'], to: 'Open' },
  },
})

/**
 * Returns the state at a given time. A checkout can be past its expiry before the job has expired
 * it.
 */
export const stateAt = (
  { status, expires_at }: { status: CheckoutState; expires_at: Date },
  now: Date,
): CheckoutState => (status === 'Open' && expires_at <= now ? 'Expired' : status)
