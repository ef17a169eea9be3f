export const BEARERS = [
  {
    value: 'business',
    label: 'You',
    description: 'It is taken from what you receive.',
  },
  {
    value: 'customer',
    label: 'The payer',
    description: 'It is added to what they pay.',
  },
  {
    value: 'subaccounts',
    label: 'The subaccounts',
    description: 'Where a payment is shared, it is taken from their shares.',
  },
]

export const POLICIES = [
  {
    value: 'exact',
    label: 'Send it back',
    description: 'Only the exact amount is taken.',
  },
  {
    value: 'accept_over',
    label: 'Take more, not less',
    description: 'What is too much is kept for the payer, to be refunded.',
  },
  {
    value: 'accept_partial',
    label: 'Take less too',
    description: 'What was paid counts, and the rest stays to be paid.',
  },
]
