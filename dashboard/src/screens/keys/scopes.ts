import { words } from '../../parts/values.tsx'

/** What keys can be let do; each has `:read` and `:write`, which contains it. */
const COLLECTIONS = [
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
]

export const ALL_SCOPES = COLLECTIONS.flatMap((one) => [`${one}:read`, `${one}:write`])

/** The scopes that somebody may give to a key, to choose from: nobody gives what they lack. */
export const choicesFor = (may: (scope: string) => boolean) =>
  COLLECTIONS.map((collection) => ({
    group: words(collection),
    items: [
      { value: `${collection}:read`, label: `${words(collection)}: read` },
      { value: `${collection}:write`, label: `${words(collection)}: read and change` },
    ].filter(({ value }) => may(value)),
  })).filter(({ items }) => items.length > 0)
