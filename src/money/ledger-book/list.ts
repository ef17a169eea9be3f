import type { Database, Db } from '../../db/database.ts'
import { cursorOf } from '../../db/paginate.ts'
import type { Caller } from '../../lib/caller.ts'
import { CSV_START, csvLine } from '../../lib/csv.ts'
import { type Minor, printMinor } from '../../lib/money.ts'
import { type Cursor, cursorPage, scannedMeta } from '../../lib/paging.ts'
import { codesOf } from '../subaccounts/service.ts'
import {
  type MoveFilter,
  type MoveRow,
  selectBalanceAfter,
  selectEndOfScan,
  selectMoves,
} from './queries.ts'
import {
  accountNamed,
  balanceOf,
  type ChosenAccount,
  growsByDebits,
  isSubaccount,
  type LedgerFilters,
  type LedgerSearch,
  ledgerSearchOf,
  type MoveRecord,
  moveRecords,
} from './record.ts'

type LedgerQuery = LedgerFilters & { cursor?: string; limit: number }

/**
 * Returns a page of movements. If an account is chosen, each movement shows its direction in that
 * account. It also shows the account's balance after the movement, unless a filter leaves out some
 * movements.
 */
export async function listMoves(db: Db, caller: Caller, own: string, query: LedgerQuery) {
  const { cursor: given, limit, ...filters } = query
  const { filter, account, isWhole } = await ledgerSearchOf(db, caller, own, filters)
  const name = JSON.stringify(['console/ledger', ...Object.entries(filters).sort().flat()])
  const { key, cursor } = await cursorOf(db, caller, name, given)
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
      ...(end && scannedMeta(key, end, cursor, rows.length === 0)),
      lookedUntil: end?.created_at ?? null,
      account: account ? await accountRecord(db, caller, account) : null,
    },
  }
}

/** Returns the matches and, if the scan stopped early, the position at which it stopped. */
async function readMoves(
  db: Db,
  caller: Caller,
  filter: MoveFilter,
  cursor: Cursor | undefined,
  take: number,
): Promise<{ read: MoveRow[]; end: Cursor | undefined }> {
  if (filter.walks.length === 0) return { read: [], end: undefined }
  const read = await selectMoves(db, caller, filter, cursor, take)
  const place = read.length < take ? await selectEndOfScan(db, caller, filter, cursor) : undefined
  if (!place) return { read, end: undefined }
  const back = cursor?.back ?? false
  const isLookedAt = ({ created_at, id }: MoveRow) => {
    const byTime = created_at.getTime() - place.created_at.getTime()
    const isOlder = byTime === 0 ? id < place.id : byTime < 0
    return back ? isOlder || id === place.id : !isOlder
  }
  return { read: read.filter(isLookedAt), end: { ...place, back } }
}

const directionOf = ({ id, kind }: ChosenAccount, row: MoveRow): 'in' | 'out' =>
  (row.debit_account_id === id) === growsByDebits(kind) ? 'in' : 'out'

/**
 * Returns the account's balance after each of these consecutive movements; null if the calculation
 * would take too long.
 */
async function balancesAfter(
  db: Db,
  caller: Caller,
  account: ChosenAccount,
  rows: readonly MoveRow[],
) {
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

async function accountRecord(db: Db, caller: Caller, account: ChosenAccount) {
  const { subject_id: id } = account
  const names = await codesOf(db, caller, isSubaccount(account) ? [id] : [])
  return { ...accountNamed(account, names.get(id)), ...balanceOf(account) }
}

/** 1,000 rows take up about 150 kB. */
const PAGE_ROWS = 1_000
const PAGE_MS = 60_000

const COLUMNS = [
  'reference',
  'createdAt',
  'kind',
  'from',
  'fromSubaccount',
  'to',
  'toSubaccount',
  'direction',
  'currency',
  'amount',
  'causeType',
  'causeReference',
  'fromConnection',
  'toConnection',
]

/**
 * Exports all matching movements as CSV, newest first. Reads one page at a time as the client
 * consumes the file, each page in its own transaction, so a slow or disconnected client doesn't
 * hold a connection. Resolves once the first page has been read, so that an earlier failure can
 * still become an error response.
 */
export async function exportMoves(
  db: Database,
  caller: Caller,
  own: string,
  filters: LedgerFilters,
): Promise<AsyncIterable<string>> {
  const sought = await ledgerSearchOf(db, caller, own, filters)
  const first = await readPage(db, caller, sought, undefined)
  return pages()

  async function* pages() {
    yield CSV_START + csvLine(COLUMNS)
    for (let page = first; ; page = await readPage(db, caller, sought, page.next)) {
      yield page.lines.join('')
      if (!page.next) return
    }
  }
}

interface PageOfLines {
  lines: string[]
  /** Where the next page starts, if there might be one. */
  next: Cursor | undefined
}

const readPage = (
  db: Database,
  caller: Caller,
  { filter, account }: LedgerSearch,
  cursor: Cursor | undefined,
): Promise<PageOfLines> =>
  db.reading((from) =>
    from.transaction(
      async (tx) => {
        const { read, end } = await readMoves(tx, caller, filter, cursor, PAGE_ROWS)
        const records = await moveRecords(tx, caller, read)
        const last = read.length < PAGE_ROWS ? undefined : read.at(-1)
        return {
          lines: records.map((record, i) => lineOf(record, read[i]!, account)),
          next: end ?? (last && { created_at: last.created_at, id: last.id, back: false }),
        }
      },
      { statementMs: PAGE_MS },
    ),
  )

const lineOf = (record: MoveRecord, row: MoveRow, account: ChosenAccount | undefined): string =>
  csvLine([
    record.reference,
    record.createdAt,
    record.kind,
    record.from.kind,
    record.from.subaccount?.name ?? null,
    record.to.kind,
    record.to.subaccount?.name ?? null,
    account ? directionOf(account, row) : null,
    record.currency,
    { decimal: printMinor(row.amount_minor, record.currency) },
    record.cause.type,
    record.cause.reference,
    record.from.connection?.name ?? null,
    record.to.connection?.name ?? null,
  ])
