import { machine } from '../../lib/machine.ts'

export const INVOICE_STATES = ['Draft', 'Sent', 'PartiallyPaid', 'Paid', 'Void'] as const
export type InvoiceState = (typeof INVOICE_STATES)[number]

/**
 * Overdue is not a state: it means that the due date has passed.
 *
 *   Draft ─send→ Sent ─pay_part→ PartiallyPaid ─pay_rest→ Paid
 *     │           │ └────────────pay_rest──────────────────↑
 *     └───────────┴──────void──────┴→ Void
 */
export const invoiceMachine = machine({
  noun: 'invoice',
  initial: ['Draft', 'Sent'],
  states: INVOICE_STATES,
  moves: {
    // Sending an invoice again doesn’t change its state, but sends another email.
    send: { from: ['Draft', 'Sent', 'PartiallyPaid'], to: 'Sent' },
    remind: { from: ['Sent', 'PartiallyPaid'], to: 'Sent' },
    // Marked by hand, for money that did not come through Tradepost.
    mark_paid: { from: ['Sent', 'PartiallyPaid'], to: 'Paid' },
    pay_part: { from: ['Sent', 'PartiallyPaid'], to: 'PartiallyPaid' },
    pay_rest: { from: ['Sent', 'PartiallyPaid'], to: 'Paid' },
    void: { from: ['Draft', 'Sent', 'PartiallyPaid'], to: 'Void' },
  },
})
