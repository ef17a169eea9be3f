import type { Database, Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import { clearingOf, postJournal } from '../ledger/ledger.ts'
import {
  type Agreed,
  closeAgreed,
  type NewDifference,
  openDifferences,
} from '../provider-orders/differences.ts'
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
  const agreed: Agreed[] = []
  const values = []
  for (const entry of entries) {
    const row = await upsertSettlement(tx, key, await ids.next(tx), entry)
    const isDone = entry.status === 'Successful'
    const wasBooked = row.journal_id !== null
    if (isDone && !wasBooked && row.amount_minor > 0n) await book(tx, ids, key, row, now)
    const difference = wasBooked ? differenceOf(key, entry, row) : undefined
    if (difference) found.push(difference)
    else agreed.push(agreedOf(entry))
    const name = difference ? 'different' : entry.status === 'Pending' ? 'pending' : 'matched'
    values.push({ entry, order: undefined, class: name } as const)
  }
  await upsertEntries(tx, key, values, now)
  await openDifferences(tx, ids, key.tenant, found, now)
  const { tenant, connectionId } = key
  await closeAgreed(tx, tenant, connectionId, { agreed, fields: ['status', 'amount'], now })
}

const agreedOf = ({ providerId: provider_id }: ProviderEntry): Agreed => ({
  ...{ kind: 'settlement', provider_id },
  ...{ subject_kind: null, subject_id: null, attempt: null },
})

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

/** We have booked it, and now it has not happened, or has another amount. */
function differenceOf(
  { connectionId }: DayKey,
  { status, amount_minor, currency, providerId, at }: ProviderEntry,
  { amount_minor: ours_minor }: SettlementRow,
): NewDifference | undefined {
  const theirs_minor = status === 'Successful' ? amount_minor : 0n
  if (theirs_minor === ours_minor) return undefined
  return {
    ...{ connectionId, kind: 'settlement', class: 'different', source: 'reconciliation' },
    field: status === 'Successful' ? 'amount' : 'status',
    day: dayOf(at),
    provider_id: providerId,
    ...{ ours_minor, theirs_minor, currency },
    evidence: { entry: { status, providerId, amountMinor: Number(amount_minor), at } },
  }
}

interface SettlementReading {
  db: Database
  provider: Provider
  key: DayKey
  clock: () => Date
  renew: () => Promise<unknown>
}

/** Reads which payments new settlements contain. Returns why that was not possible, or null. */
export async function readSettled(reading: SettlementReading): Promise<string | null> {
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
