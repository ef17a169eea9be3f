import type { Tx } from '../db/database.ts'
import { isCheckViolation } from '../db/failures.ts'
import type { Ids } from '../db/ids.ts'
import type { Tenant } from '../lib/caller.ts'
import type { Minor } from '../lib/money.ts'
import { conflict, Problem } from '../lib/problem.ts'
import {
  type AccountRef,
  accountIds,
  accountKeyOf,
  clearingOf,
  type TenantAccount,
  walletOf,
} from './accounts.ts'
import { insertJournals, type JournalRow, type TransferRow } from './journals.ts'
import { selectBookedFees, selectVerbs } from './queries.ts'

/** The reason for a journal: the contract's noun for a record, and the id of its row. */
export interface Cause {
  /** For example `transaction`, `transfer`, `refund` or `deposit`. */
  type: string
  id: number
}

/**
 * One amount moved between two accounts of the same currency. Debits increase what the business
 * has outside Tradepost, such as `provider_clearing`; credits increase its balances inside, such as
 * `wallet_available`. So a charge debits `provider_clearing` and credits `wallet_available`, and a
 * payout debits `wallet_available`.
 */
export interface Move {
  debit: AccountRef
  credit: AccountRef
  /** Moves of 0 are left out, so callers need not check whether a fee is zero. */
  amount_minor: Minor
  /**
   * The name of the movement in the wallet's ledger: `charge`, `fee`, `hold`, `overpayment`,
   * `opening`, …
   */
  kind: string
}

/** Moves that are posted together or not at all. */
export interface Journal {
  cause: Cause
  /** What has happened to the cause: `settle`, `hold`, `post`, `void`, `refund`, `fund`, … */
  verb: string
  now: Date
  moves: readonly Move[]
  /** One of the accounts in `moves`. The same statement increments its event sequence. */
  eventOn?: AccountRef
}

export interface PostedJournal {
  journalId: number
  /**
   * The data for the event: its object (this account), its sequence number, and the account's
   * balance after this journal. Present if the journal has `eventOn`.
   */
  event?: { accountId: number; sequence: number; balance_minor: Minor }
}

/**
 * Thrown if the cause has already been posted with this verb. The call has posted nothing, and the
 * `tx` is still usable.
 */
export class AlreadyPosted extends Problem {
  constructor({ cause, verb }: Journal) {
    super('conflict', 'already_posted', `The ${cause.type} has already been posted (${verb}).`)
    this.name = 'AlreadyPosted'
  }
}

/**
 * Posts one journal: checks it, moves the balances and writes the rows, all in one statement if
 * every account has been used before.
 *
 * Throws:
 * - `insufficient_balance` (400) if an account would go below zero; the `tx` is aborted
 * - `AlreadyPosted` if this cause has already been posted with this verb; the `tx` is still usable
 * - `hold_ended` (409) for a `post` after a `void` of the same cause, or the reverse
 */
export async function postJournal(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  journal: Journal,
): Promise<PostedJournal> {
  const [posted] = await postJournals(tx, ids, [{ ...journal, tenant }])
  if (posted) return posted
  throw await refusal(tx, tenant, journal)
}

async function refusal(tx: Tx, tenant: Tenant, journal: Journal): Promise<Problem> {
  const verbs = await selectVerbs(tx, tenant, journal.cause)
  if (verbs.includes(journal.verb)) return new AlreadyPosted(journal)
  const noun = journal.cause.type
  return conflict(
    'hold_ended',
    `The amount held for this ${noun} has already been paid out or released.`,
  )
}

/**
 * Posts many journals, which can belong to any tenant, in one statement. Returns the results in the
 * same order as the journals; `undefined` means that the cause has already been posted. If an
 * account would go below zero, all journals fail with `insufficient_balance`, so the caller must
 * then split the batch.
 */
export async function postJournals(
  tx: Tx,
  ids: Ids,
  journals: readonly TenantJournal[],
): Promise<(PostedJournal | undefined)[]> {
  if (journals.length === 0) return []
  const accounts = await accountIds(tx, ids, accountsOf(journals), journals[0]!.now)
  const { journalRows, transferRows } = await rowsOf(tx, ids, journals, accounts)
  const written = await insertJournals(tx, journalRows, transferRows).catch(asProblem)
  const movesOf = Map.groupBy(transferRows, ({ journalId }) => journalId)

  const byId = new Map(written.map((row) => [row.id, row]))
  const balances = new Map(
    written.map((row) => [row.event_account_id, row.balance_minor ?? 0n] as const),
  )
  // `balances` contains the balances after all journals, so this goes backwards and undoes the
  // moves of each journal.
  const posted = journalRows.toReversed().map(({ id }): PostedJournal | undefined => {
    const row = byId.get(id)
    if (!row) return undefined
    const { event_account_id: accountId, event_sequence: sequence } = row
    const balance_minor = balances.get(accountId) ?? 0n
    for (const { debitId, creditId, amount_minor } of movesOf.get(id) ?? []) {
      if (balances.has(debitId)) balances.set(debitId, balances.get(debitId)! + amount_minor)
      if (balances.has(creditId)) balances.set(creditId, balances.get(creditId)! - amount_minor)
    }
    if (accountId === null || sequence === null) return { journalId: id }
    return { journalId: id, event: { accountId, sequence, balance_minor } }
  })
  return posted.toReversed()
}

export type TenantJournal = Journal & { tenant: Tenant }

function accountsOf(journals: readonly TenantJournal[]): Map<string, TenantAccount> {
  const accounts = new Map<string, TenantAccount>()
  for (const { tenant, moves, eventOn } of journals) {
    const used = moves.flatMap(({ debit, credit }) => [debit, credit])
    if (eventOn) used.push(eventOn)
    for (const account of used) {
      const owned = { businessId: tenant.businessId, live: tenant.live, account }
      accounts.set(accountKeyOf(owned), owned)
    }
  }
  return accounts
}

async function rowsOf(
  tx: Tx,
  ids: Ids,
  journals: readonly TenantJournal[],
  accounts: ReadonlyMap<string, number>,
): Promise<{ journalRows: JournalRow[]; transferRows: TransferRow[] }> {
  const journalRows: JournalRow[] = []
  const transferRows: TransferRow[] = []
  for (const { tenant, cause, verb, now, moves, eventOn } of journals) {
    const { businessId, live } = tenant
    const idOf = (account: AccountRef) => accounts.get(accountKeyOf({ businessId, live, account }))!
    const id = await ids.next(tx)
    const eventAccountId = eventOn ? idOf(eventOn) : null
    const causeOf = { causeType: cause.type, causeId: cause.id }
    journalRows.push({ businessId, live, id, ...causeOf, verb, now, eventAccountId })

    const real = moves.filter(({ amount_minor }) => amount_minor !== 0n)
    if (real.length === 0) throw new Error(`Nothing to move: ${verb} of ${cause.type} ${cause.id}`)
    for (const { debit, credit, amount_minor, kind } of real) {
      const { currency } = debit
      const sides = { debitId: idOf(debit), creditId: idOf(credit) }
      const move = { id: await ids.next(tx), journalId: id, ...sides, amount_minor, currency, kind }
      transferRows.push({ businessId, live, ...move, now })
    }
  }
  return { journalRows, transferRows }
}

function asProblem(error: unknown): never {
  if (!isCheckViolation(error, 'ledger_accounts_balance')) throw error
  throw new Problem('invalid', 'insufficient_balance', 'Insufficient balance.', {
    fields: { amount: ['must not exceed the available balance'] },
    cause: error,
  })
}

/** The connection through which money moved, and what its provider took for that. */
export interface Through {
  connectionId: number
  /** Null until the provider says. Fees are never calculated. */
  fee_minor?: Minor | null | undefined
  /** Default: the business. */
  feesPaidBy?: 'business' | 'operator' | undefined
}

/** The kind of the moves, and the verb of a journal that has only these. */
const PROVIDER_FEE = 'provider_fee'

/**
 * Returns the moves for a provider's fee; none if it is not known. The fee leaves what the provider
 * holds for the business. If the business pays it, the wallet pays as much of it as the journal
 * adds to the wallet (`gained_minor`), so that a payment that belongs to subaccounts still settles.
 * The job `recoveries` takes the rest from the wallet.
 */
export function providerFeeMoves(
  through: Through,
  currency: string,
  gained_minor: Minor = 0n,
): Move[] {
  const { connectionId, fee_minor } = through
  if (!fee_minor) return []
  const fees: AccountRef = { kind: 'provider_fees', subjectId: connectionId, currency }
  const clearing = clearingOf(connectionId, currency)
  const paid_minor = feeFromWallet(through, gained_minor)
  return [
    { debit: fees, credit: clearing, amount_minor: fee_minor, kind: PROVIDER_FEE },
    { debit: walletOf(currency), credit: fees, amount_minor: paid_minor, kind: PROVIDER_FEE },
  ]
}

/** Returns the part of a provider's fee that the wallet pays at once. */
export function feeFromWallet({ fee_minor, feesPaidBy }: Through, gained_minor: Minor): Minor {
  if (!fee_minor || feesPaidBy === 'operator') return 0n
  return fee_minor < gained_minor ? fee_minor : gained_minor
}

/**
 * Books a fee that the provider named after the record had ended. Returns false if there is no fee,
 * or if a fee of this record has been booked before.
 */
export async function bookProviderFee(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  { through, currency, ...of }: { cause: Cause; through: Through; currency: string; now: Date },
): Promise<boolean> {
  const moves = providerFeeMoves(through, currency)
  if (moves.length === 0) return false
  const booked = await selectBookedFees(tx, tenant, through.connectionId, [of.cause])
  if (booked.length > 0) return false
  const [posted] = await postJournals(tx, ids, [{ ...of, tenant, verb: PROVIDER_FEE, moves }])
  return posted !== undefined
}
