import type { Db } from '../../db/database.ts'
import { type Searchable, searchFor } from '../../db/text-search.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { oneOf } from '../../lib/paging.ts'
import { invalid, notFound } from '../../lib/problem.ts'
import { findTransfers, selectTransfer, type TransferRow } from './queries.ts'
import { transferRecord } from './record.ts'
import type { TransferQuery } from './schemas.ts'
import { TRANSFER_STATES } from './states.ts'

export const TRANSFERS: Searchable<TransferRow> = {
  kind: 'transfer',
  table: 'transfers',
  fields: [
    'account_number',
    'bank_name',
    'account_name',
    'narration',
    'transfer_reference',
    'reference',
  ],
  commonStart: 'trf_',
}

/** Finds a transfer by our reference or the caller's. */
export const findTransfer = (db: Db, tenant: Tenant, reference: string) =>
  selectTransfer(db, tenant, reference)

export async function getTransfer(db: Db, caller: Caller, reference: string) {
  const row = await findTransfer(db, caller, reference)
  if (!row) throw notFound('transfer')
  return transferRecord(row, caller)
}

/** Returns one page of transfers with its meta. Throws 400 naming an invalid filter. */
export async function listTransfers(db: Db, caller: Caller, query: TransferQuery) {
  const { businessId, transferReference } = query
  if (businessId !== caller.businessId)
    throw invalid({ businessId: ['must be the id of the business that the key belongs to'] })
  const status = oneOf('status', TRANSFER_STATES, query.status)
  const filter = { status, transferReference, search: searchFor(TRANSFERS, query.search) }
  const { rows, meta } = await findTransfers(db, caller, filter, query)
  return { records: rows.map((row) => transferRecord(row, caller)), meta }
}
