import type { Database, Db } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import type { Tenant } from '../lib/caller.ts'
import { addMs } from '../lib/clock.ts'
import { amountsOf, type Minor } from '../lib/money.ts'
import {
  closeAgreed,
  type DifferenceRow,
  type NewDifference,
  openDifferences,
} from '../provider-orders/differences.ts'
import { latestBalances, recordBalances } from '../providers/balances.ts'
import type { Balance, Provider, Providers } from '../providers/connector/types.ts'
import {
  type BalanceRow,
  type DayKey,
  selectAccounts,
  selectConnections,
  selectExplained,
  selectLastBalance,
  selectOpenBalance,
  upsertBalance,
} from './queries.ts'

interface Comparing {
  db: Database
  ids: Ids
  provider: Provider
  key: DayKey
  clock: () => Date
}

/**
 * Compares what the provider holds with our ledger, as they are now. Returns why that was not
 * possible, or null.
 */
export async function compareBalances(comparing: Comparing): Promise<string | null> {
  const { db, provider, key, clock } = comparing
  const outcome = await recordBalances(db, provider, key.tenant, clock())
  if (!outcome) return null
  if (outcome.kind !== 'done') return 'The provider did not report its balance.'
  for (const balance of outcome.value) await compareBalance(comparing, balance)
  return null
}

/** Money moves while both are read, so only what was there an hour before too is a difference. */
const APART_MS = 3_600_000

async function compareBalance(
  { db, ids, key, clock }: Comparing,
  { currency, available_minor, pending_minor }: Balance,
): Promise<void> {
  const at = clock()
  const theirs_minor = available_minor + (pending_minor ?? 0n)
  await db.transaction(async (tx) => {
    const { ledger_minor, explained_minor } = await selectExplained(tx, key, currency)
    const unexplained_minor = theirs_minor - ledger_minor - explained_minor
    const row = { currency, at, theirs_minor, ledger_minor, explained_minor, unexplained_minor }
    const before = await selectLastBalance(tx, key, currency, addMs(at, -APART_MS))
    await upsertBalance(tx, key, row)
    const open = await selectOpenBalance(tx, key, currency)
    const { tenant, connectionId } = key
    if (unexplained_minor === 0n && open) {
      const none = { subject_kind: null, subject_id: null, attempt: null }
      const about = { kind: 'balance', ...none } as const
      const agreed = [{ ...about, provider_id: open.provider_id }]
      return void (await closeAgreed(tx, tenant, connectionId, { agreed, fields: [''], now: at }))
    }
    const lasting_minor = lastingOf(unexplained_minor, before?.unexplained_minor ?? 0n)
    if (lasting_minor === 0n) return
    const difference: NewDifference = {
      connectionId,
      kind: 'balance',
      class: 'different',
      source: 'reconciliation',
      provider_id: open?.provider_id ?? `${currency} ${at.toISOString()}`,
      day: key.day,
      ours_minor: theirs_minor - lasting_minor,
      theirs_minor,
      currency,
      evidence: { balance: evidenceOf(row) },
    }
    await openDifferences(tx, ids, tenant, [difference], at)
  })
}

/** Asks what the provider holds now of what a difference is about; undefined if it does not say. */
export async function heldNow(
  { db, providers }: { db: Database; providers: Providers },
  tenant: Tenant,
  { connection_id, currency: wanted }: Pick<DifferenceRow, 'connection_id' | 'currency'>,
  now: Date,
): Promise<Minor | undefined> {
  const outcome = await recordBalances(db, await providers.holder(connection_id), tenant, now)
  if (outcome?.kind !== 'done') return undefined
  const balance = outcome.value.find(({ currency }) => currency === wanted)
  return balance && balance.available_minor + (balance.pending_minor ?? 0n)
}

/** Returns the part of an amount that was there before too. */
function lastingOf(now_minor: Minor, before_minor: Minor): Minor {
  if (now_minor > 0n && before_minor > 0n)
    return now_minor < before_minor ? now_minor : before_minor
  if (now_minor < 0n && before_minor < 0n)
    return now_minor > before_minor ? now_minor : before_minor
  return 0n
}

const evidenceOf = ({ currency, at, ...row }: BalanceRow) => ({
  currency,
  at,
  theirsMinor: Number(row.theirs_minor),
  ledgerMinor: Number(row.ledger_minor),
  explainedMinor: Number(row.explained_minor),
  unexplainedMinor: Number(row.unexplained_minor),
})

// --------------------------------------------------------------------------- proof of funds

/** What the business owes, or has promised, by ledger account. */
const OWED = ['wallet_available', 'wallet_pending', 'held', 'subaccount', 'refunds', 'unallocated']

/** Returns what providers hold for a business beside what our ledger says, in each currency. */
export async function proofOfFunds(db: Db, tenant: Tenant) {
  const [accounts, balances, connections] = await Promise.all([
    selectAccounts(db, tenant),
    latestBalances(db, tenant),
    selectConnections(db, tenant),
  ])
  const currencies = [...new Set([...accounts, ...balances].map(({ currency }) => currency))].sort()
  return currencies.map((currency) => {
    const ours = accounts.filter((one) => one.currency === currency)
    const sumOf = (kinds: readonly string[]) =>
      ours
        .filter(({ kind }) => kinds.includes(kind))
        .reduce((sum, { balance_minor }) => sum + balance_minor, 0n)
    const ofConnection = (id: number, kind: string) =>
      -(ours.find((one) => one.kind === kind && one.subject_id === id)?.balance_minor ?? 0n)
    const providers = connections.flatMap(({ id, name, provider, status }) => {
      const balance = balances.find((one) => one.connection_id === id && one.currency === currency)
      const ledger_minor = ofConnection(id, 'provider_clearing')
      const bank_minor = ofConnection(id, 'bank')
      if (!balance && ledger_minor === 0n && bank_minor === 0n) return []
      const held_minor = balance && balance.available_minor + (balance.pending_minor ?? 0n)
      return [
        {
          connectionId: id,
          name,
          provider,
          status,
          asOf: balance?.at ?? null,
          availableMinor: balance ? Number(balance.available_minor) : null,
          pendingMinor: balance?.pending_minor == null ? null : Number(balance.pending_minor),
          heldMinor: held_minor === undefined ? null : Number(held_minor),
          ledgerMinor: Number(ledger_minor),
          bankMinor: Number(bank_minor),
          held_minor,
          ledger_minor,
        },
      ]
    })
    // A provider that does not report its balance counts with what our ledger says.
    const held = providers.reduce((sum, one) => sum + (one.held_minor ?? one.ledger_minor), 0n)
    const owed = sumOf(OWED)
    const bank = -sumOf(['bank'])
    const short = owed - held - bank
    const figures = { held, bank, owed, fees: sumOf(['fees']), short: short > 0n ? short : 0n }
    return {
      currency,
      ...amountsOf(currency, figures),
      providerFeesMinor: Number(-sumOf(['provider_fees'])),
      receivableMinor: Number(-sumOf(['receivable'])),
      isCovered: short <= 0n,
      ledger: ours.map(({ kind, subject_id, balance_minor }) => ({
        kind,
        connectionId: subject_id || null,
        balanceMinor: Number(balance_minor),
      })),
      connections: providers.map(({ held_minor: _, ledger_minor: __, ...shown }) => shown),
    }
  })
}
