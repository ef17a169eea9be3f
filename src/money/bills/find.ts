import { exportList } from '../../db/csv.ts'
import type { Database, Db } from '../../db/database.ts'
import { paginate } from '../../db/paginate.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import type { Cell } from '../../lib/csv.ts'
import { printMinor } from '../../lib/money.ts'
import { oneOf, rangeOf } from '../../lib/paging.ts'
import { notFound } from '../../lib/problem.ts'
import { UTILITY_CATEGORIES } from '../../providers/connector/utilities.ts'
import { type BillRow, type PaymentFilter, paymentList, selectNewest } from './queries.ts'
import { utilityRecord } from './record.ts'
import { BILL_STATES, type PaymentFilters, type PaymentQuery } from './schemas.ts'

/**
 * Finds the newest attempt with a given paymentReference, or the payment with our own reference.
 */
export async function findPayment(db: Db, tenant: Tenant, reference: string) {
  const row = await selectNewest(db, tenant, reference)
  if (!row) throw notFound('utility_payment')
  return row
}

/** Returns one page of utility payments with its meta. Throws 400 naming an invalid filter. */
export async function listPayments(db: Db, caller: Caller, query: PaymentQuery) {
  const list = paymentList(caller, filterOf(caller, query))
  const { rows, meta } = await paginate<BillRow>(db, list, query)
  return { records: rows.map(utilityRecord), meta }
}

function filterOf(caller: Caller, filters: PaymentFilters): PaymentFilter {
  const { status, category, search } = filters
  return {
    status: oneOf('status', BILL_STATES, status),
    category: oneOf('category', UTILITY_CATEGORIES, category),
    range: rangeOf(filters, caller.timeZone),
    text: search?.trim() || undefined,
  }
}

const COLUMNS = [
  'reference',
  'paymentReference',
  'status',
  'category',
  'billerName',
  'packageName',
  'customerId',
  'customerName',
  'currency',
  'amount',
  'fee',
  'total',
  'channel',
  'phoneNumber',
  'email',
  'token',
  'pins',
  'failureReason',
  'createdAt',
  'completedAt',
]

export function exportPayments(
  db: Database,
  caller: Caller,
  filters: PaymentFilters,
): Promise<AsyncIterable<string>> {
  const list = paymentList(caller, filterOf(caller, filters))
  return exportList<BillRow>(db, list, {
    columns: COLUMNS,
    cellsOf,
  })
}

function cellsOf(row: BillRow): Cell[] {
  const money = (minor: BillRow['amount_minor']) => ({
    decimal: printMinor(minor, row.currency),
  })
  return [
    row.reference,
    row.payment_reference,
    row.status,
    row.category,
    row.biller_name,
    row.package_name,
    row.customer_id,
    row.customer_name,
    row.currency,
    money(row.amount_minor),
    money(row.fee_minor),
    money(row.amount_minor + row.fee_minor),
    row.channel,
    row.phone_number,
    row.email,
    row.token_value,
    row.pins.join(' '),
    row.status === 'Failed' ? row.message : null,
    row.created_at,
    row.completed_at,
  ]
}
