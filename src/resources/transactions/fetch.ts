import type { Db } from '../../db/database.ts'
import { notFound } from '../../lib/problem.ts'
import type { Caller, Tenant } from '../../lib/tenant.ts'
import { type LookUpDeps, lookUp } from './look-up.ts'
import { selectById, selectByReference, type TransactionRow } from './queries.ts'
import { sharesOfOne } from './queries-shares.ts'
import { transactionRecord } from './record.ts'

/** One transaction by its id; throws 404. */
export async function fetchTransaction(db: Db, tenant: Tenant, id: number) {
  return recordOf(db, tenant, await selectById(db, tenant, id))
}

/**
 * One transaction by its reference, or by that of what it pays for, after asking the provider what
 * became of it where that is still open. What the provider does not tell in time leaves it as it
 * is. Throws 404.
 */
export async function verifyTransaction(deps: LookUpDeps, caller: Caller, reference: string) {
  const found = await selectByReference(deps.db, caller, reference)
  const named = found ? reference : await standingFor(deps, caller, reference)
  if (named === undefined) throw notFound('transaction')
  await lookUp(deps, caller, named, caller.now)
  return recordOf(deps.db, caller, await selectByReference(deps.db, caller, named))
}

async function standingFor(
  { db, purposes }: LookUpDeps,
  tenant: Tenant,
  reference: string,
): Promise<string | undefined> {
  for (const { transactionOf } of Object.values(purposes)) {
    const found = await transactionOf?.(db, tenant, reference)
    if (found !== undefined) return found
  }
  return undefined
}

async function recordOf(db: Db, tenant: Tenant, row: TransactionRow | undefined) {
  if (!row) throw notFound('transaction')
  return transactionRecord(row, tenant, await sharesOfOne(db, tenant, row))
}
