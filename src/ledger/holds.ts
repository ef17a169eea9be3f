import type { Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import type { AccountRef } from './accounts.ts'
import { type Cause, type PostedJournal, postJournal } from './posting.ts'
import { selectHold } from './queries.ts'

/** Money that stays in `held` until `postHold` or `voidHold` is called with the same cause. */
export interface Hold {
  cause: Cause
  now: Date
  amount_minor: Minor
  currency: string
  /**
   * The source accounts. The default is the wallet. If there are several, their amounts must add up
   * to the hold.
   */
  from?: AccountRef | readonly HoldSource[]
  /** As in `Journal`. */
  eventOn?: AccountRef
}

/** What one account contributes to a hold; amounts of 0 are left out. */
export interface HoldSource {
  account: AccountRef
  amount_minor: Minor
}

/** Moves money from `from` to `held`. Throws like `postJournal`. */
export async function hold(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  request: Hold,
): Promise<PostedJournal> {
  const { amount_minor, currency, from = { kind: 'wallet_available', currency }, ...rest } = request
  const sources = 'kind' in from ? [{ account: from, amount_minor }] : from
  mustAddUp(sources, amount_minor)
  const credit: AccountRef = { kind: 'held', currency }
  const moves = sources.map((source) => ({
    debit: source.account,
    credit,
    amount_minor: source.amount_minor,
    kind: 'hold',
  }))
  return postJournal(tx, ids, tenant, { ...rest, verb: 'hold', moves })
}

function mustAddUp(parts: readonly { amount_minor: Minor }[], amount_minor: Minor): void {
  const total = parts.reduce((sum, part) => sum + part.amount_minor, 0n)
  if (total !== amount_minor)
    throw new Error(`The parts of a hold add up to ${total}, not ${amount_minor}`)
}

/** Ends a hold. The ledger already has its amount and currency. */
export interface HoldEnd {
  cause: Cause
  now: Date
  /** As in `Journal`. */
  eventOn?: AccountRef
}

/** The destination of a part of the hold that does not leave through the provider. */
export interface HoldPart {
  to: AccountRef
  amount_minor: Minor
  /** As in `Move`: `payout`, `fee`, … */
  kind: string
}

/**
 * Pays out a hold, from `held` to `provider_clearing` or to `parts`, which must add up to the hold.
 * Throws like `postJournal`.
 */
export async function postHold(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  { parts, ...end }: HoldEnd & { parts?: readonly HoldPart[] },
): Promise<PostedJournal> {
  const { amount_minor, currency } = await heldFor(tx, tenant, end.cause)
  const to: AccountRef = { kind: 'provider_clearing', currency }
  const ends = parts ?? [{ to, amount_minor, kind: 'payout' }]
  mustAddUp(ends, amount_minor)
  return release(tx, ids, tenant, { ...end, verb: 'post', ends, currency })
}

/** Returns a hold to its source accounts. Throws like `postJournal`. */
export async function voidHold(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  end: HoldEnd,
): Promise<PostedJournal> {
  const { sources, currency } = await heldFor(tx, tenant, end.cause)
  const ends = sources.map(({ account, amount_minor }) => ({
    to: account,
    amount_minor,
    kind: 'void',
  }))
  return release(tx, ids, tenant, { ...end, verb: 'void', ends, currency })
}

async function heldFor(tx: Tx, tenant: Tenant, cause: Cause) {
  const sources = await selectHold(tx, tenant, cause)
  const [first] = sources
  if (!first) throw new Error(`There is no money on hold for ${cause.type} ${cause.id}`)
  const amount_minor = sources.reduce((sum, source) => sum + source.amount_minor, 0n)
  return { sources, amount_minor, currency: first.account.currency }
}

function release(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  {
    ends,
    currency,
    ...end
  }: HoldEnd & { verb: string; ends: readonly HoldPart[]; currency: string },
): Promise<PostedJournal> {
  const debit: AccountRef = { kind: 'held', currency }
  const moves = ends.map(({ to, amount_minor, kind }) => ({
    debit,
    credit: to,
    amount_minor,
    kind,
  }))
  return postJournal(tx, ids, tenant, { ...end, moves })
}
