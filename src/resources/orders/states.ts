/**
 * The life of an order, which follows its checkout and, when all is given back, its payments.
 *
 *   Pending ─→ Paid ─→ Refunded
 *      └→ Cancelled ─→ Paid (late, as far as it is to be had)
 */
export const ORDER_STATES = ['Pending', 'Paid', 'Cancelled', 'Refunded'] as const
export type OrderState = (typeof ORDER_STATES)[number]
