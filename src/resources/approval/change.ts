import type { Db, Tx } from '../../db/database.ts'
import { noteRow } from '../../ledger/watched.ts'
import { conflict, Problem } from '../../lib/problem.ts'
import type { Caller, Tenant } from '../../lib/tenant.ts'
import { watchedSettings } from '../profile/watched.ts'
import { applyWanted, clearWanted, lockWanted, selectWaiting } from './queries.ts'

/**
 * Puts a change of the limits into force that somebody else asked for at `at`. Throws
 * `approval_change_gone` (409) when it is not the one that waits any more, and
 * `second_person_needed` (403) for who asked for it.
 */
export async function confirmChange(tx: Tx, caller: Caller, at: Date): Promise<void> {
  const wanted = await lockWanted(tx, caller, at)
  if (!wanted) throw changeGone()
  if (caller.person?.id === wanted.approval_wanted_by) {
    const message = 'You asked for this change: somebody else has to confirm it.'
    throw new Problem('forbidden', 'second_person_needed', message)
  }
  await applyWanted(tx, caller, caller.now)
  await noteRow(tx, watchedSettings, caller, caller.businessId)
  await clearWanted(tx, caller)
}

/** Drops a change that waits; the limits stay. Throws as `confirmChange`, but for who asked. */
export async function dropChange(tx: Tx, caller: Caller, at: Date): Promise<void> {
  if (!(await lockWanted(tx, caller, at))) throw changeGone()
  await clearWanted(tx, caller)
}

/** How many transfers wait for approval, at most 100, and whether a change of the limits does. */
export async function waitingFor(db: Db, tenant: Tenant) {
  const { transfers, has_change } = await selectWaiting(db, tenant)
  return { transfers, limits: has_change ? 1 : 0 }
}

const changeGone = () =>
  conflict('approval_change_gone', 'This change was confirmed, withdrawn or replaced meanwhile.')
