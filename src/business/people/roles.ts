import type { Role } from '../../lib/caller.ts'
import { COLLECTIONS } from '../../lib/scopes.ts'

export { ROLES, type Role } from '../../lib/caller.ts'

/** Collections that the dashboard has in addition to the API's. */
const OWN = ['team', 'audit', 'business', 'providers', 'reconciliation'] as const

const ALL = [...COLLECTIONS, ...OWN]
type Collection = (typeof ALL)[number]

/** What support staff and viewers can read. */
const CUSTOMERS_SIDE: readonly Collection[] = [
  'profile',
  'invoices',
  'transactions',
  'refunds',
  'disputes',
  'orders',
  'checkout',
  'payment_pages',
  'products',
  'discounts',
  'banks',
]

interface Allowed {
  reads: readonly Collection[]
  writes: readonly Collection[]
  /** What the role can also write in test mode, where no data is real. */
  writesInTest?: readonly Collection[]
}

const without = (...left: Collection[]) => ALL.filter((one) => !left.includes(one))

/** The same as the table in docs/design/people.md. */
const ALLOWED: Record<Role, Allowed> = {
  owner: { reads: ALL, writes: ALL },
  admin: { reads: ALL, writes: ALL },
  developer: {
    reads: without('team', 'audit', 'business'),
    writes: ['keys', 'webhooks', 'simulator'],
    writesInTest: without('team', 'audit', 'business', 'providers'),
  },
  finance: {
    reads: without('keys', 'requests', 'team', 'business'),
    writes: [
      'transfers',
      'refunds',
      'disputes',
      'settlements',
      'subaccounts',
      'split_pages',
      'wallet',
      'utility',
      'simulator',
      'reconciliation',
    ],
  },
  support: { reads: CUSTOMERS_SIDE, writes: ['invoices', 'refunds', 'disputes', 'orders'] },
  viewer: { reads: [...CUSTOMERS_SIDE, 'wallet'], writes: [] },
}

/** Returns a role's permissions in one mode, as the scopes that routes require. */
export function scopesOf(role: Role, live: boolean): string[] {
  const { reads, writes, writesInTest } = ALLOWED[role]
  const changing = live ? writes : [...new Set([...writes, ...(writesInTest ?? [])])]
  return [...reads.map((one) => `${one}:read`), ...changing.map((one) => `${one}:write`)]
}
