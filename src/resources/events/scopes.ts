import type { Caller } from '../../lib/tenant.ts'
import type { COLLECTIONS } from '../keys/collections.ts'
import type { Scope } from '../keys/scopes.ts'

/** Which collection an event tells about, by what its type begins with. */
const COLLECTION_OF: Record<string, (typeof COLLECTIONS)[number]> = {
  wallet: 'wallet',
  account: 'profile',
  transaction: 'transactions',
  virtual_account: 'transactions',
  bank: 'transactions',
  transfer: 'transfers',
  refund: 'refunds',
  invoice: 'invoices',
  payment_page: 'payment_pages',
  product: 'products',
  order: 'orders',
  discount: 'discounts',
  download: 'products',
  subaccount: 'subaccounts',
  split_page: 'split_pages',
  settlement: 'settlements',
  utility: 'utility',
  api_key: 'keys',
  webhook: 'webhooks',
}

/** What it takes to read the object of an event, and so the event. */
export function scopeOfType(type: string): Scope {
  const [beginning = ''] = type.split('.')
  return `${COLLECTION_OF[beginning] ?? 'events'}:read`
}

/** Of all types those that a caller may read; undefined where nothing is left out. */
export function readableTypes({ scopes }: Caller, types: readonly string[]): string[] | undefined {
  if (scopes === null) return undefined
  return types.filter((type) => {
    const scope = scopeOfType(type)
    return scopes.includes(scope) || scopes.includes(scope.replace(':read', ':write'))
  })
}
