import type { Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import type { Tenant } from '../lib/caller.ts'
import { insertAccounts, selectAccounts } from './queries.ts'

/**
 * - `wallet_available`: what the business can spend now
 * - `wallet_pending`: what it can spend later
 * - `held`: amounts taken from an account for an operation in progress
 * - `fees`: what the operator earned from this business
 * - `subaccount`: the share of one subaccount, given by `subjectId`
 * - `refunds`: amounts owed to payers: overpayments and refunds in progress
 * - `unallocated`: money that has arrived and of which nobody has decided yet whose it is
 *
 * Debits increase the accounts below, and each can have a balance on either side. The first three
 * exist once for each connection to a provider, given by `subjectId`:
 * - `provider_clearing`: what the provider holds for the business
 * - `provider_fees`: fees that the provider took and that nobody has paid yet
 * - `bank`: what the provider has paid out to the business's own bank account
 * - `receivable`: what a provider took back when the wallet could not cover it
 */
export type AccountKind =
  | 'wallet_available'
  | 'wallet_pending'
  | 'held'
  | 'fees'
  | 'subaccount'
  | 'refunds'
  | 'unallocated'
  | 'provider_clearing'
  | 'provider_fees'
  | 'bank'
  | 'receivable'

/** The accounts that debits increase. */
export const DEBIT_KINDS: readonly AccountKind[] = [
  'provider_clearing',
  'provider_fees',
  'bank',
  'receivable',
]

/** An account of a tenant. It is created on first use. */
export interface AccountRef {
  kind: AccountKind
  currency: string
  /** The id of the subaccount or connection, for kinds that exist once for each. */
  subjectId?: number
}

export const walletOf = (currency: string): AccountRef => ({ kind: 'wallet_available', currency })

/** The account of what a connection's provider holds for the business. */
export const clearingOf = (connectionId: number, currency: string): AccountRef => ({
  kind: 'provider_clearing',
  subjectId: connectionId,
  currency,
})

export interface TenantAccount extends Tenant {
  account: AccountRef
}

export const accountKeyOf = ({ businessId, live, account }: TenantAccount): string =>
  `${businessId} ${live} ${account.kind} ${account.subjectId ?? 0} ${account.currency}`

/**
 * Each entry takes 200 bytes. If an account is evicted from the cache, its next use costs one more
 * round trip.
 */
const CACHED_MAX = 50_000

// An account's id never changes, so an entry is never wrong. Each database has its own cache, found
// by the database's source of ids. Only tests use several databases in one process.
const caches = new WeakMap<Ids, Map<string, number>>()

/** Returns account ids by key. Creates missing accounts. */
export async function accountIds(
  tx: Tx,
  ids: Ids,
  accounts: ReadonlyMap<string, TenantAccount>,
  now: Date,
): Promise<ReadonlyMap<string, number>> {
  const cache = cacheOf(ids)
  const found = new Map<string, number>()
  const unknown: TenantAccount[] = []
  for (const [key, account] of accounts) {
    const id = cache.get(key)
    if (id === undefined) unknown.push(account)
    else found.set(key, id)
  }
  if (unknown.length === 0) return found

  const rows = await selectOrMake(tx, ids, unknown, now)
  for (const [key, id] of rows) found.set(key, id)
  // Cache new accounts only after the commit, because a rollback removes them.
  tx.after(() => remember(cache, rows))
  return found
}

async function selectOrMake(tx: Tx, ids: Ids, accounts: TenantAccount[], now: Date) {
  const rows = await selectAccounts(tx, accounts)
  const known = new Map(rows.map((row) => [accountKeyOf(row), row.id]))
  const missing = accounts.filter((account) => !known.has(accountKeyOf(account)))
  if (missing.length === 0) return known

  const made: (TenantAccount & { id: number })[] = []
  for (const account of missing) made.push({ ...account, id: await ids.next(tx) })
  await insertAccounts(tx, made, now)
  // Read again, because another transaction may have created one of them first.
  for (const row of await selectAccounts(tx, missing)) known.set(accountKeyOf(row), row.id)
  return known
}

function cacheOf(ids: Ids): Map<string, number> {
  let cache = caches.get(ids)
  if (!cache) {
    cache = new Map()
    caches.set(ids, cache)
  }
  return cache
}

function remember(cache: Map<string, number>, rows: ReadonlyMap<string, number>): void {
  for (const [key, id] of rows) {
    cache.set(key, id)
    if (cache.size <= CACHED_MAX) continue
    const [oldest] = cache.keys()
    cache.delete(oldest!)
  }
}
