import type { Db } from '../db/database.ts'
import { serverSecret } from '../db/secrets.ts'
import { type Cursor, cursorPage, type ListKey, parseCursor, printCursor } from '../lib/cursor.ts'
import type { Minor } from '../lib/money.ts'
import type { Caller } from '../lib/tenant.ts'
import { codesOf } from '../resources/subaccounts/service.ts'
import { type Chosen, growsByDebits, type LedgerFilters, soughtBy } from './ledger-filter.ts'
import { accountNamed, balanceOf, moveRecords } from './ledger-record.ts'
import { selectBalanceAfter } from './queries-accounts.ts'
import { type MoveFilter, type MoveRow, selectEndOfLook, selectMoves } from './queries-ledger.ts'

export type LedgerQuery = LedgerFilters & { cursor?: string; limit: number }

/**
 * A page of movements. With an account chosen each says which way it went there and, unless a
 * filter leaves some out, what the account had afterwards.
 */
export async function listMoves(db: Db, caller: Caller, own: string, query: LedgerQuery) {
  const { cursor: given, limit, ...filters } = query
  const { filter, account, isWhole } = await soughtBy(db, caller, own, filters)
  const key: ListKey = {
    secret: await serverSecret(db, 'cursor'),
    tenant: caller,
    list: JSON.stringify(['console/ledger', ...Object.entries(filters).sort().flat()]),
  }
  const cursor = given === undefined ? undefined : parseCursor(key, given)
  const { read, end } = await readMoves(db, caller, filter, cursor, limit + 1)
  const { rows, meta } = cursorPage(key, read, limit, cursor)
  const records = await moveRecords(db, caller, rows)
  const balances =
    account && isWhole ? await balancesAfter(db, caller, account, rows) : rows.map(() => null)
  return {
    records: records.map((record, i) => ({
      ...record,
      direction: account ? directionOf(account, rows[i]!) : null,
      balance: balances[i] ?? null,
    })),
    meta: {
      ...meta,
      // What was found is all there is so far: whoever goes on does so from there.
      ...(end && !end.back && { next: printCursor(key, end), hasMore: true }),
      ...(end?.back && { previous: printCursor(key, end) }),
      lookedUntil: end?.created_at ?? null,
      account: account ? await accountRecord(db, caller, account) : null,
    },
  }
}

/** What was found and, where looking came to an end before all was read, the place of that. */
export async function readMoves(
  db: Db,
  caller: Caller,
  filter: MoveFilter,
  cursor: Cursor | undefined,
  take: number,
): Promise<{ read: MoveRow[]; end: Cursor | undefined }> {
  if (filter.walks.length === 0) return { read: [], end: undefined }
  const read = await selectMoves(db, caller, filter, cursor, take)
  const place = read.length < take ? await selectEndOfLook(db, caller, filter, cursor) : undefined
  if (!place) return { read, end: undefined }
  const back = cursor?.back ?? false
  const isLookedAt = ({ created_at, id }: MoveRow) => {
    const byTime = created_at.getTime() - place.created_at.getTime()
    const isOlder = byTime === 0 ? id < place.id : byTime < 0
    return back ? isOlder || id === place.id : !isOlder
  }
  return { read: read.filter(isLookedAt), end: { ...place, back } }
}

export const directionOf = ({ id, kind }: Chosen, row: MoveRow): 'in' | 'out' =>
  (row.debit_account_id === id) === growsByDebits(kind) ? 'in' : 'out'

/** What the account had after each of these, which follow each other; null where it is too far. */
async function balancesAfter(db: Db, caller: Caller, account: Chosen, rows: readonly MoveRow[]) {
  const [newest] = rows
  if (!newest || account.id === undefined) return []
  let minor: Minor | null = await selectBalanceAfter(db, caller, account.id, newest)
  return rows.map((row) => {
    if (minor === null) return null
    const { balance } = balanceOf({ ...account, balance_minor: minor })
    minor += row.credit_account_id === account.id ? -row.amount_minor : row.amount_minor
    return balance
  })
}

async function accountRecord(db: Db, caller: Caller, account: Chosen) {
  const { kind, subject_id: id } = account
  const names = await codesOf(db, caller, id === 0 ? [] : [id])
  return { ...accountNamed(kind, names.get(id)), ...balanceOf(account) }
}
