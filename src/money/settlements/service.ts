import { exportRows } from '../../db/csv.ts'
import type { Database, Db } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { amountsOf, printMinor } from '../../lib/money.ts'
import { isDescending, oneOf, type Page, pageOf, rangeOf } from '../../lib/paging.ts'
import { notFound } from '../../lib/problem.ts'
import { codesOf, requireSubaccount } from '../subaccounts/service.ts'
import {
  findSettlements,
  type LineRow,
  type SettlementRow,
  selectLines,
  selectLinesAfter,
  selectSettlement,
  selectSubaccountBalance,
} from './queries.ts'
import { lineRecord, settlementRecord, withNumber } from './record.ts'
import { SETTLEMENT_STATES, type SettlementQuery } from './schemas.ts'

type ReadDeps = Pick<Deps, 'db' | 'keyring'>

/**
 * Returns a settlement with a page of its lines, oldest first. A Failed settlement has no lines.
 */
export async function getSettlement(deps: ReadDeps, tenant: Tenant, reference: string, page: Page) {
  const { db } = deps
  const row = await requireSettlement(db, tenant, reference)
  const found = await selectLines(db, tenant, row.id, page)
  const total = row.status === 'Failed' ? 0 : row.entry_count
  const { rows, meta } = pageOf(found, page, total)
  const [record] = await recordsOf(db, deps.keyring, tenant, [row])
  return { ...record!, lines: rows.map(lineRecord), linesMeta: meta }
}

export const findSettlement = (db: Db, tenant: Tenant, reference: string) =>
  selectSettlement(db, tenant, reference)

async function requireSettlement(
  db: Db,
  tenant: Tenant,
  reference: string,
): Promise<SettlementRow> {
  const row = await selectSettlement(db, tenant, reference)
  if (!row) throw notFound('settlement')
  return row
}

/** Returns one page of settlements with its meta. Throws 400 naming an invalid filter. */
export async function listSettlements(
  { db, keyring }: ReadDeps,
  caller: Caller,
  query: SettlementQuery,
) {
  const { subaccount, sort } = query
  const status = oneOf('status', SETTLEMENT_STATES, query.status)
  const range = rangeOf(query, caller.timeZone)
  const named =
    subaccount === undefined ? undefined : await requireSubaccount(db, caller, subaccount)
  const filter = { status, subaccountId: named?.id, range, isDescending: isDescending(sort) }
  const { rows, meta } = await findSettlements(db, caller, filter, query)
  return { records: await recordsOf(db, keyring, caller, rows), meta }
}

export async function recordsOf(
  db: Db,
  keyring: Keyring,
  tenant: Tenant,
  rows: readonly SettlementRow[],
) {
  const codes = await codesOfAll(db, tenant, rows)
  const settlements = await Promise.all(rows.map((row) => withNumber(db, keyring, tenant, row)))
  return settlements.map((row) => settlementRecord(row, codes.get(row.subaccount_id)))
}

const codesOfAll = (db: Db, tenant: Tenant, rows: readonly SettlementRow[]) =>
  codesOf(db, tenant, [...new Set(rows.map(({ subaccount_id }) => subaccount_id))])

const COLUMNS = [
  'settlement',
  'subaccountCode',
  'business_name',
  'kind',
  'transactionId',
  'transactionReference',
  'refundReference',
  'currency',
  'amount',
  'createdAt',
]

/**
 * Exports all of a settlement's lines as CSV, oldest first, with `exportRows`. If the settlement
 * fails during the download, it loses its lines and the download is aborted, so that no client
 * takes part of the file for all of it.
 */
export async function exportSettlement(
  db: Database,
  tenant: Tenant,
  reference: string,
): Promise<AsyncIterable<string>> {
  const row = await requireSettlement(db, tenant, reference)
  const subaccount = (await codesOfAll(db, tenant, [row])).get(row.subaccount_id)
  const begin = [row.reference, subaccount?.reference ?? null, subaccount?.business_name ?? null]
  const wanted = row.status === 'Failed' ? 0 : row.entry_count
  return exportRows<LineRow>(db, {
    columns: COLUMNS,
    read: (tx, after, rowsMax) => selectLinesAfter(tx, tenant, row.id, after?.id ?? 0, rowsMax),
    cellsOf: (line) => [...begin, ...cellsOf(line)],
    checkCount(count) {
      if (count !== wanted) throw new Error(`Read ${count} of ${wanted} lines from ${reference}`)
    },
  })
}

const cellsOf = (line: LineRow) => [
  line.kind,
  line.transaction_id,
  line.transaction_reference,
  line.refund_reference,
  line.currency,
  { decimal: printMinor(line.amount_minor, line.currency) },
  line.created_at,
]

/**
 * Returns the balance of a subaccount, identified by code or id: what the ledger owes it, what is
 * being paid to its bank, and what has been paid. Throws 404.
 */
export async function subaccountBalance(db: Db, tenant: Tenant, named: string) {
  const subaccount = await requireSubaccount(db, tenant, named)
  const { id, reference, status, currency, bank_code, payouts_blocked } = subaccount
  const row = await selectSubaccountBalance(db, tenant, { id, currency })
  const isBlocked = bank_code === null || payouts_blocked !== null
  const { owed_minor, pending_minor, paid_minor, settle_at } = row
  return {
    reference,
    status,
    subaccount_code: reference,
    currency,
    ...amountsOf(currency, { owed: owed_minor, pending: pending_minor, paidOut: paid_minor }),
    nextSettlementAt: isBlocked || owed_minor === 0n ? null : settle_at,
  }
}
