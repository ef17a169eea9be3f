import type { Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import { type AccountRef, clearingOf } from './accounts.ts'
import {
  AlreadyPosted,
  type Cause,
  type Journal,
  type Move,
  type PostedJournal,
  postJournal,
  postJournals,
  providerFeeMoves,
  type Through,
} from './posting.ts'
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
export const hold = (tx: Tx, ids: Ids, tenant: Tenant, request: Hold): Promise<PostedJournal> =>
  postJournal(tx, ids, tenant, holdJournal(request))

/**
 * Holds money of any tenants for several causes that have not been posted yet, in one statement.
 * If an account would go below zero, nothing is held, and this throws `insufficient_balance` (400).
 */
export async function holdAll(
  tx: Tx,
  ids: Ids,
  requests: readonly (Hold & { tenant: Tenant })[],
): Promise<void> {
  const journals = requests.map(({ tenant, ...request }) => ({ ...holdJournal(request), tenant }))
  const posted = await postJournals(tx, ids, journals)
  for (const [i, journal] of journals.entries()) {
    if (!posted[i]) throw new AlreadyPosted(journal)
  }
}

function holdJournal(request: Hold): Journal {
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
  return { ...rest, verb: 'hold', moves }
}

function mustAddUp(parts: readonly { amount_minor: Minor }[], amount_minor: Minor): void {
  const total = parts.reduce((sum, part) => sum + part.amount_minor, 0n)
  if (total !== amount_minor)
    throw new Error(`The parts of a hold add up to ${total}, not ${amount_minor}`)
}

/** Ends a hold. The ledger already has its amount and currency. */
interface HoldEnd {
  cause: Cause
  now: Date
  /** As in `Journal`. */
  eventOn?: AccountRef
}

interface HoldPart {
  /** The destination of a part that does not leave through the provider. */
  to?: AccountRef
  amount_minor: Minor
  /** As in `Move`: `payout`, `fee`, … */
  kind: string
}

/** Says where the money of a hold goes. */
export interface Payout extends HoldEnd {
  through: Through
  /** Must add up to the hold. By default, all of it leaves as a `payout`. */
  parts?: readonly HoldPart[]
  /** Further moves in the same journal. */
  moves?: readonly Move[]
}

/**
 * Pays out a hold through a connection, and books the provider's fee if it is known. Throws like
 * `postJournal`.
 */
export async function postHold(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  { through, parts, moves = [], ...end }: Payout,
): Promise<PostedJournal> {
  const { amount_minor, currency } = await heldFor(tx, tenant, end.cause)
  const all = parts ?? [{ amount_minor, kind: 'payout' }]
  mustAddUp(all, amount_minor)
  const clearing = clearingOf(through.connectionId, currency)
  const ends = all.map((part) => ({ ...part, to: part.to ?? clearing }))
  const further = [...moves, ...providerFeeMoves(through, currency)]
  return release(tx, ids, tenant, { ...end, verb: 'post', ends, currency, further })
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
  return release(tx, ids, tenant, { ...end, verb: 'void', ends, currency, further: [] })
}

async function heldFor(tx: Tx, tenant: Tenant, cause: Cause) {
  const sources = await selectHold(tx, tenant, cause)
  const [first] = sources
  if (!first) throw new Error(`There is no money on hold for ${cause.type} ${cause.id}`)
  const amount_minor = sources.reduce((sum, source) => sum + source.amount_minor, 0n)
  return { sources, amount_minor, currency: first.account.currency }
}

type Release = HoldEnd & {
  verb: string
  ends: readonly (HoldPart & { to: AccountRef })[]
  currency: string
  further: readonly Move[]
}

function release(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  { ends, currency, further, ...end }: Release,
): Promise<PostedJournal> {
  const debit: AccountRef = { kind: 'held', currency }
  const moves = ends.map(({ to, amount_minor, kind }) => ({
    debit,
    credit: to,
    amount_minor,
    kind,
  }))
  return postJournal(tx, ids, tenant, { ...end, moves: [...moves, ...further] })
}
