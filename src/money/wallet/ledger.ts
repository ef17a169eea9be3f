import type { Db } from '../../db/database.ts'
import { cursorOf } from '../../db/paginate.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { amountsOf, isCurrency } from '../../lib/money.ts'
import { cursorPage, rangeOf } from '../../lib/paging.ts'
import { invalid } from '../../lib/problem.ts'
import {
  type EntryRow,
  selectCause,
  selectEntries,
  selectReferences,
  selectWallet,
} from './queries.ts'
import type { LedgerQuery } from './schemas.ts'

/**
 * Returns one page of the entries in a wallet's available balance, newest first. All entries
 * together add up to that balance. Throws 400 naming an invalid filter or a cursor from a different
 * list.
 */
export async function walletLedger(db: Db, caller: Caller, query: LedgerQuery) {
  const { currency: wanted, type, limit } = query
  if (wanted !== undefined && !isCurrency(wanted)) {
    throw invalid({ currency: ['must be an ISO 4217 currency code'] })
  }
  const range = rangeOf(query, caller.timeZone)
  const wallet = await selectWallet(db, caller, wanted)
  const name = JSON.stringify(['wallet/ledger', wallet.currency, type, range.from, range.until])
  const { key, cursor } = await cursorOf(db, caller, name, query.cursor)
  const read =
    wallet.id === null
      ? []
      : await selectEntries(db, caller, { accountId: wallet.id, type, range }, cursor, limit + 1)
  const { rows, meta } = cursorPage(key, read, limit, cursor)
  const references = await referencesOf(db, caller, rows)
  return { records: rows.map((row) => entryRecord(row, references)), meta }
}

/** The key for a cause in the result of `referencesOf`. */
export const causeKey = ({ cause_type, cause_id }: Pick<EntryRow, 'cause_type' | 'cause_id'>) =>
  `${cause_type} ${cause_id}`

/** Returns the references of these entries' causes, using one query per cause type. */
export async function referencesOf(
  db: Db,
  tenant: Tenant,
  rows: readonly Pick<EntryRow, 'cause_type' | 'cause_id'>[],
) {
  const references = new Map<string, string>()
  for (const [type, caused] of Map.groupBy(rows, ({ cause_type }) => cause_type)) {
    const ids = [...new Set(caused.map(({ cause_id }) => cause_id))]
    for (const { id, reference } of await selectReferences(db, tenant, type, ids)) {
      references.set(causeKey({ cause_type: type, cause_id: id }), reference)
    }
  }
  return references
}

export const causeOf = (db: Db, tenant: Tenant, reference: string) =>
  selectCause(db, tenant, reference)

const entryRecord = (row: EntryRow, references: ReadonlyMap<string, string>) => ({
  id: row.id,
  reference: `LED_${row.id}`,
  status: 'Posted',
  type: row.type,
  kind: row.kind,
  ...amountsOf(row.currency, { amount: row.amount_minor }),
  currency: row.currency,
  cause: {
    type: row.cause_type,
    id: row.cause_id,
    reference: references.get(causeKey(row)) ?? null,
  },
  createdAt: row.created_at,
})
