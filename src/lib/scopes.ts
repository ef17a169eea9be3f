/**
 * The collections that a restricted key can access, using the contract's nouns. Each has `:read`
 * and `:write`, which includes `:read`. The dashboard reads this list too.
 */
export const COLLECTIONS = [
  'profile',
  'keys',
  'invoices',
  'transactions',
  'transfers',
  'refunds',
  'disputes',
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
