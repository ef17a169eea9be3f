import type { Db } from '../../db/database.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { pageOf } from '../../lib/paging.ts'
import { invalid, notFound } from '../../lib/problem.ts'
import { selectTransfer } from './queries.ts'
import { transferRecord } from './record.ts'
import type { TransferQuery } from './schemas.ts'
import { findTransfers } from './search.ts'
import { TRANSFER_STATES, type TransferState } from './states.ts'

/** By our reference or the caller's own; undefined when there is none. */
export const findTransfer = (db: Db, tenant: Tenant, reference: string) =>
  selectTransfer(db, tenant, reference)

/** The record of one; throws 404. */
export async function getTransfer(db: Db, caller: Caller, reference: string) {
  const row = await findTransfer(db, caller, reference)
  if (!row) throw notFound('transfer')
  return transferRecord(row, caller)
}

/** One page of transfers with its meta; throws 400 naming what cannot be asked. */
export async function listTransfers(db: Db, caller: Caller, query: TransferQuery) {
  const { businessId, transferReference, status: wanted } = query
  if (businessId !== caller.businessId)
    throw invalid({ businessId: ['must be the id of the business that the key belongs to'] })
  const status = wanted === undefined ? undefined : stateOf(wanted)
  const text = query.search?.trim() || undefined
  const found = await findTransfers(db, caller, { status, transferReference, text }, query)
  const { rows, meta } = pageOf(found.rows, query, found.total)
  return { records: rows.map((row) => transferRecord(row, caller)), meta }
}

function stateOf(wanted: string): TransferState {
  const state = TRANSFER_STATES.find((name) => name.toLowerCase() === wanted.toLowerCase())
  if (!state) throw invalid({ status: [`must be one of ${TRANSFER_STATES.join(', ')}`] })
  return state
}
