import type { Database, Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import { clearingOf, postJournal } from '../ledger/ledger.ts'
import { type NewDifference, openDifferences } from '../provider-orders/differences.ts'
import type { Outcome, Provider, ProviderEntry, SettledPage } from '../providers/connector/types.ts'
import { dayOf } from './days.ts'
import {
  type DayKey,
  type SettlementRow,
  selectUnread,
  updatePayments,
  updateSettlementJournal,
  upsertSettlement,
} from './queries.ts'
import { updateSettled, upsertEntries } from './queries-match.ts'

/**
 * Books what the provider has paid out to the business's own bank account. Nobody ordered that, so
 * the provider's word is enough.
 */
export async function bookSettlements(
  tx: Tx,
  ids: Ids,
  key: DayKey,
  entries: readonly ProviderEntry[],
  now: Date,
): Promise<void> {
  const found: NewDifference[] = []
  const values = []
  for (const entry of entries) {
    const row = await upsertSettlement(tx, key, await ids.next(tx), entry)
    const isDone = entry.status === 'Successful'
    if (isDone && row.journal_id === null && row.amount_minor > 0n)
      await book(tx, ids, key, row, now)
    const isTakenBack = row.journal_id !== null && !isDone
    if (isTakenBack) found.push(takenBack(key, entry))
    const name = isTakenBack ? 'different' : entry.status === 'Pending' ? 'pending' : 'matched'
    values.push({ entry, order: undefined, class: name } as const)
  }
  await upsertEntries(tx, key, values, now)
  await openDifferences(tx, ids, key.tenant, found, now)
}

async function book(
  tx: Tx,
  ids: Ids,
  { tenant, connectionId }: DayKey,
  { id, amount_minor, currency }: SettlementRow,
  now: Date,
): Promise<void> {
  const debit = { kind: 'bank', subjectId: connectionId, currency } as const
  const { journalId } = await postJournal(tx, ids, tenant, {
    cause: { type: 'provider_settlement', id },
    verb: 'settle',
    now,
    moves: [
      { debit, credit: clearingOf(connectionId, currency), amount_minor, kind: 'bank_payout' },
    ],
  })
  await updateSettlementJournal(tx, tenant, id, journalId)
}

/** We have booked it, and now it has not happened. */
const takenBack = ({ connectionId }: DayKey, entry: ProviderEntry): NewDifference => ({
  connectionId,
  kind: 'settlement',
  class: 'different',
  field: 'status',
  source: 'reconciliation',
  day: dayOf(entry.at),
  provider_id: entry.providerId,
  ours_minor: entry.amount_minor,
  theirs_minor: 0n,
  currency: entry.currency,
  evidence: { entry: { status: entry.status, providerId: entry.providerId, at: entry.at } },
})

interface Reading {
  db: Database
  provider: Provider
  key: DayKey
  clock: () => Date
  renew: () => Promise<unknown>
}

/** Reads which payments new settlements contain. Returns why that was not possible, or null. */
export async function readSettled(reading: Reading): Promise<string | null> {
  const { db, provider, key, clock, renew } = reading
  const reports = provider.reports!
  for (const { id, provider_id: settlementId } of await selectUnread(db, key)) {
    let payments = 0
    let cursor: string | null = null
    do {
      const asking = { tenant: key.tenant, now: clock() }
      const outcome: Outcome<SettledPage> = await reports.settled!(asking, settlementId, cursor)
      if (outcome.kind !== 'done') return 'The provider did not list the payments of a settlement.'
      const { providerIds, next }: SettledPage = outcome.value
      await db.transaction((tx) => updateSettled(tx, key, settlementId, providerIds))
      payments += providerIds.length
      cursor = next === cursor ? null : next
      await renew()
    } while (cursor !== null)
    await updatePayments(db, key.tenant, id, payments)
  }
  return null
}
