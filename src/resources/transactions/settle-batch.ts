import { type Batch, openBatch } from '../../db/batch.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { postJournals } from '../../ledger/ledger.ts'
import { type Entered, entered } from './books.ts'
import { divide } from './division.ts'
import { transactionEvent } from './events.ts'
import type { TransactionRow } from './queries.ts'
import { type MovedRow, succeedAll } from './queries-batch.ts'
import { insertEntries, type ShareEntry, type ShareRow, sharesOfAll } from './queries-shares.ts'
import { entriesOf, fundedEvents, type Settlement } from './settle.ts'

/** Answers undefined to whoever settles what had ended before, or is settled here by another. */
export type SettlementBatch = Batch<Settlement, TransactionRow | undefined>

/**
 * Settles payments that came in full, many in one transaction: what arrives while one is under way
 * goes together into the next. For those alone that keep all that was paid and lock nothing else;
 * all others go through `settleTransaction`, which does the same to one.
 *
 * Of 32 payments into one wallet at once, each in a transaction of its own, 31 wait for a commit;
 * here its balance is written once for all of them (`npm run bench settle`).
 */
export function openSettlements({ db, ids }: { db: Database; ids: Ids }): SettlementBatch {
  const lanes = Array.from({ length: LANES }, () =>
    openBatch<Settlement, TransactionRow | undefined>((settlements) =>
      db.transaction((tx) => settleAll(tx, ids, settlements)),
    ),
  )
  let turn = 0
  return { add: (settlement) => lanes[turn++ % LANES]!.add(settlement) }
}

/**
 * How many batches are under way. While one waits for its commit the other writes all but the
 * accounts: a third more than with one on two cores, and a third lane adds nothing.
 */
const LANES = 2

async function settleAll(
  tx: Tx,
  ids: Ids,
  settlements: readonly Settlement[],
): Promise<(TransactionRow | undefined)[]> {
  const first = new Map(settlements.toReversed().map((one) => [one.transactionId, one]))
  const wanted = [...first.values()].sort((a, b) => a.transactionId - b.transactionId)
  const moved = await succeedAll(tx, wanted)
  const isShared = (row: MovedRow) => row.split_page_id !== null || row.subaccount_id !== null
  const shares = await sharesOfAll(tx, moved.filter(isShared))
  const paid = moved.map((row) => paidOf(row, shares.get(row.id) ?? []))

  // The accounts come last: whoever else moves them waits from here to the commit.
  const entries: ShareEntry[] = []
  const told: NewEvent[] = []
  for (const { row, what, shares } of paid) {
    const { tenant, now } = what.journal
    entries.push(...(await entriesOf(tx, ids, row, what, row.time_zone)))
    told.push(transactionEvent('transaction.successful', row, tenant, now, shares))
  }
  await insertEntries(tx, entries)
  await appendEvents(tx, ids, told)
  const journals = paid.map(({ what }) => what.journal)
  const posted = await postJournals(tx, ids, journals)
  const funded = paid.flatMap(({ row, what }, i) => {
    if (!posted[i]) throw new Error(`Transaction ${row.id} was settled, and was not`)
    return fundedEvents(row, what, posted[i].event)
  })
  await appendEvents(tx, ids, funded)

  const rows = new Map(moved.map((row) => [row.id, row]))
  return settlements.map((one) =>
    first.get(one.transactionId) === one ? rows.get(one.transactionId) : undefined,
  )
}

interface Paid {
  row: MovedRow
  what: Entered
  shares: ShareRow[]
}

/** All that was asked came in and is kept. */
function paidOf(row: MovedRow, shares: ShareRow[]): Paid {
  const tenant = { businessId: row.business_id, live: row.live }
  const { amount_minor, fee_minor, payable_minor, paid_at } = row
  const division = divide(row, payable_minor, amount_minor, amount_minor, () => fee_minor)
  return { row, what: entered(tenant, row, division, shares, paid_at!), shares }
}
