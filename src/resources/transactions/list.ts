import type { Db } from '../../db/database.ts'
import { serverSecret } from '../../db/secrets.ts'
import { cursorPage, parseCursor } from '../../lib/cursor.ts'
import { rangeOf } from '../../lib/paging.ts'
import { invalid } from '../../lib/problem.ts'
import type { Caller, Tenant } from '../../lib/tenant.ts'
import type { TransactionRow } from './queries.ts'
import { CHANNELS, findTransactions, type TransactionFilter } from './queries-list.ts'
import { sharesOf } from './queries-shares.ts'
import { transactionRecord } from './record.ts'
import type { TransactionFilters, TransactionQuery } from './schemas-read.ts'
import { TRANSACTION_STATES } from './states.ts'

/** One page of transactions, newest first, with the cursors of the next and the previous one. */
export async function listTransactions(db: Db, caller: Caller, query: TransactionQuery) {
  const filter = filterOf(caller, query)
  const key = {
    secret: await serverSecret(db, 'cursor'),
    tenant: caller,
    list: `transactions ${JSON.stringify(filter)}`,
  }
  const cursor = query.cursor === undefined ? undefined : parseCursor(key, query.cursor)
  const found = await findTransactions(db, caller, filter, cursor, query.limit + 1)
  const { rows, meta } = cursorPage(key, found, query.limit, cursor)
  return { records: await recordsOf(db, caller, rows), meta }
}

/** Transactions as the API shows them, with their shares. */
async function recordsOf(db: Db, tenant: Tenant, rows: readonly TransactionRow[]) {
  const shared = rows.filter((row) => row.split_page_id !== null || row.subaccount_id !== null)
  const shares = await sharesOf(
    db,
    tenant,
    shared.map(({ id }) => id),
  )
  return rows.map((row) => transactionRecord(row, tenant, shares.get(row.id) ?? []))
}

/** What a query asks for; throws 400 naming what cannot be asked. */
export function filterOf(caller: Caller, query: TransactionFilters): TransactionFilter {
  const { status, channel, reference, search } = query
  return {
    status: oneOf('status', TRANSACTION_STATES, status),
    channel: oneOf('channel', CHANNELS, channel),
    reference,
    search: searchOf(search?.trim()),
    methodChosen: query.methodChosen,
    range: rangeOf(query, caller.timeZone),
  }
}

/** In any case. */
function oneOf<Name extends string>(
  field: string,
  names: readonly Name[],
  wanted: string | undefined,
): Name | undefined {
  if (wanted === undefined) return undefined
  const found = names.find((name) => name.toLowerCase() === wanted.toLowerCase())
  if (!found) throw invalid({ [field]: [`must be one of ${names.join(', ')}`] })
  return found
}

/** All digits are an id, TRX_… a reference, anything else a part of a name or e-mail. */
function searchOf(search: string | undefined): TransactionFilter['search'] {
  if (!search) return undefined
  // Beyond the largest there is nothing, so that one will do for all of them.
  if (/^\d+$/.test(search)) return { id: Math.min(Number(search), Number.MAX_SAFE_INTEGER) }
  return search.startsWith('TRX_') ? { reference: search } : { text: search }
}
