import type { Db } from '../../db/database.ts'
import { isDescending, type Page, pageOf, rangeOf } from '../../lib/paging.ts'
import { invalid, notFound } from '../../lib/problem.ts'
import type { Caller, Tenant } from '../../lib/tenant.ts'
import { codesOf, getSubaccount } from '../subaccounts/service.ts'
import { type SettlementRow, selectSettlement } from './queries.ts'
import { selectLines } from './queries-lines.ts'
import { findSettlements } from './queries-list.ts'
import { lineRecord, settlementRecord } from './record.ts'
import type { SettlementQuery } from './schemas.ts'
import { SETTLEMENT_STATES, type SettlementState } from './states.ts'

/** One with a page of its lines, oldest first; a Failed one has none any more. */
export async function getSettlement(db: Db, tenant: Tenant, reference: string, page: Page) {
  const row = await findSettlement(db, tenant, reference)
  const found = await selectLines(db, tenant, row.id, page)
  const total = row.status === 'Failed' ? 0 : row.entry_count
  const { rows, meta } = pageOf(found, page, total)
  const [record] = await recordsOf(db, tenant, [row])
  return { ...record!, lines: rows.map(lineRecord), linesMeta: meta }
}

export async function findSettlement(
  db: Db,
  tenant: Tenant,
  reference: string,
): Promise<SettlementRow> {
  const row = await selectSettlement(db, tenant, reference)
  if (!row) throw notFound('settlement')
  return row
}

/** One page of settlements with its meta; throws 400 naming what cannot be asked. */
export async function listSettlements(db: Db, caller: Caller, query: SettlementQuery) {
  const { status: wanted, subaccount, sort } = query
  const status = wanted === undefined ? undefined : stateOf(wanted)
  const range = rangeOf(query, caller.timeZone)
  const named = subaccount === undefined ? undefined : await getSubaccount(db, caller, subaccount)
  const filter = { status, subaccountId: named?.id, range, descending: isDescending(sort) }
  const found = await findSettlements(db, caller, filter, query)
  const { rows, meta } = pageOf(found.rows, query, found.total)
  return { records: await recordsOf(db, caller, rows), meta }
}

function stateOf(wanted: string): SettlementState {
  const state = SETTLEMENT_STATES.find((name) => name.toLowerCase() === wanted.toLowerCase())
  if (!state) throw invalid({ status: [`must be one of ${SETTLEMENT_STATES.join(', ')}`] })
  return state
}

/** Settlements as the API shows them in lists and events. */
export async function recordsOf(db: Db, tenant: Tenant, rows: readonly SettlementRow[]) {
  const ids = [...new Set(rows.map(({ subaccount_id }) => subaccount_id))]
  const codes = await codesOf(db, tenant, ids)
  return rows.map((row) => settlementRecord(row, codes.get(row.subaccount_id)))
}
