import type { Tx } from '../db/database.ts'
import type { Ids } from '../db/ids.ts'
import { postJournals } from '../ledger/ledger.ts'
import type { Tenant } from '../lib/caller.ts'
import { walletFunded } from '../money/wallet/service.ts'
import { insertEvents } from './rows.ts'
import { type EventRow, eventRow, type Settled } from './story.ts'

/** Journals in one statement. */
const JOURNALS_MAX = 1_000

/**
 * Posts the settlements in the order of their time, so that the wallet counts its events in that
 * order too, and tells of the money that came in. Last in its transaction: from here on others who
 * pay into this wallet wait.
 */
export async function postSettlements(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  settled: readonly Settled[],
): Promise<void> {
  const inOrder = [...settled].sort((a, b) => a.journal.now.getTime() - b.journal.now.getTime())
  for (let from = 0; from < inOrder.length; from += JOURNALS_MAX) {
    const some = inOrder.slice(from, from + JOURNALS_MAX)
    const posted = await postJournals(
      tx,
      ids,
      some.map(({ journal }) => journal),
    )
    const events: EventRow[] = []
    for (const [i, { journal, funded_minor, currency, reference }] of some.entries()) {
      const answer = posted[i]
      if (!answer) throw new Error(`The settlement of ${reference} was posted before`)
      if (!answer.event) continue
      const source = { type: journal.cause.type, reference }
      const funding = { account: answer.event, amount_minor: funded_minor, currency, source }
      events.push(eventRow(await ids.next(tx), walletFunded(funding, tenant, journal.now)))
    }
    await insertEvents(tx, tenant, events)
  }
}
