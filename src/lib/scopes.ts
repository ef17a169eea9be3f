/**
 * What a restricted key can be allowed, as nouns of the contract; each has `:read` and `:write`,
 * which contains it. The dashboard reads this list too.
 */
export const COLLECTIONS = [
  'profile',
  'keys',
  'invoices',
  'transactions',
  'transfers',
  'refunds',
  'banks',
  'subaccounts',
  'split_pages',
  'settlements',
  'payment_pages',
  'products',
  'discounts',
  'orders',
  'checkout',
  'utility',
  'wallet',
  'events',
  'webhooks',
  'requests',
  'simulator',
] as const
