import type { Db } from '../../db/database.ts'
import { dayIn } from '../../lib/dates.ts'
import { isDescending, pageOf, rangeOf } from '../../lib/paging.ts'
import { invalid } from '../../lib/problem.ts'
import type { Caller, Tenant } from '../../lib/tenant.ts'
import { receivedFor } from '../transactions/service.ts'
import { parseNumber } from './number.ts'
import { findInvoices, type InvoiceFilter, selectIdOfNumber } from './queries-list.ts'
import { invoiceRecord, type ShownBy } from './record.ts'
import type { InvoiceFilters, InvoiceQuery } from './schemas.ts'
import { INVOICE_PURPOSE } from './service.ts'
import { INVOICE_STATES, type InvoiceState } from './states.ts'

/** One page of invoices with its meta. */
export async function listInvoices(
  db: Db,
  { publicUrl, providers }: ShownBy,
  caller: Caller,
  query: InvoiceQuery,
) {
  const found = await findInvoices(db, caller, await filterOf(db, caller, query), query)
  const { rows, meta } = pageOf(found.rows, query, found.total)
  const ids = rows.filter(({ status }) => !UNPAID.includes(status)).map(({ id }) => id)
  const received = await receivedFor(db, caller, INVOICE_PURPOSE, ids)
  const records = rows.map((row) =>
    invoiceRecord(row, { publicUrl, providers, ...caller, payments: received.get(row.id) ?? [] }),
  )
  return { records, meta }
}

/** A payment of any of the others may have come, be it too late for one that is Void. */
const UNPAID: readonly InvoiceState[] = ['Draft', 'Sent']

/** What a query asks for; throws 400 naming what cannot be asked. */
export async function filterOf(
  db: Db,
  caller: Caller,
  query: InvoiceFilters,
): Promise<InvoiceFilter> {
  const { status: wanted, search, sort } = query
  const { timeZone, now } = caller
  const status = wanted === undefined ? undefined : statusOf(wanted)
  return {
    status: status === 'Overdue' ? undefined : status,
    overdue: status === 'Overdue' ? { day: dayIn(timeZone, now), now } : undefined,
    search: await searchOf(db, caller, search?.trim()),
    range: rangeOf(query, timeZone),
    descending: isDescending(sort),
  }
}

function statusOf(wanted: string): InvoiceState | 'Overdue' {
  const known = [...INVOICE_STATES, 'Overdue'] as const
  const status = known.find((name) => name.toLowerCase() === wanted.toLowerCase())
  if (!status) throw invalid({ status: [`must be one of ${known.join(', ')}`] })
  return status
}

/**
 * All digits are an id, a prefix and digits an invoice number. Anything else, and what is nobody's
 * number, is a part of a name or an email address.
 */
async function searchOf(
  db: Db,
  tenant: Tenant,
  search: string | undefined,
): Promise<InvoiceFilter['search']> {
  if (!search) return undefined
  if (/^\d{1,15}$/.test(search)) return { id: Number(search) }
  const number = parseNumber(search)
  const found = number && (await selectIdOfNumber(db, tenant, number))
  return found ?? { text: search }
}
