import type { Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { appendEvents } from '../../events/append.ts'
import { forEachConcurrent, JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import { type Move, postJournal, walletOf } from '../../ledger/ledger.ts'
import type { Tenant } from '../../lib/caller.ts'
import { lockOwed, selectFirstEntry, selectOwing } from './queries.ts'
import { walletDebited } from './service.ts'

/** Each is a transaction. More at once would take connections away from requests. */
const AT_ONCE = 2

export const RECOVERY_JOB = 'recoveries'

/**
 * Takes from wallets what their businesses owe: fees of providers, and money that a provider took
 * back when the wallet could not cover it. What a wallet cannot pay is taken when it has money.
 */
export function recoveryJob({ ids }: { ids: Ids }): Job {
  return {
    name: RECOVERY_JOB,
    everyMs: 10 * 60_000,
    async run(db, now, only) {
      const owing = await selectOwing(db, only ?? null, JOB_ROWS_MAX)
      let taken = 0
      await forEachConcurrent(
        owing,
        AT_ONCE,
        async ({ business_id: businessId, live, currency }) => {
          const tenant = { businessId, live }
          if (await db.transaction((tx) => recover(tx, ids, tenant, currency, now))) taken++
        },
      )
      return taken
    },
  }
}

/** Returns whether there was something to take, which another process may have taken already. */
async function recover(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  currency: string,
  now: Date,
): Promise<boolean> {
  const wallet = walletOf(currency)
  const accounts = await lockOwed(tx, tenant, currency)
  let left_minor = accounts.find(({ kind }) => kind === wallet.kind)?.balance_minor ?? 0n
  const moves: Move[] = []
  for (const { kind, subject_id: subjectId, balance_minor } of accounts) {
    if (kind === wallet.kind) continue
    const amount_minor = -balance_minor < left_minor ? -balance_minor : left_minor
    if (amount_minor <= 0n) break
    left_minor -= amount_minor
    moves.push({
      debit: wallet,
      credit: { kind, subjectId, currency },
      amount_minor,
      kind: kind === 'provider_fees' ? 'provider_fee' : 'recovery',
    })
  }
  if (moves.length === 0) return false
  const amount_minor = moves.reduce((sum, move) => sum + move.amount_minor, 0n)
  const cause = { type: 'recovery', id: await ids.next(tx) }
  const journal = { cause, verb: 'take', now, moves, eventOn: wallet }
  const { journalId, event: account } = await postJournal(tx, ids, tenant, journal)
  if (!account) throw new Error('The ledger did not count an event for the wallet')
  const { id } = await selectFirstEntry(tx, tenant, journalId)
  const source = { type: cause.type, reference: `LED_${id}` }
  const change = { account, amount_minor, currency, source }
  await appendEvents(tx, ids, [walletDebited(change, tenant, now)])
  return true
}
