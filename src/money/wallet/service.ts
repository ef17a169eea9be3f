import type { Db, Tx } from '../../db/database.ts'
import { ConcurrentChange } from '../../db/failures.ts'
import type { Ids } from '../../db/ids.ts'
import { cursorOf } from '../../db/paginate.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import {
  balancesOf,
  clearingOf,
  feeFromWallet,
  type Hold,
  type HoldSource,
  hold,
  holdAll,
  postJournal,
  providerFeeMoves,
  type Through,
  walletOf,
} from '../../ledger/ledger.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { amountsOf, formatAmount, isCurrency, type Minor } from '../../lib/money.ts'
import { cursorPage, rangeOf } from '../../lib/paging.ts'
import { invalid, Problem } from '../../lib/problem.ts'
import {
  type EntryRow,
  lockToHold,
  selectCause,
  selectEntries,
  selectReferences,
  selectWallet,
} from './queries.ts'
import type { LedgerQuery } from './schemas.ts'

/**
 * Returns a business's balances, one for each currency that it has ever used. If there are none,
 * returns a balance of 0 in the business's own currency.
 */
export async function walletBalances(db: Db, tenant: Tenant) {
  const used = await balancesOf(db, tenant)
  const balances = used.length > 0 ? used : [await nothingYet(db, tenant)]
  return balances.map(({ currency, available_minor, pending_minor, held_minor }) => ({
    currency,
    ...amountsOf(currency, {
      available: available_minor,
      pending: pending_minor,
      held: held_minor,
      ledger: available_minor + pending_minor + held_minor,
    }),
  }))
}

async function nothingYet(db: Db, tenant: Tenant) {
  const { currency } = await selectWallet(db, tenant, undefined)
  return { currency, available_minor: 0n, pending_minor: 0n, held_minor: 0n }
}

interface WalletChange {
  /** The wallet's account and its event count, as returned by `postJournal`. */
  account: { accountId: number; sequence: number; balance_minor: Minor }
  amount_minor: Minor
  currency: string
  source: { type: string; reference: string }
}

const walletEvent =
  (type: string) =>
  (
    { account, amount_minor, currency, source }: WalletChange,
    { businessId, live }: Tenant,
    at: Date,
  ): NewEvent => ({
    businessId,
    live,
    type,
    objectType: 'wallet',
    objectId: account.accountId,
    sequence: account.sequence,
    data: {
      reference: source.reference,
      status: 'Successful',
      ...amountsOf(currency, { amount: amount_minor }),
      currency,
      ...amountsOf(currency, { availableAfter: account.balance_minor }),
      source,
    },
    at,
  })

/**
 * Builds the event for money that has arrived in the wallet. These events are numbered in sequence
 * by the wallet's ledger account.
 */
export const walletFunded = walletEvent('wallet.funded')

/**
 * Builds the event for held money that has been paid out, including the fee. It is numbered like
 * `walletFunded`.
 */
export const walletDebited = walletEvent('wallet.debited')

/** Adds money to a wallet that has arrived at a provider. Only the simulator makes money up. */
export async function creditWallet(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  funding: {
    amount_minor: Minor
    currency: string
    through: Through
    cause: { type: 'funding' | 'simulation'; id: number }
    reference: string
    now: Date
  },
): Promise<void> {
  const { amount_minor, currency, through, cause, reference, now } = funding
  if (cause.type === 'simulation' && tenant.live) {
    throw new Error('Money is only simulated in test mode')
  }
  const wallet = walletOf(currency)
  const debit = clearingOf(through.connectionId, currency)
  const { event } = await postJournal(tx, ids, tenant, {
    cause,
    verb: 'fund',
    now,
    eventOn: wallet,
    moves: [
      { debit, credit: wallet, amount_minor, kind: 'funding' },
      ...providerFeeMoves(through, currency, amount_minor),
    ],
  })
  if (!event) throw new Error('The ledger did not count an event for the wallet')
  const source = { type: cause.type, reference }
  const funded_minor = amount_minor - feeFromWallet(through, amount_minor)
  await appendEvents(tx, ids, [
    walletFunded({ account: event, amount_minor: funded_minor, currency, source }, tenant, now),
  ])
}

interface Debit {
  amount_minor: Minor
  /** 0 if no fee is charged. */
  fee_minor: Minor
  currency: string
}

/**
 * Throws `insufficient_balance` (400), with the figures, if the wallet currently has too little.
 * Call `holdOrRetry` afterwards, because only the hold reserves the money.
 */
export async function requireBalance(db: Db, tenant: Tenant, debit: Debit): Promise<void> {
  const wallet = (await balancesOf(db, tenant)).find((one) => one.currency === debit.currency)
  const problem = shortage(debit, wallet?.available_minor ?? 0n)
  if (problem) throw problem
}

/** Returns what `requireBalance` throws; undefined if the balance is sufficient. */
export function shortage(
  { amount_minor, fee_minor, currency }: Debit,
  available_minor: Minor,
): Problem | undefined {
  const needed_minor = amount_minor + fee_minor
  if (needed_minor <= available_minor) return undefined
  const says = (minor: Minor) => formatAmount(minor, currency)
  const parts = fee_minor > 0n ? ` (${says(amount_minor)} + ${says(fee_minor)} fee)` : ''
  const figures = `${says(needed_minor)} needed${parts}, ${says(available_minor)} available`
  return new Problem('invalid', 'insufficient_balance', `Insufficient balance: ${figures}.`, {
    fields: { amount: [`is more than the balance: ${figures}`] },
  })
}

/**
 * Holds money that `requireBalance` has just found in the same transaction. If another request has
 * taken the money in the meantime, the whole transaction runs again, so that the error shows
 * current figures.
 */
export const holdOrRetry = (tx: Tx, ids: Ids, tenant: Tenant, request: Hold): Promise<void> =>
  holdAllOrRetry(tx, ids, [{ ...request, tenant }])

/** Like `holdOrRetry`, for several causes, of any tenants. */
export async function holdAllOrRetry(
  tx: Tx,
  ids: Ids,
  requests: readonly (Hold & { tenant: Tenant })[],
): Promise<void> {
  try {
    await holdAll(tx, ids, requests)
  } catch (error) {
    const isShort = error instanceof Problem && error.code === 'insufficient_balance'
    throw isShort ? new ConcurrentChange(error) : error
  }
}

interface PartialHold extends Omit<Hold, 'from'> {
  /** What other accounts contribute. The amount is the wallet's part, without these. */
  others: readonly HoldSource[]
}

/**
 * Holds as much of an amount as the wallet has, together with what other accounts contribute.
 * Returns the wallet's part, which can be 0.
 */
export async function holdUpTo(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  { amount_minor: wanted_minor, others, ...request }: PartialHold,
): Promise<Minor> {
  const account = walletOf(request.currency)
  const available_minor = await lockToHold(tx, tenant, request.currency)
  const own_minor = available_minor < wanted_minor ? available_minor : wanted_minor
  const from = [...others, { account, amount_minor: own_minor }]
  const amount_minor = from.reduce((sum, source) => sum + source.amount_minor, 0n)
  if (amount_minor > 0n) await hold(tx, ids, tenant, { ...request, amount_minor, from })
  return own_minor
}

/**
 * Returns one page of the entries in a wallet's available balance, newest first. All entries
 * together add up to that balance. Throws 400 naming an invalid filter or a cursor from a different
 * list.
 */
export async function walletLedger(db: Db, caller: Caller, query: LedgerQuery) {
  const { currency: wanted, type, limit } = query
  if (wanted !== undefined && !isCurrency(wanted)) {
    throw invalid({ currency: ['must be an ISO 4217 currency code'] })
  }
  const range = rangeOf(query, caller.timeZone)
  const wallet = await selectWallet(db, caller, wanted)
  const name = JSON.stringify(['wallet/ledger', wallet.currency, type, range.from, range.until])
  const { key, cursor } = await cursorOf(db, caller, name, query.cursor)
  const read =
    wallet.id === null
      ? []
      : await selectEntries(db, caller, { accountId: wallet.id, type, range }, cursor, limit + 1)
  const { rows, meta } = cursorPage(key, read, limit, cursor)
  const references = await referencesOf(db, caller, rows)
  return { records: rows.map((row) => entryRecord(row, references)), meta }
}

/** The key for a cause in the result of `referencesOf`. */
export const causeKey = ({ cause_type, cause_id }: Pick<EntryRow, 'cause_type' | 'cause_id'>) =>
  `${cause_type} ${cause_id}`

/** Returns the references of these entries' causes, using one query per cause type. */
export async function referencesOf(
  db: Db,
  tenant: Tenant,
  rows: readonly Pick<EntryRow, 'cause_type' | 'cause_id'>[],
) {
  const references = new Map<string, string>()
  for (const [type, caused] of Map.groupBy(rows, ({ cause_type }) => cause_type)) {
    const ids = [...new Set(caused.map(({ cause_id }) => cause_id))]
    for (const { id, reference } of await selectReferences(db, tenant, type, ids)) {
      references.set(causeKey({ cause_type: type, cause_id: id }), reference)
    }
  }
  return references
}

export const causeOf = (db: Db, tenant: Tenant, reference: string) =>
  selectCause(db, tenant, reference)

const entryRecord = (row: EntryRow, references: ReadonlyMap<string, string>) => ({
  id: row.id,
  reference: `LED_${row.id}`,
  status: 'Posted',
  type: row.type,
  kind: row.kind,
  ...amountsOf(row.currency, { amount: row.amount_minor }),
  currency: row.currency,
  cause: {
    type: row.cause_type,
    id: row.cause_id,
    reference: references.get(causeKey(row)) ?? null,
  },
  createdAt: row.created_at,
})
